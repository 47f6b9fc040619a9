package import TrackerModels

/// How much of what the server has refused is kept. Past that the oldest goes.
package struct RefusedLimits: Hashable, Sendable {
    /// How many records; with 0 none is kept.
    package var maxRecords: Int
    /// How many bytes of bodies.
    package var maxBytes: Int
    package var ttl: Duration

    package init(maxRecords: Int, maxBytes: Int, ttl: Duration) {
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        self.ttl = ttl
    }

    /// None: what is kept stays.
    package static let unbounded = RefusedLimits(maxRecords: .max, maxBytes: .max, ttl: .seconds(Int32.max))

    /// The bounds that options have.
    package init(_ options: DeliveryOptions = DeliveryOptions()) {
        self.init(
            maxRecords: options.maxRefusedEvents, maxBytes: options.maxRefusedBytes, ttl: options.refusedTTL)
    }
}
