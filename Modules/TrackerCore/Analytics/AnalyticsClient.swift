public import TrackerModels
package import TrackerStorage

/// Analytics in batches: events from anywhere in a program, sent to an ingestion host.
///
/// ```swift
/// let analytics = AnalyticsClient.initialize(
///     options: InitOptions(writeKey: "your-write-key", ingestionHost: "https://in.example.com"))
/// analytics.track("User Action", properties: ["action": "button_click"])
/// ```
///
/// Calls return at once and take effect in the order in which they are made, from any thread. Once the client is
/// ready each is on disk before its receipt says so, and is delivered at least once, in order.
public final class AnalyticsClient: AnalyticsInterface, ControlledClient {
    /// The client for programs that need only one; ``MetaRouter/Analytics`` uses it too.
    public static let shared = AnalyticsClient()

    let runtime: ClientRuntime<AnalyticsModel>

    /// Makes a client of its own, beside ``shared``; its messages go to `log`.
    public convenience init(log: any TrackerLog = StandardErrorLog()) { self.init(dependencies: .system(log: log)) }

    package init(dependencies: Dependencies) { runtime = ClientRuntime(dependencies, model: AnalyticsModel()) }

    package var control: any ClientControl { runtime }

    /// What happens to the events, as it happens.
    public var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    // MARK: initialize

    /// Begins to set up ``shared``, and returns it at once: calls are held, in order, until it is ready.
    ///
    /// Once it is ready, later calls return it as it is and ignore their options.
    @discardableResult
    public static func initialize(options: InitOptions) -> AnalyticsClient {
        shared.initialize(with: options)
        return shared
    }

    /// Begins to set up this client; calls are held, in order, until it is ready.
    ///
    /// Invalid options, or a state folder that cannot be used, are logged as an error and leave the client disabled; a
    /// later `initialize` tries again. If the server has disabled the client, only ``reset(messageId:)`` or a restart
    /// enables it.
    public func initialize(with options: InitOptions) { accept(initialize: options) { _ in } }

    /// Sets up this client, and returns once it is ready or disabled.
    public func initializeAndWait(with options: InitOptions) async {
        await withCheckedContinuation { continuation in
            accept(initialize: options) { _ in continuation.resume() }
        }
    }

    /// Begins to initialise; calls made after this returns are held until it is done.
    ///
    /// - Parameter completion: Called once: `invalidConfiguration`, `storage` or `initializationFailed` say why the
    ///   client is not set up. Must not block.
    package func accept(
        initialize options: InitOptions, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        if let beforeSend = options.beforeSend {
            runtime.filterHeldCalls(by: beforeSend) { held in
                runtime.filter.apply(to: held.call, log: runtime.log) { call in
                    Result { () throws(Refusal) in
                        try call.check()
                        return CheckedAnalyticsCall(call: call, own: held.own)
                    }
                }
            }
        }
        runtime.initialize(
            enabled: options.enabled, log: options.log, updateModel: { $0.options = options },
            { (environment) throws(TrackerError) in
                try AnalyticsSettings(options, facts: .collect(), &environment)
            }, completion: completion)
    }

    // MARK: Calls

    /// Accepts a call: its place in the order is fixed when this returns.
    @discardableResult
    public func enqueue(_ call: AnalyticsCall, options: CallOptions?, messageId: CallerKey?) -> CallReceipt {
        runtime.enqueue(call, messageId) { $0.checked(options) }
    }

    /// Accepts a call: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - options: What the call says for itself.
    ///   - messageID: The key its caller chose, and the event's `messageId`; `nil`: one is made.
    ///   - holdsWhileIdle: Whether a call before `initialize` waits for it; otherwise it is refused as not
    ///     initialised.
    ///   - completion: Called once the call is on disk or refused. Must not block.
    package func accept(
        _ call: AnalyticsCall, options: CallOptions? = nil, messageID: MessageID?, holdsWhileIdle: Bool = true,
        completion: @escaping @Sendable (TrackOutcome) -> Void
    ) {
        runtime.accept(call, messageID: messageID, holdsWhileIdle: holdsWhileIdle, completion: completion) {
            $0.checked(options)
        }
    }

