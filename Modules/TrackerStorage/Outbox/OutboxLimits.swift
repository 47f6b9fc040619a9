public import TrackerModels

/// How much a lane may hold.
public struct OutboxLimits: Hashable, Sendable {
    /// How many records it may hold.
    public var maxRecords: Int
    /// How many bytes of bodies it may hold.
    public var maxBytes: Int
    /// Whether a record past these two is refused, or the oldest record is dropped and counted as evicted.
    public var overflow: DeliveryOptions.Overflow
    /// A body larger than this is refused.
    public var maxRecordBytes: Int
    /// How many records may wait while none of them may be sent. Past that a record is refused. With `nil` there is no
    /// such bound.
    package var maxPendingRecords: Int?
    /// How old a record may get. Before a record is refused since there is no room, those that are older go. With `nil`
    /// none is too old.
    package var maxAge: Duration?

    /// Sets bounds; each is at least 1. Those that are left out are those of ``DeliveryOptions``.
    public init(
        maxRecords: Int = DeliveryOptions().maxQueuedEvents, maxBytes: Int = DeliveryOptions().maxQueuedBytes,
        overflow: DeliveryOptions.Overflow = .refuseNew, maxRecordBytes: Int = DeliveryOptions().maxEventBytes
    ) {
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        self.overflow = overflow
        self.maxRecordBytes = maxRecordBytes
    }
}
