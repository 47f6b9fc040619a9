/// Answers the calls of a connection.
///
/// Its methods are called on the thread that reads the connection, one at a time, and must return at once. Answer later
/// what takes time.
package protocol Responder: Sendable {
    /// Calls come in the order in which they were received.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - reply: Answers it, now or later and from any thread. A reply that is released without an answer answers with
    ///     INTERNAL_ERROR. Notifications have one, too: completing it says that the call no longer takes memory.
    func respond(to request: Request, reply: Reply)

    /// Called when the end begins: the input has ended, or the connection is to stop.
    ///
    /// Calls that were read already still follow, if there is room for them. Answer with an error, before the deadline,
    /// what cannot be answered otherwise; or give it up, if the client did not ask for the end.
    ///
    /// - Parameters:
    ///   - deadline: Until when answers reach the client.
    ///   - isServers: Whether the server ends, with all its connections. The client will look for the next one.
    func willShutDown(by deadline: ContinuousClock.Instant, isServers: Bool)

    /// Called when no further call will come.
    ///
    /// - Parameters:
    ///   - deadline: Until when answers reach the client, as in ``willShutDown(by:isServers:)``.
    ///   - completion: Call it, from any thread, when there is nothing left to do.
    func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void)
}

extension Responder {
    package func willShutDown(by deadline: ContinuousClock.Instant, isServers: Bool) {}

    /// Has nothing left to do.
    package func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void) {
        completion()
    }
}
