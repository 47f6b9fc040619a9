import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// An outbox that tells a ledger of each commit, if there is one, and can end as a killed process does: what it was told
/// before is on disk, and nothing else ever is.
final class RecordingOutbox: WrappingOutbox {
    /// What was staged and is not in the ledger yet: an answer that waits for a backup comes after those behind it.
    private struct Pending {
        var changes: [(change: LaneChange, result: ChangeResult?)] = []
        /// How many changes went before the first of them.
        var start = 0
        /// How many answers have not been given.
        var open = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let inner: SQLiteOutbox
    private let pending = Mutex(Pending())
    private let ledger: SessionLedger?
    /// How many changes it still takes; `nil`: any number.
    private let remaining = Mutex<Int?>(nil)
    private let dead = Flag(false)

    init(_ configuration: OutboxConfiguration, _ ledger: SessionLedger?) {
        inner = SQLiteOutbox(configuration)
        self.ledger = ledger
    }

    var isDead: Bool { dead.value }

    /// Dies at the change after so many; `nil`: never.
    func die(after changes: Int?) { remaining.withLock { $0 = changes } }

    /// Dies now.
    func die() { dead.set(true) }

    /// Releases what a process loses when it dies.
    func bury() async {
        await settle()
        inner.releaseDelivery()
    }

    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        inner.open { [ledger] result in
            ledger?.opened()
            completion(result)
        }
    }

    func stage(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        take(change) { number in
            inner.stage(change, of: database) { [self] result in answer(number, result) { completion(result) } }
        }
    }

    func stage(_ draft: Draft, of _: RecordOwner, answer make: () -> @Sendable (AnsweredRecords) -> Void) {
        take(.append(draft)) { number in
            // So that it is answered by itself.
            inner.stage(draft, of: RecordOwner(self, run: number)) {
                let body = make()
                return { [self] records in
                    for index in records.indices {
                        answer(number, ChangeResult(records.effect(index), records.lane)) { body(records) }
                    }
                }
            }
        }
    }

    /// Stages a change, unless the outbox is dead.
    ///
    /// - Parameter stage: Does so, given the change's number.
    private func take(_ change: LaneChange, _ stage: (Int) -> Void) {
        let isTaken = remaining.withLock { remaining in
            guard !dead.value, remaining != 0 else { return false }
            remaining = remaining.map { $0 - 1 }
            return true
        }
        guard isTaken else { return dead.set(true) }
        ledger?.staged(change)
        // Staged under the lock, so that the ledger's order is the outbox's.
        pending.withLock { pending in
            let number = pending.start + pending.changes.count
            pending.changes.append((change, nil))
            pending.open += 1
            stage(number)
        }
    }

    private func answer(_ number: Int, _ result: ChangeResult, _ completion: () -> Void) {
        commit(number, result)
        // A database that cannot be read tells nothing; the account is read again at the next commit.
        if let account = try? inner.account(), !account.isBalanced { ledger?.fault("not balanced: \(account)") }
        if !dead.value { completion() }
        finish()
    }

    /// Tells the ledger of what is answered, in the order of the staging.
    private func commit(_ number: Int, _ result: ChangeResult) {
        pending.withLock { pending in
            pending.changes[number - pending.start].result = result
            while case (let change, let result?)? = pending.changes.first {
                ledger?.committed(change, result)
                pending.changes.removeFirst()
                pending.start += 1
            }
        }
    }

    /// An answer has been given.
    private func finish() {
        let waiters = pending.withLock { pending in
            pending.open -= 1
            guard pending.open == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { pending.waiters = [] }
            return pending.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until all that was staged is answered.
    func settle() async {
        await withCheckedContinuation { continuation in inner.stage(.barrier) { _ in continuation.resume() } }
        await withCheckedContinuation { continuation in
            let isDone = pending.withLock { pending in
                if pending.open > 0 { pending.waiters.append(continuation) }
                return pending.open == 0
            }
            if isDone { continuation.resume() }
        }
    }

    func peek(limit: Int, maxBytes: Int, excluding: Set<Record.ID>) throws(StorageError) -> Peek {
        let peek = try inner.peek(limit: limit, maxBytes: maxBytes, excluding: excluding)
        ledger?.seen(peek.records)
        return peek
    }
}
