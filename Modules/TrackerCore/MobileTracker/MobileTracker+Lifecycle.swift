import Dispatch
import Synchronization
public import TrackerModels
import TrackerNetworking
package import TrackerStorage

extension MobileTracker {
    /// Prepares the tracker for a brand: opens its state, and makes or finds its session.
    ///
    /// Calls made after this has begun are held until it is done. A second call while it is under way waits for the
    /// same result; one after it has succeeded returns at once, unless delivery was halted, `reset(all: true)` or
    /// ``shutdown(timeout:)`` was called.
    ///
    /// - Parameters:
    ///   - brandId: ASCII digits, such as `"925"`.
    ///   - config: Where and how to deliver; `apiUrl` and `xApiKey` are required.
    /// - Throws: ``TrackerError`` with one of the codes `invalidBrandId`, `invalidConfiguration`, `storage` or
    ///   `sessionCreationFailed`. After the last, calls are held on disk for a later `initialize`.
    public func initialize(brandId: String, config: TrackerConfig?) async throws(TrackerError) {
        try await withCheckedContinuation { continuation in
            accept(initialize: brandId, config: config) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Leaves the user: forgets session, email, user, metadata and device id, and makes a new session. Does not wait.
    ///
    /// Events that have a session are still delivered to it; those that never had one are dropped and counted. The old
    /// state is gone from disk when the receipt's outcome is `.queued`. If the disk refuses, it is forgotten in memory,
    /// an error is logged, the outcome is `.dropped(.storage)`, and it is the first thing written once writing works.
    /// While nothing is open, before `initialize` and after ``shutdown(timeout:)``, it is kept in memory for the next
    /// `initialize`, which applies it first: the outcome is `.pending`.
    ///
    /// - Parameters:
    ///   - all: Forgets the brand too, and drops every queued event; `initialize` then runs in full again.
    ///   - messageId: A key of the caller's own: a second reset with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func reset(all: Bool = false, messageId: CallerKey? = nil) -> CallReceipt {
        let receipt = CallReceipt()
        if messageId.isValid {
            let messageID = messageId?.messageID ?? dependencies.ids.messageID()
            reset(all: all, messageID: messageId?.messageID) { receipt.settle($0.outcome(messageID)) }
        } else {
            receipt.settle(refuse("reset", .invalidMessageID(of: "reset")))
        }
        return receipt
    }

    /// Leaves the user, as ``reset(all:messageId:)`` does, and returns when the old state is gone from disk.
    ///
    /// - Parameters:
    ///   - all: Forgets the brand too, and drops every queued event; `initialize` then runs in full again.
    ///   - messageId: A key of the caller's own: a second reset with it has no effect.
    /// - Returns: What became of it, as the receipt of ``reset(all:messageId:)`` says.
    @discardableResult
    public func resetAndWait(all: Bool = false, messageId: CallerKey? = nil) async -> TrackOutcome {
        await reset(all: all, messageId: messageId).outcome
    }

    /// Takes note of what the user decided; it outlives restarts and resets.
    ///
    /// Pending: calls are kept on disk and nothing is sent. Granting sends them. Denying deletes them, the session and
    /// everything known of the user, for good, and aborts what is on the wire. When this returns the decision is on
    /// disk; if the disk refuses it holds in memory, an error is logged, and nothing is sent until it is written. While
    /// nothing is open it is kept as a reset is.
    ///
    /// - Parameters:
    ///   - consent: The decision.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: What became of it, as the receipt of ``reset(all:messageId:)`` says.
    @discardableResult
    public func setConsent(_ consent: Consent, messageId: CallerKey? = nil) async -> TrackOutcome {
        guard messageId.isValid else { return refuse("setConsent", .invalidMessageID(of: "setConsent")) }
        let messageID = messageId?.messageID ?? dependencies.ids.messageID()
        return await withCheckedContinuation { continuation in
            decide(consent, messageID: messageId?.messageID) { continuation.resume(returning: $0.outcome(messageID)) }
        }
    }

    /// Whether consent is granted. Before `initialize`: as ``setConsent(_:messageId:)`` said, else true.
    public var isTrackingAllowed: Bool {
        let (current, early, decided) = state.withLock { ($0.current, $0.early.consent, $0.decided) }
        // While the database is still opening, or cannot be read, the last thing said holds.
        let stored = (try? current?.lane.outbox.state())?.consent
        return (early ?? stored ?? decided ?? current?.settings.config.consent ?? .granted) == .granted
    }

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try; 30 s by default.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why. It returns early,
    ///   with the reason, as soon as something would have to be waited for.
    public func flush(timeout: Duration = .seconds(30)) async -> FlushReport {
        await withCheckedContinuation { continuation in
            accept(flush: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Tells the tracker that the network is back: a wait for the next attempt is cut short, once.
    public func networkDidChange() {
        lane?.engine.networkDidChange()
    }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk.
    ///
    /// Safe to call twice. Later calls are refused as not initialised, until `initialize` is called again.
    ///
    /// - Parameter timeout: How long the whole may take; 1.5 s by default.
    public func shutdown(timeout: Duration = .seconds(1.5)) async {
        await withCheckedContinuation { continuation in
            accept(shutdown: timeout) { continuation.resume() }
        }
    }
}

extension MobileTracker {
    /// Accepts a reset.
    ///
    /// - Parameter completion: Told when the old state is gone from disk, or why it is not.
    package func accept(
        resetAll all: Bool, messageID: MessageID?, completion: @escaping @Sendable (StorageError?) -> Void
    ) {
        reset(all: all, messageID: messageID) { completion($0.error) }
    }

    private func reset(
        all: Bool, messageID: MessageID?, completion: @escaping @Sendable (Effect) -> Void
    ) {
        let lane = state.withLock { state -> OpenLane? in
            state.resets += 1
            let (number, shown) = (state.resets, state.shown)
            state.shown.forget()
            let change = state.keyed(messageID, dependencies.ids) { .reset(all: all, messageID: $0) }
            guard let lane = state.lane else { return nil }
            if all {
                state.fullResets.insert(number)
                lane.engine.pause()
            }
            lane.outbox.stage(change) { [self, forgotten = state.shown] result in
                if case .repeated = result {
                    self.state.withLock { state in
                        state.fullResets.remove(number)
                        if state.shown == forgotten { state.shown = shown }
                    }
                } else {
                    lane.engine.forget(after: result)
                }
                if all { lane.engine.release() }
                if result.hasEnded {
                    self.state.withLock { $0.toldSession = nil }
                    hub.report(.session(nil))
                }
                completion(effect(of: result, "reset"))
            }
            return lane
        }
        if lane == nil { completion(.kept) }
    }

    /// Accepts a decision.
    ///
    /// - Parameter completion: Told when it is on disk, or why it is not.
    package func accept(
        consent: Consent, messageID: MessageID?, completion: @escaping @Sendable (StorageError?) -> Void
    ) {
        decide(consent, messageID: messageID) { completion($0.error) }
    }

    private func decide(
        _ consent: Consent, messageID: MessageID?, completion: @escaping @Sendable (Effect) -> Void
    ) {
        let lane = state.withLock { state -> OpenLane? in
            state.decided = consent
            if consent == .denied { state.shown.forget() }
            let change = state.keyed(messageID, dependencies.ids) { .consent(consent, messageID: $0) }
            guard let lane = state.lane else { return nil }
            if consent != .granted { lane.engine.pause() }
            lane.outbox.stage(change) { [self] result in
                if consent == .denied {
                    lane.engine.forget(after: result)
                    if result.hasEnded { tell(nil) }
                }
                if consent != .granted { lane.engine.release() } else { lane.engine.kick() }
                completion(effect(of: result, "setConsent"))
            }
            return lane
        }
        if lane == nil { completion(.kept) }
    }

    /// Accepts a flush; may be told late, and nothing waits for it.
    package func accept(flush timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        guard let lane else { return completion(.notInitialized) }
        lane.engine.flush(timeout: timeout, completion: completion)
    }

    /// Accepts the end: calls that come later are refused.
    package func accept(shutdown timeout: Duration, completion: @escaping @Sendable () -> Void) {
        let (lane, waiters) = state.withLock { state in
            let lane = state.lane
            defer {
                state.phase = .shutDown
                state.attempt += 1
                state.waiters = []
                state.timer = nil
            }
            return (lane, state.waiters)
        }
        let error = TrackerError(
            .sessionCreationFailed, "The tracker was shut down while it initialized", cause: .shutdown)
        for waiter in waiters { waiter(.failure(error)) }
        log.endRefusals()
        guard let lane else {
            hub.close(hub.epoch)
            return completion()
        }
        lane.shutDown(within: timeout, hub, completion: completion)
    }

    private func effect(of result: ChangeResult, _ call: String) -> Effect {
        guard case .failed(let error) = result else { return .done }
        log.log(.error, "\(call)() holds in memory only, the disk refuses it: \(error.message)")
        return .failed(error)
    }

    /// How far a reset or a decision has come.
    private enum Effect: Sendable {
        /// It is on disk.
        case done
        /// It is kept in memory for the next `initialize`.
        case kept
        /// It holds in memory, and is written once the disk can be written.
        case failed(StorageError)

        var error: StorageError? { if case .failed(let error) = self { error } else { nil } }

        func outcome(_ messageID: MessageID) -> TrackOutcome {
            switch self {
            case .done: .queued(messageID)
            case .kept: .pending(messageID)
            case .failed: .dropped(.storage)
            }
        }
    }
}

extension CallerKey? {
    /// Whether there is none, or one that is valid.
    fileprivate var isValid: Bool { self == nil || self?.messageID != nil }
}

extension ChangeResult {
    /// Whether a reset or a denial has ended the session, if only in memory; one that had taken effect before, by its
    /// key, has not.
    fileprivate var hasEnded: Bool {
        switch self {
        case .done(let lane): lane.entry.session == nil
        case .repeated: false
        case .queued, .pending, .refused, .failed: true
        }
    }
}

extension MobileTracker.State {
    /// A reset or a decision, which is kept if no open lane takes it; it has a key then, since it may be staged twice.
    fileprivate mutating func keyed(
        _ messageID: MessageID?, _ ids: any IDGenerator, _ change: (MessageID?) -> LaneChange
    ) -> LaneChange {
        let attempt = lane == nil ? attempt + 1 : attempt
        guard !early.isOpen(attempt) else { return change(messageID) }
        let change = change(messageID ?? ids.messageID())
        early.keep(change, for: attempt)
        return change
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}
