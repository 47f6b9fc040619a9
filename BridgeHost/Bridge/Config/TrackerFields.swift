import TrackerModels

/// The keys of `init`'s config.
enum TrackerFields {
    /// All of them.
    static let table = ConfigTable<TrackerConfig>(
        [
            .string(
                "apiUrl", \.apiUrl, aliases: ["api_url"],
                "The backend's base URL. Required, or `MOBILE_TRACKER_API_URL` in the environment. Plain http only to this "
                    + "machine, or with `allowInsecureHTTP`."),
            .string(
                "xApiKey", \.xApiKey, aliases: ["x_api_key"],
                "The key sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment."),
            .string(
                "cookieDomain", \.cookieDomain, aliases: ["cookie_domain"],
                "The domain, with its subdomains, that a session may be carried to; any by default."),
        ] + TrackerConfig.options.map { ConfigField($0, in: .default, aliases: aliases[$0.name] ?? []) } + [
            .object("device", \.device, device, "The device as reported to the backend; by default the real one."),
            ConfigField(
                "initialScreen", .oneOf([.string, screen.schema]),
                "A screen to track once the tracker is ready: its name, or name and URL.",
                read: { value, path, config throws(TrackerError) in
                    config.initialScreen = try TrackerConfig.Screen(value, at: path)
                }
            ),
        ] + DeliveryFields.table.fields.map { $0.lifted(to: \.delivery) }
    )

    /// The spellings of the web and React Native packages.
    private static let aliases = ["crossSiteCookie": ["cross_site_cookie"], "cookieExpiration": ["cookie_expiration"]]

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
        .text("name", \.name, "The name, or the title of a page.").required,
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

/// The keys of the options that all clients share.
enum DeliveryFields {
    /// They stand among a client's own keys.
    static let table = ConfigTable<DeliveryOptions>(
        DeliveryOptions.all.map { option in
            ConfigField(
                option, in: DeliveryOptions(), summary: option.name == "storageDirectory" ? storageDirectory : nil)
        }
    )

    private static let storageDirectory =
        "The state folder; by default the host's `--storage-dir`, else `MOBILE_TRACKER_STORAGE_DIR`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else "
        + "`~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`."
}
