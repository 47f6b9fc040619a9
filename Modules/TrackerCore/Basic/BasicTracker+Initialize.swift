import Synchronization
public import TrackerModels
import TrackerNetworking
import TrackerStorage

extension BasicTracker {
    /// Sets the tracker up; calls may follow at once.
    ///
    /// A second call changes the configuration: what is queued goes to the new endpoint, with the new key, and resumes
    /// if it was halted. If it throws, everything stays as it was. A state folder that cannot be used is logged, and
    /// calls are refused as `.storage` then.
    ///
    /// - Parameters:
    ///   - apiKey: Sent as `X-API-Key`. Not blank, no control characters.
    ///   - endpoint: The URL that events are posted to. Absolute, `https` (plain `http` only to this machine, or with
    ///     `options.allowInsecureHTTP`), without user info, query or fragment.
    ///   - appVersion: The application's version, for the events' context.
    ///   - maxQueueSize: Past this many events the oldest is dropped and counted; at least 1. `nil`: as
    ///     `options.maxQueuedEvents` says, and 100 with `persistence: .memory`. The smaller of the two counts.
    ///   - options: How events are kept and delivered.
    ///   - debug: Whether informative and debug messages are logged.
    /// - Throws: ``TrackerError`` with one of the codes `invalidAPIKey`, `invalidEndpoint`, `invalidConfiguration` or
    ///   `initializationFailed`.
    public func initialize(
        apiKey: String?, endpoint: String?, appVersion: String? = nil, maxQueueSize: Int? = nil,
        options: DeliveryOptions = DeliveryOptions(), debug: Bool = false
    ) throws(TrackerError) {
        try begin(apiKey, endpoint, appVersion, maxQueueSize, options, debug) { _ in }
    }

    /// Begins to initialise; calls made after this returns are accepted.
    ///
    /// - Parameter completion: Told once whether the tracker is set up: besides what ``initialize`` throws, `storage`.
    ///   Must not block.
    package func accept(
        initialize apiKey: String?, endpoint: String?, appVersion: String?, maxQueueSize: Int? = nil,
        options: DeliveryOptions, debug: Bool = false,
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        do throws(TrackerError) {
            try begin(apiKey, endpoint, appVersion, maxQueueSize, options, debug, completion)
        } catch {
            completion(.failure(error))
        }
    }

    private enum Step {
        /// The lane stays as it is, or its turn comes later.
        case done([Waiter])
        /// A lane is to be opened, once `old` is closed.
        case opens(Run, old: Run?)
        /// A lane is to be opened, and what `old` holds in memory moved to it.
        case moves(Run, old: Run)
    }

    private func begin(
        _ apiKey: String?, _ endpoint: String?, _ appVersion: String?, _ maxQueueSize: Int?, _ options: DeliveryOptions,
        _ isVerbose: Bool, _ waiter: @escaping Waiter
    ) throws(TrackerError) {
        do throws(TrackerError) {
            let settings = try BasicSettings(
                apiKey: apiKey, endpoint: endpoint, appVersion: appVersion, maxQueueSize: maxQueueSize,
                options: options)
            let step = try state.withLock { (state) throws(TrackerError) in
                let step = try begin(settings, waiter, &state)
                state.context = BasicContext.collect(appVersion: appVersion).text
                return step
            }
            log.setVerbose(isVerbose)
            log.endRefusals()
            perform(step, [waiter])
        } catch {
            log.log(.error, "Initialization failed: \(error.message)")
            throw error
        }
    }

    private func begin(
        _ settings: BasicSettings, _ waiter: @escaping Waiter, _ state: inout State
    ) throws(TrackerError) -> Step {
        guard !state.isOpening else {
            state.next = (settings, (state.next?.waiters ?? []) + [waiter])
            return .done([])
        }
        return try begin(settings, &state, [waiter])
    }

    private func begin(
        _ settings: BasicSettings, _ state: inout State, _ waiters: [Waiter]
    ) throws(TrackerError) -> Step {
        let old = state.run
        if let old, old.settings.lane == settings.lane, old.settings.delivery == settings.delivery {
            state.run = Run(number: old.number, settings: settings, lane: old.lane)
            old.lane.engine.resume(with: settings.dialect)
            return .done(waiters)
        }
        let lane = try openLane(settings, after: old?.settings, number: state.runs + 1)
        state.runs += 1
        let run = Run(number: state.runs, settings: settings, lane: lane)
        state.run = run
        state.isOpening = true
        hub.open()
        guard let old, old.settings.delivery.persistence == .memory else { return .opens(run, old: old) }
        state.held = []
        return .moves(run, old: old)
    }

