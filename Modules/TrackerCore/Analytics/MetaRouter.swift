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

        /// Leaves the user, as ``AnalyticsInterface/reset(messageId:)`` does.
        public static func reset() { AnalyticsClient.shared.reset() }

        /// Leaves the user, and returns once everything is cleared. Meant for tests.
        public static func resetAndWait() async { await AnalyticsClient.shared.resetAndWait() }
    }
}
