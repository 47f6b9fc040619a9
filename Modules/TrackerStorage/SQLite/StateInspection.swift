public import TrackerModels

/// What a state folder holds, read without changing anything in it, and without waiting for other processes.
public struct StateInspection: Sendable {
    /// One lane on disk.
    public struct Lane: Sendable {
        /// Whose lane it is.
        public var identity: LaneIdentity
        /// How many records wait.
        public var queued: Int
        /// How many bytes their bodies have.
        public var queuedBytes: Int
        /// How many of them wait for a session.
        public var pending: Int
        /// When the call of the oldest of them was made.
        public var oldest: Timestamp?
        /// The brand's consent, if its kind of client has one.
        public var consent: Consent?
        /// Whether its present generation has a session.
        public var hasSession: Bool
        /// How many records were accepted since the lane was made.
        public var accepted: Int
        /// How many of them were delivered.
        public var delivered: Int
        /// How many were dropped, by reason.
        public var dropped: [(reason: String, count: Int)]
        /// The file that is locked by the process that delivers.
        public var deliveryLock: String
        /// The file that is locked by every process that has the lane open.
        public var openLock: String
    }

    /// The version of the tables; `nil` if there is no database yet.
    public var schema: Int?
    /// The lanes, in the order in which they were made.
    public var lanes: [Lane] = []

    /// How long to wait for another process, in milliseconds.
    private static let patience: Int32 = 500

    /// Reads a folder.
    ///
    /// - Throws: Why its database cannot be read.
    public init(_ folder: StateFolder) throws(StorageError) {
        guard try FileIdentity(ofPath: folder.database) != nil else { return }
        let connection = try Self.open(folder)
        connection.setPatience(milliseconds: Self.patience)
        // One transaction, for a consistent view; a reading transaction blocks no writer.
        try connection.execute("BEGIN")
        let version = try Schema.currentVersion(connection)
        schema = Int(version)
        // A file that was just made has no tables yet.
        guard version > 0 else { return }
        lanes = try Self.lanes(in: connection, of: folder)
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
        in connection: borrowing Connection, of folder: StateFolder
    ) throws(StorageError) -> [Lane] {
        let dropped = try connection.prepare("SELECT reason, count FROM dropped WHERE lane = ?1 ORDER BY reason")
        let oldest = try connection.prepare(
            "SELECT occurred FROM record WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1")
        let pending = try connection.prepare(
            """
            SELECT count(*) FROM record WHERE id BETWEEN ?1 AND ?2 AND generation NOT IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            )
            """)
        let lanes = try connection.prepare(
            """
            SELECT lane.id, brand.id, brand.kind, brand.owner, lane.origin, brand.consent, lane.queued,
                lane.queued_bytes, lane.accepted, lane.delivered, generation.session IS NOT NULL
            FROM lane JOIN brand ON brand.id = lane.brand
            LEFT JOIN generation ON generation.lane = lane.id AND generation.number = lane.generation
            ORDER BY lane.id
            """)
        var found: [Lane] = []
        try lanes.rows { row throws(StorageError) in
            // A kind of a client that this library does not know.
            guard let kind = row.text(2).flatMap(LaneIdentity.Kind.init) else { return true }
            let identity = LaneIdentity(kind: kind, owner: row.text(3) ?? "", origin: row.text(4) ?? "")
            let key = LaneKey(lane: row.int64(0), brand: row.int64(1))
            let (first, last) = (key.records.lowerBound, key.records.upperBound)
            var reasons: [(reason: String, count: Int)] = []
            try dropped.rows(key.lane) { row throws(StorageError) in
                reasons.append((row.text(0) ?? "", row.int(1)))
                return true
            }
            found.append(
                Lane(
                    identity: identity, queued: row.int(6), queuedBytes: row.int(7),
                    pending: kind == .session
                        ? try pending.first(first, last, key.lane) { (row) throws(StorageError) in row.int(0) } ?? 0
                        : 0,
                    oldest: try oldest.first(first, last) { (row) throws(StorageError) in
                        Timestamp(milliseconds: row.int64(0))
                    },
                    consent: row.text(5).flatMap(Consent.init), hasSession: row.int(10) == 1, accepted: row.int(8),
                    delivered: row.int(9), dropped: reasons, deliveryLock: folder.deliveryLock(of: identity),
                    openLock: folder.openLock(of: identity)))
            return true
        }
        return found
    }
}
