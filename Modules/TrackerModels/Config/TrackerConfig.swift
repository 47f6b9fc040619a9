/// How a `MobileTracker` is set up.
public struct TrackerConfig: Hashable, Sendable {
    /// When the session is made.
    public enum SessionCreation: String, Hashable, Sendable, CaseIterable {
        /// During `initialize`, which fails if the session cannot be made.
        case duringInit
        /// After `initialize` has returned. The request is repeated until the backend makes a session.
        case inBackground
    }

    /// The device, as the backend gets to know it.
    public struct Device: Hashable, Sendable {
        /// `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`. With `nil` it is the system that the program runs
        /// on.
        public var osName: String?
        /// `Mobile`, `Tablet` or `Desktop`. With `nil` it is what the system usually runs on.
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
        /// What tells this screen from others. With `nil` its name does.
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

    /// Whether the tracker is on. With `false` nothing is stored or sent, calls are dropped as
    /// ``RefusalReason/disabled``, and no other option is looked at. With `nil` the environment variable
    /// `MOBILE_TRACKER_ENABLED` decides; without it the tracker is on.
    public var enabled: Bool?
    /// Whether info and debug messages are logged too.
    public var debug: Bool
    /// The backend's base URL, such as `https://api.example.com`. Required. With `nil` the environment variable
    /// `MOBILE_TRACKER_API_URL` gives it.
    ///
    /// Absolute, `https` (plain `http` only to this machine, or with `delivery.allowInsecureHTTP`), without user info,
    /// query or fragment. A base path is kept.
    public var apiUrl: String?
    /// The key, which is sent as `X-API-Key`. Required; no control characters. With `nil` the environment variable
    /// `MOBILE_TRACKER_KEY` gives it.
    public var xApiKey: String?
    /// Whether a session may be carried from one site to another, in a URL.
    public var crossSiteCookie: Bool
    /// The domain, with its subdomains, that a session may be carried to. A leading dot is ignored. With `nil` it may
    /// be carried to any.
    public var cookieDomain: String?
    /// How many days stored values, such as the session, last; 1 to 36,500.
    public var cookieExpiration: Int
    /// When the session is made.
    public var sessionCreation: SessionCreation
    /// How long `initialize` may take in all; 1 s to 10 min.
    public var initTimeout: Duration
    /// The consent at the first start. Later a stored consent counts instead.
    public var consent: Consent
    /// The device, as the backend gets to know it.
    public var device: Device
    /// A screen that is tracked once the tracker is ready.
    public var initialScreen: Screen?
    /// How many calls may wait for a session; at least 1. With `nil` as many as the queue holds.
    public var maxPendingEvents: Int?
    /// How events are kept and delivered.
    public var delivery: DeliveryOptions

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
    /// Gives the client its key and headers. With it ``xApiKey`` may stay empty.
    public var credentials: CredentialsProvider? {
        get { hooks.credentials }
        set { hooks.credentials = newValue }
    }

    /// Makes a configuration. What you leave out has its default.
    public init(
        debug: Bool = false, apiUrl: String? = nil, xApiKey: String? = nil, crossSiteCookie: Bool = false,
        cookieDomain: String? = nil, cookieExpiration: Int = 365, sessionCreation: SessionCreation = .duringInit,
        initTimeout: Duration = .seconds(30), consent: Consent = .granted, device: Device = Device(),
        initialScreen: Screen? = nil, maxPendingEvents: Int? = nil, delivery: DeliveryOptions = DeliveryOptions(),
        enabled: Bool? = nil,
        log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil, credentials: CredentialsProvider? = nil
    ) {
        self.enabled = enabled
        hooks = ClientHooks(log: log, beforeSend: beforeSend, credentials: credentials)
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

    /// A configuration with every default. It lacks what is required, so the environment must give that.
    public static let `default` = TrackerConfig()
}
