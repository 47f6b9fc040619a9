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
    ///   - reply: Answers it, now or later and from any thread. A reply that is released without an answer answers with
    ///     INTERNAL_ERROR. Notifications have one, too: completing it says that the call no longer takes memory.
    func respond(to request: Request, reply: Reply)

    /// Called when no further call is at hand for the moment: gathered calls can be carried out together.
    func endOfRead()

    /// Called when the end begins: the input has ended, or the connection is to stop.
    ///
    /// Calls that were read already still follow, if there is room for them: what cannot be answered otherwise should
    /// be answered with an error before the deadline.
    ///
    /// - Parameter deadline: Until when answers reach the client.
    func willShutDown(by deadline: ContinuousClock.Instant)

    /// Called when no further call will come.
    ///
    /// - Parameters:
    ///   - deadline: Until when answers reach the client, as in ``willShutDown(by:)``.
    ///   - completion: To be called from any thread when there is nothing left to do.
    func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void)
}

extension Responder {
    /// Does nothing.
    public func endOfRead() {}

    /// Does nothing.
    public func willShutDown(by deadline: ContinuousClock.Instant) {}

    /// Has nothing left to do.
    public func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void) {
        completion()
    }
}
