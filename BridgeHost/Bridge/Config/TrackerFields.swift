import TrackerModels

/// The keys of `init`'s config.
enum TrackerFields {
    /// All of them.
    static let table = ConfigTable<TrackerConfig>(
        [
            .boolean(
                "debug", \.debug, "Whether informative and debug messages are logged; false by default."),
            .string(
                "apiUrl", \.apiUrl, aliases: ["api_url"],
                "The backend's base URL. Required. Plain http only to this machine, or with `allowInsecureHTTP`."),
            .string(
                "xApiKey", \.xApiKey, aliases: ["x_api_key"], "The key sent as `X-API-Key`. Required."),
            .boolean(
                "crossSiteCookie", \.crossSiteCookie, aliases: ["cross_site_cookie"],
                "Whether sessions may be carried between sites; false by default."),
            .string(
                "cookieDomain", \.cookieDomain, aliases: ["cookie_domain"],
                "The domain, with its subdomains, that a session may be carried to; any by default."),
            .integer(
                "cookieExpiration", \.cookieExpiration, aliases: ["cookie_expiration"], to: 36_500,
                "How many days stored values last; 365 by default."),
            .choice(
                "sessionCreation", \.sessionCreation,
                "Whether `init` makes the session, or leaves it to the background; `duringInit` by default."),
            .milliseconds(
                "initTimeoutMs", \.initTimeout, from: 1_000, to: 600_000,
                "How long the whole of `init` may take; 30,000 by default."),
            .choice(
                "consent", \.consent,
                "The consent of a first start; `granted` by default. A stored one goes before it."),
            .object("device", \.device, device, "What the backend is told of the device; by default what it is."),
            ConfigField(
                "initialScreen", .oneOf([.string, screen.schema]),
                "A screen to track once the tracker is ready: its name, or name and URL."
            ) { value, path, config throws(TrackerError) in
                config.initialScreen = try TrackerConfig.Screen(value, at: path)
            },
            .optionalInteger(
                "maxPendingEvents", \.maxPendingEvents,
                "How many calls may wait for a session; by default as many as the queue holds."),
        ] + DeliveryFields.table.fields.map { $0.lifted(to: \.delivery) }
    )

    /// The keys of the form that the React Native package publishes, besides the brand.
    static let published = ConfigTable(
        table.fields.map { field in
            guard field.name == "apiUrl" else { return field }
            return ConfigField(
                field.name, aliases: field.aliases + ["endpoint"], field.schema, field.summary, read: field.read)
        }
    )

    /// The keys of `device`.
    static let device = ConfigTable<TrackerConfig.Device>([
        .string("osName", \.osName, "`iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`."),
        .string("deviceType", \.deviceType, "`Mobile`, `Tablet` or `Desktop`."),
    ])

    /// The keys of a screen.
    static let screen = ConfigTable<TrackerConfig.Screen>([
        ConfigField("name", .string, "The name, or the title of a page.") {
            value, path, screen throws(TrackerError) in
            guard let name = value.stringValue else { throw FieldCheck.fault(path, "must be a string") }
            screen.name = name
        }.required,
        .string("url", \.url, "What tells the screen from others; its name by default."),
    ])
}

extension TrackerConfig.Screen {
    /// Reads a name, or an object.
    fileprivate init(_ value: JSONText, at path: String) throws(TrackerError) {
        self.init(name: value.stringValue ?? "")
        if value.kind != .string {
            guard value.kind == .object else { throw FieldCheck.fault(path, "must be a string or an object") }
            try TrackerFields.screen.read(value, at: path, into: &self)
        }
    }
}
