import TrackerModels

/// A database with the tables of lanes, records and values.
///
/// It serves one caller at a time, who holds the lock that it needs.
final class OutboxDatabase {
    let connection: Connection
    /// Names it among all databases; `nil` if it has lost its name.
    let id: DatabaseID?

    /// The number of this opening of the database.
    var opening = 0

    /// Takes over a handle whose tables have this library's schema.
    init(_ connection: consuming Connection) throws(StorageError) {
        id = try connection.number(DatabaseID.query).map(DatabaseID.init)
        self.connection = connection
    }

    /// The statement with a text that stands in the program.
    func statement(_ sql: StaticString) throws(StorageError) -> Statement { try connection.statement(sql) }

    /// Runs `body` in a transaction that reads one state of the database.
    func reading<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try statement("BEGIN").run()
        // A failure to end a transaction that has only read loses nothing.
        defer { _ = try? statement("COMMIT").run() }
        return try body()
    }

    /// SQLite's data version: it changes when another connection writes, of this process or of another.
    func version() throws(StorageError) -> ReadVersion {
        ReadVersion(opening: opening, changes: try statement("PRAGMA data_version").number() ?? -1)
    }

    /// Checks that no newer library has changed the database.
    func checkVersion() throws(StorageError) {
        guard try statement("PRAGMA user_version").number() != Schema.version else { return }
        _ = try Schema.currentVersion(connection)
        throw StorageError(.corrupt, "\(connection.path) has lost its schema version")
    }

    /// Runs `body` in a transaction that takes effect as a whole or not at all.
    func writing<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try statement("BEGIN IMMEDIATE").run()
        do throws(StorageError) {
            let result = try body()
            try statement("COMMIT").run()
            return result
        } catch {
            // Some failures have ended the transaction already. The first failure is reported.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Reads the other lanes of a lane's tenant.
    func otherLanes(of key: RowKey, prefix: String) throws(StorageError) -> [LaneRow] {
        var rows: [LaneRow] = []
        for other in try lanes(besides: key) where other.key.tenant == key.tenant {
            if let row = try lane(other.key, prefix: prefix) { rows.append(row) }
        }
        return rows
    }

    /// Looks at every page and every index, and reads every record of a lane.
    ///
    /// - Parameter sequence: The last number that was given, where a transaction has given more than the lane's row says.
    /// - Throws: `corrupt` if one is not what it should be.
    func inspect(_ key: RowKey?, givenUpTo sequence: Int64? = nil) throws(StorageError) {
        let check = try connection.prepare("PRAGMA integrity_check(1)")
        if let finding = try check.first(read: { $0.text("integrity_check") }) ?? nil, finding != "ok" {
            throw StorageError(.corrupt, "\(connection.path): \(finding)")
        }
        guard let key else { return }
        let (lowest, highest) = (key.records.lowerBound, key.records.upperBound)
        let last = try connection.number("SELECT max(id) FROM record WHERE id BETWEEN \(lowest) AND \(highest)")
        var given = sequence
        if given == nil { given = try connection.number("SELECT sequence FROM lane WHERE id = \(key.lane)") }
        if let last, let given, RowKey.sequence(ofRecord: last) > given {
            throw StorageError(.corrupt, "\(connection.path): a record has a number that was never given")
        }
        try readRecords(key.records, run: 0, isWanted: { _ in true }, body: { _, _ in true })
    }
}
