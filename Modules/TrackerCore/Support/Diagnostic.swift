public import TrackerModels

/// Something that happened while events were delivered.
public enum Diagnostic: Hashable, Sendable {
    /// Records left the queue undelivered. The ids are those that are known; the count is exact.
    case dropped([MessageID], count: Int, DropReason)
    /// The server has taken these records, all in one request. Only ``Diagnostics/withDeliveries`` reports it. After a
    /// crash the records may be delivered once more, under the same ids.
    case delivered([MessageID])
    /// A call was refused when it was made.
    case refused(call: String, RefusalReason)
    /// A request failed and will be sent again.
    case retried(status: Int?, message: String)
    /// The circuit breaker changed its state.
    case breaker(CircuitState)
    /// The session changed. `nil` means that there is none now.
    case session(SessionID?)
    /// The disk fails or works again, or the database was damaged. The text is a sentence for a developer.
    case storage(String)
    /// Delivery halted, went on, or moved to another process. The text is a sentence for a developer.
    case lane(String)
    /// This many diagnostics were dropped, the oldest first, because the listener did not read them in time.
    case missed(Int)

    /// Delivery was halted, and goes on with what the client was initialised with since.
    static var deliveryResumes: Diagnostic { .lane("Delivery resumes.") }
}
