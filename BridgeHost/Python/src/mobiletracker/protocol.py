# Made by `make generate` from the host's method table: a change here is lost.
"""What calls take and give, for type checkers. At run time all of it is strings and dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
from uuid import UUID

Properties: TypeAlias = Mapping[str, object]
"""The properties of an event, the data of a profile and the like."""


Id: TypeAlias = str | int | UUID
"""The id of a user, a visitor or a group: text, or a whole number or a UUID, which stands for its text."""


Timestamp: TypeAlias = datetime | str
"""When something happened: a datetime, or ISO 8601 with the zone, such as `2025-11-27T10:30:00.000Z`."""


class Location(TypedDict):
    """The location of `update_location`."""

    latitude: float
    longitude: float
    accuracy: float


class OutgoingCall(TypedDict, total=False):
    """A call as `before_send` receives it: plain values, as they would be sent, and all of the call that leaves the machine.

    It has only the members that the call has. A number that a float cannot hold exactly, such as a `Decimal`, is a
    float here, and is sent exactly if it is left alone.
    """

    # Which call, as the bridge names it: `track`, `analytics.identify`, …
    method: str

    # The name of an event, a screen or a page.
    name: str

    # The user of `identify` and `alias`, or the one that an analytics call names in its options.
    user_id: str

    # The visitor that an analytics call names.
    anonymous_id: str

    # The group of `group`, or the one that an analytics call names in its options.
    group_id: str

    # Attributes, properties, traits, profile data, or the metadata of `set_metadata`.
    properties: dict[str, Any]

    # The metadata of `track`.
    metadata: dict[str, Any]

    # The context of an analytics call.
    context: dict[str, Any]

    # When it happened, if an analytics call says so: ISO 8601.
    timestamp: str

    # The id of `analytics.set_advertising_id`.
    advertising_id: str

    # The address of `update_session_email`.
    email: str

    # The URL of `screen_did_appear` and `continue_session`.
    url: str

    # The location of `update_location`.
    location: Location

    # The session of `link_session`.
    source_session_id: str


class _BridgeClientOptions(TypedDict):
    """The keys as the bridge has them."""

    storageDirectory: NotRequired[str | None]
    maxQueuedEvents: NotRequired[int | None]
    maxQueuedBytes: NotRequired[int | None]
    maxEventBytes: NotRequired[int | None]
    eventTTLMs: NotRequired[int | None]
    maxConcurrentRequests: NotRequired[int | None]
    compressionThreshold: NotRequired[int | None]
    retryDelayMs: NotRequired[int | None]
    failureThreshold: NotRequired[int | None]
    cooldownMs: NotRequired[int | None]
    maxCooldownMs: NotRequired[int | None]
    caBundle: NotRequired[str | None]
    allowInsecureHTTP: NotRequired[bool | None]
    collectorPanel: NotRequired[bool | None]


class ClientOptions(_BridgeClientOptions):
    """The options that every client takes."""

    # With `False` nothing is stored or sent, calls are dropped as `DISABLED`, and no other option is looked at; by default as `MOBILE_TRACKER_ENABLED` says in the environment, else true.
    enabled: NotRequired[bool | None]

    # Whether informative and debug messages are logged; by default false.
    debug: NotRequired[bool | None]

    # The path of the state folder, from the root; by default the host's `--storage-dir`, else `MOBILE_TRACKER_STORAGE_DIR`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else `~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`.
    storage_directory: NotRequired[str | None]

    # Where undelivered events live; by default `disk`.
    persistence: NotRequired[Literal["disk", "memory"] | None]

    # Whether events survive the death of the process or of the machine; by default `process`.
    durability: NotRequired[Literal["process", "full"] | None]

    # How many events the queue holds; by default 100,000.
    max_queued_events: NotRequired[int | None]

    # How many bytes of events the queue holds; by default 64 MiB.
    max_queued_bytes: NotRequired[int | None]

    # A larger event is refused; by default 512 KiB.
    max_event_bytes: NotRequired[int | None]

    # How long an event may wait before it is dropped; by default for ever.
    event_ttl_ms: NotRequired[int | None]

    # What happens past either bound: the call is refused, or the oldest event is dropped; by default `refuseNew`, of analytics and basic `dropOldest`.
    overflow: NotRequired[Literal["refuseNew", "dropOldest"] | None]

    # Requests under way at once (more than 1 trades order for speed); by default 1.
    max_concurrent_requests: NotRequired[int | None]

    # How request bodies are compressed; by default `gzip`.
    compression: NotRequired[Literal["gzip", "none"] | None]

    # Bodies of at least this many bytes are compressed; by default 1 KiB.
    compression_threshold: NotRequired[int | None]

    # The wait after a first failure, doubled with each further one; by default 250.
    retry_delay_ms: NotRequired[int | None]

    # After this many failures in a row the circuit breaker opens; by default 3.
    failure_threshold: NotRequired[int | None]

    # How long the breaker stays open at first; by default 10,000, at least `retry_delay_ms`.
    cooldown_ms: NotRequired[int | None]

    # How long it stays open at most; by default 120,000, at least `cooldown_ms`.
    max_cooldown_ms: NotRequired[int | None]

    # How far a wait may differ from its length, either way; by default 0.2.
    jitter: NotRequired[float | None]

    # A file of certificates, which can be read, to trust instead of the system's; by default the system's.
    ca_bundle: NotRequired[str | None]

    # A proxy's URL; by default as the environment says.
    proxy: NotRequired[str | None]

    # Whether plain http may be used to other machines; by default false.
    allow_insecure_http: NotRequired[bool | None]

    # Whether the client posts its debug information once a second to the development collector on this machine; by default false.
    collector_panel: NotRequired[bool | None]


class Fault(TypedDict):
    """What is wrong, as data. `FaultWord.swift` has a text for each reason."""

    # A word that does not change between versions.
    reason: str

    # The option.
    option: NotRequired[str]

    # Its limit; a duration in milliseconds.
    most: NotRequired[float]

    # More, in words.
    detail: NotRequired[str]


DropReason: TypeAlias = Literal[
    "NOT_INITIALIZED",
    "INVALID_EVENT_NAME",
    "INVALID_USER_ID",
    "INVALID_VALUE",
    "REPEATED_SCREEN",
    "TRACKING_NOT_ALLOWED",
    "SERIALIZATION_ERROR",
    "TOO_LARGE",
    "STORAGE_ERROR",
    "QUEUE_FULL",
    "DISABLED",
    "BEFORE_SEND",
]
"""Why a call was refused."""


StopReason: TypeAlias = Literal[
    "timeout",
    "retryWait",
    "breakerOpen",
    "halted",
    "noConsent",
    "noSession",
    "notInitialized",
    "otherProcess",
    "storage",
]
"""Why events that are queued are not sent at once."""


class DebugInfo(TypedDict):
    """The state of the tracker. Later versions may add members."""

    # `idle`, `initializing`, `ready`, `halted`, `disabled` and the like.
    lifecycle: str

    # Why it is disabled.
    disabled_because: NotRequired[str]

    # How many events wait.
    queue_length: int

    # The circuit breaker's state.
    circuit_state: NotRequired[Literal["closed", "halfOpen", "open"]]

    # How long it stays open.
    circuit_remaining_ms: NotRequired[float]

    # Whether a request is under way.
    flush_in_flight: NotRequired[bool]

    # The current session.
    session_id: NotRequired[str | None]

    # The installation's identifier.
    device_id: NotRequired[str | None]

    # What the user decided.
    consent: NotRequired[Consent]

    # Accepted, recovered, delivered, queued, dropped by reason.
    account: NotRequired[Mapping[str, object]]

    # Calls refused when they were made, by reason.
    refused: NotRequired[Mapping[str, object]]

    # The last failure of a request.
    last_error: NotRequired[Mapping[str, object] | None]

    # The configuration, secrets masked.
    config: NotRequired[Mapping[str, object]]


class AnalyticsDebugInfo(TypedDict):
    """The state of the analytics client. Later versions may add members."""

    # `idle`, `initializing`, `ready`, `resetting` or `disabled`.
    lifecycle: str

    # Why it is disabled.
    disabled_because: NotRequired[str]

    # How many events wait.
    queue_length: int

    # Masked.
    write_key: NotRequired[str]

    ingestion_host: NotRequired[str]

    flush_interval_seconds: NotRequired[int]

    max_queue_events: NotRequired[int]

    # The circuit breaker's state.
    circuit_state: NotRequired[Literal["closed", "halfOpen", "open"]]

    # How long it stays open.
    circuit_remaining_ms: NotRequired[float]

    # Whether a request is under way.
    flush_in_flight: NotRequired[bool]

    anonymous_id: NotRequired[str | None]

    user_id: NotRequired[str | None]

    group_id: NotRequired[str | None]

    # Accepted, recovered, delivered, queued, dropped by reason.
    account: NotRequired[Mapping[str, object]]

    # Calls refused when they were made, by reason.
    refused: NotRequired[Mapping[str, object]]

    # The last failure of a request.
    last_error: NotRequired[Mapping[str, object] | None]

    # The options, secrets masked, without `context`.
    config: NotRequired[Mapping[str, object]]


class BasicDebugInfo(TypedDict):
    """The state of the basic tracker. Later versions may add members."""

    # `idle`, `ready`, `halted` or `disabled`.
    lifecycle: str

    # Why it is disabled.
    disabled_because: NotRequired[str]

    # How many events wait.
    queue_length: int

    # Where they go.
    endpoint: NotRequired[str]

    # How many may wait.
    max_queue_size: NotRequired[int]

    user_id: NotRequired[str | None]

    # The circuit breaker's state.
    circuit_state: NotRequired[Literal["closed", "halfOpen", "open"]]

    # How long it stays open.
    circuit_remaining_ms: NotRequired[float]

    # Whether a request is under way.
    flush_in_flight: NotRequired[bool]

    # Accepted, recovered, delivered, queued, dropped by reason.
    account: NotRequired[Mapping[str, object]]

    # Calls refused when they were made, by reason.
    refused: NotRequired[Mapping[str, object]]

    # The last failure of a request.
    last_error: NotRequired[Mapping[str, object] | None]

    # The configuration, secrets masked.
    config: NotRequired[Mapping[str, object]]


class _BridgeAnalyticsCallOptions(TypedDict):
    """The keys as the bridge has them."""

    userId: NotRequired[Id]
    anonymousId: NotRequired[Id]
    groupId: NotRequired[Id]


class AnalyticsCallOptions(_BridgeAnalyticsCallOptions):
    """Values for one analytics call, instead of the client's own."""

    # The user that the call is about; 1 to 1,024 bytes, not blank.
    user_id: NotRequired[Id]

    # The visitor that the call is about; 1 to 1,024 bytes, not blank.
    anonymous_id: NotRequired[Id]

    # The group that the user belongs to; 1 to 1,024 bytes, not blank.
    group_id: NotRequired[Id]

    # When it happened; by default when the call was made.
    timestamp: NotRequired[Timestamp | None]

    # Merged over the client's context, objects member by member.
    context: NotRequired[Properties | None]


