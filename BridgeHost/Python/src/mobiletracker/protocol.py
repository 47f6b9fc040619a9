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

    method: str
    """Which call, as the bridge names it: `track`, `analytics.identify`, …"""
    name: str
    """The name of an event, a screen or a page."""
    user_id: str
    """The user of `identify` and `alias`, or the one that an analytics call names in its options."""
    anonymous_id: str
    """The visitor that an analytics call names."""
    group_id: str
    """The group of `group`, or the one that an analytics call names in its options."""
    properties: dict[str, Any]
    """Attributes, properties, traits, profile data, or the metadata of `set_metadata`."""
    metadata: dict[str, Any]
    """The metadata of `track`."""
    context: dict[str, Any]
    """The context of an analytics call."""
    timestamp: str
    """When it happened, if an analytics call says so: ISO 8601."""
    advertising_id: str
    """The id of `analytics.set_advertising_id`."""
    email: str
    """The address of `update_session_email`."""
    url: str
    """The URL of `screen_did_appear` and `continue_session`."""
    location: Location
    """The location of `update_location`."""
    source_session_id: str
    """The session of `link_session`."""
    scope: list[AnalyticsScope]
    """What the scopes around an analytics call give it, the outermost first. The call's own members win."""


class _BridgeClientOptionsPlan(TypedDict):
    """The keys as the bridge has them."""

    onBroken: NotRequired[Literal["warn", "drop", "tag"] | None]


class ClientOptionsPlan(_BridgeClientOptionsPlan):
    """The value of `plan`."""

    file: NotRequired[str | None]
    """The path of a plan file, from the root; by default no plan."""
    on_broken: NotRequired[Literal["warn", "drop", "tag"] | None]
    """What becomes of a call that breaks the plan: a warning, a drop as `PLAN`, or a member `plan_violations`; by default `warn`."""


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
    haltRetryMs: NotRequired[int | None]
    poisonAfterMs: NotRequired[int | None]
    maxRefusedEvents: NotRequired[int | None]
    maxRefusedBytes: NotRequired[int | None]
    refusedTTLMs: NotRequired[int | None]
    caBundle: NotRequired[str | None]
    clientCertificate: NotRequired[str | None]
    clientKey: NotRequired[str | None]
    keyFile: NotRequired[str | None]
    allowInsecureHTTP: NotRequired[bool | None]
    collectorPanel: NotRequired[bool | None]


