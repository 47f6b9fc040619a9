import TrackerModels

/// What can still be read of a damaged database.
///
/// Every read gives as much as the damage allows. A read that fails for another reason throws: what it could not read now
/// is read at the next try. It throws `unreadable` if the system has refused the read.
final class DamagedDatabase {
    private let connection: Connection
    private let version: Int64
    private let isLastTry: Bool
    private let givesUp: Bool

    /// - Parameters:
    ///   - path: Its file.
    ///   - isLastTry: Whether a read that fails for no known reason counts as damage.
    ///   - givesUp: Whether a read that the system refuses counts as damage: a sector may be unreadable for good.
    /// - Returns: `nil` if not even its tables can be found.
    init?(_ path: String, isLastTry: Bool, givesUp: Bool) throws(StorageError) {
        do throws(StorageError) {
            let connection = try Connection(path, .readWrite)
            // So a file that was cut short is read as far as it goes.
            try connection.execute("PRAGMA writable_schema=ON")
            let version = try Schema.currentVersion(connection)
            guard version > 0,
                try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'record'") == 1
            else { return nil }
            try Schema.translate(connection, from: version)
            self.connection = connection
            self.version = version
            self.isLastTry = isLastTry
            self.givesUp = givesUp
        } catch {
            guard error.isDamage(onLastTry: isLastTry, givesUp: givesUp) else { throw error.ofDamagedDatabase }
            return nil
        }
    }

    /// Whether it says that an erasure is not complete.
    var isBeingErased: Bool {
        get throws(StorageError) {
            var isDue = false
            try read(Erasure.query) { _ in isDue = true }
            return isDue
        }
    }

    /// Its name among all databases.
    var id: DatabaseID? {
        get throws(StorageError) {
            var id: DatabaseID?
            try read(DatabaseID.query) { id = DatabaseID(number: $0.int64("value")) }
            return id
        }
    }

    /// The persons to forget; `nil` if there is none, or if not all can be read: then the backup is better.
    func forgotten() throws(StorageError) -> ForgottenList? {
        guard version >= Schema.versionWithForgotten else { return nil }
        var facts: [String: Int64] = [:]
        try read("SELECT name, value FROM meta") { row in facts[row.text("name") ?? ""] = row.int64("value") }
        guard let changes = facts[ForgottenList.changesName], let salt = facts[ForgottenList.saltName] else {
            return nil
        }
        var list = ForgottenList(changes: changes, salt: salt)
        let isComplete = try isWhole { () throws(StorageError) in
            try connection.prepare("SELECT hash FROM forgotten").rows { row in
                list.hashes.insert(row.int64("hash"))
                return true
            }
        }
        return isComplete ? list : nil
    }

    /// The lanes, and what their rows and those of their tenants say.
    func lanes() throws(StorageError) -> [LaneIdentity: RecoveredLane] {
        var lanes: [LaneIdentity: RecoveredLane] = [:]
        try read(
            """
            SELECT kind, owner, origin, lane.id AS lane, consent, tenant.generation AS tenant_generation,
                lane.generation AS generation, erased, reserved, queued
            FROM lane JOIN tenant ON tenant.id = lane.tenant
            """
        ) { row in
            guard let identity = LaneIdentity(row) else { return }
            // The number may itself be damaged; the backups have the right one.
            func number(_ column: StaticString, or other: Int64) -> Int64 {
                RowKey.known.contains(row.int64(column)) ? row.int64(column) : other
            }
            let (generation, erased) = (number("generation", or: 1), number("erased", or: 0))
            lanes[identity] = RecoveredLane(
                number: number("lane", or: 0), consent: row.text("consent").flatMap(Consent.init),
                tenantGeneration: number("tenant_generation", or: 1), generation: generation,
                erased: erased < generation ? erased : 0,
                reserved: number("reserved", or: 0), queued: Int(number("queued", or: 0))
            )
        }
        return lanes
    }

    /// The bindings of a lane's generations.
    func generations(lane: Int64) throws(StorageError) -> [Generation: GenerationEntry] {
        var generations: [Generation: GenerationEntry] = [:]
        try read("SELECT number, session, device, identify_id FROM generation WHERE lane = \(lane)") { row in
            generations[Generation(row.int64("number"))] = GenerationEntry(row)
        }
        return generations
    }

    /// The values of a lane, or with lane number 0 those of the tenant that the lane belongs to.
    func values(
        lane: Int64, of owner: Int64
    ) throws(StorageError) -> [(key: String, text: String?, expires: Timestamp)] {
        var values: [(key: String, text: String?, expires: Timestamp)] = []
        try read(
            """
            SELECT key, value, expires FROM value
            WHERE tenant = (SELECT tenant FROM lane WHERE id = \(owner)) AND lane = \(lane)
            """
        ) { row in
            if let key = row.text("key") {
                values.append((key, row.text("value"), Timestamp(milliseconds: row.int64("expires"))))
            }
        }
        return values
    }

