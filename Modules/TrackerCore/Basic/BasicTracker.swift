public import TrackerModels

/// Events posted to one endpoint as they happen.
///
/// ```swift
/// try BasicTracker.shared.initialize(apiKey: "key", endpoint: "https://in.example.com/events")
/// BasicTracker.shared.track(event: "Button Clicked", properties: ["screen": "home"])
/// ```
///
/// Calls return at once and take effect in the order in which they are made, from any thread. Each is on disk
/// before its receipt says so, and is delivered at least once, in order.
///
/// Values are ``Properties``: a dictionary literal, a tree, validated text or a dictionary of any values. A value that
/// JSON cannot hold (NaN, infinity, a foreign object) drops its call as ``RefusalReason/serialization``, with its key
/// path in the log. A `messageId` that is not valid drops its call as ``RefusalReason/invalidValue``.
public final class BasicTracker: ControlledClient {
    /// The tracker for programs that need only one.
    public static let shared = BasicTracker()

    let runtime: ClientRuntime<BasicModel>

    /// Makes a tracker of its own, beside ``shared``; its messages go to `log`.
    public convenience init(log: any TrackerLog = StandardErrorLog()) { self.init(dependencies: .system(log: log)) }

    package init(dependencies: Dependencies) { runtime = ClientRuntime(dependencies, model: BasicModel()) }
    package var control: any ClientControl { runtime }

    /// What happens to the events, as it happens.
    public var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    /// Sets the tracker up; calls may follow at once.
    ///
    /// A second call changes the configuration: what is queued goes to the new endpoint, with the new key, and resumes
    /// if it was halted. If it throws, everything stays as it was. A state folder that cannot be used is logged, and
    /// calls are refused as `.storage` then.
    ///
    /// - Parameters:
    ///   - apiKey: Sent as `X-API-Key`. Not blank, no control characters. `nil`: as the variable `MOBILE_TRACKER_KEY`.
    ///   - endpoint: The URL that events are posted to. Absolute, `https` (plain `http` only to this machine, or with
    ///     `options.allowInsecureHTTP`), without user info, query or fragment. `nil`: as `MOBILE_TRACKER_API_URL` says.
    ///   - appVersion: The application's version, for the events' context.
    ///   - maxQueueSize: Past this many events the oldest is dropped and counted; at least 1. `nil`: as
    ///     `options.maxQueuedEvents` says, and 100 with `persistence: .memory`. The smaller of the two counts.
    ///   - options: How events are kept and delivered.
    ///   - debug: Whether informative and debug messages are logged.
    ///   - enabled: `false`: calls are dropped as `.disabled`. `nil`: as `MOBILE_TRACKER_ENABLED` says, else `true`.
    ///   - log: Where messages go from now on; `nil`: where they went before, standard error at first.
    ///   - beforeSend: Sees each call before anything is stored, and may change or drop it.
    /// - Throws: ``TrackerError`` with one of the codes `invalidAPIKey`, `invalidEndpoint`, `invalidConfiguration` or
    ///   `initializationFailed`.
    public func initialize(
        apiKey: String? = nil, endpoint: String? = nil, appVersion: String? = nil, maxQueueSize: Int? = nil,
        options: DeliveryOptions = DeliveryOptions(), debug: Bool = false, enabled: Bool? = nil,
        log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil
    ) throws(TrackerError) {
        var all = BasicOptions(maxQueueSize: maxQueueSize, debug: debug, enabled: enabled, delivery: options)
        all.beforeSend = beforeSend
        let refusal = accept(
            initialize: apiKey, endpoint: endpoint, appVersion: appVersion, options: all, log: log)
        if let refusal { throw refusal }
    }

    /// Begins to initialise, and returns what ``initialize`` throws. `completion` is called once, also with `storage`
    /// if the state folder cannot be used; it must not block.
    @discardableResult
    package func accept(
        initialize apiKey: String?, endpoint: String?, appVersion: String?, options: BasicOptions,
        log: (any TrackerLog)? = nil, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void = { _ in }
    ) -> TrackerError? {
        runtime.initialize(
            enabled: options.enabled, log: log,
            { (environment) throws(TrackerError) in
                try BasicSettings(
                    apiKey: apiKey, endpoint: endpoint, appVersion: appVersion, options: options, &environment)
            }, completion: completion)
    }

    /// Accepts a call: its place in the order is fixed when this returns. `completion` must not block.
    package func accept(
        _ call: BasicCall, messageID: MessageID? = nil,
        completion: @escaping @Sendable (TrackOutcome) -> Void = { _ in }
    ) {
        runtime.accept(call, messageID: messageID, completion: completion) { .success($0) }
    }

    func enqueue(_ call: BasicCall, _ key: CallerKey?) -> CallReceipt { runtime.enqueue(call, key) { .success($0) } }

    /// Sets the user of later events without an event, for a program that starts its tracker again.
    package func recall(userId: String, traits: JSONText?) {
        guard !userId.isBlank else { return }
        runtime.update { $0.user = BasicUser(userId: userId, traits: traits) }
    }

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try; 30 s by default.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why.
    @discardableResult
    public func flush(timeout: Duration = .seconds(30)) async -> FlushReport { await report(ofFlush: timeout) }

    /// Tells the tracker that the network is back: the current wait for the next attempt ends now.
    public func networkDidChange() { runtime.networkDidChange() }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk.
    ///
    /// Safe to call twice. Later calls are refused until the next `initialize`, and the user is forgotten.
    ///
    /// - Parameter timeout: How long the whole may take; 1.5 s by default.
    public func shutdown(timeout: Duration = .seconds(1.5)) async { await end(within: timeout) }

    /// How things stand: queue, circuit, user, account, configuration. Secrets are masked.
    ///
    /// The keys are part of the API: `lifecycle` (`idle`, `ready`, `halted`, `disabled`), `disabledBecause`,
    /// `queueLength`, `queueBytes`, `oldestQueuedMs`, `endpoint`, `maxQueueSize`, `userId`, `circuitState`,
    /// `circuitRemainingMs`, `flushInFlight`, `account`, `refused`, `bytesBeforeCompression`, `bytesAfterCompression`,
    /// `lastError`, `storage`, `delivering`, `otherLanes`, `config`.
    public func debugInfo() -> JSONObject { runtime.debugInfo }
}