class ClientOptions(_BridgeClientOptions):
    """The options that every client takes."""

    enabled: NotRequired[bool | None]
    """With `False` nothing is stored or sent, calls are dropped as `DISABLED`, and no other option is looked at; by default as `MOBILE_TRACKER_ENABLED` says in the environment, else true."""
    debug: NotRequired[bool | None]
    """Whether informative and debug messages are logged; by default false."""
    storage_directory: NotRequired[str | None]
    """The path of the state folder, from the root; by default the host's `--storage-dir`, else `MOBILE_TRACKER_STORAGE_DIR`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else `~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`."""
    persistence: NotRequired[Literal["disk", "memory"] | None]
    """Where undelivered events live; by default `disk`."""
    durability: NotRequired[Literal["process", "full"] | None]
    """Whether events survive the death of the process or of the machine; by default `process`."""
    max_queued_events: NotRequired[int | None]
    """How many events the queue holds; by default 100,000."""
    max_queued_bytes: NotRequired[int | None]
    """How many bytes of events the queue holds; by default 64 MiB."""
    max_event_bytes: NotRequired[int | None]
    """A larger event is refused; by default 512 KiB."""
    event_ttl_ms: NotRequired[int | None]
    """How long an event may wait before it is dropped; by default for ever."""
    overflow: NotRequired[Literal["refuseNew", "dropOldest"] | None]
    """What happens past either bound: the call is refused, or the oldest event is dropped; by default `refuseNew`, of analytics and basic `dropOldest`."""
    max_concurrent_requests: NotRequired[int | None]
    """Requests under way at once (more than 1 trades order for speed); by default 1."""
    compression: NotRequired[Literal["gzip", "none"] | None]
    """How request bodies are compressed; by default `gzip`."""
    compression_threshold: NotRequired[int | None]
    """Bodies of at least this many bytes are compressed; by default 1 KiB."""
    retry_delay_ms: NotRequired[int | None]
    """The wait after a first failure, doubled with each further one; by default 250."""
    failure_threshold: NotRequired[int | None]
    """After this many failures in a row the circuit breaker opens; by default 3."""
    cooldown_ms: NotRequired[int | None]
    """How long the breaker stays open at first; by default 10,000, at least `retry_delay_ms`."""
    max_cooldown_ms: NotRequired[int | None]
    """How long it stays open at most; by default 120,000, at least `cooldown_ms`."""
    jitter: NotRequired[float | None]
    """How far a wait may differ from its length, either way; by default 0.2."""
    halt_retry_ms: NotRequired[int | None]
    """When the server refuses the key or the address: how long until one request finds out whether it is well again; by default 300,000; 0: never."""
    poison_after_ms: NotRequired[int | None]
    """How long the server must have failed before an event is looked for that alone makes it fail; by default 1,800,000; 0: never."""
    max_refused_events: NotRequired[int | None]
    """How many events are kept apart that the server has refused; by default 1,000; 0: none is kept."""
    max_refused_bytes: NotRequired[int | None]
    """How many bytes of such events are kept; by default 8 MiB; 0: none is kept."""
    refused_ttl_ms: NotRequired[int | None]
    """How long such events are kept; by default 604,800,000."""
    ca_bundle: NotRequired[str | None]
    """A file of certificates, which can be read, to trust instead of the system's; by default the system's."""
    client_certificate: NotRequired[str | None]
    """A PEM file with the certificate that the client shows to the server; it needs `client_key`; by default none."""
    client_key: NotRequired[str | None]
    """A PEM file with the key of `client_certificate`, without a passphrase; by default none."""
    key_file: NotRequired[str | None]
    """A file whose text is the key, instead of the client's own option; a key that changes there is used from then on; by default none."""
    proxy: NotRequired[str | None]
    """A proxy's URL; by default as the environment says."""
    headers: NotRequired[Mapping[str, str] | None]
    """Header fields that every request gets besides the client's own; by default none."""
    allow_insecure_http: NotRequired[bool | None]
    """Whether plain http may be used to other machines; by default false."""
    collector_panel: NotRequired[bool | None]
    """Whether the client posts its debug information once a second to the development collector on this machine; by default false."""
    plan: NotRequired[ClientOptionsPlan | None]
    """A plan that each call is checked against."""


class Fault(TypedDict):
    """What is wrong, as data. `FaultWord.swift` has a text for each reason."""

    reason: str
    """A word that does not change between versions."""
    option: NotRequired[str]
    """The option or the argument, or the way to a value in it."""
    expected: NotRequired[str | Sequence[str]]
    """The kind that it must have, or the words that it may be."""
    given: NotRequired[str]
    """The type that it has."""
    most: NotRequired[float]
    """Its limit; a duration in milliseconds."""
    detail: NotRequired[str]
    """Of a file or a plan: more, in words."""


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
    "PLAN",
    "FORGOTTEN",
]
"""Why a call was refused."""


class ForgetReport(TypedDict):
    """What became of a person's events."""

    erased: int
    """How many events were erased: that waited, or were refused."""
    delivered_of_anyone: int
    """How many events this queue has delivered since it was made, of anyone: whose they were is not kept."""


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

    lifecycle: str
    """`idle`, `initializing`, `ready`, `halted`, `disabled` and the like."""
    disabled_because: NotRequired[str]
    """Why it is disabled."""
    halted: NotRequired[Mapping[str, object]]
    """Why delivery has halted, since when, and in how many milliseconds the next try is (`None`: with other credentials)."""
    queue_length: int
    """How many events wait."""
    queue_bytes: NotRequired[int]
    """How many bytes they have."""
    oldest_queued_ms: NotRequired[int | None]
    """How long the oldest of them waits; null if there is none."""
    circuit_state: NotRequired[Literal["closed", "halfOpen", "open"]]
    """The circuit breaker's state."""
    circuit_remaining_ms: NotRequired[float]
    """How long it stays open."""
    flush_in_flight: NotRequired[bool]
    """Whether a request is under way."""
    delivering: NotRequired[Literal["here", "elsewhere", "waiting"]]
    """Which process sends: this one, another one, or none yet."""
    session_id: NotRequired[str | None]
    """The current session."""
    device_id: NotRequired[str | None]
    """The installation's identifier."""
    consent: NotRequired[Consent]
    """What the user decided."""
    account: NotRequired[Mapping[str, object]]
    """Accepted, recovered, requeued, delivered, queued, dropped by reason."""
    refused_events: NotRequired[Mapping[str, object]]
    """How many events are kept apart that the server has refused, by reason."""
    refused: NotRequired[Mapping[str, object]]
    """Calls refused when they were made, by reason."""
    bytes_before_compression: NotRequired[int]
    """How many bytes of bodies the server has taken."""
    bytes_after_compression: NotRequired[int]
    """How many of them were sent."""
    storage: NotRequired[str]
    """`ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it."""
    other_lanes: NotRequired[Sequence[Mapping[str, object]]]
    """The queues of other addresses that hold events."""
    last_error: NotRequired[Mapping[str, object] | None]
    """The last failure of a request."""
    config: NotRequired[Mapping[str, object]]
    """The configuration, secrets masked."""


