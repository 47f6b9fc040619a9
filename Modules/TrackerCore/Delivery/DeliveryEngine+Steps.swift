import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerPlatform
import TrackerStorage

/// The engine on its loop: it performs what is decided.
extension DeliveryEngine {
    /// Does whatever can be done now, and arms the timer for the rest.
    ///
    /// - Parameter reading: The time, if it was just taken.
    func advance(_ state: inout State, at reading: ClockReading? = nil) {
        let reading = reading ?? self.reading
        state.delivery.beginRound(at: reading.now)
        while let step = state.delivery.next() { perform(step, &state, at: reading) }
        state.delivery.prepare()
        parts.kicks.setBusy(state.delivery.round.isBusy)
        reportFlushes(&state, at: reading.now)
        showHalt(&state, at: reading)
        if state.delivery.ends(at: reading.now) { return end(&state) }
        arm(&state)
    }

    /// Keeps a halt in the lane while it lasts, for those who only see the folder.
    private func showHalt(_ state: inout State, at reading: ClockReading) {
        guard let halt = state.delivery.takeHaltToShow() else { return }
        let text = halt?.text(at: reading, process: getpid())
        let key = DeliveryState.Halt.key
        commit([text.map { .store(key, $0, nil) } ?? .remove(key)], of: state.delivery.database, awaited: false, &state)
    }

    private func perform(_ step: DeliveryState.Step, _ state: inout State, at reading: ClockReading) {
        switch step {
        case .plan:
            if let server = state.delivery.suspicion.doubtedServer, let answer = parts.witness.lastAnswer(of: server) {
                state.delivery.suspicion.learn(ofAnswerAt: answer)
            }
            // A key file that has changed ends a halt; it is seen whenever something wakes the lane.
            if state.delivery.halt != nil { parts.beforeLook?(reading.now, false) }
            state.delivery.plan(at: reading.now, isPaused: applyOrders(&state))
        case .record: recordDelivered(&state)
        case .takeLane: state.delivery.tookLane(parts.outbox.acquireDelivery())
        case .letGo(let looksOnceMore):
            state.delivery.letGo(parts.outbox.releaseDelivery(), looksOnceMore: looksOnceMore)
        case .look(let window):
            parts.beforeLook?(reading.now, state.delivery.takeQuestion())
            read(&state, at: reading) { state throws(StorageError) in
                let peek = try parts.outbox.peek(
                    limit: window.records, maxBytes: window.bytes, excluding: state.delivery.underWay)
                state.delivery.found(peek, at: reading)
            }
        case .count:
            read(&state, at: reading) { state throws(StorageError) in
                state.delivery.counted(try parts.outbox.state(), at: reading.now)
            }
        case .confirm(let record, let version):
            read(&state, at: reading) { state throws(StorageError) in
                state.delivery.confirmed(try confirm(record, version), at: reading)
            }
        case .glance: state.delivery.glanced(try? parts.outbox.peek(limit: 1, maxBytes: 0), at: reading.now)
        case .countOnceMore: state.delivery.countedOnceMore((try? parts.outbox.state())?.queuedRecords ?? 0)
        case .work(.send(let plan)): send(plan, &state, at: reading)
        case .work(.change(let changes)): commit(changes, of: state.delivery.database, awaited: true, &state)
        case .work(.drop(let records, let reason, let message)):
            report(.dropped(records, reason, message), &state, at: reading)
            commit([.drop(records.map(\.id), reason)], of: state.delivery.database, awaited: false, &state)
        case .report(let event):
            publish(state)
            report(event, &state, at: reading)
        case .conclude(let result):
            let completion = state.firstSession.take()
            completion?(result)
        }
    }

    /// Reads the lane, or leaves the disk alone for a while.
    private func read(
        _ state: inout State, at reading: ClockReading, _ work: (inout State) throws(StorageError) -> Void
    ) {
        do throws(StorageError) {
            try work(&state)
        } catch {
            state.lastError = (error.message, reading.wall)
            state.delivery.failed(error, at: reading.now)
        }
    }