Consent: TypeAlias = Literal[
    "granted",
    "denied",
    "pending",
]
"""What the user decided about tracking."""


class _BridgeTrackerConfigDevice(TypedDict):
    """The keys as the bridge has them."""

    osName: NotRequired[str | None]
    deviceType: NotRequired[str | None]


class TrackerConfigDevice(_BridgeTrackerConfigDevice):
    """The value of `device`."""

    # `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`.
    os_name: NotRequired[str | None]

    # `Mobile`, `Tablet` or `Desktop`.
    device_type: NotRequired[str | None]


class TrackerConfigInitialScreen(TypedDict):
    """The value of `initial_screen`."""

    # The name, or the title of a page.
    name: str

    # Identifies the screen; by default its name does.
    url: NotRequired[str | None]


class _BridgeTrackerConfig(ClientOptions):
    """The keys as the bridge has them."""

    apiUrl: NotRequired[str | None]
    xApiKey: NotRequired[str | None]
    cookieDomain: NotRequired[str | None]
    crossSiteCookie: NotRequired[bool | None]
    cookieExpiration: NotRequired[int | None]
    sessionCreation: NotRequired[Literal["duringInit", "inBackground"] | None]
    initTimeoutMs: NotRequired[int | None]
    maxPendingEvents: NotRequired[int | None]
    initialScreen: NotRequired[str | TrackerConfigInitialScreen | None]
    requestTimeoutMs: NotRequired[int | None]


