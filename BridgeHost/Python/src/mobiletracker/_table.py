# Made by `make generate` from the host's method table: a change here is lost.
"""What the client knows of each of the host's methods."""

from __future__ import annotations

from ._row import Gives, Param, Row, names_of

VERSION = "0.1.0"
"""The version of the product."""

_TRACKER_CONFIG = names_of(
    "apiUrl", "xApiKey", "cookieDomain", "enabled", "debug", "crossSiteCookie", "cookieExpiration", "sessionCreation",
    "initTimeoutMs", "consent", "maxPendingEvents", "storageDirectory", "persistence", "durability", "maxQueuedEvents",
    "maxQueuedBytes", "maxEventBytes", "eventTTLMs", "overflow", "maxConcurrentRequests", "requestTimeoutMs",
    "compression", "compressionThreshold", "retryDelayMs", "failureThreshold", "cooldownMs", "maxCooldownMs", "jitter",
    "haltRetryMs", "poisonAfterMs", "maxRefusedEvents", "maxRefusedBytes", "refusedTTLMs", "caBundle",
    "clientCertificate", "clientKey", "keyFile", "proxy", "headers", "allowInsecureHTTP", "collectorPanel",
    device=names_of(
        "osName", "deviceType",
    ),
    initialScreen=names_of(
        "name", "url",
    ),
    plan=names_of(
        "file", "onBroken",
    ),
)

_ANALYTICS_OPTIONS = names_of(
    "writeKey", "ingestionHost", "enabled", "api", "groupType", "debug", "flushIntervalSeconds", "maxQueueEvents",
    "flushAt", "maxBatchSize", "maxBatchBytes", "whenRefused", "requestTimeoutMs", "context", "storageDirectory",
    "persistence", "durability", "maxQueuedEvents", "maxQueuedBytes", "maxEventBytes", "eventTTLMs", "overflow",
    "maxConcurrentRequests", "compression", "compressionThreshold", "retryDelayMs", "failureThreshold", "cooldownMs",
    "maxCooldownMs", "jitter", "haltRetryMs", "poisonAfterMs", "maxRefusedEvents", "maxRefusedBytes", "refusedTTLMs",
    "caBundle", "clientCertificate", "clientKey", "keyFile", "proxy", "headers", "allowInsecureHTTP", "collectorPanel",
    app=names_of(
        "name", "version", "build", "namespace",
    ),
    plan=names_of(
        "file", "onBroken",
    ),
)

_ANALYTICS_CALL_OPTIONS = names_of(
    "userId", "anonymousId", "groupId", "timestamp", "context",
)

_BASIC_OPTIONS = names_of(
    "enabled", "maxQueueSize", "debug", "storageDirectory", "persistence", "durability", "maxQueuedEvents",
    "maxQueuedBytes", "maxEventBytes", "eventTTLMs", "overflow", "maxConcurrentRequests", "requestTimeoutMs",
    "compression", "compressionThreshold", "retryDelayMs", "failureThreshold", "cooldownMs", "maxCooldownMs", "jitter",
    "haltRetryMs", "poisonAfterMs", "maxRefusedEvents", "maxRefusedBytes", "refusedTTLMs", "caBundle",
    "clientCertificate", "clientKey", "keyFile", "proxy", "headers", "allowInsecureHTTP", "collectorPanel",
    plan=names_of(
        "file", "onBroken",
    ),
)

_REFUSED_FILTER = names_of(
    "client", "messageIds", "events", "reasons", "statuses", "since", "until",
)

