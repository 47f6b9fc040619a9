import TrackerModels

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
