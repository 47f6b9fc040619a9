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
        var records: [RemovedRecord] = []
        var bytes = WireBytes(before: 0, after: 0)
        /// The database that they were read from.
        var database: DatabaseID?
        /// How many changes are staged and not on disk yet.
        var unwritten = 0
        /// From each record's call to its 2xx.
        var times = DurationHistogram()
    }

    private let outbox: any LaneOutbox
    private let state = Mutex(State())

    init(_ outbox: any LaneOutbox) { self.outbox = outbox }

    /// Whether every staged change is on disk, or kept in memory since the disk refused it.
    var isWritten: Bool { state.withLock { $0.unwritten == 0 } }

    /// How long it took from the calls to the 2xx for their records, of all that was added.
    var deliveryTimes: DurationHistogram { state.withLock { $0.times } }

    /// Adds records that were delivered just now.
    ///
    /// - Parameter database: The database that they were read from.
    /// - Returns: How many deliveries wait to be written.
    func add(_ records: [Record], _ bytes: WireBytes, of database: DatabaseID?, at reading: ClockReading) -> Int {
        state.withLock { state in
            if state.database != database { stageDelivered(&state) {} }
            state.database = database
            for record in records {
                state.records.append(RemovedRecord(record))
                state.times.record(record.age(at: reading))
            }
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

    /// - Parameter database: The database in which it was decided.
    func write(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        state.withLock { $0.unwritten += 1 }
        stage(change, of: database, completion)
    }

    private func stageDelivered(_ state: inout State, _ completion: @escaping @Sendable () -> Void) {
        guard !state.records.isEmpty else { return }
        let change = LaneChange.delivered(state.records, bytes: state.bytes)
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