    /// Whether what was read ahead holds: nothing has changed since, or nothing that matters to it.
    private func confirm(
        _ record: Record.ID, _ version: ReadVersion?
    ) throws(StorageError) -> DeliveryState.Confirmation {
        if let version, try parts.outbox.isUnchanged(since: version) { return .unchanged }
        guard let found = try parts.outbox.state(ifQueued: record) else { return .gone }
        return .found(found.lane, found.version)
    }

    /// Sends a plan. If the engine was paused or got a new dialect meanwhile, the records are planned again instead. Without a
    /// key it halts, whatever has led here.
    private func send(_ plan: Plan, _ state: inout State, at reading: ClockReading) {
        guard mayDepart(state) else { return state.delivery.forgetAhead() }
        guard !(parts.needsKey && state.delivery.dialect.lacksKey) else {
            state.delivery.forgetAhead()
            return state.delivery.lackKey(at: reading)
        }
        let token = state.delivery.depart(plan)
        state.transfers[token] = parts.loop.submit(plan.request) { [self] answer in
            onLoop { state in finish(token, answer, &state) }
        }
    }

    /// Takes the answer to a request, records what it changes, and goes on.
    func finish(_ token: DeliveryState.Token, _ answer: Answer, _ state: inout State) {
        let reading = reading
        if parts.kicks.lower() { state.delivery.wake() }
        // New credentials count first: the answer is about the old ones then.
        applyOrders(&state)
        state.transfers[token] = nil
        let before = state.delivery.breaker.state
        let settlement = state.delivery.finish(token, with: answer, at: reading)
        commit(
            settlement.changes, of: token.database, awaited: settlement.awaitsCommit,
            announcing: settlement.sessionMade, &state)
        ask(&state)
        if let plan = settlement.delivered {
            if parts.witness.isAsked { parts.witness.note(plan.server, at: reading.now) }
            if parts.diagnostics.wantsDeliveries { parts.diagnostics.report(delivered: plan.records.map(\.messageID)) }
            for record in plan.records { parts.log.verbose(.debug) { "Event tracked: \(Self.name(of: record))" } }
            let count = recorder.add(plan.records, settlement.bytes, of: token.database, at: reading)
            let isDue = state.delivery.collected(count, at: reading.now)
            if isDue || !settlement.changes.isEmpty { recordDelivered(&state) }
        }
        if !settlement.events.isEmpty || before.circuit != state.delivery.breaker.state.circuit { publish(state) }
        for event in settlement.events { report(event, &state, at: reading) }
        report(settlement, state, at: reading)
        reportBreaker(from: before, state, at: reading.now)
        advance(&state, at: reading)
    }

    private func ask(_ state: inout State) {
        switch state.delivery.takeAsking() {
        case true?: parts.witness.beginAsking()
        case false?: parts.witness.endAsking()
        case nil: break
        }
    }

    /// Writes changes; if they are awaited, nothing is sent before they are on disk.
    ///
    /// - Parameters:
    ///   - database: The database in which they were decided; they have no effect in another one.
    ///   - session: A session that one of them binds. It is reported if the lane still has it then.
    func commit(
        _ changes: [LaneChange], of database: DatabaseID?, awaited: Bool, announcing session: SessionID? = nil,
        _ state: inout State
    ) {
        guard !changes.isEmpty else { return }
        recordDelivered(&state)
        for change in changes {
            // If the disk refuses the change, it holds in memory, where reads see it.
            recorder.write(change, of: database) { [self] result in
                switch change {
                case .bind, .bindMade, .unbind, .expire: announce(made: session, after: result)
                case .append, .continueSession, .reset, .consent, .forget, .unforget, .identify, .set, .ensure, .store,
                    .remove, .delivered, .drop, .dropAll, .requeue, .dropRefused, .ensureDevice, .group, .barrier:
                    break
                }
                if awaited { perform { $0.delivery.committed() } } else { lookOnceWritten() }
            }
        }
    }

    /// Ends delivery: nothing is under way any more, or the time for that is over.
    private func end(_ state: inout State) {
        hasEnded.set(true)
        state.delivery.suspicion.forget()
        ask(&state)
        state.firstSession = nil
        recordDelivered(&state)
        for flush in state.delivery.end() { report(flush, &state) }
        for transfer in state.transfers.values { parts.loop.cancel(transfer) }
        observe(.idle)
        parts.loop.close()
        // The completion may hold the engine: the engine drops it, so that neither keeps the other alive.
        let completion = state.closing.take()
        completion?()
    }

