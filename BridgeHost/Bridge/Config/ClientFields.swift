import TrackerCore
import TrackerModels

/// The keys of `analytics.initialize`'s options.
enum AnalyticsFields {
    /// All of them.
    static let table = ConfigTable<InitOptions>(
        [
            .text(
                "writeKey", \.writeKey,
                "The key that names the source of the events. Required, or `MOBILE_TRACKER_KEY` in the environment."),
            .text(
                "ingestionHost", \.ingestionHost,
                "Where the events go: batches are posted to `/v1/batch` below it. Required, or `MOBILE_TRACKER_API_URL` "
                    + "in the environment."),
        ] + InitOptions.options.map { ConfigField($0, in: InitOptions()) } + [
            .object("app", \.app, app, "The application that events come from."),
            ConfigField(
                "context", .reference("Properties"), "Merged over the context that the client collects itself.",
                read: { value, path, options throws(TrackerError) in
                    guard let context = JSONValue(value).objectValue else {
                        throw FieldCheck.fault(path, "must be an object")
                    }
                    options.context = context
                }
            ),
        ] + DeliveryFields.table.fields.filter { $0.name != "requestTimeoutMs" }.map { $0.lifted(to: \.delivery) }
    )

    /// The keys of `app`.
    static let app = ConfigTable<AppInfo>([
        .string("name", \.name, "Its name."),
        .string("version", \.version, "Its version."),
        .string("build", \.build, "Its build."),
        .string("namespace", \.namespace, "Its identifier, such as `com.example.shop`."),
    ])
}

/// The members of an analytics call's options.
enum CallFields {
    /// All of them.
    static let table = ConfigTable<CallOptions>([
        .string("userId", \.userId, "The user that the call is about; 1 to 1,024 bytes, not blank."),
        .string("anonymousId", \.anonymousId, "The visitor that the call is about; 1 to 1,024 bytes, not blank."),
        .string("groupId", \.groupId, "The group that the user belongs to; 1 to 1,024 bytes, not blank."),
        ConfigField(
            "timestamp", .reference("Timestamp"), "When it happened; by default when the call was made.",
            read: { value, path, options throws(TrackerError) in
                guard let timestamp = value.stringValue.flatMap({ Timestamp($0) }) else {
                    throw FieldCheck.fault(
                        path, "must be a date and time with its zone (ISO 8601), such as '2025-11-27T10:30:00.000Z'")
                }
                options.timestamp = timestamp
            }
        ),
        ConfigField(
            "context", .reference("Properties"), "Merged over the client's context, objects member by member.",
            read: { value, path, options throws(TrackerError) in
                guard value.kind == .object else { throw FieldCheck.fault(path, "must be an object") }
                options.context = Properties(accepted: value)
            }
        ),
    ])
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

/// The keys of `basic.initialize`'s options.
enum BasicFields {
    /// All of them.
    static let table = ConfigTable<BasicOptions>(
        BasicOptions.options.map { ConfigField($0, in: BasicOptions()) }
            + DeliveryFields.table.fields.map { $0.lifted(to: \.delivery) }
    )
}
