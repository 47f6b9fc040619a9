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