class AnalyticsDebugInfo(TypedDict):
    """The state of the analytics client. Later versions may add members."""

    lifecycle: str
    """`idle`, `initializing`, `ready`, `halted`, `resetting` or `disabled`."""
    disabled_because: NotRequired[str]
    """Why it is disabled."""
    halted: NotRequired[Mapping[str, object]]
    """Why delivery has halted, since when, and in how many milliseconds the next try is (`None`: with other credentials)."""
    queue_length: int
    """How many events wait."""
    queue_bytes: NotRequired[int]
    """How many bytes they have."""
    oldest_queued_ms: NotRequired[int | None]
    """How long the oldest of them waits; null if there is none."""
    write_key: NotRequired[str]
    """Masked."""
    ingestion_host: NotRequired[str]
    flush_interval_seconds: NotRequired[int]
    max_queue_events: NotRequired[int]
    circuit_state: NotRequired[Literal["closed", "halfOpen", "open"]]
    """The circuit breaker's state."""
    circuit_remaining_ms: NotRequired[float]
    """How long it stays open."""
    flush_in_flight: NotRequired[bool]
    """Whether a request is under way."""
    delivering: NotRequired[Literal["here", "elsewhere", "waiting"]]
    """Which process sends: this one, another one, or none yet."""
    anonymous_id: NotRequired[str | None]
    user_id: NotRequired[str | None]
    group_id: NotRequired[str | None]
    account: NotRequired[Mapping[str, object]]
    """Accepted, recovered, requeued, delivered, queued, dropped by reason."""
    refused_events: NotRequired[Mapping[str, object]]
    """How many events are kept apart that the server has refused, by reason."""
    refused: NotRequired[Mapping[str, object]]
    """Calls refused when they were made, by reason."""
    bytes_before_compression: NotRequired[int]
    """How many bytes of bodies the server has taken."""
    bytes_after_compression: NotRequired[int]
    """How many of them were sent."""
    storage: NotRequired[str]
    """`ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it."""
    other_lanes: NotRequired[Sequence[Mapping[str, object]]]
    """The queues of other addresses that hold events."""
    last_error: NotRequired[Mapping[str, object] | None]
    """The last failure of a request."""
    config: NotRequired[Mapping[str, object]]
    """The options, secrets masked, without `context`."""


class BasicDebugInfo(TypedDict):
    """The state of the basic tracker. Later versions may add members."""

    lifecycle: str
    """`idle`, `ready`, `halted` or `disabled`."""
    disabled_because: NotRequired[str]
    """Why it is disabled."""
    halted: NotRequired[Mapping[str, object]]
    """Why delivery has halted, since when, and in how many milliseconds the next try is (`None`: with other credentials)."""
    queue_length: int
    """How many events wait."""
    queue_bytes: NotRequired[int]
    """How many bytes they have."""
    oldest_queued_ms: NotRequired[int | None]
    """How long the oldest of them waits; null if there is none."""
    endpoint: NotRequired[str]
    """Where they go."""
    max_queue_size: NotRequired[int]
    """How many may wait."""
    user_id: NotRequired[str | None]
    circuit_state: NotRequired[Literal["closed", "halfOpen", "open"]]
    """The circuit breaker's state."""
    circuit_remaining_ms: NotRequired[float]
    """How long it stays open."""
    flush_in_flight: NotRequired[bool]
    """Whether a request is under way."""
    delivering: NotRequired[Literal["here", "elsewhere", "waiting"]]
    """Which process sends: this one, another one, or none yet."""
    account: NotRequired[Mapping[str, object]]
    """Accepted, recovered, requeued, delivered, queued, dropped by reason."""
    refused_events: NotRequired[Mapping[str, object]]
    """How many events are kept apart that the server has refused, by reason."""
    refused: NotRequired[Mapping[str, object]]
    """Calls refused when they were made, by reason."""
    bytes_before_compression: NotRequired[int]
    """How many bytes of bodies the server has taken."""
    bytes_after_compression: NotRequired[int]
    """How many of them were sent."""
    storage: NotRequired[str]
    """`ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it."""
    other_lanes: NotRequired[Sequence[Mapping[str, object]]]
    """The queues of other addresses that hold events."""
    last_error: NotRequired[Mapping[str, object] | None]
    """The last failure of a request."""
    config: NotRequired[Mapping[str, object]]
    """The configuration, secrets masked."""


