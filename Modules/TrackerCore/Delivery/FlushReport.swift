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

/// Why events that are queued are not sent at once.
public enum StopReason: String, Hashable, Sendable, CaseIterable {
    /// The timeout of the flush passed.
    case timeout
    /// A request failed, and it is not yet time for the next.
    case retryWait
    /// The circuit breaker is open: after several failures nothing is sent for a while.
    case breakerOpen
    /// The server refused the credentials, or to make a session.
    case halted
    /// The user has not granted consent.
    case noConsent
    /// `initialize` failed because no session could be created.
    case noSession
    /// `initialize` was not called, has failed, or still waits for its session.
    case notInitialized
    /// Another process delivers this queue.
    case otherProcess
    /// The disk cannot be read, or has not taken a reset or a consent yet.
    case storage
}
