/// How much a lane may hold.
public struct OutboxLimits: Hashable, Sendable {
    /// Past this many records the oldest is dropped and counted as evicted.
    public var maxRecords: Int
    /// Past this many bytes of bodies the oldest is dropped and counted as evicted.
    public var maxBytes: Int
    /// A body larger than this is refused.
    public var maxRecordBytes: Int
    /// While all records of the lane are pending, the newest beyond this many is refused; `nil`: no such bound.
    public var maxPendingRecords: Int?

    /// Sets bounds; each is at least 1.
    public init(
        maxRecords: Int = 10_000, maxBytes: Int = 64 << 20, maxRecordBytes: Int = 512 << 10,
        maxPendingRecords: Int? = nil
    ) {
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        self.maxRecordBytes = maxRecordBytes
        self.maxPendingRecords = maxPendingRecords
    }
}