class RefusedEvent(TypedDict):
    """An event that the server has refused for good. It is kept apart from the queue."""

    client: Literal["tracker", "analytics", "basic"]
    """Whose it is."""
    message_id: str
    """The id under which it was sent."""
    call: str
    """The call that made it, such as `track`."""
    event: str | None
    """The name of the event, screen or page, if it has one."""
    reason: Literal["rejected", "tooLarge", "sessionGone", "poison", "plan"]
    """Why the server would not have it."""
    status: int | None
    """What the server answered; null if it was not sent."""
    answer: str
    """The first KiB of the answer's body."""
    refused_at: str
    """When it left the queue: ISO 8601, milliseconds, UTC."""
    occurred_at: str
    """When the call was made."""
    attempts: int
    """How often it was sent, as far as is known."""
    session_id: str | None
    """The session that it was for."""
    body: Mapping[str, object]
    """What it carried."""


class RecordedCallOutcome(TypedDict):
    """The value of `outcome`."""

    status: Literal["queued", "pending", "dropped"]
    message_id: NotRequired[str]
    """The id of the call."""
    reason: NotRequired[DropReason]
    """Why it was dropped."""


class RecordedCall(TypedDict):
    """A call that a program under test has made, as `before_send` has left it, with whose event it became."""

    client: Literal["tracker", "analytics", "basic"]
    """Whose it is."""
    method: str
    """Which call, such as `track`."""
    name: NotRequired[str]
    """The name of an event, a screen or a page."""
    user_id: NotRequired[str]
    """The user of an event of `analytics` or `basic`."""
    anonymous_id: NotRequired[str]
    """The visitor of an event of `analytics`."""
    group_id: NotRequired[str]
    """The group of an event of `analytics`."""
    properties: NotRequired[Mapping[str, object]]
    """Its attributes, properties, traits or profile data."""
    metadata: NotRequired[Mapping[str, object]]
    """The metadata of `track`."""
    context: NotRequired[Mapping[str, object]]
    """The context of an event of `analytics`."""
    timestamp: NotRequired[str]
    """When it happened, if its options say so."""
    advertising_id: NotRequired[str]
    email: NotRequired[str]
    url: NotRequired[str]
    location: NotRequired[Mapping[str, object]]
    """Latitude, longitude and accuracy."""
    source_session_id: NotRequired[str]
    outcome: RecordedCallOutcome | None
    """What became of it; null while it waits for its client to be initialised."""


class ExpectedCalls(TypedDict):
    """The calls that are as expected."""

    calls: Sequence[RecordedCall]
    """The calls, in their order."""
    failure: str | None
    """If they are not as many as expected: what was expected, which call came nearest, and what of it differs."""


class _BridgeAnalyticsCallOptions(TypedDict):
    """The keys as the bridge has them."""

    userId: NotRequired[Id]
    anonymousId: NotRequired[Id]
    groupId: NotRequired[Id]


class AnalyticsCallOptions(_BridgeAnalyticsCallOptions):
    """Values for one analytics call, instead of the client's own."""

    user_id: NotRequired[Id]
    """The user that the call is about; 1 to 1,024 bytes, not blank."""
    anonymous_id: NotRequired[Id]
    """The visitor that the call is about; 1 to 1,024 bytes, not blank."""
    group_id: NotRequired[Id]
    """The group that the user belongs to; 1 to 1,024 bytes, not blank."""
    timestamp: NotRequired[Timestamp | None]
    """When it happened; by default when the call was made."""
    context: NotRequired[Properties | None]
    """Merged over the client's context, objects member by member."""


