import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Collects deliveries, and has the outbox write them in groups.
///
/// The loop adds to it. A reset or a denial, on any thread, first writes the deliveries before it, so that they count
/// as delivered.
final class DeliveryRecorder: Sendable {
    private struct State {
        var records: [Record.ID] = []
        var bytes = WireBytes(before: 0, after: 0)
        /// The database that they were read from.
        var database: DatabaseID?
        /// How many changes are staged and not on disk yet.
        var unwritten = 0
    }

    private let outbox: any LaneOutbox
    private let state = Mutex(State())

    init(_ outbox: any LaneOutbox) { self.outbox = outbox }

    /// Whether every staged change is on disk, or kept in memory since the disk refused it.
    var isWritten: Bool { state.withLock { $0.unwritten == 0 } }

    /// Adds delivered records.
    ///
    /// - Parameter database: The database that they were read from.
    /// - Returns: How many deliveries wait to be written.
    func add(_ records: [Record], _ bytes: WireBytes, of database: DatabaseID?) -> Int {
        state.withLock { state in
            if state.database != database { stageDelivered(&state) {} }
            state.database = database
            for record in records { state.records.append(record.id) }
            state.bytes.before += bytes.before
            state.bytes.after += bytes.after
            return state.records.count
        }
    }

    /// Writes the deliveries now.
    ///
    /// - Parameter completion: Called once they are written, if there were any.
    func record(completion: @escaping @Sendable () -> Void) {
        // Staged under the lock, so that later changes come after it.
        state.withLock { stageDelivered(&$0, completion) }
    }

    /// Writes a change.
    ///
    /// - Parameter database: The database in which it was decided.
    func write(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        state.withLock { $0.unwritten += 1 }
        stage(change, of: database, completion)
    }

    private func stageDelivered(_ state: inout State, _ completion: @escaping @Sendable () -> Void) {
        guard !state.records.isEmpty else { return }
        let change = LaneChange.delivered(state.records.sorted(), bytes: state.bytes)
        state.records.removeAll(keepingCapacity: true)
        state.bytes = WireBytes(before: 0, after: 0)
        state.unwritten += 1
        stage(change, of: state.database) { _ in completion() }
    }

    private func stage(
        _ change: LaneChange, of database: DatabaseID?, _ completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        outbox.stage(change, of: database) { [self] result in
            state.withLock { $0.unwritten -= 1 }
            completion(result)
        }
    }
}

extension DeliveryEngine {
    /// Takes the answer to a request, records what it changes, and goes on.
    func finish(_ token: DeliveryState.Token, _ answer: Answer, _ state: inout State) {
        let reading = reading
        // New credentials count first: the answer is about the old ones then.
        applyOrders(&state)
        state.transfers[token] = nil
        let before = state.delivery.breaker.state
        let settlement = state.delivery.finish(token, with: answer, at: reading)
        commit(
            settlement.changes, of: token.database, awaited: settlement.awaitsCommit,
            announcing: settlement.sessionMade, &state)
        if let plan = settlement.delivered {
            if parts.diagnostics.wantsDeliveries { parts.diagnostics.report(delivered: plan.records.map(\.messageID)) }
            for record in plan.records { parts.log.verbose(.debug) { "Event tracked: \(Self.name(of: record))" } }
            let count = recorder.add(plan.records, settlement.bytes, of: token.database)
            let isDue = state.delivery.collected(count, at: reading.now)
            if isDue || !settlement.changes.isEmpty { recordDelivered(&state) }
        }
        if !settlement.events.isEmpty || before.circuit != state.delivery.breaker.state.circuit { publish(state) }
        for event in settlement.events { report(event, &state, at: reading) }
        report(settlement, state, at: reading)
        reportBreaker(from: before, state, at: reading.now)
        advance(&state, at: reading)
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
                case .append, .continueSession, .reset, .consent, .identify, .set, .ensure, .store, .remove, .delivered, .drop,
                    .dropAll, .ensureDevice, .group, .barrier:
                    break
                }
                if awaited { perform { $0.delivery.committed() } } else { lookOnceWritten() }
            }
        }
    }
}