    /// The callers' ids of a lane.
    func callerKeys(lane: Int64) throws(StorageError) -> [(messageID: String, kind: Int, outcome: Int, removed: Int64?)]
    {
        var keys: [(messageID: String, kind: Int, outcome: Int, removed: Int64?)] = []
        try read("SELECT message_id, kind, outcome, removed FROM caller_key WHERE lane = \(lane)") { row in
            guard let messageID = row.text("message_id") else { return }
            // A damaged one is among the oldest.
            let number = RowKey.known.contains(row.int64("removed")) ? row.int64("removed") : 0
            let removed = row.isNull("removed") ? nil : number
            keys.append((messageID, row.int("kind"), row.int("outcome"), removed))
        }
        return keys
    }

    /// The groups of records that have gone out from a lane, by the numbers in it.
    func groups(lane: Int64) throws(StorageError) -> [GroupExtent] {
        guard try hasTable("sent_group") else { return [] }
        var groups: [GroupExtent] = []
        try read("SELECT first, last, count FROM sent_group WHERE lane = \(lane)") { groups.append(GroupExtent($0)) }
        return groups
    }

    /// Reads what the server has refused of a lane, until the damage.
    ///
    /// - Parameters:
    ///   - numbers: The numbers that its records can have.
    ///   - body: Takes a row of `refused`.
    func refused(
        _ numbers: ClosedRange<Int64>, body: (Statement.Row) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard try hasTable("refused") else { return }
        let rows = """
            SELECT id, refused, reason, status, answer, attempts, generation, session, device, identify_id, route, message_id,
                has_caller_key, occurred, body
            FROM refused WHERE id BETWEEN ?1 AND ?2 ORDER BY id
            """
        _ = try scan(rows, numbers, body) { _ in }
    }

    /// Reads a lane's records: from the oldest until the damage, then from the newest until the damage.
    ///
    /// - Parameters:
    ///   - numbers: The numbers that they can have.
    ///   - body: Takes a row of `record`.
    func records(_ numbers: ClosedRange<Int64>, body: (Statement.Row) throws(StorageError) -> Void) throws(StorageError)
    {
        let columns =
            "SELECT id, generation, route, message_id, has_caller_key, occurred, run, accepted, check_sum, body FROM record"
        var first = numbers.lowerBound
        let rising = "\(columns) WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        if try scan(rising, numbers, body, each: { first = $0 + 1 }) { return }
        if first <= numbers.upperBound { _ = try scan("\(rising) DESC", first...numbers.upperBound, body) { _ in } }
    }

    /// - Returns: Whether the scan has come to its end.
    private func scan(
        _ sql: String, _ numbers: ClosedRange<Int64>, _ body: (Statement.Row) throws(StorageError) -> Void,
        each: (Int64) -> Void
    ) throws(StorageError) -> Bool {
        // Only what `body` throws counts: it comes from the new database.
        var failure: StorageError?
        func row(_ row: Statement.Row) -> Bool {
            do throws(StorageError) {
                try body(row)
                each(row.int64("id"))
                return true
            } catch {
                failure = error
                return false
            }
        }
        let isComplete = try isWhole { () throws(StorageError) in
            try connection.prepare(sql).rows(numbers.lowerBound, numbers.upperBound, body: row)
        }
        if let failure { throw failure }
        return isComplete
    }

    /// Whether there is a table: a database of an earlier version does not have all.
    private func hasTable(_ name: String) throws(StorageError) -> Bool {
        var isThere = false
        try read("SELECT 1 FROM sqlite_schema WHERE name = '\(name)'") { _ in isThere = true }
        return isThere
    }

    private func read(_ sql: String, body: (Statement.Row) -> Void) throws(StorageError) {
        // What comes before the damage counts.
        _ = try isWhole { () throws(StorageError) in
            try connection.prepare(sql).rows { row in
                body(row)
                return true
            }
        }
    }

    /// - Returns: Whether it has met no damage.
    private func isWhole(_ body: () throws(StorageError) -> Void) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try body()
            return true
        } catch {
            guard error.isDamage(onLastTry: isLastTry, givesUp: givesUp) else { throw error.ofDamagedDatabase }
            return false
        }
    }
}

extension StorageError {
    /// Whether a read of a damaged database that has failed so will never read more.
    func isDamage(onLastTry isLastTry: Bool, givesUp: Bool) -> Bool {
        if isRefusedRead { return givesUp && !isPassing }
        return switch kind {
        case .corrupt, .refused: true
        case .failed: isLastTry && !isPassing
        case .folder, .open, .newerSchema, .full, .readOnly, .busy, .rebuilding, .unreadable, .closed: false
        }
    }

    /// The failure of a read of a damaged database, which another try may read.
    fileprivate var ofDamagedDatabase: StorageError {
        isRefusedRead ? StorageError(.unreadable, "A damaged database cannot be read now: \(message)") : self
    }
}
