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

/// The analytics client under the names of the MetaRouter SDK.
///
/// ```swift
/// let options = InitOptions(writeKey: "your-write-key", ingestionHost: "https://in.example.com")
/// let analytics = MetaRouter.Analytics.initialize(with: options)
/// analytics.track("User Action", properties: ["action": "button_click"])
/// ```
public enum MetaRouter {
    /// Sets up and resets the client that programs share, ``AnalyticsClient/shared``.
    public enum Analytics {
        /// Begins to set up the client, and returns it at once. Calls that you make before it is ready are held, in
        /// order.
        ///
        /// If it is ready already, this returns it as it is and ignores the options. If the options are not valid, an
        /// error is logged and the client is disabled.
        @discardableResult
        public static func initialize(with options: InitOptions) -> any AnalyticsInterface {
            AnalyticsClient.initialize(options: options)
        }

        /// Sets up the client, and returns it once it is ready or disabled. Meant for tests. Cancelling the task that
        /// waits ends the wait, not the initialization.
        @discardableResult
        public static func initializeAndWait(with options: InitOptions) async -> any AnalyticsInterface {
            await AnalyticsClient.shared.initializeAndWait(with: options)
            return AnalyticsClient.shared
        }

        /// Forgets the user, as ``AnalyticsInterface/reset(messageId:)`` does.
        public static func reset() { AnalyticsClient.shared.reset() }

        /// Forgets the user, and returns once everything is gone from disk. Meant for tests. Cancelling the task that
        /// waits ends the wait, not the reset.
        public static func resetAndWait() async { await AnalyticsClient.shared.resetAndWait() }
    }
}
