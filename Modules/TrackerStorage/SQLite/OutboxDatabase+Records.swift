import TrackerModels

extension OutboxDatabase {
    /// - Parameter run: Names the run in which `acceptedAt` has a meaning.
    func insert(
        _ record: StagedRecord, of group: StagedGroup, number: Int64, generation: Generation, body: ArraySlice<UInt8>,
        run: Int64
    ) throws(StorageError) {
        let (messageID, occurred) = (group.bytes[record.messageID.range], record.occurredAt.milliseconds)
        try statement(
            """
            INSERT INTO record(id, generation, route, has_caller_key, occurred, run, accepted, check_sum, message_id, body)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        ).run(
            number, generation.number, record.route.rawValue, record.hasCallerKey, occurred, run,
            record.acceptedAt.nanoseconds, Record.checkSum(messageID, record.route.rawValue, occurred, body),
            lending: messageID, body
        )
    }

    /// Copies a record of another database, whose check sum has been found right.
    ///
    /// - Returns: False if there is a record of that number already, as in a database that shows some twice.
    func restore(_ row: Statement.Row, number: Int64, body: [UInt8]) throws(StorageError) -> Bool {
        try statement(
            """
            INSERT OR IGNORE INTO record(
                id, generation, route, message_id, has_caller_key, occurred, run, accepted, check_sum, body
            ) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id
            """
        ).hasRow(
            number, row.int64("generation"), row.int64("route"), row.text("message_id"), row.int64("has_caller_key"),
            row.int64("occurred"), row.int64("run"), row.int64("accepted"), row.int64("check_sum"), body
        )
    }

    /// Removes the records of a range.
    ///
    /// With `RETURNING` SQLite would collect them in a table of their own, which costs half as much again.
    ///
    /// They are counted before: how many the DELETE has removed would say too late that some were gone, and not which. It
    /// says afterwards whether the table is sound.
    ///
    /// - Parameter expected: What was read of them earlier, if all are known. It is not read again while they are all there.
    /// - Returns: Those that were there.
    /// - Throws: `corrupt` if not as many were removed as were there.
    func deleteRecords(
        _ numbers: ClosedRange<Int64>, expecting expected: [RemovedRecord] = []
    ) throws(StorageError) -> [RemovedRecord] {
        let found = expected.isEmpty ? 0 : try countRecords(numbers)
        let removed = found > 0 && found == expected.count ? expected : try removals(numbers)
        guard !removed.isEmpty else { return [] }
        let count = try statement("DELETE FROM record WHERE id BETWEEN ?1 AND ?2")
            .run(numbers.lowerBound, numbers.upperBound)
        guard count == removed.count else {
            throw StorageError(
                .corrupt, "\(connection.path) held \(removed.count) records, of which \(count) could be removed")
        }
        return removed
    }

    func deleteOldestRecord(of key: RowKey) throws(StorageError) -> [RemovedRecord] {
        guard let oldest = try oldestRecord(of: key) else { return [] }
        return try deleteRecords(oldest.number...oldest.number)
    }

    /// The records of a range, as they would leave the queue.
    private func removals(_ numbers: ClosedRange<Int64>) throws(StorageError) -> [RemovedRecord] {
        try statement(
            "SELECT id, message_id, has_caller_key, length(body) AS bytes FROM record WHERE id BETWEEN ?1 AND ?2"
        ).all(numbers.lowerBound, numbers.upperBound) { RemovedRecord($0) }
    }

    /// Removes the records and bindings of generations that were erased, queued or kept apart.
    ///
    /// - Returns: The records that were queued.
    private func deleteErasedRecords(of row: LaneRow) throws(StorageError) -> [RemovedRecord] {
        let (first, last) = (row.key.records.lowerBound, row.key.records.upperBound)
        try statement("DELETE FROM refused WHERE id BETWEEN ?1 AND ?2 AND generation <= ?3")
            .run(first, last, row.erased)
        try removeGenerations(in: row.key, before: Generation(row.erased + 1))
        return try statement(
            """
            DELETE FROM record WHERE id BETWEEN ?1 AND ?2 AND generation <= ?3
            RETURNING id, message_id, has_caller_key, length(body) AS bytes
            """
        ).all(first, last, row.erased) { RemovedRecord($0) }
    }

    /// Removes the records of a lane whose generation has no session.
    func deleteUnboundRecords(
        of key: RowKey, before generation: Generation? = nil
    ) throws(StorageError) -> [RemovedRecord] {
        try statement(
            """
            DELETE FROM record WHERE id BETWEEN ?1 AND ?2 AND generation < ?4 AND generation NOT IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            ) RETURNING id, message_id, has_caller_key, length(body) AS bytes
            """
        ).all(key.records.lowerBound, key.records.upperBound, key.lane, generation?.number ?? .max) {
            RemovedRecord($0)
        }
    }

    /// How many records of other lanes are set aside at most while one lane is emptied.
    private static var mostSpared: Int { 1_000 }

    /// Removes all records of a lane.
    ///
    /// If rows are deleted one by one, SQLite writes every page; a whole table it frees without writing its pages. Mostly
    /// the lane has nearly all records: then the few others are set aside, and the table is emptied.
    func deleteRecords(of key: RowKey) throws(StorageError) -> [RemovedRecord] {
        let (first, last) = (key.records.lowerBound, key.records.upperBound)
        let others = "SELECT * FROM record WHERE id < \(first) UNION ALL SELECT * FROM record WHERE id > \(last)"
        let count = try connection.number("SELECT count(*) FROM (\(others) LIMIT \(Self.mostSpared + 1))") ?? 0
        guard count <= Self.mostSpared else { return try deleteRecords(key.records) }
        let removed = try removals(key.records)
        try connection.execute(
            """
            CREATE TEMP TABLE spared AS \(others);
            DELETE FROM record;
            INSERT INTO record SELECT * FROM temp.spared;
            DROP TABLE temp.spared
            """
        )
        return removed
    }

    /// Does to a lane what the resets did of which a database does not know that is older than its backups: records from
    /// before that had no session go, and all that is left of generations that were erased.
    ///
    /// - Parameter found: The generation of that database; `nil` if it cannot be read.
    func repeatResets(_ row: inout LaneRow, after found: Generation?) throws(StorageError) {
        let changes = connection.changes
        var removed = try deleteErasedRecords(of: row)
        // Also what cannot be read, and what a copy holds that will be set aside, is to be erased.
        let isOlder = found.map { $0.number <= row.erased } ?? false
        if isOlder || connection.changes != changes {
            try Erasure.everything.demand(in: self)
        }
        removed += try deleteUnboundRecords(of: row.key, before: row.generation)
        guard !removed.isEmpty else { return }
        for record in removed {
            row.counters.queued -= 1
            row.counters.queuedBytes -= record.byteCount
            guard record.hasCallerKey else { continue }
            row.removed += 1
            try markRemoved(record.messageID, row.removed, in: row.key)
        }
        try countDropped(removed.count, .reset, lane: row.key.lane)
    }

    /// Reads the number, the generation and the time of a lane's oldest record.
    func oldestRecord(
        of key: RowKey
    ) throws(StorageError) -> (number: Int64, generation: Generation, occurredAt: Timestamp)? {
        try statement("SELECT id, generation, occurred FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1")
            .first(key.records.lowerBound, key.records.upperBound) { row in
                (
                    row.int64("id"), Generation(row.int64("generation")),
                    Timestamp(milliseconds: row.int64("occurred"))
                )
            }
    }

    /// Reads records, oldest first, until `body` returns false.
    ///
    /// - Parameters:
    ///   - numbers: Which ones.
    ///   - run: The run in which the monotonic times of records have a meaning.
    ///   - isWanted: Whether a record is to be read.
    ///   - body: Takes a record, or the number of one that cannot be read; gives false to stop.
    func readRecords(
        _ numbers: ClosedRange<Int64>, run: Int64, isWanted: (Int64) -> Bool, body: (Int64, Record?) -> Bool
    ) throws(StorageError) {
        try statement(
            """
            SELECT id, message_id, has_caller_key, generation, route, occurred, run, accepted, check_sum, body FROM record
            WHERE id BETWEEN ?1 AND ?2 ORDER BY id
            """
        ).rows(numbers.lowerBound, numbers.upperBound) { row in
            let number = row.int64("id")
            return !isWanted(number) || body(number, Record(row, number: number, run: run))
        }
    }

    /// Finds the last of a lane's oldest records that are all too old.
    ///
    /// - Parameters:
    ///   - run: The run in which the monotonic times of records have a meaning.
    ///   - isTooOld: Called with when a record's call was made: on the monotonic clock, if in this run, and by the wall
    ///     clock.
    /// - Returns: Its number; `nil` if there is none.
    func lastRecord(
        of key: RowKey, run: Int64, while isTooOld: (Duration?, Timestamp) -> Bool
    ) throws(StorageError) -> Int64? {
        var last: Int64?
        try statement("SELECT id, occurred, run, accepted FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
            .rows(key.records.lowerBound, key.records.upperBound) { row in
                let acceptedAt = row.int64("run") == run ? Duration.nanoseconds(row.int64("accepted")) : nil
                guard isTooOld(acceptedAt, Timestamp(milliseconds: row.int64("occurred"))) else { return false }
                last = row.int64("id")
                return true
            }
        return last
    }

    /// Whether there is a record of that number.
    func hasRecord(_ number: Int64) throws(StorageError) -> Bool {
        try statement("SELECT 1 FROM record WHERE id = ?1").hasRow(number)
    }

    /// Whether a lane holds records whose generation has a session.
    func hasBoundRecords(_ key: RowKey) throws(StorageError) -> Bool {
        try statement(
            """
            SELECT 1 FROM record WHERE id BETWEEN ?1 AND ?2 AND generation IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            ) LIMIT 1
            """
        ).hasRow(key.records.lowerBound, key.records.upperBound, key.lane)
    }

    /// Counts a lane's records and the bytes of their bodies.
    func measureRecords(of key: RowKey) throws(StorageError) -> (count: Int, bytes: Int) {
        try statement(
            "SELECT count(*) AS count, coalesce(sum(length(body)), 0) AS bytes FROM record WHERE id BETWEEN ?1 AND ?2"
        ).first(key.records.lowerBound, key.records.upperBound) { ($0.int("count"), $0.int("bytes")) } ?? (0, 0)
    }

    func countRecords(_ numbers: ClosedRange<Int64>) throws(StorageError) -> Int {
        let count = try statement("SELECT count(*) FROM record WHERE id BETWEEN ?1 AND ?2")
            .number(numbers.lowerBound, numbers.upperBound)
        return Int(count ?? 0)
    }

    /// Lists a lane's records, oldest first, as they leave it.
    ///
    /// - Parameter onlyUnbound: Whether only those count that wait for a session: their generation is the lane's, and never
    ///   had one. What was queued again of an earlier user gets none any more.
    func movers(
        of key: RowKey, onlyUnbound: Bool
    ) throws(StorageError) -> [RemovedRecord] {
        try statement(
            """
            SELECT id, message_id, has_caller_key, length(body) AS bytes FROM record
            WHERE id BETWEEN ?1 AND ?2 AND (NOT ?4 OR generation = (SELECT generation FROM lane WHERE id = ?3)
                AND generation NOT IN (SELECT number FROM generation WHERE lane = ?3 AND was_bound)) ORDER BY id
            """
        ).all(key.records.lowerBound, key.records.upperBound, key.lane, onlyUnbound) { RemovedRecord($0) }
    }

    /// Gives a record another number and another generation.
    func moveRecord(_ number: Int64, to newNumber: Int64, _ generation: Generation) throws(StorageError) {
        try statement("UPDATE record SET id = ?2, generation = ?3 WHERE id = ?1")
            .run(number, newNumber, generation.number)
    }
}

extension Record {
    /// Reads a record; `nil` if it is damaged, which the caller counts.
    fileprivate init?(_ row: Statement.Row, number: Int64, run: Int64) {
        guard let (messageID, body) = Self.content(of: row), let route = Route(rawValue: row.int("route")) else {
            return nil
        }
        self.init(
            id: Record.ID(number), messageID: messageID, hasCallerKey: row.int64("has_caller_key") != 0,
            sequence: RowKey.sequence(ofRecord: number), generation: Generation(row.int64("generation")), route: route,
            body: body, occurredAt: Timestamp(milliseconds: row.int64("occurred")),
            acceptedAt: row.int64("run") == run ? .nanoseconds(row.int64("accepted")) : nil
        )
    }

    /// Reads the key and the body of a row; `nil` if they are damaged.
    ///
    /// They were valid when they were written: if the check sum is right they still are. A row without one, which an
    /// earlier version has written, is looked through.
    static func content(of row: Statement.Row) -> (messageID: MessageID, body: JSONText)? {
        guard let id = row.text("message_id") else { return nil }
        let (body, check) = (row.bytes("body"), row.int64("check_sum"))
        guard check == 0 else {
            guard check == checkSum(id, row.int("route"), row.int64("occurred"), body) else { return nil }
            return (MessageID(accepted: id), JSONText(accepted: body))
        }
        guard let messageID = MessageID(id),
            let text = try? JSONText(validating: body, maxDepth: JSONText.maxDepthCeiling)
        else { return nil }
        return (messageID, text)
    }

    /// A number that is another one if any of this has changed by accident; never 0.
    ///
    /// Each step is a bijection of the word that it takes in, so damage within eight bytes is found for certain.
    static func checkSum(_ messageID: String, _ route: Int, _ occurred: Int64, _ body: [UInt8]) -> Int64 {
        var messageID = messageID
        return messageID.withUTF8 { messageID in
            unsafe body.withUnsafeBytes { body in
                unsafe checkSum(UnsafeRawBufferPointer(messageID), route, occurred, body)
            }
        }
    }

    /// The same of bytes that stand among others.
    static func checkSum(
        _ messageID: ArraySlice<UInt8>, _ route: Int, _ occurred: Int64, _ body: ArraySlice<UInt8>
    ) -> Int64 {
        unsafe messageID.withUnsafeBytes { messageID in
            unsafe body.withUnsafeBytes { body in unsafe checkSum(messageID, route, occurred, body) }
        }
    }

    private static func checkSum(
        _ messageID: UnsafeRawBufferPointer, _ route: Int, _ occurred: Int64, _ body: UnsafeRawBufferPointer
    ) -> Int64 {
        var sum = mix(UInt64(bitPattern: occurred), into: UInt64(truncatingIfNeeded: route))
        sum = unsafe mix(messageID, into: sum)
        sum = unsafe mix(body, into: sum)
        return sum == 0 ? 1 : Int64(bitPattern: sum)
    }

    private static func mix(_ bytes: UnsafeRawBufferPointer, into start: UInt64) -> UInt64 {
        var sum = mix(UInt64(bytes.count), into: start)
        var place = 0
        while place + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            sum = mix(UInt64(littleEndian: word), into: sum)
            place += 8
        }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = unsafe rest << 8 | UInt64(bytes[place])
            place += 1
        }
        return mix(rest, into: sum)
    }

    /// Multiplies by an odd number, and folds the upper half onto the lower one.
    private static func mix(_ word: UInt64, into sum: UInt64) -> UInt64 {
        let product = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}

extension Duration {
    /// Whole nanoseconds, for 292 years in either direction.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
