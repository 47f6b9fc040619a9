import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension ClientRuntime {
    // MARK: Inside the critical section

    func perform(_ action: State.Ordered, _ contents: inout Contents) {
        switch action {
        case .stage(let call, let run):
            guard let refusal = stage(call, in: run, &contents) else { return }
            contents.state.deferred.append(
                .perform { [self] in call.stamp.caller.receive(refuse(call.stamp.name, refusal)) })
        case .commit(let change, let pending, let run):
            commit(change, pending, in: run)
        case .forget(let forget, let run): commit(forget, in: run)
        case .barrier(let run, let body): run.lane.outbox.stage(.barrier) { _ in body() }
        case .dropAll(let run): run.lane.outbox.stage(.dropAll(.disabled)) { _ in }
        case .begin(let initialization, let settings, let old):
            begin(initialization, settings, after: old, &contents)
        case .update(let run, let isSame): run.lane.update(run.settings, isSame: isSame, ids: dependencies.ids)
        case .adopt(let initialization, let run):
            log.endRefusals()
            initialization.updateModel(&contents.model)
            log.setVerbose(run.settings.isVerbose || contents.isVerbose)
            filter.propose(nil)
            filter.settle(run.settings.beforeSend)
        case .reject(let initialization, let error):
            initialization.updateModel(&contents.model)
            contents.lastError = (error.message, dependencies.clock.wall)
        case .turnOff(let off):
            off.updateModel(&contents.model)
            (contents.lastAccount, contents.lastMetrics) = (nil, nil)
            filter.settle(nil)
        case .settleFilter(let run): filter.settle(run.settings.beforeSend)
        case .takeBackFilter: filter.takeBack()
        case .withdrawFilter: filter.propose(nil)
        }
    }

    private func commit(
        _ change: LaneChange, _ pending: PendingChange, in run: Run, endsRun: Bool = Model.policy.resetEndsRun
    ) {
        if change.pausesDelivery { run.lane.pause() }
        run.lane.outbox.stage(change) { [self] result in
            if case .failed(let error) = result.effect {
                log.log(.error, "\(change.call)() holds in memory only, the disk refuses it: \(error.message)")
            }
            if change.endsSession, result.effect != .repeated { run.lane.engine.forget(after: result) }
            guard change.pausesDelivery else { return committed(change, result, pending, in: run, endsRun: endsRun) }
            // A request that the loop is about to send would leave after the answer.
            run.lane.engine.onceCancelled { [self] in committed(change, result, pending, in: run, endsRun: endsRun) }
        }
    }

    private func committed(
        _ change: LaneChange, _ result: ChangeResult, _ pending: PendingChange, in run: Run, endsRun: Bool
    ) {
        if endsRun {
            // If the counters cannot be read, debug information leaves them out.
            let account = try? run.lane.outbox.account()
            handle { contents in
                contents.lastAccount = account
                contents.state.resetEnded(run, pending, result)
            }
        } else {
            if result.effect == .repeated { contents.withLock { $0.state.takeBack(pending) } }
            if change.pausesDelivery { run.lane.release() } else { run.lane.engine.kick() }
            pending.completion(.taken(result))
        }
    }

    /// Nothing more is sent until it is on disk; what is on the wire cannot be called back.
    private func commit(_ forget: PendingForget, in run: Run) {
        run.lane.pause(cancelling: false)
        run.lane.outbox.stage(forget.change) { result in
            run.lane.release()
            forget.completion(.taken(result))
        }
    }

    private func begin(
        _ initialization: Initialization<Model>, _ settings: Model.Settings, after old: Run?, _ contents: inout Contents
    ) {
        var settings = settings
        if let kept = contents.credentials.kept { settings.take(kept) }
        do throws(TrackerError) {
            // No client knew yet what its requests set themselves when these were set.
            if let reason = settings.fault(of: settings.headers) { throw FieldCheck.fault("headers", reason) }
            let movesQueue = contents.state.movesQueue && old?.lane.hasOthers == false
            let number = contents.state.runs + 1
            let lane = try makeLane(
                settings, number, takingOver: movesQueue ? old?.settings.lane : nil, isReplacing: old != nil)
            let run = Run(number: number, settings: settings, lane: lane)
            initialization.updateModel(&contents.model)
            (contents.lastAccount, contents.lastMetrics) = (nil, nil)
            contents.credentials.kept = nil
            if contents.state.knowsOfHalt { contents.isResuming = true }
            log.setVerbose(settings.isVerbose || contents.isVerbose)
            lane.updateVerbosity()
            filter.propose(settings.beforeSend)
            hub.open()
            for change in contents.state.begin(run, initialization) {
                // Of a run that is only beginning none ends.
                commit(change.keyed, change, in: run, endsRun: false)
            }
            for change in settings.openingChanges(ids: dependencies.ids) { lane.outbox.stage(change) { _ in } }
        } catch {
            contents.state.refuse(initialization, error)
        }
    }

    private func makeLane(
        _ settings: Model.Settings, _ number: Int, takingOver other: LaneIdentity?, isReplacing: Bool
    ) throws(TrackerError) -> OpenLane {
        let listener = OpenLane.Listener(
            name: Model.name, log: log, hub: hub, delivery: { [weak self] in self?.observe($0, in: number) },
            storage: { [weak self] in self?.observe($0, in: number) },
            beforeLook: { [weak self] isDue, asks in
                if isDue { self?.renewKey(of: number) }
                if asks { self?.ask(number) }
            })
        let lane = try OpenLane(
            dependencies, settings, listener: listener, reporter: reporter, isReplacing: isReplacing
        ) {
            [clock = dependencies.clock, memory] observer in
            var configuration = settings.outbox(
                in: memory, takingOver: other, clock: clock, observer: observer)
            // The server has refused what the lane before is named by: the client goes on with what it knows of the user.
            if !configuration.takesOver.isEmpty { configuration.takesOverValues = Model.policy.values }
            return configuration
        }
        if lane.isOpener { lane.show(settings, dependencies.clock) { [weak self] in self } }
        return lane
    }

    // MARK: After it

    /// The run as it is now: its credentials may be later ones.
    func current(_ run: Run) -> Run {
        contents.withLock { $0.state.run.flatMap { $0.number == run.number ? $0 : nil } } ?? run
    }

    func perform(_ action: State.Deferred) {
        switch action {
        case .began(let run):
            log.endRefusals()
            limitOpening(of: run)
            askAtStart(of: run)
        case .open(let run): open(run)
        case .prepare(let run): prepare(run)
        case .start(let run):
            log.verbose(.info) { "Initialized." }
            let isResuming = contents.withLock { contents in
                defer { contents.isResuming = false }
                return contents.isResuming
            }
            if isResuming { hub.report(.deliveryResumes) }
            var used = current(run).settings
            run.lane.start(used, ids: dependencies.ids)
            // The program may have set others meanwhile, which the start has replaced.
            while case let now = current(run).settings, now.key != used.key || now.headers != used.headers {
                run.lane.update(now, isSame: false, ids: dependencies.ids)
                used = now
            }
            follow { [used] in $0.started(under: used) }
        case .resume(let run): run.lane.release()
        case .offerUnbound(let run):
            run.lane.goWithoutSession()
        case .close(let run): close(run)
        case .end(let run):
            let rest = contents.withLock { $0.state.deadline } - dependencies.clock.uptime
            run.lane.end(within: max(.zero, rest)) { [self] in
                keep($0, of: run)
            } completion: { [self] in
                handle { $0.state.closed(run.number) }
            }
        case .flush(let flush, let run): begin(flush, in: run)
        case .report(let flush, let reason): report(flush, reason)
        case .refuse(let call, let refusal): call.stamp.caller.receive(refuse(call.stamp.name, refusal))
        case .announceOff(let off):
            log.endRefusals()
            log.announceRefusals(
                .disabled,
                "Tracking is off (\(off.switchedBy.phrase)): nothing is stored or sent, and calls are dropped.")
        case .answer(let waiters, let error):
            let result = error.map { Result<Void, TrackerError>.failure($0) } ?? .success(())
            for waiter in waiters { waiter(result) }
        case .log(let level, let message): log.log(level, message)
        case .logFailure(let error): log.logFailure(error)
        case .perform(let body): body()
        }
    }

    func locate(
        _ provider: any LocationProvider, _ call: @escaping @Sendable (LocationData) -> Model.Given
    ) {
        // The task ends with the provider's answer. It makes one call, and no code waits for it.
        Task { [weak self] in
            do {
                let location = try await provider.location()
                self?.enqueue(call(location), messageID: nil)
            } catch {
                // What an error of the program says may be personal.
                self?.log.log(.warning, "The device's place is not available: \(type(of: error))")
            }
        }
    }

    private func open(_ run: Run) {
        run.lane.open { [self] result in
            switch result {
            case .success(let opening):
                follow { $0.opened(opening.state) }
                let (outbox, lane) = (run.lane.outbox, run.settings.lane)
                if run.lane.isOpener {
                    reporter.report(opening, of: outbox, lane)
                } else if let listener = dependencies.sharing?.listener {
                    // The process has logged it when the lane was opened.
                    ClientReporter.reportOthers(beside: lane, of: outbox, to: listener)
                }
                handle { $0.state.opened(run.number) }
            case .failure(let error): finish(run, .failure(run.settings.fault(error)))
            }
        }
    }

    /// Waits until the opening changes are on disk or hold in memory, and makes a session if one is needed.
    private func prepare(_ run: Run) {
        run.lane.outbox.stage(.barrier) { [self] result in
            let found: LaneState
            do throws(StorageError) {
                found = if let lane = result.lane { lane } else { try run.lane.outbox.state() }
            } catch {
                return finish(run, .failure(run.settings.fault(error)))
            }
            guard run.settings.needsSession(found) else { return finish(run, .success(())) }
            // The program may have set other credentials meanwhile, or waits no more.
            guard contents.withLock({ $0.state.isOpening(run.number) }) else { return }
            run.lane.makeFirstSession(current(run).settings) { [weak self] in self?.finish(run, $0) }
        }
    }

    private func finish(_ run: Run, _ result: Result<Void, TrackerError>) {
        let timer = contents.withLock { contents -> TimerID? in
            guard contents.state.isOpening(run.number) else { return nil }
            defer { contents.openingTimer = nil }
            if case .failure(let error) = result { contents.lastError = (error.message, dependencies.clock.wall) }
            return contents.openingTimer
        }
        if let timer { run.lane.loop.cancel(timer) }
        handle { $0.state.finished(run.number, result) }
    }

    private func limitOpening(of run: Run) {
        guard let limit = run.settings.openingTimeout else { return }
        let timer = run.lane.loop.schedule(at: run.lane.loop.now.advanced(by: limit)) { [weak self] in
            self?.finish(run, .failure(.initTimeout(after: limit, at: run.settings.lane.origin)))
        }
        let isLate = contents.withLock { contents in
            guard contents.state.isOpening(run.number) else { return true }
            contents.openingTimer = timer
            return false
        }
        if isLate { run.lane.loop.cancel(timer) }
    }

    private func close(_ run: Run) {
        if dependencies.sharing != nil { keep(QueueMetrics(run.lane.parts), of: run) }
        run.lane.close(within: closingTime) { [self] in handle { $0.state.closed(run.number) } }
    }

    /// How long the lane of a run may take to close: the next one has at least half of its time to open.
    var closingTime: Duration {
        let limit = contents.withLock { $0.state.run?.settings.openingTimeout }
        return min(OpenLane.patience, limit.map { $0 / 2 } ?? OpenLane.patience)
    }

    private func begin(_ flush: PendingFlush, in run: Run) {
        guard flush.hasBegun.raise() else { return }
        limitWaitingFlushes()
        run.lane.engine.flush(
            timeout: max(.zero, flush.deadline - dependencies.clock.uptime), cutoff: flush.cutoff,
            completion: flush.completion)
    }
}

extension LaneChange {
    /// Whether nothing is sent until the change is on disk.
    fileprivate var pausesDelivery: Bool {
        switch self {
        case .reset(let all, _): all
        case .consent(let consent, _): consent != .granted
        default: false
        }
    }

    fileprivate var endsSession: Bool {
        switch self {
        case .reset, .consent(.denied, _): true
        default: false
        }
    }

    /// The public call that makes the change.
    fileprivate var call: String { if case .consent = self { "setConsent" } else { "reset" } }
}
