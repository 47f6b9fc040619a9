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
            .boolean("debug", \.debug, "Whether informative and debug messages are logged; false by default."),
            .integer(
                "flushIntervalSeconds", \.flushIntervalSeconds, to: 86_400,
                "How long an event waits for others at most; 10 by default."),
            .optionalInteger(
                "maxQueueEvents", \.maxQueueEvents,
                "Past this many events the oldest is dropped; as `maxQueuedEvents` by default, 2,000 in memory."),
            .integer("flushAt", \.flushAt, "Events are sent as soon as there are so many; 20 by default."),
            .integer("maxBatchSize", \.maxBatchSize, "How many events travel together at most; 100 by default."),
            .integer(
                "maxBatchBytes", \.maxBatchBytes,
                "How many bytes a batch has at most before compression; 475,000 by default."),
            .milliseconds(
                "requestTimeoutMs", \.requestTimeout, from: 1_000, to: 600_000,
                "How long a request may take; 8,000 by default."),
            .object("app", \.app, app, "The application that events come from."),
            ConfigField(
                "context", .reference("Properties"), "Merged over what the system tells of the events' surroundings."
            ) {
                value, path, options throws(TrackerError) in
                guard let context = JSONValue(value).objectValue else {
                    throw FieldCheck.fault(path, "must be an object")
                }
                options.context = context
            },
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
