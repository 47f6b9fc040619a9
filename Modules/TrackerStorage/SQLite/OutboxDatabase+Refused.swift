import TrackerModels

/// What the queue needs to know of a record that is kept apart.
struct KeptRecord {
    var messageID: String
    var hasCallerKey: Bool
    var bytes: Int
    var generation: Generation
    /// What its generation was bound to when it was refused.
    var entry: GenerationEntry
}

/// The records that the server has refused, in a table of their own, under the numbers that they had in the queue.
extension OutboxDatabase {
    /// Copies records of the queue, with what their generations are bound to.
    func keepRefused(
        _ numbers: ClosedRange<Int64>, _ reason: DropReason, _ rejection: Rejection, at now: Timestamp, in key: RowKey
    ) throws(StorageError) {
        try statement(
            """
            INSERT OR REPLACE INTO refused(
                id, refused, reason, status, answer, attempts, generation, session, device, identify_id, route,
                message_id, has_caller_key, occurred, body)
            SELECT id, ?4, ?5, ?6, ?7, ?8, record.generation, coalesce(session, ?9), device, identify_id, route,
                message_id, has_caller_key, occurred, body
            FROM record LEFT JOIN generation ON generation.lane = ?3 AND generation.number = record.generation
            WHERE id BETWEEN ?1 AND ?2
            """
        ).run(
            numbers.lowerBound, numbers.upperBound, key.lane, now.milliseconds, reason.description, rejection.status,
            rejection.answer, rejection.attempts, rejection.session?.text)
    }

    /// The sizes and ages of a lane's records, newest first.
    func refusedSizes(
        of key: RowKey
    ) throws(StorageError) -> [(number: Int64, bytes: Int, refusedAt: Timestamp)] {
        try statement(
            "SELECT id, length(body) AS bytes, refused FROM refused WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC"
        ).all(key.records.lowerBound, key.records.upperBound) { row in
            (row.int64("id"), row.int("bytes"), Timestamp(milliseconds: row.int64("refused")))
        }
    }

    /// Removes the records of a range.
    func deleteRefused(_ numbers: ClosedRange<Int64>) throws(StorageError) {
        try statement("DELETE FROM refused WHERE id BETWEEN ?1 AND ?2").run(numbers.lowerBound, numbers.upperBound)
    }

    func deleteRefused(before oldest: Timestamp, of key: RowKey) throws(StorageError) {
        try statement("DELETE FROM refused WHERE id BETWEEN ?1 AND ?2 AND refused < ?3")
            .run(key.records.lowerBound, key.records.upperBound, oldest.milliseconds)
    }

    /// Gives a record another number and another generation.
    func moveRefused(_ number: Int64, to newNumber: Int64, _ generation: Generation) throws(StorageError) {
        try statement("UPDATE refused SET id = ?2, generation = ?3 WHERE id = ?1")
            .run(number, newNumber, generation.number)
    }

    func kept(_ number: Int64) throws(StorageError) -> KeptRecord? {
        try statement(
            """
            SELECT message_id, has_caller_key, length(body) AS bytes, generation, session, device, identify_id FROM refused
            WHERE id = ?1
            """
        ).first(number) { row in
            KeptRecord(
                messageID: row.text("message_id") ?? "", hasCallerKey: row.int64("has_caller_key") != 0,
                bytes: row.int("bytes"), generation: Generation(row.int64("generation")), entry: GenerationEntry(row))
        }
    }

    /// Moves a record back into the queue. Its age counts from its call.
    func requeue(_ refused: Int64, as number: Int64) throws(StorageError) {
        try statement(
            """
            INSERT INTO record(id, generation, route, message_id, has_caller_key, occurred, run, accepted, body)
            SELECT ?2, generation, route, message_id, has_caller_key, occurred, 0, 0, body FROM refused WHERE id = ?1
            """
        ).run(refused, number)
        try deleteRefused(refused...refused)
    }

    /// Keeps the binding of an earlier generation as long as a record waits that was queued again.
    func keepGeneration(_ generation: Generation, through number: Int64, in key: RowKey) throws(StorageError) {
        try statement("DELETE FROM requeued WHERE lane = ?1 AND last < (SELECT min(id) FROM record WHERE id >= ?2)")
            .run(key.lane, key.records.lowerBound)
        try statement("INSERT OR REPLACE INTO requeued(lane, generation, last) VALUES(?1, ?2, ?3)")
            .run(key.lane, generation.number, number)
    }

