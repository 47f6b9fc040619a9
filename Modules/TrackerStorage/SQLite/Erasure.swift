/// What is left of an erasure. The database remembers it, so that a crash does not break it off.
enum Erasure: Int64 {
    /// All of it.
    case whole = 1
    /// The database is written anew; the log still holds what was deleted.
    case log = 2

    /// What an earlier run has left.
    static func left(in database: LaneDatabase) throws(StorageError) -> Erasure? {
        let number = try database.connection.number("SELECT value FROM meta WHERE name = 'erase'")
        return number.map { Erasure(rawValue: $0) ?? .whole }
    }

    /// Has the database remember it.
    func save(in database: LaneDatabase) throws(StorageError) {
        try database.connection.execute("INSERT OR REPLACE INTO meta VALUES('erase', \(rawValue))")
    }

    /// Notes that nothing is left.
    static func forget(in database: LaneDatabase) throws(StorageError) {
        try database.connection.execute("DELETE FROM meta WHERE name = 'erase'")
    }
}
