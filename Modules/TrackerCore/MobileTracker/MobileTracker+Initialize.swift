import Synchronization
package import TrackerModels
import TrackerNetworking
import TrackerStorage

extension MobileTracker {
    /// Begins to initialise; calls made after this returns are held until it is done.
    ///
    /// - Parameter completion: Told once. Must not block.
    package func accept(
        initialize brandId: String, config: TrackerConfig?,
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        let step = state.withLock { state in begin(&state, brandId, config, completion) }
        switch step {
        case .done(let hadOtherArguments):
            if hadOtherArguments { log.log(.warning, "Already initialized: the new arguments are ignored.") }
            completion(.success(()))
        case .joined(let hadOtherArguments):
            if hadOtherArguments { log.log(.warning, "Initializing already: the new arguments are ignored.") }
        case .refused(let error, let old):
            log.log(.error, "Initialization failed: \(error.message)")
            old?.close {}
            completion(.failure(error))
        case .started(let attempt, let settings, let lane, let old):
            log.endRefusals()
            run(attempt, settings, lane, replacing: old)
        }
    }

    private enum Step {
        case done(hadOtherArguments: Bool)
        case joined(hadOtherArguments: Bool)
        case refused(TrackerError, OpenLane?)
        case started(Int, TrackerSettings, OpenLane, OpenLane?)
    }

    private func begin(
        _ state: inout State, _ brandId: String, _ config: TrackerConfig?,
        _ completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) -> Step {
        let settings: TrackerSettings
        do throws(TrackerError) {
            settings = try TrackerSettings(brandId: brandId, config: config)
            try state.check(isFor: settings.brand)
        } catch {
            // What runs goes on. A lane that only holds calls is given up: they wait on disk.
            guard !state.isRunning else { return .refused(error, nil) }
            defer { state.phase = .notInitialized }
            return .refused(error, state.lane)
        }
        switch state.phase {
        case .initializing(let current, _):
            state.waiters.append(completion)
            return .joined(hadOtherArguments: settings.config != current.config)
        case .ready(let current, let lane) where !state.startsAnew && !lane.engine.isHalted:
            return .done(hadOtherArguments: settings.config != current.config)
        case .notInitialized, .ready, .withoutSession, .shutDown:
            break
        }
        let old = state.lane
        do throws(TrackerError) {
            let lane = try open(settings)
            state.attempt += 1
            state.waiters = [completion]
            state.fullResets = []
            state.phase = .initializing(settings, lane)
            log.setVerbose(settings.config.debug)
            hub.open()
            for change in state.early.changes { lane.outbox.stage(change) { _ in } }
            lane.outbox.stage(.store(.brandID, settings.brand.description, nil)) { _ in }
            return .started(state.attempt, settings, lane, old)
        } catch {
            // A lane that holds calls for want of a session is given up as well: they wait on disk.
            state.phase = .notInitialized
            return .refused(error, old)
        }
    }

    private func open(_ settings: TrackerSettings) throws(TrackerError) -> OpenLane {
        let clock = dependencies.clock
        let loop = try dependencies.startLoop(settings.config.delivery)
        let outbox = dependencies.makeOutbox(
            settings.outbox(wallClock: { clock.wall }, observer: { [weak self] in self?.note($0) }))
        let delivery = DeliveryState(
            dialect: settings.dialect(ids: dependencies.ids), breaker: settings.config.delivery.breaker,
            maxConcurrentRequests: settings.config.delivery.maxConcurrentRequests,
            eventTTL: settings.config.delivery.eventTTL, jitter: dependencies.jitter
        )
        let engine = DeliveryEngine(
            DeliveryEngine.Parts(outbox: outbox, loop: loop, clock: clock, log: log, diagnostics: hub),
            delivery: delivery, observer: { [weak self] in self?.note($0) }
        )
        let lane = OpenLane(outbox: outbox, engine: engine, loop: loop)
        lane.show("MobileTracker \(settings.brand)", at: settings.base, settings.config.delivery, clock) {
            [weak self] in self?.debugInfo()
        }
        return lane
    }

