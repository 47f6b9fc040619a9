public import TrackerModels

/// The calls of an analytics client. ``AnalyticsClient`` conforms to it; a stand-in for it in your tests may, too.
///
/// Calls return at once and take effect in the order in which they are made, from any thread, whether the client is ready
/// or not. They never throw and never end the program: the receipt gives the ``TrackOutcome`` of a call, which says what
/// you may rely on, and the log says why a call was dropped.
public protocol AnalyticsInterface: AnyObject, Sendable {
    /// Makes a call; every form of `track`, `identify` and the others uses this.
    ///
    /// - Parameters:
    ///   - call: The call, such as `.track(event: "Purchase", properties: nil)`.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose, and the event's `messageId`: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore. It has an outcome once the call is on disk or dropped.
    @discardableResult
    func enqueue(_ call: AnalyticsCall, options: CallOptions?, messageId: CallerKey?) -> CallReceipt

    /// Starts to send what is queued, and returns without waiting.
    func flush()

    /// Sends what is queued, and waits for the result.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events that were queued at the call have been delivered, how many remain, and why.
    func flush(timeout: Duration) async -> FlushReport

    /// Forgets the user: drops the queue, including a batch under way, and clears every stored identifier.
    ///
    /// The client is idle then: it keeps calls in memory until you initialise it again, with a new anonymous id.
    ///
    /// - Parameter messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: A receipt, which you may ignore. Its outcome is `.queued` once everything is gone from disk, and
    ///   `.pending` if the next `initialize` is to do that.
    @discardableResult
    func reset(messageId: CallerKey?) -> CallReceipt

    /// Logs info and debug messages too from now on.
    func enableDebugLogging()

    /// The state of the client now: lifecycle, queue, circuit breaker, identity, options. Of a key only the last four
    /// characters are shown.
    func getDebugInfo() async -> JSONObject
}