    /// Sets the timer to the first instant at which something is due.
    private func arm(_ state: inout State) {
        let next = state.delivery.wakesAt
        guard state.timer?.at != next else { return }
        if let old = state.timer { parts.loop.cancel(old.id) }
        state.timer = nil
        guard let next else { return }
        let id = parts.loop.schedule(at: next) { [self] in
            onLoop { state in
                state.timer = nil
                advance(&state)
            }
        }
        state.timer = (id, next)
    }
}

extension DeliveryEngine {
    /// Sends what is queued now. Reports when that has left the queue, when it must wait, or when the time is over.
    ///
    /// - Parameter cutoff: Ends it before its time.
    func flush(
        timeout: Duration, cutoff: FlushCutoff? = nil, completion: @escaping @Sendable (FlushReport) -> Void
    ) {
        guard !hasEnded.value else { return completion(reportAfterEnd) }
        let number = flushCount.wrappingAdd(1, ordering: .relaxed).newValue
        let deadline = parts.loop.now.advanced(by: max(timeout, .zero))
        // Work posted before the loop is closed still runs, and the end of the engine reports all flushes.
        let isOpen = parts.loop.post { [self] in
            onLoop { state in
                guard !state.delivery.isClosed else { return completion(reportAfterEnd) }
                state.reports[number] = completion
                state.delivery.addFlush(number, by: deadline)
                advance(&state)
            }
        }
        guard isOpen else { return completion(reportAfterEnd) }
        parts.outbox.stage(.barrier) { [self] result in perform { self.begin(number, result, &$0) } }
        cutoff?.setEnd { [weak self] in
            guard let self else { return }
            let now = parts.loop.now
            perform { $0.delivery.updateFlush(number) { $0.deadline = now } }
        }
    }

    /// The report of a flush that comes after the engine's end.
    private var reportAfterEnd: FlushReport {
        FlushReport(delivered: 0, remaining: parts.outbox.waitingRecords, stoppedBy: .notInitialized)
    }

    private func begin(_ number: Int, _ result: ChangeResult, _ state: inout State) {
        guard state.reports[number] != nil else { return }
        // A disk that refuses writes may still be readable: its records can be sent.
        let lane = result.lane ?? (try? parts.outbox.state())
        // Once the server has refused the client, the queue may be dropped by now.
        let isDisabled = state.delivery.isDisabled
        let queued = lane.flatMap { isDisabled ? nil : try? parts.outbox.queuedRecords(through: $0.lastSequence) }
        state.delivery.beginFlush(
            number, lane, queued: queued, accounted: lane.flatMap { _ in (try? parts.outbox.account())?.delivered })
    }

    /// Reports the flushes that are over, once their deliveries are on disk and counted.
    private func reportFlushes(_ state: inout State, at now: MonotonicInstant) {
        guard !state.delivery.flushes.isEmpty, state.delivery.decideFlushes(at: now) else { return }
        recordDelivered(&state)
        let ended = state.delivery.takeFlushes(isWritten: recorder.isWritten, at: now)
        publish(state)
        for flush in ended { report(flush, &state) }
    }

    /// Reports one flush, with the numbers on disk.
    private func report(_ flush: Flush, _ state: inout State) {
        guard let completion = state.reports.removeValue(forKey: flush.number) else { return }
        // If the disk kept the flush from beginning, it is about every record that waits. If the disk cannot be read, the
        // report has the number from the beginning of the flush.
        let remaining =
            flush.scope.map { (try? parts.outbox.queuedRecords(through: $0.through)) ?? $0.queued }
            ?? parts.outbox.waitingRecords
        completion(
            flush.report(
                remaining: remaining, accounted: flush.scope.flatMap { _ in (try? parts.outbox.account())?.delivered },
                delivered: state.delivery.delivered, isDisabled: state.delivery.isDisabled))
    }
}

extension LaneOutbox {
    /// How many records wait, on disk and in memory.
    var waitingRecords: Int {
        // A queue that cannot be read counts with what waits in memory.
        ((try? state())?.queuedRecords ?? 0) + unwrittenRecords
    }
}
