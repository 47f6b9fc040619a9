import Synchronization
public import TrackerModels
package import TrackerStorage

/// Sends events to an ingestion host, up to 100 in one request.
///
/// ```swift
/// let analytics = AnalyticsClient.initialize(
///     options: InitOptions(writeKey: "your-write-key", ingestionHost: "https://in.example.com"))
/// analytics.track("User Action", properties: ["action": "button_click"])
/// ```
///
/// ``AnalyticsInterface`` has the calls, and says when they take effect.
public final class AnalyticsClient: AnalyticsInterface, ControlledClient {
    /// The client for programs that need only one; ``MetaRouter/Analytics`` uses it too.
    public static let shared = AnalyticsClient()

    let runtime: ClientRuntime<AnalyticsModel>
    private let defaults = Mutex<CallDefaults?>(nil)

    /// Makes a client of its own, beside ``shared``. Its log messages go to `log`.
    public convenience init(log: any TrackerLog = StandardErrorLog()) { self.init(dependencies: .system(log: log)) }

    package init(dependencies: Dependencies) { runtime = ClientRuntime(dependencies, model: AnalyticsModel()) }

    package var control: any ClientControl { runtime }

    /// What happens to the events, as it happens: drops, retries, the circuit breaker, the disk.
    public var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    // MARK: initialize

    /// Begins to set up ``shared``, and returns it at once. Calls that you make before it is ready are held, in order.
    ///
    /// If it is ready already, this returns it as it is and ignores the options.
    @discardableResult
    public static func initialize(options: InitOptions) -> AnalyticsClient {
        shared.initialize(with: options)
        return shared
    }

    /// Begins to set up this client. Calls that you make before it is ready are held, in order.
    ///
    /// If the options are not valid or the state folder cannot be used, an error is logged and the client is disabled,
    /// unless it is ready already; a later `initialize` tries again. If the server has disabled the client, only
    /// ``reset(messageId:)`` or a restart enables it.
    public func initialize(with options: InitOptions) { initialize(with: options) { _ in } }

    /// Sets up this client, and returns once it is ready or disabled. Cancelling the task that waits ends the wait, not
    /// the initialization.
    public func initializeAndWait(with options: InitOptions) async {
        await Wait.answer { completion in
            initialize(with: options) { _ in completion(()) }
        } onCancel: {
            $0.end(with: ())
        }
    }

    /// Begins to initialise; calls made after this returns are held until it is done.
    ///
    /// - Parameters:
    ///   - whenIgnored: Called before `completion` if the client goes on with other options.
    ///   - completion: Called once: `invalidConfiguration`, `storage` or `initializationFailed` say why the client is not
    ///     set up. Must not block.
    package func initialize(
        with options: InitOptions, whenIgnored: @escaping @Sendable () -> Void = {},
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        runtime.initialize(
            enabled: options.enabled, log: options.log, updateModel: { $0.options = options },
            { (environment) throws(TrackerError) in
                let settings = try AnalyticsSettings(options, facts: .collect(), &environment)
                if let beforeSend = options.beforeSend { runtime.filterWaitingCalls(by: beforeSend, \.given) }
                return settings
            }, whenIgnored: whenIgnored, completion: completion)
    }

    // MARK: Calls

    /// Makes a call. Its place in the order is fixed when this returns.
    @discardableResult
    public func enqueue(_ call: AnalyticsCall, options: CallOptions?, messageId: CallerKey?) -> CallReceipt {
        runtime.enqueue(given(call, options, in: .current), messageId)
    }

    /// Makes a call. Its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - options: What the call says for itself.
    ///   - scope: The scope around the call.
    ///   - messageID: The key its caller chose, and the event's `messageId`; `nil`: one is made.
    ///   - waitsWhileIdle: Whether a call before `initialize` waits for it; otherwise it is refused as not
    ///     initialised.
    ///   - caller: Hears of the call once it is on disk or refused.
    package func enqueue(
        _ call: AnalyticsCall, options: CallOptions? = nil, scope: AnalyticsScope? = nil, messageID: MessageID?,
        waitsWhileIdle: Bool = true, caller: Caller
    ) {
        runtime.enqueue(
            given(call, options, in: scope), messageID: messageID, waitsWhileIdle: waitsWhileIdle, caller: caller)
    }

    /// The call with what is around it now.
    private func given(
        _ call: AnalyticsCall, _ options: CallOptions?, in scope: AnalyticsScope?
    ) -> GivenAnalyticsCall {
        GivenAnalyticsCall(call: call, options: options, scope: scope, defaults: defaults.withLock { $0 })
    }

