import Synchronization
import TrackerModels

@testable import TrackerCore

/// What a user of a client knows of each event: what its call was answered, whether the server has it, and why not.
final class Fates: Sendable {
    private struct State {
        /// Calls that were answered as queued or pending.
        var queued: [String] = []
        /// The keys under which the server has taken an event.
        var taken: [String: Set<String>] = [:]
        /// The events that the server has taken under a key.
        var members: [String: [String]] = [:]
        var dropped: [String: Set<DropReason>] = [:]
        /// What was refused, and was then removed by the program or erased with its user.
        var removed: Set<String> = []
        var faults: [String] = []

        /// Whether an event is in the account with a reason that is not its server's.
        func isExcused(_ id: String, _ reasons: Set<DropReason>) -> Bool {
            !(dropped[id] ?? []).isDisjoint(with: reasons)
        }

        /// Whether a group cannot go again under its key: one of its events had to make room, or was too old.
        func isBroken(_ key: String) -> Bool {
            (members[key] ?? []).contains { isExcused($0, [.evicted, .expired]) }
        }
    }

    private let state = Mutex(State())

    /// What went wrong so far.
    var faults: [String] { state.withLock { $0.faults } }

    func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

    /// A call was answered.
    func answered(_ id: MessageID, _ answer: CallAnswer) {
        guard case .success(let outcome) = answer, outcome.isQueued || outcome.isPending else { return }
        state.withLock { $0.queued.append(id.text) }
    }

    /// The server has taken events under a key that it did not know.
    func took(_ ids: [String], under key: String) {
        state.withLock { state in
            state.members[key] = ids
            for id in ids { state.taken[id, default: []].insert(key) }
        }
    }

    /// The client says that events have left its queue.
    func dropped(_ ids: [MessageID], _ reason: DropReason) {
        state.withLock { state in
            for id in ids { state.dropped[id.text, default: []].insert(reason) }
        }
    }

    /// Refused events were removed.
    func removed(_ ids: [MessageID]) { state.withLock { $0.removed.formUnion(ids.map(\.text)) } }

    /// Compares, once all is delivered.
    ///
    /// - Parameter refused: What the client keeps apart.
    func close(refused: [MessageID]) {
        let refused = Set(refused.map(\.text))
        state.withLock { state in
            for id in state.queued where state.taken[id] == nil && !refused.contains(id) && !state.removed.contains(id)
            {
                guard !state.isExcused(id, [.evicted, .expired, .reset, .consent]) else { continue }
                state.faults.append("\(id) is nowhere, but was dropped as \(state.dropped[id] ?? [])")
            }
            for (id, keys) in state.taken {
                if refused.contains(id) { state.faults.append("\(id) is delivered, and refused") }
                if !state.queued.contains(id) { state.faults.append("\(id) is delivered, and was never queued") }
                guard keys.count > 1, !keys.contains(where: state.isBroken) else { continue }
                state.faults.append("\(id) was delivered under \(keys.sorted())")
            }
        }
    }
}
