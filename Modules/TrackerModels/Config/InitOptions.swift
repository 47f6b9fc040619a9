#if FoundationURL
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
#endif

/// How an analytics client is set up.
///
/// ```swift
/// let options = InitOptions(writeKey: "your-write-key", ingestionHost: "https://in.example.com")
/// try options.validate()
/// ```
///
/// Making options checks nothing; ``validate()`` does. A client that is initialised with invalid options is disabled.
public struct InitOptions: Hashable, Sendable {
    /// Whether the client is on. With `false` nothing is stored or sent, calls are dropped as
    /// ``RefusalReason/disabled``, and no other option is looked at. With `nil` the environment variable
    /// `MOBILE_TRACKER_ENABLED` decides; without it the client is on.
    public var enabled: Bool?
    /// What happens when the server refuses the write key or the address: 401, 403, 404 or 410.
    public enum WhenRefused: String, Hashable, Sendable, CaseIterable {
        /// Delivery halts and the queue is kept. Calls go on being queued, one request every `delivery.haltRetry` finds
        /// out whether the server is well again, and `initialize` with other options resumes at once.
        case halt
        /// The client is disabled: its queue is dropped, and so is every call until `reset` or a restart. This is the
        /// letter of MetaRouter's own documentation.
        case disable
    }

    /// Whose API the server speaks: what a request of events looks like.
    ///
    /// What waits in the queue is the same for all of them. A client with another `api` on the same key and host
    /// delivers what the one before it has left.
    public enum API: String, Hashable, Sendable, CaseIterable {
        /// MetaRouter's batches, to `/v1/batch`.
        case metaRouter
        /// Segment's batches, to `/v1/batch`. RudderStack, Jitsu and others take them as well.
        case segment
        /// PostHog's batches, to `/batch/`.
        case postHog
        /// Amplitude's HTTP V2 API, `/2/httpapi`.
        case amplitude
        /// Mixpanel's `/import`, and `/engage` and `/groups` for people and groups.
        case mixpanel
        /// OpenTelemetry logs over HTTP in JSON, to `/v1/logs`.
        case otlp
    }

    /// Whose API the server speaks.
    public var api: API
    /// What the server calls the kind of group that `group` names, where it knows several: the group type of PostHog and
    /// Amplitude, the group key of Mixpanel. With `nil` it is `company`.
    public var groupType: String?
    private var key: Secret
    /// Where the events go, such as `https://in.example.com`: batches are posted below it, to `/v1/batch` or the path of
    /// ``api``. If it is empty, the environment variable `MOBILE_TRACKER_API_URL` gives it.
    ///
    /// Absolute, `https` (plain `http` only to this machine, or with `delivery.allowInsecureHTTP`), without user info,
    /// query or fragment. Spaces around it and one slash at its end are removed; a base path is kept.
    public var ingestionHost: String
    /// Whether info and debug messages are logged too.
    public var debug: Bool
    /// How many seconds an event waits for others at most; 1 to 86,400.
    public var flushIntervalSeconds: Int
    /// How many events the queue holds; at least 1. Past that the oldest is dropped and counted. With `nil` it is
    /// `delivery.maxQueuedEvents`, or 2,000 with `persistence: .memory`.
    ///
    /// The smaller of this and `delivery.maxQueuedEvents` counts.
    public var maxQueueEvents: Int?
    /// How many queued events are sent at once, without waiting for the interval; at least 1.
    public var flushAt: Int
    /// How many events one request carries at most; at least 1.
    public var maxBatchSize: Int
    /// How many bytes a batch has at most before compression; at least 1.
    ///
    /// An event that is larger by itself travels alone.
    public var maxBatchBytes: Int
    /// How long a request may take; 1 s to 10 min.
    ///
    /// The smaller of this and `delivery.requestTimeout` counts.
    public var requestTimeout: Duration
    /// The application that events come from.
    public var app: AppInfo
    /// Facts for the context of every event. They replace what the client collects itself; objects are merged member by
    /// member.
    public var context: JSONObject
    /// How events are kept and delivered.
    public var delivery: DeliveryOptions
    /// What happens when the server refuses the write key or the address.
    public var whenRefused: WhenRefused

    private var hooks = ClientHooks()
    /// Where log messages go from this `initialize` on. With `nil` they go where they went before, at first to standard
    /// error.
    public var log: (any TrackerLog)? {
        get { hooks.log }
        set { hooks.log = newValue }
    }
    /// Sees each call before anything is stored, and may change or drop it.
    public var beforeSend: BeforeSend? {
        get { hooks.beforeSend }
        set { hooks.beforeSend = newValue }
    }
    /// Gives the client its key and headers. With it ``writeKey`` may stay empty.
    public var credentials: CredentialsProvider? {
        get { hooks.credentials }
        set { hooks.credentials = newValue }
    }