    /// Gives every event that is made from now on these properties and this context, until they are set again.
    ///
    /// What a call and its scope say themselves wins over them; objects of the context are merged member by member over
    /// the client's own. They replace those before as a whole, last as long as the client does, also over a reset, and
    /// are not stored.
    ///
    /// - Parameters:
    ///   - properties: Facts for the properties of each `track`, `screen` and `page`.
    ///   - context: Facts for the context of each event.
    /// - Throws: ``TrackerError/invalidConfiguration`` if JSON cannot hold them, or if they are larger than 32 KiB together.
    ///   Those before stay then.
    public func setDefaults(properties: Properties? = nil, context: Properties? = nil) throws(TrackerError) {
        let new = try CallDefaults(properties: properties, context: context)
        defaults.withLock { $0 = new }
    }

    /// Starts to send what is queued, and returns without waiting. It tries for at most 30 s.
    public func flush() { control.flush(timeout: .seconds(30)) { _ in } }

    /// Sends what is queued, and waits for the result.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events that were queued at the call have been delivered, how many remain, and why.
    ///   If the next request has to wait, for instance after a failure, it returns at once with the reason.
    ///   If the task that waits is cancelled, it returns at once as if the time were over.
    public func flush(timeout: Duration) async -> FlushReport { await report(ofFlush: timeout) }

    /// Tells the client that the network is back: it stops waiting and makes the next attempt now.
    public func networkDidChange() { runtime.networkDidChange() }

    // MARK: reset and the end

    /// Forgets the user: drops the queue, including a batch under way, and clears every stored identifier.
    ///
    /// The client is idle then: it keeps up to `maxQueueEvents` calls in memory until you initialise it again.
    ///
    /// Before `initialize` and after ``shutdown(timeout:)`` the outcome is `.pending`: the reset is kept in memory. The
    /// next `initialize` that opens the state folder applies it.
    ///
    /// - Parameter messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: A receipt, which you may ignore. Its outcome is `.queued` once everything is gone from disk.
    @discardableResult
    public func reset(messageId: CallerKey?) -> CallReceipt {
        runtime.receipt("reset", messageId) { key, completion in forget(key, completion: completion) }
    }

    /// Forgets the user, as ``reset(messageId:)`` does, and returns once everything is gone from disk. Cancelling the
    /// task that waits ends the wait, not the reset.
    public func resetAndWait() async {
        await Wait.answer { completion in
            reset(messageID: nil) { _ in completion(()) }
        } onCancel: {
            $0.end(with: ())
        }
    }

    /// Resets; later calls take effect after it.
    ///
    /// - Parameters:
    ///   - repetition: Set if it was made in a process which died.
    ///   - completion: Called when everything is gone from disk, or with the reason why it is not.
    package func reset(
        messageID: MessageID?, repetition: CallRepetition? = nil,
        completion: @escaping @Sendable (StorageError?) -> Void
    ) {
        forget(messageID, repetition) { completion($0.error) }
    }

    private func forget(
        _ messageID: MessageID?, _ repetition: CallRepetition? = nil,
        completion: @escaping @Sendable (ChangeOutcome) -> Void
    ) {
        runtime.submit(
            .reset(all: true, messageID: messageID), messageID: messageID, repetition: repetition,
            completion: completion)
    }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk. Calls that
    /// are held in memory are dropped as ``RefusalReason/notInitialized``.
    ///
    /// You may call it twice. Later calls are dropped as well, until `initialize` is called again.
    ///
    /// - Parameter timeout: How long this may take in all.
    public func shutdown(timeout: Duration = .seconds(1.5)) async { await end(within: timeout) }

    // MARK: The application

    /// Tells the client that the application is in the foreground: queued events are sent at once, and from now on at
    /// intervals.
    public func applicationDidBecomeActive() {
        runtime.follow { $0.setInBackground(false) }
        guard let lane = runtime.lane else { return }
        lane.outbox.stage(.barrier) { result in
            if let state = result.lane { lane.engine.makeDue(through: state.lastSequence) }
        }
    }

    /// Tells the client that the application is in the background: what is queued is sent once, then nothing more until
    /// ``applicationDidBecomeActive()``. ``flush()`` still sends, and events go to disk as before.
    public func applicationDidEnterBackground() {
        runtime.follow { $0.setInBackground(true) }
        flush()
    }

    /// Logs info and debug messages too from now on.
    public func enableDebugLogging() { runtime.enableDebugLogging() }

    /// The state of the client now: lifecycle, queue, circuit breaker, identity, options. Of a key only the last four
    /// characters are shown.
    ///
    /// The keys are part of the API: `lifecycle` (`idle`, `initializing`, `ready`, `halted`, `resetting`,
    /// `disabled`), `disabledBecause`, `queueLength`, `writeKey`, `ingestionHost`, `flushIntervalSeconds`, `maxQueueEvents`,
    /// `circuitState`, `circuitRemainingMs`, `flushInFlight`, `anonymousId`, `userId`, `groupId`, and `queueBytes`,
    /// `oldestQueuedMs`, `account`, `refused`, `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`,
    /// `storage`, `delivering`, `otherLanes`, `config`.
    public func getDebugInfo() async -> JSONObject { debugInfo() }

    /// The same as ``getDebugInfo()``, read on the caller's thread.
    package func debugInfo() -> JSONObject { runtime.debugInfo }
}
