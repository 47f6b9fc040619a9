import TrackerModels

/// What the basic tracker's options come down to.
struct BasicOptions: Hashable, Sendable {
    /// Past this many events the oldest is dropped.
    var maxQueueSize = 100
    var delivery: DeliveryOptions
}

/// The keys of `basic.initialize`'s options.
enum BasicFields {
    /// All of them.
    static let table = ConfigTable<BasicOptions>(
        [.integer("maxQueueSize", \.maxQueueSize, "Past this many events the oldest is dropped; 100 by default.")]
            + DeliveryFields.table.fields.map { $0.lifted(to: \.delivery) }
    )
}