ROWS: dict[str, Row] = {
    row.method: row
    for row in (
        Row(
            "init",
            Gives.NOTHING,
            params=(
                Param("brandId", "string", True, "INVALID_BRAND_ID"),
                Param("config", "object", False, "INVALID_CONFIGURATION", _TRACKER_CONFIG),
            ),
            repeats=True,
            restores="setup",
            holds_after="SESSION_CREATION_FAILED",
            again={"sessionCreation": "inBackground"},
            once=("initialScreen",),
        ),
        Row(
            "track",
            Gives.OUTCOME,
            params=(
                Param("eventName", "string", True, "INVALID_EVENT_NAME", member="name"),
                Param("attributes", "object", False, "INVALID_VALUE", member="properties"),
                Param("metadata", "object", False, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
            is_named=True,
        ),
        Row(
            "identify",
            Gives.OUTCOME,
            params=(
                Param("userId", "id", True, "INVALID_USER_ID"),
                Param("profileData", "object", False, "INVALID_VALUE", member="properties"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row(
            "set",
            Gives.OUTCOME,
            params=(
                Param("profileData", "object", True, "INVALID_VALUE", member="properties"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row(
            "setMetadata",
            Gives.OUTCOME,
            params=(
                Param("metadata", "object", True, "INVALID_VALUE", member="properties"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row(
            "screen",
            Gives.OUTCOME,
            params=(
                Param("name", "string", True, "INVALID_EVENT_NAME"),
                Param("properties", "object", False, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
            is_named=True,
        ),
        Row(
            "screenDidAppear",
            Gives.OUTCOME,
            params=(
                Param("name", "string", True, "INVALID_EVENT_NAME"),
                Param("url", "string", False, "INVALID_VALUE"),
                Param("properties", "object", False, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
            is_named=True,
        ),
        Row(
            "updateLocation",
            Gives.OUTCOME,
            params=(
                Param("latitude", "number", True, "INVALID_VALUE", member="location"),
                Param("longitude", "number", True, "INVALID_VALUE", member="location"),
                Param("accuracy", "number", True, "INVALID_VALUE", member="location"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row(
            "updateSessionEmail",
            Gives.OUTCOME,
            params=(
                Param("email", "string", True, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row(
            "linkSession",
            Gives.OUTCOME,
            params=(
                Param("sourceSessionId", "id", True, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row(
            "reset",
            Gives.NOTHING,
            params=(
                Param("all", "boolean", False, "INVALID_PARAMS"),
            ),
            message_id="uuid",
            repeats=True,
            restores="endsBrand",
            ends="all",
            is_urgent=True,
        ),
        Row(
            "flush",
            Gives.REPORT,
            params=(
                Param("timeoutMs", "integer", False, "INVALID_PARAMS"),
            ),
            when_off={"delivered": 0, "remaining": 0},
        ),
        Row(
            "setCredentials",
            Gives.NOTHING,
            params=(
                Param("key", "string", False, "INVALID_PARAMS"),
                Param("headers", "object", False, "INVALID_PARAMS"),
            ),
            repeats=True,
            restores="credentials",
            is_urgent=True,
        ),
        Row(
            "setConsent",
            Gives.NOTHING,
            params=(
                Param("consent", "string", True, "INVALID_PARAMS"),
            ),
            message_id="uuid",
            repeats=True,
            restores="consent",
            is_urgent=True,
        ),
        Row("isTrackingAllowed", Gives.MEMBER, member="allowed", when_off="consent"),
        Row("getSessionId", Gives.MEMBER, member="sessionId"),
        Row("getDeviceId", Gives.MEMBER, member="deviceId"),
        Row("getSessionEmail", Gives.MEMBER, member="sessionEmail"),
        Row("getBrandId", Gives.MEMBER, member="brandId"),
        Row(
            "getCrossDomainUrl",
            Gives.MEMBER, member="url",
            params=(
                Param("url", "string", True, "INVALID_PARAMS"),
            ),
            when_off="param",
        ),
        Row(
            "continueSession",
            Gives.OUTCOME,
            params=(
                Param("url", "string", True, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
        ),
        Row("getDebugInfo", Gives.OBJECT, when_off="state"),
        Row("networkDidChange", Gives.NOTHING),
        Row(
            "analytics.initialize",
            Gives.NOTHING,
            params=(
                Param("options", "object", False, "INVALID_CONFIGURATION", _ANALYTICS_OPTIONS),
            ),
            repeats=True,
            restores="setup",
        ),
        Row(
            "analytics.track",
            Gives.OUTCOME,
            params=(
                Param("event", "string", True, "INVALID_EVENT_NAME", member="name"),
                Param("properties", "object", False, "INVALID_VALUE"),
                Param("options", "object", False, "INVALID_VALUE", _ANALYTICS_CALL_OPTIONS),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
            is_named=True,
            person="user_id",
        ),
        Row(
            "analytics.identify",
            Gives.OUTCOME,
            params=(
                Param("userId", "id", True, "INVALID_USER_ID"),
                Param("traits", "object", False, "INVALID_VALUE", member="properties"),
                Param("options", "object", False, "INVALID_VALUE", _ANALYTICS_CALL_OPTIONS),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
            person="user_id",
        ),
        Row(
            "analytics.group",
            Gives.OUTCOME,
            params=(
                Param("groupId", "id", True, "INVALID_VALUE"),
                Param("traits", "object", False, "INVALID_VALUE", member="properties"),
                Param("options", "object", False, "INVALID_VALUE", _ANALYTICS_CALL_OPTIONS),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
            person="user_id",
        ),
        Row(
            "analytics.screen",
            Gives.OUTCOME,
            params=(
                Param("name", "string", True, "INVALID_EVENT_NAME"),
                Param("properties", "object", False, "INVALID_VALUE"),
                Param("options", "object", False, "INVALID_VALUE", _ANALYTICS_CALL_OPTIONS),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
            is_named=True,
            person="user_id",
        ),
        Row(
            "analytics.page",
            Gives.OUTCOME,
            params=(
                Param("name", "string", True, "INVALID_EVENT_NAME"),
                Param("properties", "object", False, "INVALID_VALUE"),
                Param("options", "object", False, "INVALID_VALUE", _ANALYTICS_CALL_OPTIONS),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
            is_named=True,
            person="user_id",
        ),
        Row(
            "analytics.alias",
            Gives.OUTCOME,
            params=(
                Param("newUserId", "id", True, "INVALID_USER_ID", member="user_id"),
                Param("options", "object", False, "INVALID_VALUE", _ANALYTICS_CALL_OPTIONS),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
            person="anonymous_id",
        ),
        Row(
            "analytics.setAdvertisingId",
            Gives.OUTCOME,
            params=(
                Param("advertisingId", "id", False, "INVALID_VALUE"),
            ),
            message_id="stamped",
            is_scoped=True,
            repeats=True,
        ),
        Row(
            "analytics.clearAdvertisingId",
            Gives.OUTCOME,
            message_id="stamped",
            is_scoped=True,
            repeats=True,
        ),
        Row(
            "analytics.setDefaults",
            Gives.NOTHING,
            params=(
                Param("properties", "object", False, "INVALID_PARAMS"),
                Param("context", "object", False, "INVALID_PARAMS"),
            ),
            repeats=True,
            restores="defaults",
        ),
        Row(
            "analytics.forget",
            Gives.OBJECT,
            params=(
                Param("userId", "id", False, "INVALID_PARAMS"),
                Param("anonymousId", "id", False, "INVALID_PARAMS"),
            ),
            repeats=True,
            when_off={"erased": 0, "deliveredOfAnyone": 0},
        ),
        Row(
            "analytics.unforget",
            Gives.NOTHING,
            params=(
                Param("userId", "id", False, "INVALID_PARAMS"),
                Param("anonymousId", "id", False, "INVALID_PARAMS"),
            ),
            repeats=True,
        ),
        Row(
            "analytics.flush",
            Gives.REPORT,
            params=(
                Param("timeoutMs", "integer", False, "INVALID_PARAMS"),
            ),
            when_off={"delivered": 0, "remaining": 0},
        ),
        Row(
            "analytics.setCredentials",
            Gives.NOTHING,
            params=(
                Param("key", "string", False, "INVALID_PARAMS"),
                Param("headers", "object", False, "INVALID_PARAMS"),
            ),
            repeats=True,
            restores="credentials",
            is_urgent=True,
        ),
        Row(
            "analytics.reset",
            Gives.NOTHING,
            message_id="uuid",
            repeats=True,
            restores="ends",
            ends="always",
            is_urgent=True,
        ),
        Row("analytics.enableDebugLogging", Gives.NOTHING),
        Row("analytics.getDebugInfo", Gives.OBJECT, when_off="state"),
        Row("analytics.foreground", Gives.NOTHING),
        Row("analytics.background", Gives.NOTHING),
        Row(
            "basic.initialize",
            Gives.NOTHING,
            params=(
                Param("apiKey", "string", False, "INVALID_API_KEY"),
                Param("endpoint", "string", False, "INVALID_ENDPOINT"),
                Param("appVersion", "string", False, "INVALID_PARAMS"),
                Param("options", "object", False, "INVALID_CONFIGURATION", _BASIC_OPTIONS),
            ),
            repeats=True,
            restores="setup",
        ),
        Row(
            "basic.track",
            Gives.OUTCOME,
            params=(
                Param("event", "string", True, "INVALID_EVENT_NAME", member="name"),
                Param("properties", "object", False, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
            is_named=True,
        ),
        Row(
            "basic.identify",
            Gives.OUTCOME,
            params=(
                Param("userId", "id", True, "INVALID_USER_ID"),
                Param("traits", "object", False, "INVALID_VALUE", member="properties"),
            ),
            message_id="uuid",
            repeats=True,
            restores="user",
            holds_if_dropped=("PLAN", "STORAGE_ERROR", "QUEUE_FULL", "FORGOTTEN", "TRACKING_NOT_ALLOWED",),
        ),
        Row(
            "basic.screen",
            Gives.OUTCOME,
            params=(
                Param("name", "string", True, "INVALID_EVENT_NAME"),
                Param("properties", "object", False, "INVALID_VALUE"),
            ),
            message_id="uuid",
            repeats=True,
            is_named=True,
        ),
        Row(
            "basic.flush",
            Gives.REPORT,
            params=(
                Param("timeoutMs", "integer", False, "INVALID_PARAMS"),
            ),
            when_off={"delivered": 0, "remaining": 0},
        ),
        Row(
            "basic.setCredentials",
            Gives.NOTHING,
            params=(
                Param("key", "string", False, "INVALID_PARAMS"),
                Param("headers", "object", False, "INVALID_PARAMS"),
            ),
            repeats=True,
            restores="credentials",
            is_urgent=True,
        ),
        Row("basic.getDebugInfo", Gives.OBJECT, when_off="state"),
        Row(
            "refused.list",
            Gives.MEMBER, member="events",
            params=(
                Param("filter", "object", False, "INVALID_PARAMS", _REFUSED_FILTER),
            ),
            when_off={"events": []},
        ),
        Row(
            "refused.retry",
            Gives.MEMBER, member="requeued",
            params=(
                Param("filter", "object", False, "INVALID_PARAMS", _REFUSED_FILTER),
            ),
            when_off={"requeued": 0},
        ),
        Row(
            "refused.drop",
            Gives.MEMBER, member="dropped",
            params=(
                Param("filter", "object", False, "INVALID_PARAMS", _REFUSED_FILTER),
            ),
            when_off={"dropped": 0},
        ),
        Row("record.calls", Gives.MEMBER, member="calls"),
        Row(
            "record.expect",
            Gives.OBJECT,
            params=(
                Param("name", "string", True, "INVALID_PARAMS"),
                Param("properties", "object", False, "INVALID_PARAMS"),
                Param("call", "object", False, "INVALID_PARAMS"),
                Param("count", "integer", False, "INVALID_PARAMS"),
            ),
        ),
        Row(
            "record.find",
            Gives.MEMBER, member="calls",
            params=(
                Param("name", "string", True, "INVALID_PARAMS"),
                Param("properties", "object", False, "INVALID_PARAMS"),
                Param("call", "object", False, "INVALID_PARAMS"),
            ),
        ),
        Row(
            "record.fail",
            Gives.NOTHING,
            params=(
                Param("reason", "string", False, "INVALID_PARAMS"),
            ),
        ),
        Row("record.clear", Gives.NOTHING),
        Row("record.shutdown", Gives.NOTHING),
        Row("host.metrics", Gives.MEMBER, member="text", when_off={"text": "# EOF\n"}),
    )
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
    "INVALID_VALUE": 1010,
    "NOT_INITIALIZED": 1011,
    "LIST_FULL": 1012,
    "CONNECTION_REFUSED": 1013,
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

OF_STATE: set[str] = {"NOT_INITIALIZED", "TRACKING_NOT_ALLOWED", "STORAGE_ERROR", "QUEUE_FULL", "DISABLED"}
"""The reasons for a drop that are in the state of the tracker, and not in the call: they hold for others as well."""
