import TrackerModels

/// The tables, and how they are made.
enum Schema {
    /// The version that this library writes, kept in `user_version`.
    static let version = Int64(migrations.count)

    /// The first version that keeps what the server has refused.
    static let versionWithRefused: Int64 = 5

    /// The first version in which records have a check sum.
    static let versionWithCheckSums: Int64 = 6

    /// The first version that knows persons to forget.
    static let versionWithForgotten: Int64 = 7

    /// The first version whose lanes know what was erased.
    static let versionWithErased: Int64 = 8

    /// No library will ever have more versions; a larger number is damage.
    private static let mostVersions: Int64 = 10_000

    /// The statements that lead from each version to the next, the first from an empty database.
    ///
    /// SQLite keeps their text. Together it fits into the first page, so that a file that was cut short can be read.
    private static let migrations = [
        """
        CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE brand(
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, consent TEXT, epoch INTEGER NOT NULL,
            UNIQUE(kind, owner)
        );
        CREATE TABLE lane(
            id INTEGER PRIMARY KEY, brand INTEGER NOT NULL, origin TEXT NOT NULL, generation INTEGER NOT NULL,
            sequence INTEGER NOT NULL, reserved INTEGER NOT NULL,
            accepted INTEGER NOT NULL DEFAULT 0, delivered INTEGER NOT NULL DEFAULT 0,
            queued INTEGER NOT NULL DEFAULT 0, queued_bytes INTEGER NOT NULL DEFAULT 0,
            bytes_before INTEGER NOT NULL DEFAULT 0, bytes_after INTEGER NOT NULL DEFAULT 0,
            settled INTEGER NOT NULL DEFAULT 0,
            UNIQUE(brand, origin)
        );
        CREATE TABLE dropped(
            lane INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(lane, reason)
        ) WITHOUT ROWID;
        CREATE TABLE generation(
            lane INTEGER NOT NULL, number INTEGER NOT NULL, session TEXT, device TEXT, identify_id TEXT,
            was_bound INTEGER NOT NULL, PRIMARY KEY(lane, number)
        ) WITHOUT ROWID;
        CREATE TABLE record(
            id INTEGER PRIMARY KEY, generation INTEGER NOT NULL, route INTEGER NOT NULL, message_id TEXT NOT NULL,
            is_given INTEGER NOT NULL, occurred INTEGER NOT NULL, run INTEGER NOT NULL, accepted INTEGER NOT NULL,
            body BLOB NOT NULL
        );
        CREATE TABLE value(
            brand INTEGER NOT NULL, lane INTEGER NOT NULL, key TEXT NOT NULL, value TEXT, expires INTEGER NOT NULL,
            PRIMARY KEY(brand, lane, key)
        ) WITHOUT ROWID;
        CREATE TABLE given(
            lane INTEGER NOT NULL, message_id TEXT NOT NULL, kind INTEGER NOT NULL, outcome INTEGER NOT NULL,
            settled INTEGER, PRIMARY KEY(lane, message_id, kind)
        ) WITHOUT ROWID;
        CREATE INDEX given_settled ON given(lane, settled) WHERE settled IS NOT NULL;
        """,
        "ALTER TABLE lane ADD COLUMN boot TEXT",
        """
        CREATE TABLE sent_group(
            lane INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY(lane, first)
        ) WITHOUT ROWID;
        """,
        "INSERT OR IGNORE INTO meta VALUES('database', random() & \(Int64.max))",
        """
        CREATE TABLE refused(
        id INTEGER PRIMARY KEY, refused INTEGER, reason TEXT, status INTEGER, answer TEXT, attempts INTEGER,
        generation INTEGER, session TEXT, device TEXT, identify_id TEXT, route INTEGER, message_id TEXT,
        is_given INTEGER, occurred INTEGER, body BLOB);
        CREATE TABLE requeued(
        lane INTEGER, generation INTEGER, last INTEGER, PRIMARY KEY(lane, generation)) WITHOUT ROWID;
        """,
        "ALTER TABLE record ADD COLUMN check_sum INTEGER",
        """
        CREATE TABLE forgotten(hash INTEGER PRIMARY KEY);
        INSERT OR IGNORE INTO meta VALUES('salt', random());
        """,
        "ALTER TABLE lane ADD COLUMN erased INTEGER NOT NULL DEFAULT 0",
    ]

    /// How many bytes the log may keep while it is not needed.
    static let logLimit = 4 << 20

    /// The settings of a connection before it is used.
    ///
    /// Free pages can only be given back if the first table finds `auto_vacuum` set; the order matters. What is deleted is
    /// overwritten in each page that is written anyway; only an erasure rewrites the others too.
    static func configure(
        _ connection: borrowing Connection, durability: DeliveryOptions.Durability
    ) throws(StorageError) {
        try connection.execute(
            """
            PRAGMA auto_vacuum=INCREMENTAL;
            PRAGMA journal_mode=WAL;
            PRAGMA synchronous=\(durability == .full ? "FULL" : "NORMAL");
            PRAGMA secure_delete=FAST;
            PRAGMA temp_store=MEMORY;
            PRAGMA journal_size_limit=\(logLimit);
            PRAGMA trusted_schema=OFF;
            """
        )
        if durability == .full { try connection.execute("PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON") }
    }

    /// Brings the tables to this version.
    ///
    /// - Returns: Whether the database was empty.
    /// - Throws: `newerSchema`, naming both versions, for a database of a newer library, which is left alone;
    ///   `corrupt` for one with tables that are not ours.
    static func migrate(_ connection: borrowing Connection) throws(StorageError) -> Bool {
        if try currentVersion(connection) == version { return false }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StorageError) {
            let found = try currentVersion(connection)
            if found == 0, try connection.number("SELECT count(*) FROM sqlite_schema") != 0 {
                throw StorageError(.corrupt, "\(connection.path) holds tables that are not a tracker's")
            }
            for migration in migrations[Int(found)...] { try connection.execute(migration) }
            try connection.execute("PRAGMA user_version=\(version); COMMIT")
            return found == 0
        } catch {
            // The first failure is reported.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// The version that a database has.
    ///
    /// - Throws: `newerSchema` if this library does not know it.
    static func currentVersion(_ connection: borrowing Connection) throws(StorageError) -> Int64 {
        let found = try connection.number("PRAGMA user_version") ?? 0
        guard (0...mostVersions).contains(found) else {
            throw StorageError(.corrupt, "\(connection.path) has schema version \(found), which cannot be")
        }
        guard (0...version).contains(found) else {
            throw StorageError(
                .newerSchema,
                "\(connection.path) has schema version \(found); this library knows versions up to \(version)"
            )
        }
        return found
    }
}
