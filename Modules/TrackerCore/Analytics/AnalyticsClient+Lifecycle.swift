import Dispatch
import Synchronization
public import TrackerModels
import TrackerNetworking
package import TrackerStorage

extension AnalyticsClient {
    /// Sends what is queued now, without waiting for it.
    public func flush() {
        accept(flush: .seconds(30)) { _ in }
    }

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why. It returns early,
    ///   with the reason, as soon as something would have to be waited for.
    public func flush(timeout: Duration) async -> FlushReport {
        await withCheckedContinuation { continuation in
            accept(flush: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Leaves the user: drops what is queued, a batch under way included, and clears every stored identifier.
    ///
    /// The client is idle then: calls are held in memory, `maxQueueEvents` of them, until it is initialised again.
    ///
    /// Before `initialize` and after ``shutdown(timeout:)`` it is kept in memory for the next one that opens the state
    /// folder.
    ///
    /// - Parameter messageId: A key of the caller's own: a second reset with it has no effect.
    /// - Returns: A receipt, which may be thrown away: its outcome comes once everything is gone from disk.
    @discardableResult
    public func reset(messageId: CallerKey?) -> CallReceipt {
        let receipt = CallReceipt()
        guard let messageID = messageId?.messageID ?? (messageId == nil ? dependencies.ids.messageID() : nil) else {
            receipt.settle(refuse("reset", .invalidMessageID(of: "reset")))
            return receipt
        }
        accept(reset: messageId?.messageID) { receipt.settle($0 == nil ? .queued(messageID) : .dropped(.storage)) }
        return receipt
    }

    /// Leaves the user, as ``reset(messageId:)`` does, and returns once everything is cleared.
    public func resetAndWait() async {
        await withCheckedContinuation { continuation in
            accept(reset: nil) { _ in continuation.resume() }
        }
    }

    /// Has informative and debug messages logged from now on.
    public func enableDebugLogging() {
        state.withLock { $0.isVerbose = true }
        log.setVerbose(true)
    }

    /// The application is in the foreground: queued events are sent at once, and from now on at intervals.
    public func applicationDidBecomeActive() {
        let run = state.withLock { state in
            state.isInBackground = false
            return state.run
        }
        guard let run else { return }
        run.lane.engine.setResting(false)
        run.lane.outbox.stage(.barrier) { result in
            if case .done(let lane) = result { run.lane.engine.makeDue(through: lane.lastSequence) }
        }
    }

    /// The application is in the background: what is queued is sent now, then nothing is sent or tried again by
    /// itself. ``flush()`` still sends, and events go to disk as ever.
    public func applicationDidEnterBackground() {
        let run = state.withLock { state in
            state.isInBackground = true
            return state.run
        }
        run?.lane.engine.setResting(true)
        flush()
    }

    /// Tells the client that the network is back: a wait for the next attempt is cut short, once.
    public func networkDidChange() {
        state.withLock { $0.run }?.lane.engine.networkDidChange()
    }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk; calls that
    /// are held in memory are refused as not initialised.
    ///
    /// Safe to call twice. Later calls are refused as well, until `initialize` is called again.
    ///
    /// - Parameter timeout: How long the whole may take; 1.5 s by default.
    public func shutdown(timeout: Duration = .seconds(1.5)) async {
        await withCheckedContinuation { continuation in
            accept(shutdown: timeout) { continuation.resume() }
        }
    }
}

extension AnalyticsClient {
    /// Accepts a flush; may be told late, and nothing waits for it.
    package func accept(flush timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        let flush = WaitingFlush(timeout: timeout, since: dependencies.clock.uptime, completion: completion)
        submit(.flush(flush))
        // A flush that waits for the client to be ready does not wait longer than it was told to.
        let run = state.withLock { state -> Run? in
            switch state.phase {
            case .initializing(let run), .resetting(let run): run
            case .idle, .ready, .disabled, .shutDown: nil
            }
        }
        guard let run else { return }
        flush.hold(on: run.lane.loop) { [self] in
            let queued = (try? run.lane.outbox.state().queuedRecords) ?? 0
            return queued + state.withLock { $0.held.calls }
        }
    }

    /// Sends what is queued.
    func begin(_ flush: WaitingFlush, _ run: Run) {
        run.lane.engine.flush(timeout: flush.begin(at: dependencies.clock.uptime)) { flush.end($0) }
    }

    /// Accepts a reset.
    ///
    /// - Parameter completion: Told when everything is gone from disk, or why it is not.
    package func accept(reset messageID: MessageID?, completion: @escaping @Sendable (StorageError?) -> Void) {
        submit(.reset(messageID, completion))
    }

    /// Begins a reset.
    func reset(
        _ messageID: MessageID?, _ completion: @escaping @Sendable (StorageError?) -> Void, _ state: inout State
    ) -> [Effect] {
        switch state.phase {
        case .ready(let run), .disabled(let run?, _):
            let phase = state.phase
            state.phase = .resetting(run)
            run.lane.engine.pause()
            run.lane.outbox.stage(.reset(all: true, messageID: messageID)) { [self] result in
                if case .repeated = result, goOn(with: run, as: phase, completion) { return }
                finishReset(run, result, messageID, completion)
            }
            return []
        case _ where messageID.map(state.hasTaken) == true:
            return [{ completion(nil) }]
        case .idle, .disabled, .initializing, .resetting:
            let dropped = state.held.popLeadingCalls()
            state.phase = .idle
            state.resetsAhead.append(messageID ?? dependencies.ids.messageID())
            return dropped.map { refusal(of: $0, .notInitialized) } + [{ completion(nil) }]
        case .shutDown:
            state.resetsAhead.append(messageID ?? dependencies.ids.messageID())
            return [{ completion(nil) }]
        }
    }

    /// Goes on where a reset that had taken effect before, by its key, has interrupted the client.
    ///
    /// - Returns: False if the client was shut down meanwhile.
    private func goOn(
        with run: Run, as phase: Phase, _ completion: @escaping @Sendable (StorageError?) -> Void
    ) -> Bool {
        let effects = state.withLock { state -> [Effect]? in
            guard case .resetting = state.phase else { return nil }
            state.phase = phase
            return [{ completion(nil) }] + drain(&state)
        }
        guard let effects else { return false }
        run.lane.engine.release()
        for effect in effects { effect() }
        return true
    }

    private func finishReset(
        _ run: Run, _ result: ChangeResult, _ messageID: MessageID?,
        _ completion: @escaping @Sendable (StorageError?) -> Void
    ) {
        let failure = failure(of: result)
        // Books that cannot be read are not shown.
        let account = try? run.lane.outbox.account()
        run.lane.close { [self] in
            let effects = state.withLock { state -> [Effect] in
                if failure != nil { state.resetsAhead.append(messageID ?? dependencies.ids.messageID()) }
                state.lastReset = messageID
                state.lastAccount = account
                if case .resetting = state.phase { state.phase = .idle }
                let closers = state.closers
                state.closers = []
                return [{ completion(failure) }] + closers + drain(&state)
            }
            for effect in effects { effect() }
        }
    }

    /// Accepts the end: calls that come later are refused.
    package func accept(shutdown timeout: Duration, completion: @escaping @Sendable () -> Void) {
        let epoch = hub.epoch
        let end = Once<Void> { [hub] _ in
            hub.close(epoch)
            completion()
        }
        let (effects, run, isClosing) = state.withLock { state in
            let effects = abandon(&state)
            let run = state.run
            var isClosing = false
            if case .resetting = state.phase {
                isClosing = true
                state.closers.append { end(()) }
            }
            state.phase = .shutDown
            return (effects, run, isClosing)
        }
        for effect in effects { effect() }
        log.endRefusals()
        guard let run else { return end(()) }
        guard isClosing else { return run.lane.shutDown(within: timeout, hub) { end(()) } }
        // The disk may stall: whoever shuts down does not wait for it longer than said.
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { end(()) }
    }

    /// Gives up what waits: only resets still take effect, on disk.
    private func abandon(_ state: inout State) -> [Effect] {
        let error = TrackerError(
            .initializationFailed, "The client was shut down while it initialized", cause: .shutdown)
        var effects: [Effect] = state.waiters.map { waiter in { waiter(.failure(error)) } }
        state.waiters = []
        while let item = state.held.popFirst() {
            switch item {
            case .call(let call): effects.append(refusal(of: call, .notInitialized))
            case .initialize(_, let completion): effects.append { completion(.failure(error)) }
            case .flush(let flush): effects.append { flush.end(.notInitialized) }
            case .after(let body): effects.append(body)
            case .reset(let messageID, let completion):
                guard case .initializing(let run) = state.phase else {
                    effects.append { completion(nil) }
                    continue
                }
                run.lane.outbox.stage(.reset(all: true, messageID: messageID)) { [self] result in
                    completion(failure(of: result))
                }
            }
        }
        return effects
    }

    private func failure(of result: ChangeResult) -> StorageError? {
        guard case .failed(let error) = result else { return nil }
        log.log(.error, "reset() holds in memory only, the disk refuses it: \(error.message)")
        return error
    }
}

extension AnalyticsClient.State {
    /// Whether a reset with this key was the last one, or is kept for the next run.
    fileprivate func hasTaken(_ reset: MessageID) -> Bool {
        reset == lastReset || resetsAhead.contains(reset)
    }
}
