/// The configuration of a session-based tracker.
public struct TrackerConfig: Hashable, Sendable {
    /// When the backend session is made.
    public enum SessionCreation: String, Hashable, Sendable, CaseIterable {
        /// While `initialize` runs: it fails if the session cannot be made.
        case duringInit
        /// After `initialize` has returned, as often as it takes.
        case inBackground
    }

    /// The device as the backend is told about it.
    public struct Device: Hashable, Sendable {
        /// `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`; `nil`: what the system is.
        public var osName: String?
        /// `Mobile`, `Tablet` or `Desktop`; `nil`: what the system is.
        public var deviceType: String?

        /// Describes a device.
        public init(osName: String? = nil, deviceType: String? = nil) {
            self.osName = osName
            self.deviceType = deviceType
        }
    }

    /// A screen that is shown when the tracker starts.
    public struct Screen: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name, or the title of a page. Not blank.
        public var name: String
        /// Identifies the screen; `nil`: its name.
        public var url: String?

        /// Describes a screen.
        public init(name: String, url: String? = nil) {
            self.name = name
            self.url = url
        }

        /// Describes a screen by its name alone.
        public init(stringLiteral name: String) {
            self.init(name: name)
        }
    }

    /// With `false` nothing is stored or sent, and calls are dropped as ``RefusalReason/disabled``; no other option is
    /// looked at then. `nil`: as `MOBILE_TRACKER_ENABLED` says in the environment, else `true`.
    public var enabled: Bool?
    /// Whether informative and debug messages are logged.
    public var debug: Bool
    /// The backend's base URL, such as `https://api.example.com`. Required when initialising; `nil`: as
    /// `MOBILE_TRACKER_API_URL` says in the environment.
    ///
    /// Absolute, `https` (plain `http` only to this machine, or with `delivery.allowInsecureHTTP`), without user info,
    /// query or fragment. A base path is kept.
    public var apiUrl: String?
    /// The key sent as `X-API-Key`. Required when initialising; no control characters. `nil`: as `MOBILE_TRACKER_KEY`
    /// says in the environment.
    public var xApiKey: String?
    /// Whether sessions may be carried between sites.
    public var crossSiteCookie: Bool
    /// The domain, with its subdomains, that a session may be carried to; a leading dot is ignored. `nil`: any.
    public var cookieDomain: String?
    /// How many days stored values last.
    public var cookieExpiration: Int
    /// When the backend session is made.
    public var sessionCreation: SessionCreation
    /// How long the whole of `initialize` may take.
    public var initTimeout: Duration
    /// The consent of a first start. A stored consent wins over it.
    public var consent: Consent
    /// The device as the backend is told about it.
    public var device: Device
    /// A screen to track once the tracker is ready.
    public var initialScreen: Screen?
    /// How many calls may wait for a session; `nil`: as many as the queue holds.
    public var maxPendingEvents: Int?
    /// How events are kept and delivered.
    public var delivery: DeliveryOptions

    private var hooks = ClientHooks()
    /// Where messages go, from the `initialize` on that is given it; `nil`: where they went before, standard error at
    /// first.
    public var log: (any TrackerLog)? {
        get { hooks.log }
        set { hooks.log = newValue }
    }
    /// Sees each call before anything is stored, and may change or drop it.
    public var beforeSend: BeforeSend? {
        get { hooks.beforeSend }
        set { hooks.beforeSend = newValue }
    }

    /// Makes a configuration; what is left out has its default.
    public init(
        debug: Bool = false, apiUrl: String? = nil, xApiKey: String? = nil, crossSiteCookie: Bool = false,
        cookieDomain: String? = nil, cookieExpiration: Int = 365, sessionCreation: SessionCreation = .duringInit,
        initTimeout: Duration = .seconds(30), consent: Consent = .granted, device: Device = Device(),
        initialScreen: Screen? = nil, maxPendingEvents: Int? = nil, delivery: DeliveryOptions = DeliveryOptions(),
        enabled: Bool? = nil,
        log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil
    ) {
        self.enabled = enabled
        hooks = ClientHooks(log: log, beforeSend: beforeSend)
        self.debug = debug
        self.apiUrl = apiUrl
        self.xApiKey = xApiKey
        self.crossSiteCookie = crossSiteCookie
        self.cookieDomain = cookieDomain
        self.cookieExpiration = cookieExpiration
        self.sessionCreation = sessionCreation
        self.initTimeout = initTimeout
        self.consent = consent
        self.device = device
        self.initialScreen = initialScreen
        self.maxPendingEvents = maxPendingEvents
        self.delivery = delivery
    }

    /// The options that have a range or a default of their own.
    package static let options: [ConfigOption<TrackerConfig>] = [
        .enabled(\.enabled),
        .boolean("debug", \.debug, "Whether informative and debug messages are logged"),
        .boolean("crossSiteCookie", \.crossSiteCookie, "Whether sessions may be carried between sites"),
        .integer("cookieExpiration", \.cookieExpiration, to: 36_500, "How many days stored values last"),
        .choice(
            "sessionCreation", \.sessionCreation, "Whether `init` makes the session, or leaves it to the background"),
        .duration(
            "initTimeout", \.initTimeout, from: .seconds(1), to: .seconds(600),
            "How long the whole of `init` may take"),
        .choice("consent", \.consent, "The consent of a first start (a stored one goes before it)"),
        .integer(
            "maxPendingEvents", \.maxPendingEvents, absence: "as many as the queue holds",
            "How many calls may wait for a session"),
    ]

    /// The configuration that has every default; it lacks what is required.
    public static let `default` = TrackerConfig()
}

/// Whether the user allows tracking.
public enum Consent: String, Hashable, Sendable, CaseIterable {
    /// Calls are kept and sent.
    case granted
    /// Nothing is kept and nothing is sent.
    case denied
    /// Calls are kept on disk; nothing is sent until the user decides.
    case pending
}
