import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// What a session lane promised and what its server saw: written where both happen, and compared.
///
/// Commits are told by a ``WatchedOutbox`` in their order, requests and answers by the server.
final class SessionLedger: Sendable {
    fileprivate struct State {
        /// The records in the order of their commits, each with its generation.
        var committed: [(id: String, generation: Generation)] = []
        var generationOf: [String: Generation] = [:]
        var sessionsOf: [Generation: Set<String>] = [:]
        var bound: Set<Generation> = []
        var current: Generation?
        var consent = Consent.granted
        /// Grants that are staged, and may be on disk before that is told.
        var grants = 0
        /// Deleted for good: they may never be sent again.
        var deleted: Set<String> = []
        /// Records that need not arrive.
        var excused: Set<String> = []
        /// Records whose session was said to be gone, once: they are sent again unless their generation ends first.
        var doubted: Set<String> = []
        var taken: [String] = []
        var faults: [String] = []
    }

    private let state = Mutex(State())

    /// What went wrong so far.
    var faults: [String] { state.withLock { $0.faults } }

    func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

    /// A change is about to be written.
    func staged(_ change: LaneChange) {
        if case .consent(.granted, _) = change { state.withLock { $0.grants += 1 } }
    }

    /// A change is on disk. What the lane's state says may already be of a later one.
    func committed(_ change: LaneChange, _ result: ChangeResult) {
        state.withLock { state in
            switch (change, result) {
            case (.append(let draft), .queued), (.append(let draft), .pending):
                let id = draft.messageID.text
                guard let current = state.current, state.generationOf[id] == nil else { return }
                state.committed.append((id, current))
                state.generationOf[id] = current
            case (.reset(let all, _), .done):
                state.leave(all: all)
            case (.consent(let consent, _), .done):
                if consent == .denied { state.leave(all: true) }
                if consent == .granted { state.grants -= 1 }
                state.consent = consent
            case (.bind(let generation, let session), .done):
                state.bound.insert(generation)
                state.sessionsOf[generation, default: []].insert(session.text)
            case (.unbind(let generation, _, _), .done):
                if generation == state.current { state.bound.remove(generation) }
            case (.store, .done(let lane)) where state.current == nil:
                state.current = lane.generation
            default: break
            }
        }
    }

    /// The server reads a request: whether it may be there at all.
    func read(_ key: String, session: String?) {
        state.withLock { state in
            if state.consent != .granted, state.grants == 0 { state.faults.append("\(key) was sent without consent") }
            guard let generation = state.generationOf[key] else { return }
            if state.deleted.contains(key) { state.faults.append("\(key) was sent after it was deleted") }
            if let session, state.sessionsOf[generation]?.contains(session) != true {
                state.faults.append("\(key) went to \(session), which is not its generation's")
            }
        }
    }

    /// The server has taken a record.
    func took(_ key: String) {
        state.withLock { if !$0.taken.contains(key) { $0.taken.append(key) } }
    }

    /// The server refuses a record for good, or says that its session is gone.
    func refused(_ key: String, isGone: Bool) {
        let key = key.hasSuffix(":identify") && isGone ? String(key.dropLast(":identify".count)) : key
        state.withLock { state in
            let isCurrent = state.generationOf[key] == state.current
            if isGone, isCurrent, state.doubted.insert(key).inserted { return }
            state.excused.insert(key)
        }
    }

    /// Compares, once all is delivered.
    func close() {
        state.withLock { state in
            let order = state.taken.filter { state.generationOf[$0] != nil }
            let taken = Set(order)
            let expected = state.committed.map(\.id).filter(taken.contains)
            if order != expected { state.faults.append("taken \(order) instead of \(expected)") }
            for (id, _) in state.committed where !taken.contains(id) && !state.excused.contains(id) {
                state.faults.append("\(id) never arrived")
            }
        }
    }
}

extension SessionLedger.State {
    /// Notes what a reset or a denial deletes.
    fileprivate mutating func leave(all: Bool) {
        excused.formUnion(doubted)
        for (id, generation) in committed {
            if all { deleted.insert(id) }
            if all || !bound.contains(generation) { excused.insert(id) }
        }
        current = current.map { Generation($0.number + 1) }
    }
}

/// An outbox that tells a ledger of each commit, and can end as a killed process does: what it was told before is on
/// disk, and nothing else ever is.
final class WatchedOutbox: Outbox {
    private let inner: SQLiteOutbox
    private let ledger: SessionLedger
    /// How many changes it still takes; `nil`: any number.
    private let remaining = Mutex<Int?>(nil)
    private let dead = Flag(false)

    init(_ configuration: OutboxConfiguration, _ ledger: SessionLedger) {
        inner = SQLiteOutbox(configuration)
        self.ledger = ledger
    }

    var isDead: Bool { dead.value }

    /// Dies at the change after so many; `nil`: never.
    func die(after changes: Int?) { remaining.withLock { $0 = changes } }

    /// Dies now.
    func die() { dead.set(true) }

    /// Waits until all that was taken is on disk.
    func settle() async {
        await withCheckedContinuation { continuation in
            inner.stage(.barrier) { _ in continuation.resume() }
        }
    }

    /// Lets go of what a process has no more when it is dead.
    func bury() async {
        await settle()
        inner.releaseDelivery()
        inner.releaseSessionCreation()
    }

    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        inner.open(completion: completion)
    }

    func stage(_ change: LaneChange, completion: @escaping @Sendable (ChangeResult) -> Void) {
        let isTaken = remaining.withLock { remaining in
            guard !dead.value, remaining != 0 else { return false }
            remaining = remaining.map { $0 - 1 }
            return true
        }
        guard isTaken else { return dead.set(true) }
        ledger.staged(change)
        inner.stage(change) { [inner, ledger, dead] result in
            ledger.committed(change, result)
            // A database that cannot be read tells nothing; the account is read again at the next commit.
            if let account = try? inner.account(), !account.isBalanced { ledger.fault("not balanced: \(account)") }
            if !dead.value { completion(result) }
        }
    }

    func peek(limit: Int, maxBytes: Int) throws(StorageError) -> Peek {
        try inner.peek(limit: limit, maxBytes: maxBytes)
    }

    func state() throws(StorageError) -> LaneState { try inner.state() }
    func queuedRecords(through sequence: Int64) throws(StorageError) -> Int {
        try inner.queuedRecords(through: sequence)
    }
    func value(for key: StoredKey) -> String? { inner.value(for: key) }
    func account() throws(StorageError) -> Account { try inner.account() }
    func strandedLanes() throws(StorageError) -> [StrandedLane] { try inner.strandedLanes() }
    func acquireDelivery() -> Bool { inner.acquireDelivery() }
    func releaseDelivery() { inner.releaseDelivery() }
    func acquireSessionCreation() -> Bool { inner.acquireSessionCreation() }
    func releaseSessionCreation() { inner.releaseSessionCreation() }
    func close(completion: @escaping @Sendable () -> Void) { inner.close(completion: completion) }
}
