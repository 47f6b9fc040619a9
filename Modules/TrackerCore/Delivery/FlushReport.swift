/// The result of a flush.
public struct FlushReport: Hashable, Sendable {
    /// How many of the events that were queued at the call have been delivered.
    public var delivered: Int
    /// How many of them still wait in the queue.
    public var remaining: Int
    /// Why these still wait; `nil` if none remain.
    public var stoppedBy: StopReason?

    /// Nothing is open that could be flushed.
    static let notInitialized = FlushReport(delivered: 0, remaining: 0, stoppedBy: .notInitialized)

    /// Makes a report.
    public init(delivered: Int, remaining: Int, stoppedBy: StopReason? = nil) {
        self.delivered = delivered
        self.remaining = remaining
        self.stoppedBy = stoppedBy
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
