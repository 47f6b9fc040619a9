public import TrackerModels

/// What an application sees of an analytics client: ``AnalyticsClient``, or a stand-in for it in tests.
///
/// Calls return at once and take effect in the order in which they are made, whether the client is ready or not. They
/// never throw and never end the program: a receipt has the outcome of its call, and the log the reason. When the outcome is
/// ``TrackOutcome/queued(_:)`` the call is on disk: it outlives a crash, and is delivered at least once, in order.
///
/// Values are ``Properties``: a dictionary literal, a tree, validated text or a dictionary of any values. A value that
/// JSON cannot hold (NaN, infinity, a foreign object) drops its call as ``RefusalReason/serialization``, with its key
/// path in the log. A `messageId` that is not valid drops its call as ``RefusalReason/invalidValue``.
public protocol AnalyticsInterface: AnyObject, Sendable {
    /// Makes a call; every form of `track`, `identify` and the others uses this.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose, and the event's `messageId`: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore: its outcome comes once the call is on disk or refused.
    @discardableResult
    func enqueue(_ call: AnalyticsCall, options: CallOptions?, messageId: CallerKey?) -> CallReceipt

    /// Sends what is queued now, without waiting for it.
    func flush()

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why.
    func flush(timeout: Duration) async -> FlushReport

    /// Forgets the user: drops the queue, including a batch under way, and clears every stored identifier.
    ///
    /// The client is idle then: calls are held in memory until it is initialised again, with a new anonymous id.
    ///
    /// - Parameter messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: A receipt, which you may ignore: its outcome comes once everything is gone from disk.
    @discardableResult
    func reset(messageId: CallerKey?) -> CallReceipt

    /// Logs informative and debug messages from now on.
    func enableDebugLogging()

    /// How things stand: lifecycle, queue, circuit, identity, options. Secrets are masked.
    func getDebugInfo() async -> JSONObject
}

/// The analytics client under the names of its documentation.
///
/// ```swift
/// let options = InitOptions(writeKey: "your-write-key", ingestionHost: "https://in.example.com")
/// let analytics = MetaRouter.Analytics.initialize(with: options)
/// analytics.track("User Action", properties: ["action": "button_click"])
/// ```
public enum MetaRouter {
    /// Sets up and resets the client that programs share, ``AnalyticsClient/shared``.
    public enum Analytics {
        /// Begins to set up the client, and returns it at once: calls are held, in order, until it is ready.
        ///
        /// Once it is ready, later calls return it as it is and ignore their options. Invalid options are logged, and
        /// leave the client disabled.
        @discardableResult
        public static func initialize(with options: InitOptions) -> any AnalyticsInterface {
            AnalyticsClient.initialize(options: options)
        }

        /// Sets up the client, and returns it once it is ready or disabled. Meant for tests.
        @discardableResult
        public static func initializeAndWait(with options: InitOptions) async -> any AnalyticsInterface {
            await AnalyticsClient.shared.initializeAndWait(with: options)
            return AnalyticsClient.shared
        }

        /// Forgets the user, as ``AnalyticsInterface/reset(messageId:)`` does.
        public static func reset() { AnalyticsClient.shared.reset() }

        /// Forgets the user, and returns once everything is cleared. Meant for tests.
        public static func resetAndWait() async { await AnalyticsClient.shared.resetAndWait() }
    }
}
