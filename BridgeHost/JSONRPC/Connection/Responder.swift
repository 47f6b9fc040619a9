/// Answers the calls of a connection.
///
/// Its methods are called on the thread that reads the connection, one at a time, and must return at once: whatever
/// takes time is answered later.
public protocol Responder: Sendable {
    /// Takes a call.
    ///
    /// Calls come in the order in which they were received.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - reply: Answers it, now or later and from any thread. A reply let go of unanswered answers with
    ///     INTERNAL_ERROR. Notifications have one, too: completing it says that the call no longer takes memory.
    func respond(to request: Request, reply: Reply)

    /// Tells that no further call is at hand for the moment: what was gathered can be carried out together.
    func endOfRead()

    /// Tells that no further call will come.
    ///
    /// What is unanswered should be answered as soon as it can be.
    ///
    /// - Parameters:
    ///   - deadline: When answers still reach the client.
    ///   - completion: To be called from any thread when there is nothing left to do.
    func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void)
}

extension Responder {
    /// Does nothing.
    public func endOfRead() {}

    /// Has nothing left to do.
    public func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void) {
        completion()
    }
}