    /// Keeps the bindings of all generations that have records, in whatever order these are.
    func keepGenerations(in key: RowKey) throws(StorageError) {
        try statement(
            """
            INSERT OR REPLACE INTO requeued(lane, generation, last)
            SELECT ?3, generation, max(id) FROM record WHERE id BETWEEN ?1 AND ?2 GROUP BY generation
            """
        ).run(key.records.lowerBound, key.records.upperBound, key.lane)
    }

    /// Copies a row of another database.
    func restoreRefused(_ row: Statement.Row, in key: RowKey) throws(StorageError) {
        // Half a record is of no use.
        guard RefusedRecord(row) != nil else { return }
        try statement(
            """
            INSERT OR IGNORE INTO refused(
                id, refused, reason, status, answer, attempts, generation, session, device, identify_id, route,
                message_id, has_caller_key, occurred, body)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """
        ).run(
            key.record(RowKey.sequence(ofRecord: row.int64("id"))), row.int64("refused"), row.text("reason"),
            row.isNull("status") ? nil : row.int64("status"), row.text("answer"), row.int64("attempts"),
            row.int64("generation"), row.text("session"), row.text("device"), row.text("identify_id"),
            row.int64("route"), row.text("message_id"), row.int64("has_caller_key"), row.int64("occurred"),
            row.bytes("body"))
    }

    /// Under which name the count of records that were queued again stands beside those of the drops.
    static let requeuedName = "requeued"

    /// Counts records that were queued again.
    func countRequeued(_ count: Int, in key: RowKey) throws(StorageError) {
        try self.count(count, as: Self.requeuedName, lane: key.lane)
    }

    func requeued(of key: RowKey) throws(StorageError) -> Int {
        let count = try statement("SELECT count FROM dropped WHERE lane = ?1 AND reason = ?2")
            .number(key.lane, Self.requeuedName)
        return min(max(0, Int(count ?? 0)), RowKey.maxCount)
    }
}

extension RefusedRecord {
    /// Lists the records of a lane, oldest first.
    ///
    /// - Parameter oldest: What was refused before that does not count.
    static func all(
        of key: RowKey, since oldest: Timestamp? = nil, in connection: borrowing Connection
    ) throws(StorageError) -> [RefusedRecord] {
        try connection.statement(
            """
            SELECT id, refused, reason, status, answer, attempts, session, route, message_id, occurred, body FROM refused
            WHERE id BETWEEN ?1 AND ?2 AND refused >= ?3 ORDER BY id
            """
        ).all(key.records.lowerBound, key.records.upperBound, oldest?.milliseconds ?? Int64.min) { RefusedRecord($0) }
    }

    /// Reads a record; `nil` if it cannot be read.
    init?(_ row: Statement.Row) {
        guard let messageID = row.text("message_id").flatMap(MessageID.init),
            let route = Route(rawValue: row.int("route")), let reason = row.text("reason").flatMap(DropReason.init),
            let body = try? JSONText(validating: row.bytes("body"), maxDepth: JSONText.maxDepthCeiling)
        else { return nil }
        self.init(
            id: Record.ID(row.int64("id")), messageID: messageID, route: route, body: body,
            occurredAt: Timestamp(milliseconds: row.int64("occurred")),
            session: row.text("session").flatMap(SessionID.init), reason: reason,
            rejection: Rejection(
                status: row.isNull("status") ? nil : row.int("status"), body: (row.text("answer") ?? "").utf8,
                attempts: row.int("attempts")),
            refusedAt: Timestamp(milliseconds: row.int64("refused")))
    }
}

extension RefusedCount {
    /// Counts the records of a lane.
    ///
    /// - Parameter oldest: What was refused before that does not count.
    init(of key: RowKey, since oldest: Timestamp? = nil, in connection: borrowing Connection) throws(StorageError) {
        self.init()
        let counts = try connection.statement(
            """
            SELECT reason, count(*) AS count, sum(length(body)) AS bytes FROM refused
            WHERE id BETWEEN ?1 AND ?2 AND refused >= ?3 GROUP BY reason
            """
        ).all(key.records.lowerBound, key.records.upperBound, oldest?.milliseconds ?? Int64.min) { row in
            (reason: row.text("reason").flatMap(DropReason.init), count: row.int("count"), bytes: row.int("bytes"))
        }
        for row in counts {
            records += row.count
            bytes += row.bytes
            if let reason = row.reason { reasons[reason, default: 0] += row.count }
        }
    }
}
