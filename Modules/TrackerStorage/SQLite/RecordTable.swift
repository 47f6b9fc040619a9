import TrackerModels

/// The rows of records.
struct RecordTable {
    /// A row that left.
    struct Leaver {
        var messageID: String
        var hasCallerKey: Bool
        var byteCount: Int
    }

    private let insertStatement: Statement
    private let restoreStatement: Statement
    private let leaversStatement: Statement
    private let deleteStatement: Statement
    private let deleteOldestStatement: Statement
    private let deleteUnboundStatement: Statement
    private let oldestStatement: Statement
    private let peekStatement: Statement
    private let numbersStatement: Statement
    private let moversStatement: Statement
    private let renumberStatement: Statement
    private let measureStatement: Statement
    private let existsStatement: Statement

    private static let leaver = "RETURNING message_id, is_given, length(body)"

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        insertStatement = try connection.prepare(
            """
            INSERT INTO record(id, generation, route, is_given, occurred, run, accepted, message_id, body)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        restoreStatement = try connection.prepare(
            """
            INSERT OR IGNORE INTO record(id, generation, route, message_id, is_given, occurred, run, accepted, body)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING 1
            """
        )
        leaversStatement = try connection.prepare(
            "SELECT message_id, is_given, length(body) FROM record WHERE id BETWEEN ?1 AND ?2"
        )
        deleteStatement = try connection.prepare("DELETE FROM record WHERE id BETWEEN ?1 AND ?2 \(Self.leaver)")
        deleteOldestStatement = try connection.prepare(
            """
            DELETE FROM record WHERE id = (SELECT id FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1)
            \(Self.leaver)
            """
        )
        deleteUnboundStatement = try connection.prepare(
            """
            DELETE FROM record WHERE id BETWEEN ?1 AND ?2 AND generation NOT IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            ) \(Self.leaver)
            """
        )
        oldestStatement = try connection.prepare(
            "SELECT generation, occurred FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1"
        )
        peekStatement = try connection.prepare(
            """
            SELECT id, message_id, generation, route, occurred, run, accepted, body FROM record
            WHERE id BETWEEN ?1 AND ?2 ORDER BY id
            """
        )
        numbersStatement = try connection.prepare("SELECT id FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
        moversStatement = try connection.prepare(
            """
            SELECT id, message_id, is_given, length(body) FROM record
            WHERE id BETWEEN ?1 AND ?2 AND (NOT ?4 OR generation NOT IN (
                SELECT number FROM generation WHERE lane = ?3 AND was_bound
            )) ORDER BY id
            """
        )
        existsStatement = try connection.prepare("SELECT 1 FROM record WHERE id = ?1")
        measureStatement = try connection.prepare(
            "SELECT count(*), coalesce(sum(length(body)), 0) FROM record WHERE id BETWEEN ?1 AND ?2"
        )
        renumberStatement = try connection.prepare("UPDATE record SET id = ?2, generation = ?3 WHERE id = ?1")
    }

    /// Adds a record.
    ///
    /// - Parameter run: Names the run in which `draft.acceptedAt` has a meaning.
    func insert(
        _ draft: Draft, number: Int64, generation: Generation, body: JSONText, run: Int64
    ) throws(StorageError) {
        try insertStatement.run(
            number, generation.number, draft.route.rawValue, draft.hasCallerKey, draft.occurredAt.milliseconds, run,
            draft.acceptedAt.nanoseconds, lending: draft.messageID.text, body.bytes
        )
    }

    /// Copies a record of another database.
    ///
    /// - Parameter row: The columns of that record in their order.
    /// - Returns: False if there is a record of that number already, as in a database that shows some twice.
    func restore(_ row: Statement, number: Int64, body: [UInt8]) throws(StorageError) -> Bool {
        try restoreStatement.first(
            number, row.int64(1), row.int64(2), row.text(3), row.int64(4), row.int64(5), row.int64(6), row.int64(7),
            body
        ) { _ in true } ?? false
    }

    /// Reads what is needed of the records of a range before they are removed.
    func leavers(_ numbers: ClosedRange<Int64>) throws(StorageError) -> [Leaver] {
        var leavers: [Leaver] = []
        try leaversStatement.rows(numbers.lowerBound, numbers.upperBound) { Self.collect($0, &leavers) }
        return leavers
    }

    /// Removes the records of a range.
    func delete(_ numbers: ClosedRange<Int64>) throws(StorageError) -> [Leaver] {
        var leavers: [Leaver] = []
        try deleteStatement.rows(numbers.lowerBound, numbers.upperBound) { Self.collect($0, &leavers) }
        return leavers
    }

    /// Removes a lane's oldest record.
    func deleteOldest(_ key: LaneKey) throws(StorageError) -> [Leaver] {
        var leavers: [Leaver] = []
        try deleteOldestStatement.rows(key.records.lowerBound, key.records.upperBound) { Self.collect($0, &leavers) }
        return leavers
    }

    /// Removes the records of a lane whose generation has no session.
    func deleteUnbound(_ key: LaneKey) throws(StorageError) -> [Leaver] {
        var leavers: [Leaver] = []
        try deleteUnboundStatement.rows(key.records.lowerBound, key.records.upperBound, key.lane) {
            Self.collect($0, &leavers)
        }
        return leavers
    }

    /// Reads the generation and the time of a lane's oldest record.
    func oldest(_ key: LaneKey) throws(StorageError) -> (generation: Generation, occurredAt: Timestamp)? {
        try oldestStatement.first(key.records.lowerBound, key.records.upperBound) {
            (Generation($0.int64(0)), Timestamp(milliseconds: $0.int64(1)))
        }
    }

    /// Reads records, oldest first, until `body` returns false.
    ///
    /// - Parameters:
    ///   - numbers: Which ones.
    ///   - run: The run in which the monotonic times of records have a meaning.
    ///   - isWanted: Whether a record is to be read.
    ///   - body: Takes a record, or the number of one that cannot be read; gives false to stop.
    func read(
        _ numbers: ClosedRange<Int64>, run: Int64, isWanted: (Int64) -> Bool, body: (Int64, Record?) -> Bool
    ) throws(StorageError) {
        try peekStatement.rows(numbers.lowerBound, numbers.upperBound) { row in
            let number = row.int64(0)
            return !isWanted(number) || body(number, Self.record(row, number: number, run: run))
        }
    }

    /// Whether there is a record of that number.
    func contains(_ number: Int64) throws(StorageError) -> Bool {
        try existsStatement.first(number) { _ in true } ?? false
    }

    /// Counts a lane's records and the bytes of their bodies.
    func measure(_ key: LaneKey) throws(StorageError) -> (count: Int, bytes: Int) {
        try measureStatement.first(key.records.lowerBound, key.records.upperBound) { ($0.int(0), $0.int(1)) } ?? (0, 0)
    }

    /// Reads the numbers of records, oldest first.
    func numbers(_ range: ClosedRange<Int64>) throws(StorageError) -> [Int64] {
        var numbers: [Int64] = []
        try numbersStatement.rows(range.lowerBound, range.upperBound) { row in
            numbers.append(row.int64(0))
            return true
        }
        return numbers
    }

    /// Lists a lane's records, oldest first.
    ///
    /// - Parameter onlyUnbound: Whether only those count whose generation never had a session.
    func movers(_ key: LaneKey, onlyUnbound: Bool) throws(StorageError) -> [(number: Int64, leaver: Leaver)] {
        var movers: [(number: Int64, leaver: Leaver)] = []
        try moversStatement.rows(key.records.lowerBound, key.records.upperBound, key.lane, onlyUnbound) { row in
            let leaver = Leaver(messageID: row.text(1) ?? "", hasCallerKey: row.int64(2) != 0, byteCount: row.int(3))
            movers.append((row.int64(0), leaver))
            return true
        }
        return movers
    }

    /// Gives a record another number and another generation.
    func move(_ number: Int64, to newNumber: Int64, generation: Generation) throws(StorageError) {
        try renumberStatement.run(number, newNumber, generation.number)
    }

    private static func collect(_ row: Statement, _ leavers: inout [Leaver]) -> Bool {
        leavers.append(
            Leaver(messageID: row.text(0) ?? "", hasCallerKey: row.int64(1) != 0, byteCount: row.int(2))
        )
        return true
    }

    private static func record(_ row: Statement, number: Int64, run: Int64) -> Record? {
        // Every body was valid when it was written. An invalid one is damage, and the caller counts it.
        guard let messageID = row.text(1).flatMap(MessageID.init), let route = Route(rawValue: row.int(3)),
            let body = try? JSONText(validating: row.bytes(7), maxDepth: JSONText.maxDepthCeiling)
        else { return nil }
        return Record(
            id: Record.ID(number), messageID: messageID, sequence: LaneKey.sequence(ofRecord: number),
            generation: Generation(row.int64(2)), route: route, body: body,
            occurredAt: Timestamp(milliseconds: row.int64(4)),
            acceptedAt: row.int64(5) == run ? .nanoseconds(row.int64(6)) : nil
        )
    }
}

extension Duration {
    /// Whole nanoseconds, for 292 years in either direction.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
