import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// An outbox that tells a ledger of each commit, and can end as a killed process does: what it was told before is on
/// disk, and nothing else ever is.
final class WatchedOutbox: WrappingOutbox {
    let inner: SQLiteOutbox
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

    /// Lets go of what a process has no more when it is dead.
    func bury() async {
        await settle()
        inner.releaseDelivery()
        inner.releaseSessionCreation()
    }

    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        inner.open { [ledger] result in
            ledger.opened()
            completion(result)
        }
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
        let peek = try inner.peek(limit: limit, maxBytes: maxBytes)
        ledger.seen(peek.records)
        return peek
    }
}