    private func run(_ attempt: Int, _ settings: TrackerSettings, _ lane: OpenLane, replacing old: OpenLane?) {
        let timer = lane.loop.schedule(at: lane.loop.now.advanced(by: settings.config.initTimeout)) { [weak self] in
            self?.end(attempt, .failure(.initTimeout))
        }
        state.withLock { $0.timer = (lane.loop, timer) }
        let start: @Sendable () -> Void = { [self] in
            lane.outbox.open { result in
                switch result {
                case .failure(let error):
                    self.end(attempt, .failure(TrackerError(.storage, error.message)))
                case .success(let opening):
                    self.state.withLock { state in
                        state.early.noteOpened(attempt)
                        state.toldSession = opening.state.entry.session
                    }
                    self.reporter.note(opening, of: lane.outbox, settings.lane)
                    lane.outbox.stage(.barrier) { result in
                        self.bindSession(attempt, settings, lane, after: result)
                    }
                }
            }
        }
        if let old { old.close(completion: start) } else { start() }
    }

    /// Goes on with the stored session, without one where that is right, or makes one.
    private func bindSession(
        _ attempt: Int, _ settings: TrackerSettings, _ lane: OpenLane, after result: ChangeResult
    ) {
        let found: LaneState
        do throws(StorageError) {
            found = if case .done(let state) = result { state } else { try lane.outbox.state() }
        } catch {
            return end(attempt, .failure(TrackerError(.storage, error.message)))
        }
        if found.isSettled || settings.config.sessionCreation == .inBackground {
            end(attempt, .success(()))
        } else {
            lane.engine.makeFirstSession { [weak self] in self?.end(attempt, $0) }
        }
    }

    /// Ends the run of `initialize` that `attempt` names, if it is still under way.
    func end(_ attempt: Int, _ result: Result<Void, TrackerError>) {
        let ending = state.withLock { state in
            state.attempt == attempt ? state.endInitializing(with: result) : nil
        }
        guard let ending else { return }
        if let (loop, timer) = ending.timer { loop.cancel(timer) }
        switch result {
        case .success:
            ending.lane.engine.start()
            log.verbose(.info) { "Initialized." }
        case .failure(let error):
            log.log(.error, "Initialization failed: \(error.message)")
            guard error.code == .sessionCreationFailed else {
                ending.lane.close {}
                break
            }
            // What is held waits for the next `initialize`, here or elsewhere.
            ending.lane.engine.goWithoutSession()
            ending.lane.outbox.offerUnbound()
        }
        // Before whoever waits goes on: their first call comes after it.
        if case .success = result, let screen = ending.settings.config.initialScreen {
            accept(.screenDidAppear(screen.name, url: screen.url))
        }
        for waiter in ending.waiters { waiter(result) }
    }
}

extension MobileTracker.State {
    /// What is left to do when `initialize` has ended.
    struct Ending {
        var settings: TrackerSettings
        var lane: OpenLane
        var waiters: [@Sendable (Result<Void, TrackerError>) -> Void]
        var timer: (any DeliveryLoop, TimerID)?
    }

    /// Whether a brand's events are being taken, or will be once `initialize` is done.
    fileprivate var isRunning: Bool {
        switch phase {
        case .initializing, .ready: !startsAnew
        case .notInitialized, .withoutSession, .shutDown: false
        }
    }

    /// Refuses another brand than the one that is running: events of the one would be filed under the other.
    fileprivate func check(isFor brand: BrandID) throws(TrackerError) {
        guard isRunning, let running = current?.settings.brand, running != brand else { return }
        throw TrackerError(
            .initializationFailed,
            "The tracker is initialized for brand \(running.number), and cannot also be for brand \(brand.number). "
                + "Call reset(all: true) or shutdown() first, or make a tracker of its own for the other brand.")
    }

    /// Leaves the phase of initialising, if it is that one.
    mutating func endInitializing(with result: Result<Void, TrackerError>) -> Ending? {
        guard case .initializing(let settings, let lane) = phase else { return nil }
        switch result {
        case .success: phase = .ready(settings, lane)
        case .failure(let error) where error.code == .sessionCreationFailed: phase = .withoutSession(settings, lane)
        case .failure: phase = .notInitialized
        }
        defer {
            waiters = []
            timer = nil
        }
        return Ending(settings: settings, lane: lane, waiters: waiters, timer: timer)
    }
}
