/// What a flush came to.
public struct FlushReport: Hashable, Sendable {
    /// How many of the events that were queued at the call have been delivered.
    public var delivered: Int
    /// How many of them still wait, on disk.
    public var remaining: Int
    /// Why they do; `nil` if none remain.
    public var stoppedBy: StopReason?

    /// Nothing is open that could be flushed.
    static let notInitialized = FlushReport(delivered: 0, remaining: 0, stoppedBy: .notInitialized)

    /// Describes a flush.
    public init(delivered: Int, remaining: Int, stoppedBy: StopReason? = nil) {
        self.delivered = delivered
        self.remaining = remaining
        self.stoppedBy = stoppedBy
    }
}

/// Why events that are queued are not sent at once.
public enum StopReason: String, Hashable, Sendable, CaseIterable {
    /// The time for the flush passed.
    case timeout
    /// A request failed, and the next waits for its time.
    case retryWait
    /// The circuit breaker is open.
    case breakerOpen
    /// The server refused the credentials, or to make a session.
    case halted
    /// The user has not granted consent.
    case noConsent
    /// There is no session yet.
    case noSession
    /// `initialize` has not succeeded.
    case notInitialized
    /// Another process delivers this queue.
    case otherProcess
    /// The disk refuses to be read or written.
    case storage
}
