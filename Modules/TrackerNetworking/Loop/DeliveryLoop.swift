/// One thread of execution that sends requests, keeps timers and runs the work it is given, one thing at a time.
///
/// A delivery engine decides and sends on its loop alone. Every method may be called from any thread, and also from work,
/// timers and completions that run on the loop itself; none of them blocks or runs anything before it returns, but for
/// the one case that ``submit(_:completion:)`` names.
///
/// An idle loop does not wake up.
package protocol DeliveryLoop: AnyObject, Sendable {
    /// The time now on the clock that the loop's timers use.
    var now: MonotonicInstant { get }

    /// Runs `work` on the loop, after all work posted before.
    ///
    /// - Returns: `false` if the loop is closed: the work will not run.
    @discardableResult
    func post(_ work: @escaping @Sendable () -> Void) -> Bool

    /// Runs `work` on the loop once, at `instant` or soon after, never before.
    ///
    /// Timers run in the order of their instants. One that is due runs as soon as the loop is free. A closed loop runs
    /// none.
    @discardableResult
    func schedule(at instant: MonotonicInstant, _ work: @escaping @Sendable () -> Void) -> TimerID

    /// Cancels a timer, unless it has run.
    ///
    /// If you call it on the loop, the timer certainly does not run afterwards.
    func cancel(_ timer: TimerID)

    /// Sends a request, and runs `completion` on the loop, exactly once, with the answer or the reason why there is none.
    ///
    /// Requests go out in the order they are submitted. One that is submitted from a completion follows on the same
    /// connection. The completion gets ``TransportError/Kind/closed`` if the loop is closed first; if the loop's thread
    /// has ended already, it runs before this method returns.
    @discardableResult
    func submit(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (Result<HTTPResponse, TransportError>) -> Void
    ) -> TransferID

    /// Ends an exchange: its completion gets ``TransportError/Kind/cancelled``, unless it has run already.
    ///
    /// The server may have received the request all the same.
    func cancel(_ transfer: TransferID)

    /// Makes the next request open a new connection. Call it when the network has changed: the old connections may be
    /// dead unnoticed. Requests under way go on; an old connection ends when it has none.
    func renewConnections()

    /// Ends the loop: what was posted before still runs, then every pending completion gets
    /// ``TransportError/Kind/closed``, then the thread and its connections end. Timers are forgotten.
    ///
    /// It does not wait for that. You may call it twice, and on the loop itself.
    func close()
}
