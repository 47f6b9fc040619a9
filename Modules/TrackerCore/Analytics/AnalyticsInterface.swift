public import TrackerModels

/// What an application sees of an analytics client: ``AnalyticsClient``, or a stand-in for it in tests.
///
/// Calls return at once and take effect in the order in which they are made, whether the client is ready or not. They
/// never throw and never end the program: what becomes of one is told by its receipt, and in the log. When the outcome is
/// ``TrackOutcome/queued(_:)`` the call is on disk: it outlives a crash, and is delivered at least once, in order.
///
/// Values are ``Properties``: a dictionary literal, a tree, validated text or a dictionary of any values. A value that
/// JSON cannot hold (NaN, infinity, a foreign object) drops its call as ``RefusalReason/serialization``, with its key
/// path in the log. A `messageId` that is not valid drops its call as ``RefusalReason/invalidValue``.
public protocol AnalyticsInterface: AnyObject, Sendable {
    /// Makes a call; every form of `track`, `identify` and the like comes down to this.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - messageId: A key of the caller's own, and the event's `messageId`: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away: its outcome comes once the call is on disk or refused.
    @discardableResult
    func enqueue(_ call: AnalyticsCall, messageId: CallerKey?) -> CallReceipt

    /// Sends what is queued now, without waiting for it.
    func flush()

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why.
    func flush(timeout: Duration) async -> FlushReport

    /// Leaves the user: drops what is queued, a batch under way included, and clears every stored identifier.
    ///
    /// The client is idle then: calls are held in memory until it is initialised again, with a new anonymous id.
    ///
    /// - Parameter messageId: A key of the caller's own: a second reset with it has no effect.
    /// - Returns: A receipt, which may be thrown away: its outcome comes once everything is gone from disk.
    @discardableResult
    func reset(messageId: CallerKey?) -> CallReceipt

    /// Has informative and debug messages logged from now on.
    func enableDebugLogging()

    /// How things stand: lifecycle, queue, circuit, identity, options. Secrets are masked.
    func getDebugInfo() async -> JSONObject
}
