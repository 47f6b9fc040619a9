import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// How many deliveries are recorded together at most, and how long the first of them waits for others.
    private static let recordGroup = 64
    private static let recordDelay = Duration.milliseconds(20)

    /// Takes an answer, and goes on from there.
    func settle(_ token: DeliveryState.Token, _ answer: Answer, _ state: inout State) {
        let reading = reading
        // Credentials that were changed meanwhile are not those that the answer is about.
        obey(&state)
        state.transfers[token] = nil
        let before = state.delivery.breaker.state
        let settlement = state.delivery.settle(token, with: answer, at: reading)
        publishHalt(state)
        commit(settlement.changes, awaited: settlement.awaitsCommit, telling: settlement.sessionMade, &state)
        if let plan = settlement.delivered {
            state.sent += plan.records.count
            for record in plan.records { parts.log.verbose(.debug) { "Event tracked: \(Self.name(of: record))" } }
            let count = recorder.add(plan.records, settlement.bytes)
            state.recordAt = state.recordAt ?? reading.now.advanced(by: Self.recordDelay)
            if count >= Self.recordGroup || !settlement.changes.isEmpty { recordDelivered(&state) }
        }
        if !settlement.events.isEmpty || before.circuit != state.delivery.breaker.state.circuit { publish(state) }
        for event in settlement.events { report(event, &state, at: reading) }
        report(settlement, state, at: reading)
        reportBreaker(from: before, state, at: reading.now)
        advance(&state, at: reading)
    }

    /// Has changes written; if they are awaited nothing is sent before they are.
    ///
    /// - Parameter session: A session that one of them binds, told of if it is the lane's then.
    func commit(_ changes: [LaneChange], awaited: Bool, telling session: SessionID? = nil, _ state: inout State) {
        guard !changes.isEmpty else { return }
        recordDelivered(&state)
        for change in changes {
            if awaited { state.delivery.awaitCommit() }
            // What the disk refuses holds in memory, and is seen from there.
            recorder.write(change) { [self] result in
                switch change {
                case .bind, .bindMade, .unbind, .expire: announce(made: session, after: result)
                default: break
                }
                if awaited { perform { $0.delivery.committed() } } else { lookOnceWritten() }
            }
        }
    }
}
