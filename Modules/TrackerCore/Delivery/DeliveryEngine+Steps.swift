import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The steps of the engine on its loop.
extension DeliveryEngine {
    /// Does whatever can be done now, and arms the timer for the rest.
    ///
    /// - Parameter reading: The time, if it was just taken.
    func advance(_ state: inout State, at reading: ClockReading? = nil) {
        let reading = reading ?? self.reading
        if let recordAt = state.recordAt, recordAt <= reading.now { recordDelivered(&state) }
        while !state.isClosed, step(&state, at: reading) {}
        state.delivery.prepare(at: reading)
        updateFlushes(&state, at: reading.now)
        if let shutdown = dueShutdown(state, at: reading.now) { return end(shutdown, &state) }
        arm(&state)
    }

    /// The end, if nothing is under way any more or its time has come.
    private func dueShutdown(_ state: State, at now: MonotonicInstant) -> Shutdown? {
        guard let shutdown = state.shutdown, !state.isClosed else { return nil }
        return state.delivery.inFlight.isEmpty || shutdown.deadline <= now ? shutdown : nil
    }

    private func end(_ shutdown: Shutdown, _ state: inout State) {
        state.isClosed = true
        hasEnded.set(true)
        state.firstSession = nil
        let flushes = state.flushes
        state.flushes = [:]
        recordDelivered(&state)
        for flush in Flush.inOrder(flushes) { report(flush, flush.end ?? .stopped(.timeout), state) }
        for transfer in state.transfers.values { parts.loop.cancel(transfer) }
        observe(.idle)
        parts.loop.close()
        // The completion may hold the engine: the engine drops it, so that neither keeps the other alive.
        state.shutdown = nil
        shutdown.completion()
    }

    /// Does one thing; false if there is nothing to do now.
    private func step(_ state: inout State, at reading: ClockReading) -> Bool {
        let isPaused = applyOrders(&state)
        state.wakeAt = nil
        if state.shutdown != nil { return pause(nil, &state) }
        switch state.delivery.readiness(at: reading.now, isPaused: isPaused) {
        case .busy:
            return pause(nil, &state)
        case .stopped(let reason):
            releaseLane(&state)
            return pause(reason, &state)
        case .wait(let until, let reason):
            // A process that cannot reach the server must not keep the lane from one that can.
            releaseLane(&state)
            return pause(reason, until: until, &state)
        case .firstSession:
            return takeFirstStep(&state, at: reading)
        case .look(let window):
            guard takeLane(&state, at: reading.now) else { return false }
            // Deliveries are staged first: a peek leaves out what is staged as delivered.
            recordDelivered(&state)
            do throws(StorageError) {
                let peek = try parts.outbox.peek(
                    limit: window.records, maxBytes: window.bytes, excluding: state.delivery.underWay)
                let intention = state.delivery.intention(for: peek, wantedThrough: wanted(state), at: reading)
                return act(on: intention, peek.records.first, peek.state.queuedRecords, &state, at: reading)
            } catch {
                return diskFailed(error, &state, at: reading)
            }
        case .recheck:
            do throws(StorageError) {
                let lane = try parts.outbox.state()
                guard let until = state.delivery.stillHolds(lane, wantedThrough: wanted(state), at: reading.now) else {
                    return true
                }
                releaseLane(&state)
                return pause(nil, until: until, &state)
            } catch {
                return diskFailed(error, &state, at: reading)
            }
        case .confirm(let record):
            guard takeLane(&state, at: reading.now) else { return false }
            do throws(StorageError) {
                // If it no longer holds, the next step reads the front again.
                guard try holds(record, &state), let ahead = state.delivery.ahead else { return true }
                let intention = state.delivery.intention(wantedThrough: wanted(state), at: reading)
                return act(on: intention, ahead.first, ahead.lane.queuedRecords, &state, at: reading)
            } catch {
                return diskFailed(error, &state, at: reading)
            }
        }
    }

    /// Whether what was read ahead holds: nothing has changed since, or nothing that matters to it.
    private func holds(_ record: Record.ID, _ state: inout State) throws(StorageError) -> Bool {
        if let version = state.delivery.ahead?.version, try parts.outbox.isUnchanged(since: version) { return true }
        return state.delivery.confirm(try parts.outbox.state(ifQueued: record))
    }

    /// The highest sequence number that a flush or the schedule wants sent now.
    private func wanted(_ state: State) -> Int64 {
        state.flushes.values.reduce(state.dueThrough) { max($0, $1.scope?.through ?? 0) }
    }

    private func act(
        on intention: Intention, _ first: Record?, _ queued: Int, _ state: inout State, at reading: ClockReading
    ) -> Bool {
        state.front = first?.sequence
        let isEmpty = first == nil && state.delivery.inFlight.isEmpty
        warnOfGrowth(isEmpty ? 0 : queued, &state, at: reading.now)
        switch intention {
        case .send(let plan):
            send(plan, &state)
            return true
        case .change(let changes):
            commit(changes, of: state.delivery.database, awaited: true, &state)
            return pause(nil, &state)
        case .drop(let records, let reason, let message):
            report(.dropped(records, reason, message), &state, at: reading)
            commit([.drop(records.map(\.id), reason)], of: state.delivery.database, awaited: false, &state)
            return true
        case .hold(let until):
            // Nothing is due here yet. Another process may deliver meanwhile, for a flush of its own.
            releaseLane(&state)
            return pause(nil, until: until, &state)
        case .blocked(let reason):
            releaseLane(&state)
            return pause(reason, &state)
        case .rest:
            return rest(isEmpty: isEmpty, &state, at: reading)
        }
    }

