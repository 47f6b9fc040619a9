import Synchronization
package import TrackerModels
import TrackerNetworking
import TrackerStorage

extension AnalyticsClient {
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
    /// Invalid options are logged as an error and leave the client disabled; so does a state folder that cannot be
    /// used. A later `initialize` tries again then. After the server has disabled the client only ``reset(messageId:)``
    /// or a restart enable it.
    public func initialize(with options: InitOptions) {
        accept(initialize: options) { _ in }
    }

    /// Sets up this client, and returns once it is ready or disabled.
    public func initializeAndWait(with options: InitOptions) async {
        await withCheckedContinuation { continuation in
            accept(initialize: options) { _ in continuation.resume() }
        }
    }

    /// Begins to initialise; calls made after this returns are held until it is done.
    ///
    /// - Parameter completion: Told once whether the client is set up: `invalidConfiguration`, `storage` or
    ///   `initializationFailed` say why not. Must not block.
    package func accept(
        initialize options: InitOptions, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        submit(.initialize(options, completion))
    }

    /// Begins a run, or says why there is none to begin.
    func begin(
        _ options: InitOptions, _ completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void,
        _ state: inout State
    ) -> [Effect] {
        switch state.phase {
        case .ready(let run):
            let isOther = options != run.settings.options
            return [ignore(isOther ? "Already initialized: the new options are ignored." : nil, completion)]
        case .disabled(_, .server):
            return [ignore("The client is disabled: call reset() before initialize().", completion)]
        case .idle, .initializing, .resetting, .disabled, .shutDown:
            break
        }
        state.options = options
        do throws(TrackerError) {
            let settings = try AnalyticsSettings(options, facts: .collect())
            state.runs += 1
            let run = Run(number: state.runs, settings: settings, lane: try open(settings, number: state.runs))
            state.phase = .initializing(run)
            state.capacity = settings.delivery.maxQueuedEvents
            state.byteCapacity = settings.delivery.maxQueuedBytes
            state.waiters = [completion]
            state.lastAccount = nil
            log.setVerbose(options.debug || state.isVerbose)
            hub.open()
            for messageID in state.resetsAhead {
                run.lane.outbox.stage(.reset(all: true, messageID: messageID)) { _ in }
            }
            let resets = Set(state.resetsAhead)
            return [
                { [self] in
                    log.endRefusals()
                    openLane(of: run, resets: resets)
                }
            ]
        } catch {
            state.phase = .disabled(nil, .options(error.message))
            state.lastError = (error.message, dependencies.clock.wall)
            return [
                { [log] in
                    log.log(.error, "Initialization failed, the client is disabled: \(error.message)")
                    completion(.failure(error))
                }
            ]
        }
    }

    private func ignore(
        _ warning: String?, _ completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) -> Effect {
        { [log] in
            if let warning { log.log(.warning, warning) }
            completion(.success(()))
        }
    }

    private func open(_ settings: AnalyticsSettings, number: Int) throws(TrackerError) -> OpenLane {
        let clock = dependencies.clock
        let lane = try OpenLane(
            dependencies, delivery: settings.delivery, dialect: settings.dialect,
            outbox: settings.outbox(
                wallClock: { clock.wall }, observer: { [weak self] in self?.note($0, in: number) }),
            log: log, hub: hub, observer: { [weak self] in self?.note($0, in: number) })
        lane.show("AnalyticsClient \(settings.writeKey.masked)", at: settings.host, settings.delivery, clock) {
            [weak self] in self?.debugInfo()
        }
        return lane
    }

    private func openLane(of run: Run, resets: Set<MessageID>) {
        run.lane.outbox.open { [self] result in
            switch result {
            case .failure(let error):
                fail(run, error)
            case .success(let opening):
                state.withLock { $0.resetsAhead.removeAll(where: resets.contains) }
                reporter.note(opening, of: run.lane.outbox, run.settings.lane)
                // Staged behind the resets from before the opening, which take the id away.
                let hasID = resets.isEmpty && run.lane.outbox.value(for: .anonymousID) != nil
                let change = hasID ? LaneChange.barrier : .ensure(.anonymousID, dependencies.ids.uuid())
                run.lane.outbox.stage(change) { [self] result in
                    let found: LaneState? =
                        if case .done(let lane) = result { lane } else { try? run.lane.outbox.state() }
                    guard let found else {
                        return fail(run, StorageError(.failed, "The state of the lane cannot be read"))
                    }
                    becomeReady(run, found)
                }
            }
        }
    }

    private func becomeReady(_ run: Run, _ found: LaneState) {
        let ending = state.withLock { state -> (effects: [Effect], isInBackground: Bool)? in
            guard state.isInitializing(run.number) else { return nil }
            state.phase = .ready(run)
            let waiters = state.waiters
            state.waiters = []
            let effects = drain(&state)
            return (effects + waiters.map { waiter in { waiter(.success(())) } }, state.isInBackground)
        }
        guard let ending else { return }
        log.verbose(.info) { "Initialized." }
        run.lane.engine.start()
        run.lane.engine.setResting(ending.isInBackground)
        // What waits since an earlier run does not wait for the interval as well.
        if !ending.isInBackground { run.lane.engine.makeDue(through: found.lastSequence) }
        for effect in ending.effects { effect() }
    }

    private func fail(_ run: Run, _ error: StorageError) {
        let effects = state.withLock { state -> [Effect]? in
            guard state.isInitializing(run.number) else { return nil }
            state.phase = .disabled(nil, .storage(error.message))
            state.lastError = (error.message, dependencies.clock.wall)
            let waiters = state.waiters
            state.waiters = []
            return drain(&state) + waiters.map { waiter in { waiter(.failure(TrackerError(.storage, error.message))) } }
        }
        guard let effects else { return }
        log.log(.error, "Initialization failed, the client is disabled: \(error.message)")
        for effect in effects { effect() }
        run.lane.close {}
    }
}

extension AnalyticsClient.State {
    func isInitializing(_ number: Int) -> Bool {
        if case .initializing(let run) = phase { run.number == number } else { false }
    }
}
