import TrackerCore
import TrackerModels

/// The keys of `analytics.initialize`'s options.
enum AnalyticsFields {
    /// All of them.
    static let table = ConfigTable<InitOptions>(
        [
            .text("writeKey", \.writeKey, "The key that names the source of the events.").required,
            .text(
                "ingestionHost", \.ingestionHost,
                "Where the events go: batches are posted to `/v1/batch` below it."
            ).required,
        ] + InitOptions.options.map { ConfigField($0, in: InitOptions(writeKey: "", ingestionHost: "")) } + [
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

/// What the basic tracker's options come down to.
struct BasicOptions: Hashable, Sendable {
    /// Past this many events the oldest is dropped; `nil`: as the delivery options say.
    var maxQueueSize: Int?
    /// Whether informative and debug messages are logged.
    var debug = false
    var delivery: DeliveryOptions
}

/// The keys of `basic.initialize`'s options.
enum BasicFields {
    /// All of them.
    static let table = ConfigTable<BasicOptions>(
        [
            ConfigField(
                .integer(
                    "maxQueueSize", \.maxQueueSize, absence: "as `maxQueuedEvents`, 100 in memory",
                    "Past this many events the oldest is dropped"),
                in: BasicOptions(delivery: DeliveryOptions())),
            ConfigField(
                .boolean("debug", \.debug, "Whether informative and debug messages are logged"),
                in: BasicOptions(delivery: DeliveryOptions())),
        ]
            + DeliveryFields.table.fields.map { $0.lifted(to: \.delivery) }
    )
}
