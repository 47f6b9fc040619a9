# Made by `make generate` from the host's method table: a change here is lost.
"""What the client knows of each of the host's methods."""

from __future__ import annotations

from ._row import Gives, Name, Param, Row

VERSION = "0.1.0"
"""The version of the product."""

ROWS: dict[str, Row] = {
    "init": Row(
        "init",
        Gives.NOTHING,
        params=(
            Param("brandId", "brand_id", "string", True, "INVALID_BRAND_ID"),
            Param("config", "config", "object", False, "INVALID_CONFIGURATION", {
                "api_url": Name("apiUrl"),
                "x_api_key": Name("xApiKey"),
                "cookie_domain": Name("cookieDomain"),
                "cross_site_cookie": Name("crossSiteCookie"),
                "cookie_expiration": Name("cookieExpiration"),
                "session_creation": Name("sessionCreation"),
                "init_timeout_ms": Name("initTimeoutMs"),
                "max_pending_events": Name("maxPendingEvents"),
                "device": Name("device", {"os_name": Name("osName"), "device_type": Name("deviceType")}),
                "initial_screen": Name("initialScreen"),
                "storage_directory": Name("storageDirectory"),
                "max_queued_events": Name("maxQueuedEvents"),
                "max_queued_bytes": Name("maxQueuedBytes"),
                "max_event_bytes": Name("maxEventBytes"),
                "event_ttl_ms": Name("eventTTLMs"),
                "max_concurrent_requests": Name("maxConcurrentRequests"),
                "request_timeout_ms": Name("requestTimeoutMs"),
                "compression_threshold": Name("compressionThreshold"),
                "retry_delay_ms": Name("retryDelayMs"),
                "failure_threshold": Name("failureThreshold"),
                "cooldown_ms": Name("cooldownMs"),
                "max_cooldown_ms": Name("maxCooldownMs"),
                "ca_bundle": Name("caBundle"),
                "allow_insecure_http": Name("allowInsecureHTTP"),
                "collector_panel": Name("collectorPanel"),
            }),
        ),
        repeats=True,
    ),
    "track": Row(
        "track",
        Gives.OUTCOME,
        params=(
            Param("eventName", "event_name", "string", True, "INVALID_EVENT_NAME"),
            Param("attributes", "attributes", "object", False, "INVALID_VALUE"),
            Param("metadata", "metadata", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
        is_named=True,
    ),
    "identify": Row(
        "identify",
        Gives.OUTCOME,
        params=(
            Param("userId", "user_id", "id", True, "INVALID_USER_ID"),
            Param("profileData", "profile_data", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "set": Row(
        "set",
        Gives.OUTCOME,
        params=(
            Param("profileData", "profile_data", "object", True, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "setMetadata": Row(
        "setMetadata",
        Gives.OUTCOME,
        params=(
            Param("metadata", "metadata", "object", True, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "screen": Row(
        "screen",
        Gives.OUTCOME,
        params=(
            Param("name", "name", "string", True, "INVALID_EVENT_NAME"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
        is_named=True,
    ),
    "screenDidAppear": Row(
        "screenDidAppear",
        Gives.OUTCOME,
        params=(
            Param("name", "name", "string", True, "INVALID_EVENT_NAME"),
            Param("url", "url", "string", False, "INVALID_VALUE"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
        is_named=True,
    ),
    "updateLocation": Row(
        "updateLocation",
        Gives.OUTCOME,
        params=(
            Param("latitude", "latitude", "number", True, "INVALID_VALUE"),
            Param("longitude", "longitude", "number", True, "INVALID_VALUE"),
            Param("accuracy", "accuracy", "number", True, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "updateSessionEmail": Row(
        "updateSessionEmail",
        Gives.OUTCOME,
        params=(
            Param("email", "email", "string", True, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "linkSession": Row(
        "linkSession",
        Gives.OUTCOME,
        params=(
            Param("sourceSessionId", "source_session_id", "string", True, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "reset": Row(
        "reset",
        Gives.NOTHING,
        params=(
            Param("all", "all", "boolean", False, "INVALID_PARAMS"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "flush": Row(
        "flush",
        Gives.REPORT,
        params=(
            Param("timeoutMs", "timeout_ms", "integer", False, "INVALID_PARAMS"),
        ),
    ),
    "setConsent": Row(
        "setConsent",
        Gives.NOTHING,
        params=(
            Param("consent", "consent", "string", True, "INVALID_PARAMS"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "isTrackingAllowed": Row(
        "isTrackingAllowed",
        Gives.MEMBER,
        member="allowed",
    ),
    "getSessionId": Row(
        "getSessionId",
        Gives.MEMBER,
        member="sessionId",
    ),
    "getDeviceId": Row(
        "getDeviceId",
        Gives.MEMBER,
        member="deviceId",
    ),
    "getSessionEmail": Row(
        "getSessionEmail",
        Gives.MEMBER,
        member="sessionEmail",
    ),
    "getBrandId": Row(
        "getBrandId",
        Gives.MEMBER,
        member="brandId",
    ),
    "getCrossDomainUrl": Row(
        "getCrossDomainUrl",
        Gives.MEMBER,
        member="url",
        params=(
            Param("url", "url", "string", True, "INVALID_PARAMS"),
        ),
    ),
    "continueSession": Row(
        "continueSession",
        Gives.OUTCOME,
        params=(
            Param("url", "url", "string", True, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "getDebugInfo": Row(
        "getDebugInfo",
        Gives.OBJECT,
    ),
    "networkDidChange": Row(
        "networkDidChange",
        Gives.NOTHING,
    ),
    "analytics.initialize": Row(
        "analytics.initialize",
        Gives.NOTHING,
        params=(
            Param("options", "options", "object", False, "INVALID_CONFIGURATION", {
                "write_key": Name("writeKey"),
                "ingestion_host": Name("ingestionHost"),
                "flush_interval_seconds": Name("flushIntervalSeconds"),
                "max_queue_events": Name("maxQueueEvents"),
                "flush_at": Name("flushAt"),
                "max_batch_size": Name("maxBatchSize"),
                "max_batch_bytes": Name("maxBatchBytes"),
                "request_timeout_ms": Name("requestTimeoutMs"),
                "storage_directory": Name("storageDirectory"),
                "max_queued_events": Name("maxQueuedEvents"),
                "max_queued_bytes": Name("maxQueuedBytes"),
                "max_event_bytes": Name("maxEventBytes"),
                "event_ttl_ms": Name("eventTTLMs"),
                "max_concurrent_requests": Name("maxConcurrentRequests"),
                "compression_threshold": Name("compressionThreshold"),
                "retry_delay_ms": Name("retryDelayMs"),
                "failure_threshold": Name("failureThreshold"),
                "cooldown_ms": Name("cooldownMs"),
                "max_cooldown_ms": Name("maxCooldownMs"),
                "ca_bundle": Name("caBundle"),
                "allow_insecure_http": Name("allowInsecureHTTP"),
                "collector_panel": Name("collectorPanel"),
            }),
        ),
        repeats=True,
    ),
    "analytics.track": Row(
        "analytics.track",
        Gives.OUTCOME,
        params=(
            Param("event", "event", "string", True, "INVALID_EVENT_NAME"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
            Param("options", "options", "object", False, "INVALID_VALUE", {
                "user_id": Name("userId"),
                "anonymous_id": Name("anonymousId"),
                "group_id": Name("groupId"),
            }),
        ),
        message_id="stamped",
        repeats=True,
        is_named=True,
    ),
    "analytics.identify": Row(
        "analytics.identify",
        Gives.OUTCOME,
        params=(
            Param("userId", "user_id", "id", True, "INVALID_USER_ID"),
            Param("traits", "traits", "object", False, "INVALID_VALUE"),
            Param("options", "options", "object", False, "INVALID_VALUE", {
                "user_id": Name("userId"),
                "anonymous_id": Name("anonymousId"),
                "group_id": Name("groupId"),
            }),
        ),
        message_id="stamped",
        repeats=True,
    ),
    "analytics.group": Row(
        "analytics.group",
        Gives.OUTCOME,
        params=(
            Param("groupId", "group_id", "id", True, "INVALID_VALUE"),
            Param("traits", "traits", "object", False, "INVALID_VALUE"),
            Param("options", "options", "object", False, "INVALID_VALUE", {
                "user_id": Name("userId"),
                "anonymous_id": Name("anonymousId"),
                "group_id": Name("groupId"),
            }),
        ),
        message_id="stamped",
        repeats=True,
    ),
    "analytics.screen": Row(
        "analytics.screen",
        Gives.OUTCOME,
        params=(
            Param("name", "name", "string", True, "INVALID_EVENT_NAME"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
            Param("options", "options", "object", False, "INVALID_VALUE", {
                "user_id": Name("userId"),
                "anonymous_id": Name("anonymousId"),
                "group_id": Name("groupId"),
            }),
        ),
        message_id="stamped",
        repeats=True,
        is_named=True,
    ),
    "analytics.page": Row(
        "analytics.page",
        Gives.OUTCOME,
        params=(
            Param("name", "name", "string", True, "INVALID_EVENT_NAME"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
            Param("options", "options", "object", False, "INVALID_VALUE", {
                "user_id": Name("userId"),
                "anonymous_id": Name("anonymousId"),
                "group_id": Name("groupId"),
            }),
        ),
        message_id="stamped",
        repeats=True,
        is_named=True,
    ),
    "analytics.alias": Row(
        "analytics.alias",
        Gives.OUTCOME,
        params=(
            Param("newUserId", "new_user_id", "id", True, "INVALID_USER_ID"),
            Param("options", "options", "object", False, "INVALID_VALUE", {
                "user_id": Name("userId"),
                "anonymous_id": Name("anonymousId"),
                "group_id": Name("groupId"),
            }),
        ),
        message_id="stamped",
        repeats=True,
    ),
    "analytics.setAdvertisingId": Row(
        "analytics.setAdvertisingId",
        Gives.OUTCOME,
        params=(
            Param("advertisingId", "advertising_id", "string", False, "INVALID_VALUE"),
        ),
        message_id="stamped",
        repeats=True,
    ),
    "analytics.clearAdvertisingId": Row(
        "analytics.clearAdvertisingId",
        Gives.OUTCOME,
        message_id="stamped",
        repeats=True,
    ),
    "analytics.flush": Row(
        "analytics.flush",
        Gives.REPORT,
        params=(
            Param("timeoutMs", "timeout_ms", "integer", False, "INVALID_PARAMS"),
        ),
    ),
    "analytics.reset": Row(
        "analytics.reset",
        Gives.NOTHING,
        message_id="uuid",
        repeats=True,
    ),
    "analytics.enableDebugLogging": Row(
        "analytics.enableDebugLogging",
        Gives.NOTHING,
    ),
    "analytics.getDebugInfo": Row(
        "analytics.getDebugInfo",
        Gives.OBJECT,
    ),
    "analytics.foreground": Row(
        "analytics.foreground",
        Gives.NOTHING,
    ),
    "analytics.background": Row(
        "analytics.background",
        Gives.NOTHING,
    ),
    "basic.initialize": Row(
        "basic.initialize",
        Gives.NOTHING,
        params=(
            Param("apiKey", "api_key", "string", False, "INVALID_API_KEY"),
            Param("endpoint", "endpoint", "string", False, "INVALID_ENDPOINT"),
            Param("appVersion", "app_version", "string", False, "INVALID_PARAMS"),
            Param("options", "options", "object", False, "INVALID_CONFIGURATION", {
                "max_queue_size": Name("maxQueueSize"),
                "storage_directory": Name("storageDirectory"),
                "max_queued_events": Name("maxQueuedEvents"),
                "max_queued_bytes": Name("maxQueuedBytes"),
                "max_event_bytes": Name("maxEventBytes"),
                "event_ttl_ms": Name("eventTTLMs"),
                "max_concurrent_requests": Name("maxConcurrentRequests"),
                "request_timeout_ms": Name("requestTimeoutMs"),
                "compression_threshold": Name("compressionThreshold"),
                "retry_delay_ms": Name("retryDelayMs"),
                "failure_threshold": Name("failureThreshold"),
                "cooldown_ms": Name("cooldownMs"),
                "max_cooldown_ms": Name("maxCooldownMs"),
                "ca_bundle": Name("caBundle"),
                "allow_insecure_http": Name("allowInsecureHTTP"),
                "collector_panel": Name("collectorPanel"),
            }),
        ),
        repeats=True,
    ),
    "basic.track": Row(
        "basic.track",
        Gives.OUTCOME,
        params=(
            Param("event", "event", "string", True, "INVALID_EVENT_NAME"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
        is_named=True,
    ),
    "basic.identify": Row(
        "basic.identify",
        Gives.OUTCOME,
        params=(
            Param("userId", "user_id", "id", True, "INVALID_USER_ID"),
            Param("traits", "traits", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
    ),
    "basic.screen": Row(
        "basic.screen",
        Gives.OUTCOME,
        params=(
            Param("name", "name", "string", True, "INVALID_EVENT_NAME"),
            Param("properties", "properties", "object", False, "INVALID_VALUE"),
        ),
        message_id="uuid",
        repeats=True,
        is_named=True,
    ),
    "basic.flush": Row(
        "basic.flush",
        Gives.REPORT,
        params=(
            Param("timeoutMs", "timeout_ms", "integer", False, "INVALID_PARAMS"),
        ),
    ),
    "basic.getDebugInfo": Row(
        "basic.getDebugInfo",
        Gives.OBJECT,
    ),
}
"""The methods, by the names that the host has for them."""

NUMBERS: dict[str, int] = {
    "INVALID_BRAND_ID": 1001,
    "INVALID_CONFIGURATION": 1002,
    "SESSION_CREATION_FAILED": 1003,
    "INIT_ERROR": 1006,
    "INVALID_API_KEY": 1007,
    "INVALID_ENDPOINT": 1008,
    "STORAGE_ERROR": 1009,
    "INVALID_PARAMS": -32602,
    "METHOD_NOT_FOUND": -32601,
    "INVALID_REQUEST": -32600,
    "PARSE_ERROR": -32700,
    "INTERNAL_ERROR": -32603,
    "MESSAGE_TOO_LARGE": -32600,
    "SERIALIZATION_ERROR": 1004,
    "NETWORK_ERROR": 1005,
}
"""The number of each error that a message can carry."""
