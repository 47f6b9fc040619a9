import TrackerModels

/// The tables, and how they are made.
enum Schema {
    /// The version that this library writes, kept in `user_version`.
    static let version = Int64(migrations.count) + 1

    /// The first version that keeps what the server has refused.
    static let versionWithRefused: Int64 = 5

    /// The first version in which records have a check sum.
    static let versionWithCheckSums: Int64 = 6

    /// The first version that knows persons to forget.
    static let versionWithForgotten: Int64 = 7

    /// The first version whose lanes know what was erased.
    static let versionWithErased: Int64 = 8

    /// The first version with these names.
    static let versionWithNames: Int64 = 9

    /// No library will ever have more versions; a larger number is damage.
    private static let mostVersions: Int64 = 10_000

    /// Makes the tables in an empty database.
    ///
    /// SQLite keeps their text. Together it fits into the first page, so that a file that was cut short can be read.
    private static let tables = """
        CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE tenant(
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, consent TEXT, generation INTEGER NOT NULL,
            UNIQUE(kind, owner)
        );
        CREATE TABLE lane(
            id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, origin TEXT NOT NULL, generation INTEGER NOT NULL,
            sequence INTEGER NOT NULL, reserved INTEGER NOT NULL,
            accepted INTEGER NOT NULL DEFAULT 0, delivered INTEGER NOT NULL DEFAULT 0,
            queued INTEGER NOT NULL DEFAULT 0, queued_bytes INTEGER NOT NULL DEFAULT 0,
            bytes_before INTEGER NOT NULL DEFAULT 0, bytes_after INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0, boot TEXT, erased INTEGER NOT NULL DEFAULT 0,
            UNIQUE(tenant, origin)
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
            has_caller_key INTEGER NOT NULL, occurred INTEGER NOT NULL, run INTEGER NOT NULL, accepted INTEGER NOT NULL,
            body BLOB NOT NULL, check_sum INTEGER
        );
        CREATE TABLE value(
            tenant INTEGER NOT NULL, lane INTEGER NOT NULL, key TEXT NOT NULL, value TEXT, expires INTEGER NOT NULL,
            PRIMARY KEY(tenant, lane, key)
        ) WITHOUT ROWID;
        CREATE TABLE caller_key(
            lane INTEGER NOT NULL, message_id TEXT NOT NULL, kind INTEGER NOT NULL, outcome INTEGER NOT NULL,
            removed INTEGER, PRIMARY KEY(lane, message_id, kind)
        ) WITHOUT ROWID;
        CREATE INDEX caller_key_removed ON caller_key(lane, removed) WHERE removed IS NOT NULL;
        CREATE TABLE sent_group(
            lane INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY(lane, first)
        ) WITHOUT ROWID;
        CREATE TABLE refused(
            id INTEGER PRIMARY KEY, refused INTEGER, reason TEXT, status INTEGER, answer TEXT, attempts INTEGER,
            generation INTEGER, session TEXT, device TEXT, identify_id TEXT, route INTEGER, message_id TEXT,
            has_caller_key INTEGER, occurred INTEGER, body BLOB
        );
        CREATE TABLE requeued(
            lane INTEGER, generation INTEGER, last INTEGER, PRIMARY KEY(lane, generation)
        ) WITHOUT ROWID;
        CREATE TABLE forgotten(hash INTEGER PRIMARY KEY);
        INSERT INTO meta VALUES('database', random() & \(Int64.max)), ('salt', random());
        """

    /// The statements that lead from each version to the next, the first from version 1.
    private static let migrations = [
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
        """
        ALTER TABLE brand RENAME TO tenant;
        ALTER TABLE tenant RENAME COLUMN epoch TO generation;
        ALTER TABLE lane RENAME COLUMN brand TO tenant;
        ALTER TABLE lane RENAME COLUMN settled TO removed;
        ALTER TABLE value RENAME COLUMN brand TO tenant;
        ALTER TABLE record RENAME COLUMN is_given TO has_caller_key;
        ALTER TABLE refused RENAME COLUMN is_given TO has_caller_key;
        DROP INDEX given_settled;
        ALTER TABLE given RENAME TO caller_key;
        ALTER TABLE caller_key RENAME COLUMN settled TO removed;
        CREATE INDEX caller_key_removed ON caller_key(lane, removed) WHERE removed IS NOT NULL;
        """,
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
            if found == 0 {
                try connection.execute(tables)
            } else {
                for migration in migrations[Int(found - 1)...] { try connection.execute(migration) }
            }
            try connection.execute("PRAGMA user_version=\(version); COMMIT")
            return found == 0
        } catch {
            // The first failure is reported.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// Lets a connection read a database of an earlier version by the names of this one.
    ///
    /// The views are this connection's alone, and the database stays as it is. They name as few columns as they can: where the
    /// text of a table is damaged, a view gives nothing if one of those it names is missing.
    static func translate(_ connection: borrowing Connection, from version: Int64) throws(StorageError) {
        guard version < versionWithNames else { return }
        let erased = version < versionWithErased ? ", 0 AS erased" : ""
        let checkSum = version < versionWithCheckSums ? ", 0 AS check_sum" : ""
        try connection.execute(
            """
            PRAGMA temp_store=MEMORY;
            CREATE TEMP VIEW tenant AS SELECT id, kind, owner, consent, epoch AS generation FROM main.brand;
            CREATE TEMP VIEW lane AS SELECT *, brand AS tenant\(erased) FROM main.lane;
            CREATE TEMP VIEW value AS SELECT *, brand AS tenant FROM main.value;
            CREATE TEMP VIEW record AS SELECT *, is_given AS has_caller_key\(checkSum) FROM main.record;
            CREATE TEMP VIEW caller_key AS SELECT lane, message_id, kind, outcome, settled AS removed FROM main.given;
            """
        )
        guard version >= versionWithRefused else { return }
        try connection.execute(
            "CREATE TEMP VIEW refused AS SELECT *, is_given AS has_caller_key FROM main.refused")
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