    /// Makes options. What you leave out has its default.
    public init(
        writeKey: String = "", ingestionHost: String = "", debug: Bool = false, flushIntervalSeconds: Int = 10,
        maxQueueEvents: Int? = nil, flushAt: Int = 20, maxBatchSize: Int = 100, maxBatchBytes: Int = 475_000,
        requestTimeout: Duration = .seconds(8), app: AppInfo = AppInfo(), context: JSONObject = [:],
        delivery: DeliveryOptions = DeliveryOptions(), whenRefused: WhenRefused = .halt, api: API = .metaRouter,
        groupType: String? = nil, enabled: Bool? = nil, log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil,
        credentials: CredentialsProvider? = nil
    ) {
        self.enabled = enabled
        self.api = api
        self.groupType = groupType
        hooks = ClientHooks(log: log, beforeSend: beforeSend, credentials: credentials)
        key = Secret(writeKey)
        self.ingestionHost = ingestionHost
        self.debug = debug
        self.flushIntervalSeconds = flushIntervalSeconds
        self.maxQueueEvents = maxQueueEvents
        self.flushAt = flushAt
        self.maxBatchSize = maxBatchSize
        self.maxBatchBytes = maxBatchBytes
        self.requestTimeout = requestTimeout
        self.app = app
        self.context = context
        self.delivery = delivery
        self.whenRefused = whenRefused
    }

    /// How many events are held in memory unless the options say otherwise.
    package static let memoryBound = 2000

    /// The options that have a range or a default of their own.
    package static let options: [ConfigOption<InitOptions>] = [
        .enabled(\.enabled),
        .choice("api", \.api, "Whose API the server speaks").named(otherwise: [
            "rudderstack": "segment", "rudder": "segment", "jitsu": "segment", "opentelemetry": "otlp", "otel": "otlp",
        ]),
        .text(
            "groupType", \.groupType, absence: "`company`",
            "What the server calls the kind of group that `group` names: PostHog's and Amplitude's group type, Mixpanel's "
                + "group key"),
        .boolean("debug", \.debug, "Whether informative and debug messages are logged"),
        .integer(
            "flushIntervalSeconds", \.flushIntervalSeconds, to: 86_400, "The longest an event waits for others"),
        .integer(
            "maxQueueEvents", \.maxQueueEvents, absence: "as `maxQueuedEvents`, \("\(memoryBound)".grouped) in memory",
            "Past this many events the oldest is dropped"),
        .integer("flushAt", \.flushAt, "Events are sent as soon as there are so many"),
        .integer("maxBatchSize", \.maxBatchSize, "How many events travel together at most"),
        .bytes("maxBatchBytes", \.maxBatchBytes, "How many bytes a batch has at most before compression"),
        .choice(
            "whenRefused", \.whenRefused,
            "What happens when the server refuses the key or the address: delivery halts and keeps the queue, or the "
                + "client is disabled and its queue dropped"),
        .duration(
            "requestTimeout", \.requestTimeout, from: .seconds(1), to: .seconds(600), "How long a request may take"),
    ]

    /// The key that names the source of the events. Every event carries it. Not blank, no control characters. If it is
    /// empty, the environment variable `MOBILE_TRACKER_KEY` gives it.
    public var writeKey: String {
        get { key.reveal() }
        set { key = Secret(newValue) }
    }
}

#if FoundationURL
    extension InitOptions {
        /// Makes options with a `URL` as the host. What you leave out has its default.
        public init(
            writeKey: String, ingestionHost: URL, debug: Bool = InitOptions().debug,
            flushIntervalSeconds: Int = InitOptions().flushIntervalSeconds,
            maxQueueEvents: Int? = InitOptions().maxQueueEvents, flushAt: Int = InitOptions().flushAt,
            maxBatchSize: Int = InitOptions().maxBatchSize, maxBatchBytes: Int = InitOptions().maxBatchBytes,
            requestTimeout: Duration = InitOptions().requestTimeout, app: AppInfo = AppInfo(),
            context: JSONObject = [:], delivery: DeliveryOptions = DeliveryOptions(),
            whenRefused: WhenRefused = .halt, api: API = .metaRouter, groupType: String? = nil,
            enabled: Bool? = nil, log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil,
            credentials: CredentialsProvider? = nil
        ) {
            self.init(
                writeKey: writeKey, ingestionHost: ingestionHost.absoluteString, debug: debug,
                flushIntervalSeconds: flushIntervalSeconds, maxQueueEvents: maxQueueEvents, flushAt: flushAt,
                maxBatchSize: maxBatchSize, maxBatchBytes: maxBatchBytes, requestTimeout: requestTimeout, app: app,
                context: context, delivery: delivery, whenRefused: whenRefused, api: api, groupType: groupType,
                enabled: enabled, log: log, beforeSend: beforeSend, credentials: credentials)
        }
    }
#endif
