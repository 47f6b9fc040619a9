/// How events are kept and delivered; the same for every client.
///
/// Each field has a default that suits most programs. A value out of its range is refused when the client is
/// initialised; the error names the field and the range.
public struct DeliveryOptions: Hashable, Sendable {
    /// Where undelivered events are kept.
    public enum Persistence: String, Hashable, Sendable, CaseIterable {
        /// On disk: they outlive the process.
        case disk
        /// In memory: they end with it.
        case memory
    }

    /// What an event survives that was answered `queued`.
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// The death of the process.
        case process
        /// A loss of power too, at the cost of a sync for each group of events.
        case full
    }

    /// How request bodies are compressed.
    public enum Compression: String, Hashable, Sendable, CaseIterable {
        /// By gzip, where that makes them smaller.
        case gzip
        /// Not at all.
        case none
    }

    /// What happens to a call when the queue is full.
    public enum Overflow: String, Hashable, Sendable, CaseIterable {
        /// The call is refused as `queueFull`; what is queued stays.
        case refuseNew
        /// The oldest events make room: they are dropped and counted as evicted.
        case dropOldest
    }

    /// The path of the state folder, from the root, such as `/var/lib/shop/tracker`. With `nil` it is
    /// `$XDG_STATE_HOME/mobile-tracker/<program>`, else `~/.local/state/mobile-tracker/<program>`, where `<program>` is
    /// the name of the executable. On Apple platforms it is in Application Support.
    public var storageDirectory: String?
    /// Where undelivered events are kept.
    public var persistence: Persistence
    /// What an event survives that was answered `queued`.
    public var durability: Durability
    /// How many events the queue holds; at least 1, by default 100,000. ``overflow`` says what happens past that.
    public var maxQueuedEvents: Int
    /// How many bytes of events the queue holds; at least 1, by default 64 MiB. ``overflow`` says what happens past
    /// that.
    public var maxQueuedBytes: Int
    /// How many bytes of JSON an event may have; at least 1, by default 512 KiB. A larger event is dropped as
    /// ``RefusalReason/tooLarge``.
    public var maxEventBytes: Int
    /// How long an event may wait before it is dropped and counted; at least 1 ms. With `nil` it waits for ever.
    public var eventTTL: Duration?
    /// What happens to a call when the queue is full. With `nil`, `MobileTracker` refuses the call; `AnalyticsClient`
    /// and `BasicTracker` drop the oldest event.
    public var overflow: Overflow?
    /// How many requests may be under way at once; 1 to 64, by default 1. With more than 1, events may arrive out of
    /// order.
    public var maxConcurrentRequests: Int
    /// How long a request may take; 1 s to 10 min, by default 30 s.
    public var requestTimeout: Duration
    /// How request bodies are compressed.
    public var compression: Compression
    /// The size in bytes from which a body is compressed; at least 1, by default 1 KiB.
    public var compressionThreshold: Int
    /// The wait after the first failure; 10 ms to 60 min, by default 250 ms. It doubles with each further failure.
    public var retryDelay: Duration
    /// After how many failures in a row the circuit breaker opens; at least 1, by default 3.
    public var failureThreshold: Int
    /// How long the breaker stays open at first; at least ``retryDelay``, by default 10 s.
    public var cooldown: Duration
    /// How long the breaker stays open at most; at least ``cooldown``, by default 120 s.
    public var maxCooldown: Duration
    /// How far a wait may differ from its length, as a part of it; 0 to 1, by default 0.2, which is 20 % either way.
    public var jitter: Double
    /// When delivery has halted, since the server refuses the key or the address: how long until one request finds out
    /// whether it is well again; at least 10 s, by default 5 min. With `nil` only other credentials or the next start
    /// end a halt.
    public var haltRetry: Duration?
    /// How long the breaker's probes must have failed with an HTTP status before a record is looked for that alone makes
    /// the server fail; at least 1 s, by default 30 min. With `nil` such a record stays at the front for ever.
    public var poisonAfter: Duration?
    /// How many events are kept apart that the server has refused; at least 0, by default 1,000. With 0 none is kept.
    public var maxRefusedEvents: Int
    /// How many bytes of such events are kept; at least 0, by default 8 MiB.
    public var maxRefusedBytes: Int
    /// How long they are kept; at least 1 min, by default 7 days.
    public var refusedTTL: Duration
    /// The path of a PEM file with certificates to trust instead of the system's.
    public var caBundle: String?
    /// The path of a PEM file with the certificate that the client shows to the server, and those that signed it. It needs
    /// ``clientKey``.
    public var clientCertificate: String?
    /// The path of a PEM file with the key of ``clientCertificate``, without a passphrase.
    public var clientKey: String?
    /// The path of a file whose text, without space around it, is the key; then the client's own option for the key stays
    /// empty.
    ///
    /// It is read when the client is initialised, again while events are delivered, at most once a second, and before the
    /// server's refusal of the key halts delivery. So a key that is replaced in the file is used from then on.
    public var keyFile: String?
    /// The URL of a proxy. With `nil` the environment names it (`https_proxy`, `no_proxy` and so on).
    public var proxy: String?
    private var extraHeaders: ExtraHeaders
    /// Header fields that every request gets besides those of the client: at most 16 names, and 8 KiB with their values.
    ///
    /// A name that the client sets itself, such as `Content-Type` or `X-API-Key`, is refused. The values may be secrets:
    /// they are never stored or logged.
    public var headers: [String: String] {
        get { extraHeaders.values }
        set { extraHeaders.values = newValue }
    }
    /// Whether plain `http` to other machines is allowed. To this machine it always is.
    public var allowInsecureHTTP: Bool
    /// Whether the client posts its debug information to the development collector, once a second. It does so only if
    /// its own address is plain `http` to this machine.
    public var collectorPanel: Bool
    /// A plan that calls are checked against.
    public var plan: PlanOptions

    /// Makes options. What you leave out has its default.
    public init(
        storageDirectory: String? = nil, persistence: Persistence = .disk, durability: Durability = .process,
        maxQueuedEvents: Int = 100_000, maxQueuedBytes: Int = 64 << 20, maxEventBytes: Int = 512 << 10,
        eventTTL: Duration? = nil, overflow: Overflow? = nil, maxConcurrentRequests: Int = 1,
        requestTimeout: Duration = .seconds(30), compression: Compression = .gzip, compressionThreshold: Int = 1024,
        retryDelay: Duration = .milliseconds(250), failureThreshold: Int = 3, cooldown: Duration = .seconds(10),
        maxCooldown: Duration = .seconds(120), jitter: Double = 0.2, haltRetry: Duration? = .seconds(300),
        poisonAfter: Duration? = .seconds(1_800),
        maxRefusedEvents: Int = 1_000, maxRefusedBytes: Int = 8 << 20, refusedTTL: Duration = .seconds(7 * 86_400),
        caBundle: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil, keyFile: String? = nil,
        proxy: String? = nil, headers: [String: String] = [:],
        allowInsecureHTTP: Bool = false, collectorPanel: Bool = false, plan: PlanOptions = PlanOptions()
    ) {
        self.storageDirectory = storageDirectory
        self.persistence = persistence
        self.durability = durability
        self.maxQueuedEvents = maxQueuedEvents
        self.maxQueuedBytes = maxQueuedBytes
        self.maxEventBytes = maxEventBytes
        self.eventTTL = eventTTL
        self.overflow = overflow
        self.maxConcurrentRequests = maxConcurrentRequests
        self.requestTimeout = requestTimeout
        self.compression = compression
        self.compressionThreshold = compressionThreshold
        self.retryDelay = retryDelay
        self.failureThreshold = failureThreshold
        self.cooldown = cooldown
        self.maxCooldown = maxCooldown
        self.jitter = jitter
        self.haltRetry = haltRetry
        self.poisonAfter = poisonAfter
        self.maxRefusedEvents = maxRefusedEvents
        self.maxRefusedBytes = maxRefusedBytes
        self.refusedTTL = refusedTTL
        self.caBundle = caBundle
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.keyFile = keyFile
        self.proxy = proxy
        extraHeaders = ExtraHeaders(headers)
        self.allowInsecureHTTP = allowInsecureHTTP
        self.collectorPanel = collectorPanel
        self.plan = plan
    }

    /// Checks every field against its range.
    ///
    /// - Throws: ``TrackerError/invalidConfiguration`` naming the first field at fault, and the reason.
    package func validate() throws(TrackerError) {
        for option in Self.all { try option.check(self) }
        try plan.validate()
        if (clientCertificate == nil) != (clientKey == nil) {
            let (missing, other) =
                clientKey == nil ? ("clientKey", "clientCertificate") : ("clientCertificate", "clientKey")
            throw FieldCheck.fault(missing, .lacking(for: other))
        }
    }

    package static let all: [ConfigOption<DeliveryOptions>] = [
        .path(
            "storageDirectory", \.storageDirectory,
            absence: "`$XDG_STATE_HOME/mobile-tracker/<program>`, else `~/.local/state/mobile-tracker/<program>`",
            "The path of the state folder, from the root"),
        .choice("persistence", \.persistence, "Where undelivered events live"),
        .choice("durability", \.durability, "Whether events survive the death of the process or of the machine"),
        .integer("maxQueuedEvents", \.maxQueuedEvents, "How many events the queue holds"),
        .bytes("maxQueuedBytes", \.maxQueuedBytes, "How many bytes of events the queue holds"),
        .bytes("maxEventBytes", \.maxEventBytes, "A larger event is refused"),
        .duration(
            "eventTTL", \.eventTTL, from: .milliseconds(1), absence: "for ever",
            "How long an event may wait before it is dropped"),
        .choice(
            "overflow", \.overflow, absence: "`refuseNew`, of analytics and basic `dropOldest`",
            "What happens past either bound: the call is refused, or the oldest event is dropped"),
        .integer(
            "maxConcurrentRequests", \.maxConcurrentRequests, to: 64,
            "Requests under way at once (more than 1 trades order for speed)"),
        .duration(
            "requestTimeout", \.requestTimeout, from: .seconds(1), to: .seconds(600), "How long a request may take"),
        .choice("compression", \.compression, "How request bodies are compressed"),
        .bytes("compressionThreshold", \.compressionThreshold, "Bodies of at least this many bytes are compressed"),
        .duration(
            "retryDelay", \.retryDelay, from: .milliseconds(10), to: .seconds(3600),
            "The wait after a first failure, doubled with each further one"),
        .integer(
            "failureThreshold", \.failureThreshold, "After this many failures in a row the circuit breaker opens"),
        .duration(
            "cooldown", \.cooldown, from: .milliseconds(10), "How long the breaker stays open at first"
        ).notLess(than: "retryDelay", \.retryDelay),
        .duration("maxCooldown", \.maxCooldown, from: .milliseconds(10), "How long it stays open at most")
            .notLess(than: "cooldown", \.cooldown),
        .share("jitter", \.jitter, "How far a wait may differ from its length, either way"),
        .duration(
            "haltRetry", \.haltRetry, from: .seconds(10), zero: "never",
            "When the server refuses the key or the address: how long until one request finds out whether it is well again"
        ),
        .duration(
            "poisonAfter", \.poisonAfter, from: .seconds(1), zero: "never",
            "How long the server must have failed before an event is looked for that alone makes it fail"),
        .integer(
            "maxRefusedEvents", \.maxRefusedEvents, zero: "none is kept",
            "How many events are kept apart that the server has refused"),
        .bytes(
            "maxRefusedBytes", \.maxRefusedBytes, zero: "none is kept", "How many bytes of such events are kept"),
        .duration("refusedTTL", \.refusedTTL, from: .seconds(60), "How long such events are kept"),
        .text(
            "caBundle", \.caBundle, absence: "the system's",
            "A file of certificates, which can be read, to trust instead of the system's"),
        .text(
            "clientCertificate", \.clientCertificate, absence: "none",
            "A PEM file with the certificate that the client shows to the server; it needs `clientKey`"),
        .text(
            "clientKey", \.clientKey, absence: "none",
            "A PEM file with the key of `clientCertificate`, without a passphrase"),
        .text(
            "keyFile", \.keyFile, absence: "none",
            "A file whose text is the key, instead of the client's own option; a key that changes there is used from then on"
        ),
        .text("proxy", \.proxy, absence: "as the environment says", "A proxy's URL"),
        .headers("headers", \.extraHeaders, "Header fields that every request gets besides the client's own"),
        .boolean(
            "allowInsecureHTTP", \.allowInsecureHTTP, "Whether plain http may be used to other machines"),
        .boolean(
            "collectorPanel", \.collectorPanel,
            "Whether the client posts its debug information once a second to the development collector on this machine"),
    ]
}
