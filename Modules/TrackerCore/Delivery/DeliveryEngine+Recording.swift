import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// Takes an answer, and goes on from there.
    func settle(_ token: DeliveryState.Token, _ answer: Answer) {
        let moment = moment
        let (settlement, before, after) = state.withLock { state in
            let before = state.delivery.breaker.state
            let settlement = state.delivery.settle(token, with: answer, at: moment)
            halted.set(state.delivery.halt != nil)
            for case .delivered(let plan, _) in settlement.events { state.sent += plan.records.count }
            return (settlement, before, state.delivery.breaker.state)
        }
        commit(settlement.changes, awaited: settlement.awaitsCommit, telling: settlement.sessionMade)
        scheduleRecord(at: moment.now)
        for event in settlement.events { report(event, at: moment) }
        report(settlement, at: moment)
        reportBreaker(from: before, to: after, at: moment.now)
        advance()
    }

    /// How many deliveries are recorded together at most, and how long the first of them waits for others.
    private static let recordGroup = 64
    private static let recordDelay = Duration.milliseconds(20)

    /// Has what was delivered recorded soon, together with what is delivered until then.
    private func scheduleRecord(at now: MonotonicInstant) {
        let isFull = state.withLock { state in
            let count = state.delivery.unrecordedCount
            state.recordAt = count == 0 ? nil : state.recordAt ?? now.advanced(by: Self.recordDelay)
            return count >= Self.recordGroup
        }
        if isFull { recordDelivered() }
    }

    /// Has what was delivered recorded now.
    func recordDelivered() {
        let change = state.withLock { state in
            state.recordAt = nil
            return state.delivery.takeUnrecorded()
        }
        if let change { stage(change, awaited: false) }
    }

    /// Has changes written; if they are awaited nothing is sent before they are.
    ///
    /// - Parameter session: A session that one of them binds, told of if it is the lane's then.
    func commit(_ changes: [LaneChange], awaited: Bool, telling session: SessionID? = nil) {
        if !changes.isEmpty { recordDelivered() }
        for change in changes { stage(change, awaited: awaited, telling: session) }
    }

    private func stage(_ change: LaneChange, awaited: Bool, telling session: SessionID? = nil) {
        state.withLock { state in
            state.unsettled += 1
            if awaited { state.delivery.awaitCommit() }
        }
        // What the disk refuses holds in memory, and is seen from there.
        parts.outbox.stage(change) { [self] result in
            switch change {
            case .bind, .bindMade, .unbind, .expire: announce(made: session, after: result)
            default: break
            }
            noteSettled(awaited: awaited)
        }
    }

    /// A change is on disk, or remembered as one that the disk refused.
    private func noteSettled(awaited: Bool) {
        if awaited {
            parts.loop.post { [self] in
                state.withLock { state in
                    state.unsettled -= 1
                    state.delivery.committed()
                }
                advance()
            }
            return
        }
        let isAwaited = state.withLock { state in
            state.unsettled -= 1
            return state.unsettled == 0 && (state.isLeaving || !state.flushes.isEmpty)
        }
        if isAwaited { parts.loop.post { [self] in advance() } }
    }
}
