import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What an engine has its outbox write, and what has been delivered and is to be written together with others.
///
/// The loop adds to it. A reset or a denial, from whatever thread, has the deliveries before it written first: they
/// were delivered, whatever becomes of the queue.
final class DeliveryRecorder: Sendable {
    private struct State {
        var records: [Record.ID] = []
        var bytes = WireBytes(before: 0, after: 0)
        /// How many changes are staged and not on disk yet.
        var unwritten = 0
    }

    private let outbox: any Outbox
    private let state = Mutex(State())

    init(_ outbox: any Outbox) { self.outbox = outbox }

    /// Whether all that was staged is on disk, or remembered as what the disk refused.
    var isWritten: Bool { state.withLock { $0.unwritten == 0 } }

    /// Adds what was delivered.
    ///
    /// - Returns: How many deliveries are to be written by now.
    func add(_ records: [Record], _ bytes: WireBytes) -> Int {
        state.withLock { state in
            for record in records { state.records.append(record.id) }
            state.bytes.before += bytes.before
            state.bytes.after += bytes.after
            return state.records.count
        }
    }

    /// Has what was delivered written now.
    ///
    /// - Parameter completion: Told once it is, if there was anything.
    func record(completion: @escaping @Sendable () -> Void) {
        // Staged under the lock: what is staged next comes after it.
        state.withLock { state in
            guard !state.records.isEmpty else { return }
            let change = LaneChange.delivered(state.records.sorted(), bytes: state.bytes)
            state.records.removeAll(keepingCapacity: true)
            state.bytes = WireBytes(before: 0, after: 0)
            state.unwritten += 1
            stage(change) { _ in completion() }
        }
    }

    /// Has a change written.
    func write(_ change: LaneChange, completion: @escaping @Sendable (ChangeResult) -> Void) {
        state.withLock { $0.unwritten += 1 }
        stage(change, completion)
    }

    private func stage(_ change: LaneChange, _ completion: @escaping @Sendable (ChangeResult) -> Void) {
        outbox.stage(change) { [self] result in
            state.withLock { $0.unwritten -= 1 }
            completion(result)
        }
    }
}

extension DeliveryEngine {
    /// How many deliveries are recorded together at most, and how long the first of them waits for others.
    private static let recordGroup = 64
    private static let recordDelay = Duration.milliseconds(20)

    /// Takes an answer, and goes on from there.
    func finish(_ token: DeliveryState.Token, _ answer: Answer, _ state: inout State) {
        let reading = reading
        // Credentials that were changed meanwhile are not those that the answer is about.
        applyOrders(&state)
        state.transfers[token] = nil
        let before = state.delivery.breaker.state
        let settlement = state.delivery.finish(token, with: answer, at: reading)
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