    /// Sends what is queued now, without waiting for it.
    public func flush() { accept(flush: .seconds(30)) { _ in } }

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why. It returns early,
    ///   with the reason, as soon as it would have to wait.
    public func flush(timeout: Duration) async -> FlushReport { await report(ofFlush: timeout) }

    /// Tells the client that the network is back: the current wait for the next attempt ends now.
    public func networkDidChange() { runtime.networkDidChange() }

    // MARK: reset and the end

    /// Forgets the user: drops the queue, including a batch under way, and clears every stored identifier.
    ///
    /// The client is idle then: up to `maxQueueEvents` calls are kept in memory until it is initialised again.
    ///
    /// Before `initialize` and after ``shutdown(timeout:)`` the reset is kept in memory for the next
    /// `initialize` that opens the state folder.
    ///
    /// - Parameter messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: A receipt, which you may ignore: its outcome comes once everything is gone from disk.
    @discardableResult
    public func reset(messageId: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        guard let messageID = messageId.map(\.messageID) ?? runtime.dependencies.ids.messageID() else {
            receipt.resolve(runtime.refuse("reset", .invalidMessageID(of: "reset")))
            return receipt
        }
        accept(reset: messageId?.messageID) { receipt.resolve($0 == nil ? .queued(messageID) : .dropped(.storage)) }
        return receipt
    }

    /// Forgets the user, as ``reset(messageId:)`` does, and returns once everything is cleared.
    public func resetAndWait() async {
        await withCheckedContinuation { continuation in
            accept(reset: nil) { _ in continuation.resume() }
        }
    }

    /// Accepts a reset.
    ///
    /// - Parameter completion: Called when everything is gone from disk, or with the reason why it is not.
    package func accept(reset messageID: MessageID?, completion: @escaping @Sendable (StorageError?) -> Void) {
        runtime.accept(.reset(all: true, messageID: messageID), messageID: messageID) { completion($1.error) }
    }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk; calls that
    /// are held in memory are refused as not initialised.
    ///
    /// Safe to call twice. Later calls are refused as well, until `initialize` is called again.
    ///
    /// - Parameter timeout: How long the whole may take; 1.5 s by default.
    public func shutdown(timeout: Duration = .seconds(1.5)) async { await end(within: timeout) }

    // MARK: The application

    /// The application is in the foreground: queued events are sent at once, and from now on at intervals.
    public func applicationDidBecomeActive() {
        runtime.update { $0.isInBackground = false }
        guard let lane = runtime.lane else { return }
        lane.engine.setResting(false)
        lane.outbox.stage(.barrier) { result in
            if case .done(let state) = result { lane.engine.makeDue(through: state.lastSequence) }
        }
    }

    /// The application is in the background: what is queued is sent now, then nothing is sent or tried again by
    /// itself. ``flush()`` still sends, and events go to disk as ever.
    public func applicationDidEnterBackground() {
        runtime.update { $0.isInBackground = true }
        runtime.lane?.engine.setResting(true)
        flush()
    }

    /// Logs informative and debug messages from now on.
    public func enableDebugLogging() { runtime.enableDebugLogging() }

    /// How things stand: lifecycle, queue, circuit, identity, options. Secrets are masked.
    ///
    /// The keys are part of the API: `lifecycle` (`idle`, `initializing`, `ready`, `resetting`, `disabled`),
    /// `disabledBecause`, `queueLength`, `writeKey`, `ingestionHost`, `flushIntervalSeconds`, `maxQueueEvents`,
    /// `circuitState`, `circuitRemainingMs`, `flushInFlight`, `anonymousId`, `userId`, `groupId`, and `queueBytes`,
    /// `oldestQueuedMs`, `account`, `refused`, `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`,
    /// `storage`, `delivering`, `otherLanes`, `config`.
    public func getDebugInfo() async -> JSONObject { debugInfo() }

    /// The same as ``getDebugInfo()``, read on the caller's thread.
    package func debugInfo() -> JSONObject { runtime.debugInfo }
}
