import TrackerModels

/// A database and its compiled statements.
///
/// It serves one caller at a time, who holds the lock that it needs.
final class LaneDatabase {
    /// The handle.
    let connection: Connection
    /// Lanes and brands.
    let lanes: LaneTable
    /// The records that wait.
    let records: RecordTable
    /// The bindings of generations.
    let generations: GenerationTable
    /// The records that travel together.
    let groups: GroupTable
    /// Callers' message ids.
    let idempotencyKeys: IdempotencyKeyTable
    /// Values.
    let values: ValueTable

    /// Names it among all databases; `nil` if it has lost its name.
    let id: DatabaseID?

    /// The number of this opening of the database.
    var opening = 0

    private let versionStatement: Statement
    private let changesStatement: Statement
    private let readStatement: Statement
    private let writeStatement: Statement
    private let commitStatement: Statement

    /// Takes over a handle whose tables have this library's schema.
    init(_ connection: consuming Connection) throws(StorageError) {
        lanes = try LaneTable(connection)
        records = try RecordTable(connection)
        generations = try GenerationTable(connection)
        groups = try GroupTable(connection)
        idempotencyKeys = try IdempotencyKeyTable(connection)
        values = try ValueTable(connection)
        versionStatement = try connection.prepare("PRAGMA user_version")
        changesStatement = try connection.prepare("PRAGMA data_version")
        readStatement = try connection.prepare("BEGIN")
        writeStatement = try connection.prepare("BEGIN IMMEDIATE")
        commitStatement = try connection.prepare("COMMIT")
        id = try connection.number(DatabaseID.query).map(DatabaseID.init)
        self.connection = connection
    }

    /// Runs `body` in a transaction that reads one state of the database.
    func reading<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try readStatement.run()
        // A failure to end a transaction that has only read loses nothing.
        defer { try? commitStatement.run() }
        return try body()
    }

    /// SQLite's data version: it changes when another connection writes, of this process or of another.
    func version() throws(StorageError) -> LaneVersion {
        LaneVersion(opening: opening, changes: try changesStatement.first { $0.int64(0) } ?? -1)
    }

    /// Checks that no newer library has changed the database.
    func checkVersion() throws(StorageError) {
        guard try versionStatement.first(read: { $0.int64(0) }) != Schema.version else { return }
        _ = try Schema.currentVersion(connection)
        throw StorageError(.corrupt, "\(connection.path) has lost its schema version")
    }

    /// Runs `body` in a transaction that takes effect as a whole or not at all.
    func writing<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try writeStatement.run()
        do throws(StorageError) {
            let result = try body()
            try commitStatement.run()
            return result
        } catch {
            // Some failures have ended the transaction already. The first failure is reported.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Reads the other lanes of a lane's brand.
    func otherLanes(of key: LaneKey, prefix: String) throws(StorageError) -> [LaneRow] {
        var rows: [LaneRow] = []
        for other in try lanes.others(than: key) where other.key.brand == key.brand {
            if let row = try lanes.load(other.key, prefix: prefix) { rows.append(row) }
        }
        return rows
    }

    /// Looks at every page and every index, and reads every record of a lane.
    ///
    /// - Throws: `corrupt` if one is not what it should be.
    func inspect(_ key: LaneKey?) throws(StorageError) {
        let statement = try connection.prepare("PRAGMA integrity_check(1)")
        if let finding = try statement.first(read: { $0.text(0) }) ?? nil, finding != "ok" {
            throw StorageError(.corrupt, "\(connection.path): \(finding)")
        }
        guard let key else { return }
        let (lowest, highest) = (key.records.lowerBound, key.records.upperBound)
        let last = try connection.number("SELECT max(id) FROM record WHERE id BETWEEN \(lowest) AND \(highest)")
        let sequence = try connection.number("SELECT sequence FROM lane WHERE id = \(key.lane)")
        if let last, let sequence, LaneKey.sequence(ofRecord: last) > sequence {
            throw StorageError(.corrupt, "\(connection.path): a record has a number that was never given")
        }
        try records.read(key.records, run: 0, isWanted: { _ in true }, body: { _, _ in true })
    }
}

extension LaneDatabase {
    /// Does to a lane's records what a reset has done that its row does not know of: those without a session go.
    func repeatReset(_ row: inout LaneRow) throws(StorageError) {
        let leavers = try records.deleteUnbound(row.key)
        guard !leavers.isEmpty else { return }
        for leaver in leavers {
            row.counters.queued -= 1
            row.counters.queuedBytes -= leaver.byteCount
            guard leaver.hasCallerKey else { continue }
            row.settled += 1
            try idempotencyKeys.markSettled(row.key, leaver.messageID, settled: row.settled)
        }
        try lanes.countDropped(leavers.count, .reset, lane: row.key.lane)
    }

    /// How many records of other lanes are set aside at most while one lane is emptied.
    private static let mostSpared = 1_000

    /// Removes all records of a lane.
    ///
    /// If rows are deleted one by one, SQLite writes every page; a whole table it frees without writing its pages. Mostly
    /// the lane has nearly all records: then the few others are set aside, and the table is emptied.
    func deleteRecords(of key: LaneKey) throws(StorageError) -> [RecordTable.Leaver] {
        let (first, last) = (key.records.lowerBound, key.records.upperBound)
        let others = "SELECT * FROM record WHERE id < \(first) UNION ALL SELECT * FROM record WHERE id > \(last)"
        let count = try connection.number("SELECT count(*) FROM (\(others) LIMIT \(Self.mostSpared + 1))") ?? 0
        guard count <= Self.mostSpared else { return try records.delete(key.records) }
        let leavers = try records.leavers(key.records)
        try connection.execute(
            """
            CREATE TEMP TABLE spared AS \(others);
            DELETE FROM record;
            INSERT INTO record SELECT * FROM temp.spared;
            DROP TABLE temp.spared
            """
        )
        return leavers
    }
}