class AnalyticsScope(TypedDict):
    """Values for every analytics call that a part of a program makes."""

    user_id: NotRequired[Id]
    """The user that the calls are about; 1 to 1,024 bytes, not blank."""
    anonymous_id: NotRequired[Id]
    """The visitor that the calls are about; 1 to 1,024 bytes, not blank."""
    group_id: NotRequired[Id]
    """The group that the user belongs to; 1 to 1,024 bytes, not blank."""
    context: NotRequired[Properties | None]
    """Merged over the client's context, objects member by member."""
    properties: NotRequired[Properties | None]
    """For the properties of each `track`, `screen` and `page`."""


class _BridgeRefusedFilter(TypedDict):
    """The keys as the bridge has them."""

    messageIds: NotRequired[Sequence[str]]


class RefusedFilter(_BridgeRefusedFilter):
    """Refused events: those that have one of the values in every member that is given. `None` is no value."""

    client: NotRequired[Literal["tracker", "analytics", "basic"]]
    """Whose; by default all."""
    message_ids: NotRequired[Sequence[str]]
    """Their ids."""
    events: NotRequired[Sequence[str]]
    """Names of events, screens or pages."""
    reasons: NotRequired[Sequence[Literal["rejected", "tooLarge", "sessionGone", "poison", "plan"]]]
    """Why the server would not have them."""
    statuses: NotRequired[Sequence[int]]
    """What the server answered."""
    since: NotRequired[Timestamp]
    """Refused then or later."""
    until: NotRequired[Timestamp]
    """Refused before."""


Consent: TypeAlias = Literal[
    "granted",
    "denied",
    "pending",
]
"""What the user decided about tracking."""


CallRepetition: TypeAlias = Literal[
    "unanswered",
    "answered",
]
"""What became of a call that you make once more: `unanswered` if it may have taken effect, `answered` if it did."""


class _BridgeTrackerConfigDevice(TypedDict):
    """The keys as the bridge has them."""

    osName: NotRequired[str | None]
    deviceType: NotRequired[str | None]


class TrackerConfigDevice(_BridgeTrackerConfigDevice):
    """The value of `device`."""

    os_name: NotRequired[str | None]
    """`iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`."""
    device_type: NotRequired[str | None]
    """`Mobile`, `Tablet` or `Desktop`."""


class TrackerConfigInitialScreen(TypedDict):
    """The value of `initial_screen`."""

    name: str
    """The name, or the title of a page."""
    url: NotRequired[str | None]
    """Identifies the screen; by default its name does."""


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

    api_url: NotRequired[str | None]
    """The backend's base URL. Required, or `MOBILE_TRACKER_API_URL` in the environment. Plain http only to this machine, or with `allow_insecure_http`."""
    x_api_key: NotRequired[str | None]
    """The key sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment."""
    cookie_domain: NotRequired[str | None]
    """The domain, with its subdomains, to which a session may be passed on; any by default."""
    cross_site_cookie: NotRequired[bool | None]
    """Whether sessions may be carried between sites; by default false."""
    cookie_expiration: NotRequired[int | None]
    """How many days stored values last; by default 365."""
    session_creation: NotRequired[Literal["duringInit", "inBackground"] | None]
    """Whether `init` makes the session, or leaves it to the background; by default `duringInit`."""
    init_timeout_ms: NotRequired[int | None]
    """How long the whole of `init` may take; by default 30,000."""
    consent: NotRequired[Literal["granted", "denied", "pending"] | None]
    """The consent of a first start (a stored one goes before it); by default `granted`."""
    max_pending_events: NotRequired[int | None]
    """How many calls may wait for a session; by default as many as the queue holds."""
    device: NotRequired[TrackerConfigDevice | None]
    """The device as reported to the backend; by default the real one."""
    initial_screen: NotRequired[str | TrackerConfigInitialScreen | None]
    """A screen to track once the tracker is ready: its name, or name and URL."""
    request_timeout_ms: NotRequired[int | None]
    """How long a request may take; by default 30,000."""


class AnalyticsOptionsApp(TypedDict):
    """The value of `app`."""

    name: NotRequired[str | None]
    """Its name."""
    version: NotRequired[str | None]
    """Its version."""
    build: NotRequired[str | None]
    """Its build."""
    namespace: NotRequired[str | None]
    """Its identifier, such as `com.example.shop`."""


