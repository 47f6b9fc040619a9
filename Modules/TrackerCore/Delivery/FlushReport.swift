/// The result of a flush.
public struct FlushReport: Hashable, Sendable {
    /// How many of the events that were queued at the call have been delivered.
    public let delivered: Int
    /// How many of them still wait, in the queue or in memory. If the server refuses the client during the flush, its
    /// queue is dropped: then these are the events that were dropped.
    public let remaining: Int
    /// Why these were not delivered; `nil` if none remain.
    public let stoppedBy: StopReason?

    /// Makes a report. The reason has no effect if none remain.
    public init(delivered: Int, remaining: Int, stoppedBy: StopReason? = nil) {
        self.delivered = delivered
        self.remaining = remaining
        self.stoppedBy = remaining == 0 ? nil : stoppedBy
    }
}