    private func openLane(
        _ settings: BasicSettings, after old: BasicSettings?, number: Int
    ) throws(TrackerError) -> OpenLane {
        let clock = dependencies.clock
        let adopted = old.map { [$0.lane] } ?? []
        let outbox = settings.outbox(
            adopts: adopted.filter { $0 != settings.lane }, wallClock: { clock.wall },
            observer: { [weak self] in self?.note($0, in: number) })
        let lane = try OpenLane(
            dependencies, delivery: settings.delivery, dialect: settings.dialect, outbox: outbox, log: log, hub: hub,
            observer: { [weak self] in self?.note($0) })
        lane.show("BasicTracker", at: settings.base, settings.delivery, clock) { [weak self] in self?.debugInfo() }
        return lane
    }

    private func perform(_ step: Step, _ waiters: [Waiter]) {
        switch step {
        case .done(let ready):
            for waiter in ready { waiter(.success(())) }
        case .opens(let run, nil):
            open(run, waiters)
        case .opens(let run, let old?):
            old.lane.close { [self] in open(run, waiters) }
        case .moves(let run, let old):
            move(old, to: run, waiters)
        }
    }

    private func open(_ run: Run, _ waiters: [Waiter]) {
        run.lane.outbox.open { [self] result in
            let outcome: Result<Void, TrackerError>
            switch result {
            case .success(let opening):
                reporter.note(opening, of: run.lane.outbox, run.settings.lane)
                run.lane.engine.start()
                outcome = .success(())
            case .failure(let error):
                log.log(.error, "Initialization failed, events cannot be kept: \(error.message)")
                outcome = .failure(TrackerError(.storage, error.message))
            }
            for waiter in waiters { waiter(outcome) }
            goOn(from: run)
        }
    }

    /// What follows when a lane has been opened.
    private struct Sequel {
        var next: Result<Step, TrackerError>?
        var waiters: [Waiter] = []
        var flushes: [ParkedFlush] = []
        var run: Run?
    }

    /// Goes on to the configuration that was given meanwhile, or to what waits for this one.
    private func goOn(from run: Run) {
        // In one go: an `initialize` that comes now is the later one.
        let sequel = state.withLock { state -> Sequel in
            guard state.run?.number == run.number else { return Sequel() }
            state.isOpening = false
            var sequel = Sequel()
            if let next = state.next {
                state.next = nil
                sequel.waiters = next.waiters
                sequel.next = Result { () throws(TrackerError) in try begin(next.settings, &state, next.waiters) }
            }
            if !state.isOpening { swap(&sequel.flushes, &state.flushes) }
            sequel.run = state.run
            return sequel
        }
        switch sequel.next {
        case .success(let step): perform(step, sequel.waiters)
        case .failure(let error):
            log.log(.error, "Initialization failed: \(error.message)")
            for waiter in sequel.waiters { waiter(.failure(error)) }
        case nil: break
        }
        for flush in sequel.flushes { flush.start(sequel.run) }
    }

    /// Takes what waits in memory to where it goes from now on; calls made meanwhile come after it.
    private func move(_ old: Run, to run: Run, _ waiters: [Waiter]) {
        old.lane.engine.pause()
        old.lane.outbox.stage(.barrier) { [self] _ in
            // Memory can always be read.
            let records = (try? old.lane.outbox.peek(limit: .max, maxBytes: .max))?.records ?? []
            state.withLock { state in
                for record in records {
                    let draft = Draft(
                        messageID: record.messageID, route: record.route, body: .complete(record.body),
                        occurredAt: record.occurredAt, acceptedAt: record.acceptedAt ?? dependencies.clock.uptime)
                    run.lane.outbox.stage(.append(draft)) { [self] in noteMoved($0) }
                }
                for held in state.held ?? [] { stage(held, run) }
                state.held = nil
            }
            old.lane.close {}
            open(run, waiters)
        }
    }

    /// Counts an event that was accepted before and has no room in the new queue, and reports the first.
    private func noteMoved(_ result: ChangeResult) {
        let reason: RefusalReason
        switch result {
        case .done, .queued, .pending, .repeated: return
        case .refused(let found): reason = found
        case .failed: reason = .storage
        }
        state.withLock { $0.refused[reason, default: 0] += 1 }
        hub.report(.refused(call: "initialize", reason))
        guard reason != .storage, full.add(dropped: 1) else { return }
        log.log(.warning, "The new queue is too small for the events that waited: those that do not fit are dropped.")
    }
}