class _BridgeAnalyticsOptions(ClientOptions):
    """The keys as the bridge has them."""

    writeKey: NotRequired[str | None]
    ingestionHost: NotRequired[str | None]
    groupType: NotRequired[str | None]
    flushIntervalSeconds: NotRequired[int | None]
    maxQueueEvents: NotRequired[int | None]
    flushAt: NotRequired[int | None]
    maxBatchSize: NotRequired[int | None]
    maxBatchBytes: NotRequired[int | None]
    whenRefused: NotRequired[Literal["halt", "disable"] | None]
    requestTimeoutMs: NotRequired[int | None]


class AnalyticsOptions(_BridgeAnalyticsOptions):
    """The options of `analytics.initialize`. `write_key` and `ingestion_host` are required, or in the environment."""

    write_key: NotRequired[str | None]
    """The key that names the source of the events. Required, or `MOBILE_TRACKER_KEY` in the environment."""
    ingestion_host: NotRequired[str | None]
    """Where the events go: batches are posted below it, to `/v1/batch` or the path of `api`. Required, or `MOBILE_TRACKER_API_URL` in the environment."""
    api: NotRequired[Literal["metaRouter", "segment", "postHog", "amplitude", "mixpanel", "otlp"] | None]
    """Whose API the server speaks; by default `metaRouter`."""
    group_type: NotRequired[str | None]
    """What the server calls the kind of group that `group` names: PostHog's and Amplitude's group type, Mixpanel's group key; by default `company`."""
    flush_interval_seconds: NotRequired[int | None]
    """The longest an event waits for others; by default 10."""
    max_queue_events: NotRequired[int | None]
    """Past this many events the oldest is dropped; by default as `max_queued_events`, 2,000 in memory."""
    flush_at: NotRequired[int | None]
    """Events are sent as soon as there are so many; by default 20."""
    max_batch_size: NotRequired[int | None]
    """How many events travel together at most; by default 100."""
    max_batch_bytes: NotRequired[int | None]
    """How many bytes a batch has at most before compression; by default 475,000."""
    when_refused: NotRequired[Literal["halt", "disable"] | None]
    """What happens when the server refuses the key or the address: delivery halts and keeps the queue, or the client is disabled and its queue dropped; by default `halt`."""
    request_timeout_ms: NotRequired[int | None]
    """How long a request may take; by default 8,000."""
    app: NotRequired[AnalyticsOptionsApp | None]
    """The application that events come from."""
    context: NotRequired[Properties | None]
    """Merged over the context that the client collects itself."""


RequestHeaders: TypeAlias = Mapping[str, str]
"""Header fields by their names."""


class _BridgeBasicOptions(ClientOptions):
    """The keys as the bridge has them."""

    maxQueueSize: NotRequired[int | None]
    requestTimeoutMs: NotRequired[int | None]


class BasicOptions(_BridgeBasicOptions):
    """The options of `basic.initialize`."""

    max_queue_size: NotRequired[int | None]
    """Past this many events the oldest is dropped; by default as `max_queued_events`, 100 in memory."""
    request_timeout_ms: NotRequired[int | None]
    """How long a request may take; by default 30,000."""


class LogNotification(TypedDict):
    """A log message."""

    level: Literal["debug", "info", "warning", "error"]
    message: str
    at: str
    """ISO 8601, milliseconds, UTC."""
    call: NotRequired[str]
    """The call that was dropped: an event by its name."""
    reason: NotRequired[DropReason]
    """Why calls were dropped, as their outcomes say."""
    fault: NotRequired[Fault]
    """What is wrong with the call."""
    code: NotRequired[str]
    """Why `init` has failed, as its answer says."""


class DiagnosticNotification(TypedDict):
    """What happened to events."""

    client: Literal["tracker", "analytics", "basic"]
    """Whose events they are."""
    kind: Literal["dropped", "delivered", "refused", "retried", "breaker", "storage", "lane", "missed"]
    reason: NotRequired[str]
    """Why; of a breaker, its new state."""
    message_id: NotRequired[str]
    """Which record."""
    status: NotRequired[int]
    """The server's answer."""
    call: NotRequired[str]
    """Which call was refused."""
    count: NotRequired[int]
    """How many records that are not named, or diagnostics."""
    message: NotRequired[str]
    """A sentence."""


class CredentialsNotification(TypedDict):
    """Other credentials are needed: answer with `set_credentials` of that client within 10 s."""

    client: Literal["tracker", "analytics", "basic"]
    """Whose they are."""
    message: NotRequired[str]
    """Why the server refuses those that the client has."""


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
    "INVALID_VALUE",
    "NOT_INITIALIZED",
    "LIST_FULL",
    "CONNECTION_REFUSED",
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
