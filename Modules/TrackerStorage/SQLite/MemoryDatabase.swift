import Synchronization

/// The database of outboxes that are kept in memory, one after the other: each takes it when it opens, and gives it back when
/// it closes. So it outlives them, as a file would.
package final class MemoryDatabase: Sendable {
    /// Who gives a database back has forgotten it, with its statements: one thread at a time has it.
    private struct Held: @unchecked Sendable {
        let database: OutboxDatabase
    }

    private let held = Mutex<Held?>(nil)

    package init() {}

    /// - Returns: `nil` if there is none yet.
    func take() -> OutboxDatabase? { held.withLock { $0.take() }?.database }

    /// Takes back what ``take()`` has given, or a first database.
    func give(_ database: OutboxDatabase) {
        let given = Held(database: database)
        held.withLock { $0 = given }
    }
}