class TrackerConfig(_BridgeTrackerConfig):
    """The configuration of `init`. `api_url` and `x_api_key` are required, or in the environment."""

    # The backend's base URL. Required, or `MOBILE_TRACKER_API_URL` in the environment. Plain http only to this machine, or with `allow_insecure_http`.
    api_url: NotRequired[str | None]

    # The key sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment.
    x_api_key: NotRequired[str | None]

    # The domain, with its subdomains, to which a session may be passed on; any by default.
    cookie_domain: NotRequired[str | None]

    # Whether sessions may be carried between sites; by default false.
    cross_site_cookie: NotRequired[bool | None]

    # How many days stored values last; by default 365.
    cookie_expiration: NotRequired[int | None]

    # Whether `init` makes the session, or leaves it to the background; by default `duringInit`.
    session_creation: NotRequired[Literal["duringInit", "inBackground"] | None]

    # How long the whole of `init` may take; by default 30,000.
    init_timeout_ms: NotRequired[int | None]

    # The consent of a first start (a stored one goes before it); by default `granted`.
    consent: NotRequired[Literal["granted", "denied", "pending"] | None]

    # How many calls may wait for a session; by default as many as the queue holds.
    max_pending_events: NotRequired[int | None]

    # The device as reported to the backend; by default the real one.
    device: NotRequired[TrackerConfigDevice | None]

    # A screen to track once the tracker is ready: its name, or name and URL.
    initial_screen: NotRequired[str | TrackerConfigInitialScreen | None]

    # How long a request may take; by default 30,000.
    request_timeout_ms: NotRequired[int | None]


