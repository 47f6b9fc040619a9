public import TrackerModels

/// Posts events to one endpoint as they happen, up to 20 in one request.
///
/// ```swift
/// try BasicTracker.shared.initialize(apiKey: "key", endpoint: "https://in.example.com/events")
/// BasicTracker.shared.track(event: "Button Clicked", properties: ["screen": "home"])
/// ```
///
/// Calls return at once and take effect in the order in which they are made, from any thread. A receipt gives the
/// ``TrackOutcome`` of its call, which says what you may rely on.
public final class BasicTracker: ControlledClient {
    /// The tracker for programs that need only one.
    public static let shared = BasicTracker()

    let runtime: ClientRuntime<BasicModel>

    /// Makes a tracker of its own, beside ``shared``. Its log messages go to `log`.
    public convenience init(log: any TrackerLog = StandardErrorLog()) { self.init(dependencies: .system(log: log)) }

    package init(dependencies: Dependencies) { runtime = ClientRuntime(dependencies, model: BasicModel()) }
    package var control: any ClientControl { runtime }

    /// What happens to the events, as it happens: drops, retries, the circuit breaker, the disk.
    public var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    /// Sets the tracker up. You may make calls at once.
    ///
    /// A second `initialize` changes the configuration: what is queued goes to the new endpoint with the new key, and
    /// delivery that was halted goes on. If it throws, everything stays as it was. If the state folder cannot be used,
    /// an error is logged, and calls are dropped as ``RefusalReason/storage``.
    ///
    /// - Parameters:
    ///   - apiKey: Sent as `X-API-Key`. Not blank, no control characters. With `nil` as `MOBILE_TRACKER_KEY` says.
    ///   - endpoint: The URL that events are posted to. Absolute, `https` (plain `http` only to this machine, or with
    ///     `options.allowInsecureHTTP`), without user info, query or fragment. `nil`: `MOBILE_TRACKER_API_URL`.
    ///   - appVersion: The application's version, for the context of the events.
    ///   - maxQueueSize: How many events the queue holds, at least 1; past that the oldest is dropped and counted. With
    ///     `nil` it is `options.maxQueuedEvents`, or 100 with `persistence: .memory`. The smaller of both counts.
    ///   - options: How events are kept and delivered.
    ///   - debug: Whether info and debug messages are logged too. With `nil` they are not.
    ///   - enabled: With `false` calls are dropped as `.disabled`. With `nil` as `MOBILE_TRACKER_ENABLED` says.
    ///   - log: Where log messages go now. With `nil` they go where they went before, at first to standard error.
    ///   - beforeSend: Sees each call before anything is stored, and may change or drop it.
    ///   - credentials: Gives the key and headers. With it `apiKey` may be `nil`.
    /// - Throws: ``TrackerError`` with one of the codes `invalidAPIKey`, `invalidEndpoint`, `invalidConfiguration` or
    ///   `initializationFailed` (libcurl cannot be used).
    public func initialize(
        apiKey: String? = nil, endpoint: String? = nil, appVersion: String? = nil, maxQueueSize: Int? = nil,
        options: DeliveryOptions = DeliveryOptions(), debug: Bool? = nil, enabled: Bool? = nil,
        log: (any TrackerLog)? = nil, beforeSend: BeforeSend? = nil, credentials: CredentialsProvider? = nil
    ) throws(TrackerError) {
        var all = BasicOptions(maxQueueSize: maxQueueSize, debug: debug, enabled: enabled, delivery: options)
        (all.beforeSend, all.credentials) = (beforeSend, credentials)
        let refusal = initialize(apiKey: apiKey, endpoint: endpoint, appVersion: appVersion, options: all, log: log)
        if let refusal { throw refusal }
    }

    /// Begins to initialise, and returns what ``initialize`` throws. `completion` is called once, also with `storage`
    /// if the state folder cannot be used, and `whenIgnored` before it if the tracker goes on with other options; neither
    /// may block.
    @discardableResult
    package func initialize(
        apiKey: String?, endpoint: String?, appVersion: String?, options: BasicOptions,
        log: (any TrackerLog)? = nil, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void = { _ in },
        whenIgnored: @escaping @Sendable () -> Void = {}
    ) -> TrackerError? {
        runtime.initialize(
            enabled: options.enabled, log: log,
            { (environment) throws(TrackerError) in
                try BasicSettings(
                    apiKey: apiKey, endpoint: endpoint, appVersion: appVersion, options: options, &environment)
            }, whenIgnored: whenIgnored, completion: completion)
    }

    /// Makes a call: its place in the order is fixed when this returns.
    package func enqueue(_ call: BasicCall, messageID: MessageID? = nil, caller: Caller) {
        runtime.enqueue(call, messageID: messageID, caller: caller)
    }

    func enqueue(_ call: BasicCall, _ key: CallerKey?) -> CallReceipt { runtime.enqueue(call, key) }

    /// Makes an identification once more. The process that had it has died, and has made its event.
    package func restore(_ call: BasicCall, messageID: MessageID?) -> CallAnswer {
        runtime.restore(call, messageID) { if case .identify(let id, _) = $1.call { $0.user = (id, $1.values, 0) } }
    }

    /// Sends what is queued, and waits for the result.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events that were queued at the call have been delivered, how many remain, and why.
    ///   If the next request has to wait, or the task that waits is cancelled, it returns at once with the reason.
    @discardableResult
    public func flush(timeout: Duration = .seconds(30)) async -> FlushReport { await report(ofFlush: timeout) }

    /// Tells the tracker that the network is back: it stops waiting and makes the next attempt now.
    public func networkDidChange() { runtime.networkDidChange() }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk. Later calls
    /// are dropped until the next `initialize`, and the user is forgotten. You may call it twice.
    ///
    /// - Parameter timeout: How long this may take in all.
    public func shutdown(timeout: Duration = .seconds(1.5)) async { await end(within: timeout) }

    /// The state of the tracker now: queue, circuit breaker, user, account, configuration. Keys are masked.
    ///
    /// The keys are part of the API: `lifecycle` (`idle`, `ready`, `halted`, `disabled`), `disabledBecause`,
    /// `queueLength`, `queueBytes`, `oldestQueuedMs`, `endpoint`, `maxQueueSize`, `userId`, `circuitState`,
    /// `circuitRemainingMs`, `flushInFlight`, `account`, `refused`, `bytesBeforeCompression`, `bytesAfterCompression`,
    /// `lastError`, `storage`, `delivering`, `otherLanes`, `config`.
    public func debugInfo() -> JSONObject { runtime.debugInfo }
}
