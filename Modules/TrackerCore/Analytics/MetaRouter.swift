public import TrackerModels

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
