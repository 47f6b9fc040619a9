package import TrackerModels

/// What a state folder holds, read without changing anything in it, and without waiting for other processes.
package struct StateInspection: Sendable {
    package struct Lane: Sendable {
        package var identity: LaneIdentity
        package var queued: Int
        /// How many bytes their bodies have.
        package var queuedBytes: Int
        /// How many of them wait for a session.
        package var pending: Int
        /// When the call of the oldest of them was made.
        package var oldest: Timestamp?
        /// The tenant's consent, if its kind of client has one.
        package var consent: Consent?
        /// Whether its present generation has a session.
        package var hasSession: Bool
        /// How many records were accepted since the lane was made.
        package var accepted: Int
        /// How many of them were delivered.
        package var delivered: Int
        /// The bytes of the delivered requests' bodies.
        package var bytes: WireBytes
        package var dropped: [(reason: String, count: Int)]
        /// How many of those were queued again.
        package var requeued: Int
        /// What the server has refused and is kept.
        package var refused: RefusedCount
        /// What the process whose delivery has halted says of it: a JSON object with `reason`, `since`, `nextTry` and
        /// `process`. One that was killed has left it behind.
        package var halt: String?
        /// The file that is locked by the process that delivers.
        package var deliveryLock: String
        /// The file that is locked by every process that has the lane open.
        package var openLock: String
    }

    /// The version of the tables; `nil` if there is no database yet.
    package var schema: Int?
    /// The lanes, in the order in which they were made.
    package var lanes: [Lane] = []

    /// The name of the value of a lane that holds ``Lane/halt``.
    package static let haltName = "halt"

    /// How long to wait for another process, in milliseconds.
    private static let patience: Int32 = 500

    /// - Throws: Why its database cannot be read.
    package init(_ folder: StateFolder) throws(StorageError) {
        try Self.read(folder) { (connection, version) throws(StorageError) in
            schema = Int(version)
            // A file that was just made has no tables yet.
            if version > 0 { lanes = try Self.lanes(in: connection, of: folder, version: version) }
        }
    }

    /// Reads what the server has refused and is kept, of each lane the oldest first.
    ///
    /// - Throws: Why the folder's database cannot be read.
    package static func refused(in folder: StateFolder) throws(StorageError) -> [(LaneIdentity, [RefusedRecord])] {
        var found: [(LaneIdentity, [RefusedRecord])] = []
        try read(folder) { (connection, version) throws(StorageError) in
            guard version >= Schema.versionWithRefused else { return }
            let lanes = try connection.statement(
                """
                SELECT lane.id AS lane, tenant, kind, owner, origin, lane.generation AS generation,
                    tenant.generation AS tenant_generation
                FROM lane JOIN tenant ON tenant.id = lane.tenant ORDER BY lane.id
                """
            ).all { row -> (LaneIdentity, RowKey)? in
                // An older database may hold what was erased since, until a client has opened it.
                guard let identity = LaneIdentity(row), let backup = try? BackupFiles(folder, identity).recovered,
                    row.int64("generation") >= backup.generation,
                    row.int64("tenant_generation") >= backup.tenantGeneration
                else { return nil }
                return (identity, RowKey(row))
            }
            found = try lanes.map { (identity, key) throws(StorageError) in
                (identity, try RefusedRecord.all(of: key, in: connection))
            }
        }
        return found
    }

    /// Reads the database of a folder, if there is one.
    private static func read(
        _ folder: StateFolder, _ body: (borrowing Connection, _ version: Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard try FileIdentity(ofPath: folder.database) != nil else { return }
        let connection = try open(folder)
        connection.setPatience(milliseconds: patience)
        // One transaction, for a consistent view; a reading transaction blocks no writer.
        try connection.execute("BEGIN")
        let version = try Schema.currentVersion(connection)
        try Schema.translate(connection, from: version)
        try body(connection, version)
    }

    /// Opens the database to read alone. Where even the log's index cannot be made, no process can be writing either.
    private static func open(_ folder: StateFolder) throws(StorageError) -> Connection {
        let connection = try Connection(folder.database, .readOnly)
        do throws(StorageError) {
            _ = try connection.number("PRAGMA schema_version")
            return connection
        } catch {
            guard error.kind == .readOnly || error.kind == .open else { throw error }
            return try Connection(folder.database, .immutable)
        }
    }

    private static func lanes(
        in connection: borrowing Connection, of folder: StateFolder, version: Int64
    ) throws(StorageError) -> [Lane] {
        try connection.statement(
            """
            SELECT lane.id AS lane, tenant, kind, owner, origin, consent, queued, queued_bytes, accepted, delivered,
                bytes_before, bytes_after, session IS NOT NULL AS has_session
            FROM lane JOIN tenant ON tenant.id = lane.tenant
            LEFT JOIN generation ON generation.lane = lane.id AND generation.number = lane.generation
            ORDER BY lane.id
            """
        ).all { (row) throws(StorageError) in
            // A kind of a client that this library does not know.
            guard let identity = LaneIdentity(row) else { return nil }
            let key = RowKey(row)
            var dropped = try dropped(of: key, in: connection)
            let requeued = dropped.first { $0.reason == OutboxDatabase.requeuedName }?.count ?? 0
            dropped.removeAll { $0.reason == OutboxDatabase.requeuedName }
            return Lane(
                identity: identity, queued: row.int("queued"), queuedBytes: row.int("queued_bytes"),
                pending: identity.kind == .session ? try pendingRecords(of: key, in: connection) : 0,
                oldest: try oldestRecord(of: key, in: connection), consent: row.text("consent").flatMap(Consent.init),
                hasSession: row.int("has_session") == 1, accepted: row.int("accepted"),
                delivered: row.int("delivered"),
                bytes: WireBytes(before: row.int("bytes_before"), after: row.int("bytes_after")), dropped: dropped,
                requeued: requeued,
                refused: version < Schema.versionWithRefused
                    ? RefusedCount() : try RefusedCount(of: key, in: connection),
                halt: try halt(of: key, in: connection), deliveryLock: folder.deliveryLock(of: identity),
                openLock: folder.openLock(of: identity))
        }
    }

    private static func pendingRecords(of key: RowKey, in connection: borrowing Connection) throws(StorageError) -> Int
    {
        let count = try connection.statement(
            """
            SELECT count(*) FROM record WHERE id BETWEEN ?1 AND ?2 AND generation NOT IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            )
            """
        ).number(key.records.lowerBound, key.records.upperBound, key.lane)
        return Int(count ?? 0)
    }

    private static func oldestRecord(
        of key: RowKey, in connection: borrowing Connection
    ) throws(StorageError) -> Timestamp? {
        try connection.statement("SELECT occurred FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1")
            .number(key.records.lowerBound, key.records.upperBound).map(Timestamp.init(milliseconds:))
    }

    /// The keys of each kind of client begin with a prefix of its own.
    private static func halt(of key: RowKey, in connection: borrowing Connection) throws(StorageError) -> String? {
        try connection.statement("SELECT value FROM value WHERE lane = ?1 AND key GLOB ?2")
            .first(key.lane, "__GT_*\(haltName)") { row in row.text("value") } ?? nil
    }

    private static func dropped(
        of key: RowKey, in connection: borrowing Connection
    ) throws(StorageError) -> [(reason: String, count: Int)] {
        try connection.statement("SELECT reason, count FROM dropped WHERE lane = ?1 ORDER BY reason").all(key.lane) {
            row in
            (row.text("reason") ?? "", row.int("count"))
        }
    }
}
