/// The rest of an erasure. The database remembers it, so that it goes on after a crash. A file says that there is one,
/// in case the database is damaged by then.
enum Erasure: Int64, Comparable {
    /// The backups of all tenants are to be written anew, and then all the rest is to be done.
    case everything = 0
    /// The database and what was set aside are left to do.
    case whole = 1
    /// The database is written anew; the log still holds what was deleted.
    case log = 2

    /// The rest that an earlier run has left.
    static func left(in database: OutboxDatabase) throws(StorageError) -> Erasure? {
        let number = try database.connection.number(Self.query)
        return number.map { Erasure(rawValue: $0) ?? .everything }
    }

    /// Reads the number of the rest from a database.
    static let query = "SELECT value FROM meta WHERE name = 'erase'"

    func save(in database: OutboxDatabase) throws(StorageError) {
        try database.connection.execute("INSERT OR REPLACE INTO meta VALUES('erase', \(rawValue))")
    }

    /// Has it begun with this step, or with an earlier one that is due already.
    func demand(in database: OutboxDatabase) throws(StorageError) {
        try database.connection.execute(
            """
            INSERT INTO meta VALUES('erase', \(rawValue))
            ON CONFLICT DO UPDATE SET value = min(value, excluded.value)
            """)
    }

    static func < (lhs: Erasure, rhs: Erasure) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Removes it from the database: the erasure is complete.
    static func forget(in database: OutboxDatabase) throws(StorageError) {
        try database.connection.execute("DELETE FROM meta WHERE name = 'erase'")
    }
}

extension StateFolder {
    /// Notes that an erasure is due, before the transaction that makes it so takes effect.
    ///
    /// - Returns: Why it was not noted. That is no harm unless the database, which says so too, is damaged.
    func rememberErasure() -> StorageError? {
        do throws(StorageError) {
            try facts.save("due", .erasure)
            return nil
        } catch {
            return error
        }
    }

    /// Whether an erasure is due, as far as the file says.
    func remembersErasure() throws(StorageError) -> Bool { try facts.contains(BackupFiles.Fact.erasure.rawValue) }

    /// Notes that the erasure is complete.
    func forgetErasure() throws(StorageError) { try facts.remove(BackupFiles.Fact.erasure.rawValue) }
}
