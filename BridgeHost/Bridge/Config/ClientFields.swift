import JSONRPC
import TrackerCore
import TrackerModels

enum AnalyticsFields {
    static let table = ConfigTable<InitOptions>(
        [
            .text(
                "writeKey", \.writeKey,
                "The key that names the source of the events. Required, or `MOBILE_TRACKER_KEY` in the environment."),
            .text(
                "ingestionHost", \.ingestionHost,
                "Where the events go: batches are posted below it, to `/v1/batch` or the path of `api`. Required, or "
                    + "`MOBILE_TRACKER_API_URL` in the environment."),
        ] + InitOptions.options.map { ConfigField($0, in: InitOptions()) } + [
            .object("app", \.app, app, "The application that events come from."),
            ConfigField(
                "context", .reference("Properties"), "Merged over the context that the client collects itself.",
                read: { value, path, options throws(TrackerError) in
                    guard let context = JSONValue(value).objectValue else {
                        throw FieldCheck.fault(path, .wrongKind(.object))
                    }
                    options.context = context
                }
            ),
        ] + DeliveryFields.table.fields.filter { $0.name != "requestTimeoutMs" }.map { $0.lifted(to: \.delivery) }
    )

    static let app = ConfigTable<AppInfo>([
        .string("name", \.name, "Its name."),
        .string("version", \.version, "Its version."),
        .string("build", \.build, "Its build."),
        .string("namespace", \.namespace, "Its identifier, such as `com.example.shop`."),
    ])
}

/// The members of an analytics call's options, and of a scope around calls.
enum CallFields {
    static let table = ConfigTable<CallOptions>(
        ids(of: "the call is", \.userId, \.anonymousId, \.groupId) + [
            ConfigField(
                "timestamp", .reference("Timestamp"), "When it happened; by default when the call was made.",
                read: { value, path, options throws(TrackerError) in
                    guard let timestamp = value.stringValue.flatMap({ Timestamp($0) }) else {
                        throw FieldCheck.fault(path, .wrongKind(.timestamp))
                    }
                    options.timestamp = timestamp
                }
            ),
            values("context", \.context, "Merged over the client's context, objects member by member."),
        ])

    static let scope = ConfigTable<AnalyticsScope>(
        ids(of: "the calls are", \.userId, \.anonymousId, \.groupId) + [
            values("context", \.context, "Merged over the client's context, objects member by member."),
            values("properties", \.properties, "For the properties of each `track`, `screen` and `page`."),
        ])

    private static func ids<Options>(
        of whose: String, _ user: ConfigField<Options>.OptionPath<String?>,
        _ visitor: ConfigField<Options>.OptionPath<String?>, _ group: ConfigField<Options>.OptionPath<String?>
    ) -> [ConfigField<Options>] {
        [
            id("userId", user, "The user that \(whose) about; 1 to 1,024 bytes, not blank."),
            id("anonymousId", visitor, "The visitor that \(whose) about; 1 to 1,024 bytes, not blank."),
            id("groupId", group, "The group that the user belongs to; 1 to 1,024 bytes, not blank."),
        ]
    }

    /// An id. One that is `null` is given and has no value: the native API drops its call.
    private static func id<Options>(
        _ name: String, _ option: ConfigField<Options>.OptionPath<String?>, _ summary: String
    ) -> ConfigField<Options> {
        ConfigField(
            name, .reference("Id"), summary,
            read: { value, path, options throws(TrackerError) in
                guard value.isNull || value.idText != nil else {
                    throw FieldCheck.fault(path, .wrongKind(.id))
                }
                options[keyPath: option] = value.idText
            }
        ).readingNull
    }

    private static func values<Options>(
        _ name: String, _ option: ConfigField<Options>.OptionPath<Properties?>, _ summary: String
    ) -> ConfigField<Options> {
        ConfigField(
            name, .reference("Properties"), summary,
            read: { value, path, options throws(TrackerError) in
                guard value.kind == .object else { throw FieldCheck.fault(path, .wrongKind(.object)) }
                options[keyPath: option] = Properties(accepted: value)
            })
    }
}

extension CallOptions {
    /// Reads the object that a call came with.
    ///
    /// - Throws: What is wrong with it, naming the member.
    init(json: JSONText) throws(TrackerError) {
        self.init()
        try CallFields.table.read(json, at: "options", into: &self)
    }
}

extension AnalyticsScope {
    /// Reads the scopes around a call, the outermost first.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: What is wrong with one of them, naming the member.
    static func reading(_ scopes: JSONText) throws(TrackerError) -> AnalyticsScope? {
        var current: AnalyticsScope?
        for json in scopes.elements {
            var scope = AnalyticsScope()
            try CallFields.scope.read(json, at: "scope", into: &scope)
            current = scope.inside(current)
        }
        return current
    }
}

enum BasicFields {
    static let table = ConfigTable<BasicOptions>(
        BasicOptions.options.map { ConfigField($0, in: BasicOptions()) }
            + DeliveryFields.table.fields.map { $0.lifted(to: \.delivery) }
    )
}

enum TrackerFields {
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
                "The domain, with its subdomains, to which a session may be passed on; any by default."),
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

    static let device = ConfigTable<TrackerConfig.Device>([
        .string("osName", \.osName, "`iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`."),
        .string("deviceType", \.deviceType, "`Mobile`, `Tablet` or `Desktop`."),
    ])

    static let screen = ConfigTable<TrackerConfig.Screen>([
        .text("name", \.name, "The name, or the title of a page.").required,
        .string("url", \.url, "Identifies the screen; by default its name does."),
    ])
}

extension TrackerConfig.Screen {
    /// Reads a name, or an object.
    fileprivate init(_ value: JSONText, at path: String) throws(TrackerError) {
        self.init(name: value.stringValue ?? "")
        if value.kind != .string {
            guard value.kind == .object else { throw FieldCheck.fault(path, .wrongKind(.stringOrObject)) }
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
        } + [
            .object("plan", \.plan, plan, "A plan that each call is checked against.")
        ]
    )

    static let plan = ConfigTable<PlanOptions>(PlanOptions.options.map { ConfigField($0, in: PlanOptions()) })

    private static let storageDirectory =
        "The path of the state folder, from the root; by default the host's `--storage-dir`, else `MOBILE_TRACKER_STORAGE_DIR`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else "
        + "`~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`."
}