class AnalyticsOptionsApp(TypedDict):
    """The value of `app`."""

    # Its name.
    name: NotRequired[str | None]

    # Its version.
    version: NotRequired[str | None]

    # Its build.
    build: NotRequired[str | None]

    # Its identifier, such as `com.example.shop`.
    namespace: NotRequired[str | None]


class _BridgeAnalyticsOptions(ClientOptions):
    """The keys as the bridge has them."""

    writeKey: NotRequired[str | None]
    ingestionHost: NotRequired[str | None]
    flushIntervalSeconds: NotRequired[int | None]
    maxQueueEvents: NotRequired[int | None]
    flushAt: NotRequired[int | None]
    maxBatchSize: NotRequired[int | None]
    maxBatchBytes: NotRequired[int | None]
    requestTimeoutMs: NotRequired[int | None]


class AnalyticsOptions(_BridgeAnalyticsOptions):
    """The options of `analytics.initialize`. `write_key` and `ingestion_host` are required, or in the environment."""

    # The key that names the source of the events. Required, or `MOBILE_TRACKER_KEY` in the environment.
    write_key: NotRequired[str | None]

    # Where the events go: batches are posted to `/v1/batch` below it. Required, or `MOBILE_TRACKER_API_URL` in the environment.
    ingestion_host: NotRequired[str | None]

    # The longest an event waits for others; by default 10.
    flush_interval_seconds: NotRequired[int | None]

    # Past this many events the oldest is dropped; by default as `max_queued_events`, 2,000 in memory.
    max_queue_events: NotRequired[int | None]

    # Events are sent as soon as there are so many; by default 20.
    flush_at: NotRequired[int | None]

    # How many events travel together at most; by default 100.
    max_batch_size: NotRequired[int | None]

    # How many bytes a batch has at most before compression; by default 475,000.
    max_batch_bytes: NotRequired[int | None]

    # How long a request may take; by default 8,000.
    request_timeout_ms: NotRequired[int | None]

    # The application that events come from.
    app: NotRequired[AnalyticsOptionsApp | None]

    # Merged over the context that the client collects itself.
    context: NotRequired[Properties | None]


class _BridgeBasicOptions(ClientOptions):
    """The keys as the bridge has them."""

    maxQueueSize: NotRequired[int | None]
    requestTimeoutMs: NotRequired[int | None]


class BasicOptions(_BridgeBasicOptions):
    """The options of `basic.initialize`."""

    # Past this many events the oldest is dropped; by default as `max_queued_events`, 100 in memory.
    max_queue_size: NotRequired[int | None]

    # How long a request may take; by default 30,000.
    request_timeout_ms: NotRequired[int | None]


class LogNotification(TypedDict):
    """A log message."""

    level: Literal["debug", "info", "warning", "error"]

    message: str

    # ISO 8601, milliseconds, UTC.
    at: str

    # The call that was dropped: an event by its name.
    call: NotRequired[str]

    # Why calls were dropped, as their outcomes say.
    reason: NotRequired[DropReason]

    # What is wrong with the call.
    fault: NotRequired[Fault]

    # Why `init` has failed, as its answer says.
    code: NotRequired[str]


class DiagnosticNotification(TypedDict):
    """What happened to events."""

    # Whose events they are.
    client: Literal["tracker", "analytics", "basic"]

    kind: Literal["dropped", "delivered", "refused", "retried", "breaker", "storage", "lane", "missed"]

    # Why; of a breaker, its new state.
    reason: NotRequired[str]

    # Which record.
    message_id: NotRequired[str]

    # The server's answer.
    status: NotRequired[int]

    # Which call was refused.
    call: NotRequired[str]

    # How many records that are not named, or diagnostics.
    count: NotRequired[int]

    # A sentence.
    message: NotRequired[str]


class SessionNotification(TypedDict):
    """The session changed; null: there is none now."""

    session_id: str | None


HostErrorCode: TypeAlias = Literal[
    "INVALID_BRAND_ID",
    "INVALID_CONFIGURATION",
    "SESSION_CREATION_FAILED",
    "INIT_ERROR",
    "INVALID_API_KEY",
    "INVALID_ENDPOINT",
    "STORAGE_ERROR",
    "INVALID_PARAMS",
    "METHOD_NOT_FOUND",
    "INVALID_REQUEST",
    "PARSE_ERROR",
    "INTERNAL_ERROR",
    "MESSAGE_TOO_LARGE",
    "SERIALIZATION_ERROR",
    "NETWORK_ERROR",
]
"""The code of an error that the host answers."""
