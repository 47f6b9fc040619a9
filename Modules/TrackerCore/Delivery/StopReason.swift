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