    /// The lane is empty, or what is left is under way.
    private func rest(isEmpty: Bool, _ state: inout State, at reading: ClockReading) -> Bool {
        if isEmpty { state.isInterested = false }
        guard isEmpty, state.isLocked else { return pause(nil, &state) }
        observe(.idle)
        // If something is still to be written, the engine looks at the lane again once it is.
        guard releaseLane(&state) else { return pause(nil, &state) }
        // Another process may have queued something just now and found the lane taken: look once more.
        guard let lane = try? parts.outbox.state(), lane.queuedRecords > 0 else { return pause(nil, &state) }
        return retakeLane(&state, at: reading)
    }

    /// Takes the lane that has just been released, since there is something in it again.
    private func retakeLane(_ state: inout State, at reading: ClockReading) -> Bool {
        state.isInterested = true
        // If another process has taken it, keep trying: that process may die before it sends anything.
        guard takeLane(&state, at: reading.now) else { return false }
        // Queued records may be delivered already and not recorded yet: then there is nothing to do.
        do throws(StorageError) {
            if try !parts.outbox.peek(limit: 1, maxBytes: .max).records.isEmpty { return true }
            releaseLane(&state)
            return pause(nil, &state)
        } catch {
            return diskFailed(error, &state, at: reading)
        }
    }

    /// Sends a plan. If the engine was paused or got a new dialect meanwhile, the records are planned again instead.
    func send(_ plan: Plan, _ state: inout State) {
        guard mayDepart(state) else { return state.delivery.forgetAhead() }
        let token = state.delivery.depart(plan)
        state.transfers[token] = parts.loop.submit(plan.request) { [self] answer in
            onLoop { state in finish(token, answer, &state) }
        }
    }

    private func diskFailed(_ error: StorageError, _ state: inout State, at reading: ClockReading) -> Bool {
        state.lastError = (error.message, reading.wall)
        // Readers recover by themselves. The wait of a second prevents a busy loop on a broken disk.
        return pause(.storage, until: reading.now.advanced(by: .seconds(1)), &state)
    }

    func pause(_ reason: StopReason?, until: MonotonicInstant? = nil, _ state: inout State) -> Bool {
        state.rest = reason
        state.wakeAt = state.isResting ? nil : until
        return false
    }
}

extension DeliveryEngine {
    /// How often the engine tries a lane that another process delivers, while this process waits for something in it.
    private static let patience = Duration.milliseconds(500)

    /// Becomes the lane's deliverer, unless another process is.
    func takeLane(_ state: inout State, at now: MonotonicInstant) -> Bool {
        if state.isLocked || claimLane(&state) { return true }
        // A lane without work is not looked at again, so that every process that has it open may sleep.
        let isWaiting = state.isInterested || !state.flushes.isEmpty
        let peek = isWaiting ? try? parts.outbox.peek(limit: 1, maxBytes: 0) : nil
        // If the disk cannot be read, the engine tries again.
        let hasWork = isWaiting && peek.map { !$0.records.isEmpty || state.delivery.needsSession($0.state) } ?? true
        state.rest = hasWork ? .otherProcess : nil
        state.front = peek?.records.first?.sequence
        if hasWork {
            // At rest, only a flush has it try again.
            let mayWake = !state.isResting || !state.flushes.isEmpty
            state.wakeAt = mayWake ? now.advanced(by: Self.patience) : nil
            if peek == nil { state.front = 0 }
        } else {
            state.isInterested = false
        }
        return false
    }

    /// Takes the lane's lock, unless another process has it.
    func claimLane(_ state: inout State) -> Bool {
        let wasDeliverer = state.isDeliverer
        let isTaken = parts.outbox.acquireDelivery()
        state.isElsewhere = !isTaken
        state.isDeliverer = isTaken
        if isTaken {
            state.isLocked = true
            state.delivery.forgetAhead()
            if wasDeliverer == false { parts.diagnostics.report(.lane("This process delivers the lane now.")) }
        } else if wasDeliverer == true {
            parts.diagnostics.report(.lane("Another process delivers the lane now."))
        }
        return isTaken
    }

    /// Leaves the lane to other processes, unless something is under way. The outbox lets them have it once they find
    /// on disk what this process has done.
    ///
    /// - Returns: Whether another process may have it now.
    @discardableResult
    func releaseLane(_ state: inout State) -> Bool {
        recordDelivered(&state)
        guard state.isLocked else { return true }
        guard state.delivery.inFlight.isEmpty else { return false }
        state.isLocked = false
        return parts.outbox.releaseDelivery()
    }

    /// Sets the timer to the first instant at which something is due.
    func arm(_ state: inout State) {
        var next: MonotonicInstant?
        if !state.isClosed {
            next = [state.wakeAt, state.recordAt, state.shutdown?.deadline].lazy.compactMap { $0 }.min()
            for flush in state.flushes.values { next = min(next ?? flush.deadline, flush.deadline) }
        }
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
