import Synchronization
public import TrackerModels
package import TrackerStorage

extension MobileTracker {
    /// Prepares the tracker for a brand: opens the state folder, and takes the stored session or makes one.
    ///
    /// Calls that you make meanwhile are kept on disk, in order. A second `initialize` for the same brand waits for the
    /// result of the first. After a success it returns at once and changes nothing, unless delivery was halted, or
    /// `reset(all: true)` or ``shutdown(timeout:)`` was called.
    ///
    /// Cancelling the task that waits ends the wait, not the initialization: this throws `sessionCreationFailed` with the
    /// cause ``TrackerError/Cause/cancelled``.
    ///
    /// - Parameters:
    ///   - brandId: Your number at the backend, as ASCII digits, such as `"925"`.
    ///   - config: Where and how to deliver. `apiUrl` and `xApiKey` are required, here or in the environment.
    /// - Throws: ``TrackerError`` with one of the codes `invalidBrandId`, `invalidConfiguration`, `storage`,
    ///   `initializationFailed` (the tracker runs for another brand, or libcurl cannot be used) or
    ///   `sessionCreationFailed`. After the last one, calls wait on disk for a later `initialize`.
    public func initialize(brandId: String, config: TrackerConfig?) async throws(TrackerError) {
        try await Wait.answer {
            initialize(brandId: brandId, config: config, completion: $0)
        } onCancel: {
            $0.end(with: .failure(.waitCancelled(TrackerModel.policy.shutdownCode)))
        }.get()
    }

    /// Begins to initialise; calls made after this returns wait until it is done.
    ///
    /// - Parameters:
    ///   - whenIgnored: Called before `completion` if the tracker goes on with another configuration.
    ///   - completion: Called once. Must not block.
    package func initialize(
        brandId: String, config: TrackerConfig?, whenIgnored: @escaping @Sendable () -> Void = {},
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        runtime.initialize(
            enabled: config?.enabled, log: config?.log,
            { (environment) throws(TrackerError) in
                try TrackerSettings(brandId: brandId, config: config, &environment)
            }, whenIgnored: whenIgnored, completion: completion)
    }

    /// Forgets the user: session, email, user id, metadata and device id. Makes a new session in the background. This
    /// does not wait.
    ///
    /// Events that have a session are still delivered to it. Events that never had one are dropped and counted. The old
    /// state is gone from disk when the outcome of the receipt is `.queued`.
    ///
    /// If the disk refuses the reset, an error is logged and the outcome is `.dropped(.storage)`. The reset holds all
    /// the same: nothing is sent until it is written, and it is written before anything else.
    ///
    /// Before `initialize` and after ``shutdown(timeout:)`` the outcome is `.pending`: the reset is kept in memory, and
    /// the next `initialize` applies it first.
    ///
    /// - Parameters:
    ///   - all: Whether to forget the brand too, and to drop every queued event. The next `initialize` then runs in
    ///     full.
    ///   - messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func reset(all: Bool, messageId: CallerKey?) -> CallReceipt {
        runtime.receipt("reset", messageId) { key, completion in
            forget(all: all, messageID: key, completion: completion)
        }
    }

    /// Records whether the user allows tracking. The decision outlives restarts and resets.
    ///
    /// With `.pending` calls are kept on disk and nothing is sent. `.granted` sends them. `.denied` deletes them, the
    /// session and everything about the user, for good, and cancels the requests under way.
    ///
    /// When this returns, the decision is on disk. If the disk refuses it, an error is logged, the decision holds in
    /// memory, and nothing is sent until it is written. Before `initialize` it is kept in memory, as a reset is.
    ///
    /// - Parameters:
    ///   - consent: The decision.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of it, with the meanings that ``reset(all:messageId:)`` describes.
    @discardableResult
    public func setConsent(_ consent: Consent, messageId: CallerKey?) async -> TrackOutcome {
        await runtime.receipt("setConsent", messageId) { key, completion in
            decide(consent, messageID: key, completion: completion)
        }.outcome
    }

    /// Whether consent is granted. Before `initialize` it is what ``setConsent(_:messageId:)`` was given, else true.
    public var isTrackingAllowed: Bool {
        let (run, early, decided) = runtime.consents
        // While the database is opening, or cannot be read, the last decision counts.
        let stored = (try? run?.lane.outbox.state())?.consent
        return (early ?? stored ?? decided ?? run?.settings.config.consent ?? .granted) == .granted
    }

    /// Resets; later calls take effect after it.
    ///
    /// - Parameters:
    ///   - repetition: Set if it was made in a process which died.
    ///   - completion: Called when the old state is gone from disk, or with the reason why it is not.
    package func reset(
        all: Bool, messageID: MessageID?, repetition: CallRepetition? = nil,
        completion: @escaping @Sendable (StorageError?) -> Void
    ) {
        forget(all: all, messageID: messageID, repetition: repetition) { completion($0.error) }
    }

    /// Records a decision; later calls take effect after it.
    ///
    /// - Parameter completion: Called when it is on disk, or with the reason why it is not.
    package func setConsent(
        _ consent: Consent, messageID: MessageID?, completion: @escaping @Sendable (StorageError?) -> Void
    ) {
        decide(consent, messageID: messageID) { completion($0.error) }
    }

    private func forget(
        all: Bool, messageID: MessageID?, repetition: CallRepetition? = nil,
        completion: @escaping @Sendable (ChangeOutcome) -> Void
    ) {
        runtime.submit(
            .reset(all: all, messageID: messageID), messageID: messageID, repetition: repetition,
            updateModel: { if repetition != .answered { $0.shown.forget() } },
            completion: { [runtime] outcome in
                if outcome.effect == .repeated { runtime.update { $0.shown.recall() } }
                if outcome.hasEndedSession {
                    runtime.update { $0.reportedSession = nil }
                    runtime.hub.report(.session(nil))
                }
                completion(outcome)
            })
    }

    private func decide(
        _ consent: Consent, messageID: MessageID?, completion: @escaping @Sendable (ChangeOutcome) -> Void
    ) {
        runtime.submit(
            .consent(consent, messageID: messageID), messageID: messageID,
            updateModel: { model in
                model.decided = consent
                if consent == .denied { model.shown.forget() }
            },
            completion: { [runtime] outcome in
                if consent == .denied, outcome.effect == .repeated { runtime.update { $0.shown.recall() } }
                if consent == .denied, outcome.hasEndedSession { runtime.follow { $0.report(nil) } }
                completion(outcome)
            })
    }
}

extension ClientRuntime<TrackerModel> {
    /// The run in use, the last decision, and the last one that no lane has taken yet.
    fileprivate var consents: (run: Run?, early: Consent?, decided: Consent?) {
        contents.withLock { contents in
            let run = contents.state.run
            let early = contents.state.early.lazy.compactMap { entry -> Consent? in
                guard run.map({ entry.isFor($0.settings.lane) }) ?? true else { return nil }
                return if case .consent(let consent, _) = entry.change.change { consent } else { nil }
            }
            return (run, early.last, contents.model.decided)
        }
    }
}

extension ChangeOutcome {
    /// Whether a reset or a denial has ended the session, on disk or in memory. A repeated one has not.
    fileprivate var hasEndedSession: Bool {
        switch self {
        case .taken(let result) where result.effect == .done: result.lane?.entry.session == nil
        case .taken(let result): result.effect != .repeated
        case .kept: false
        }
    }
}
