import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A database of an earlier version", .closingOutboxes)
struct SchemaTests {
    let folder = TemporaryFolder()

    /// The tables of version 1.
    private static let first = """
        PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;
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
        PRAGMA user_version=1;
        """

    /// What a database has: the columns of each table, and its indexes.
    private static func shape(of folder: TemporaryFolder) throws -> Set<String> {
        let connection = try Connection(folder.state.database, .readOnly)
        var found: Set<String> = []
        try connection.prepare(
            """
            SELECT tables.name || ' ' || columns.name || ' ' || columns.type || ' ' || columns."notnull" || ' ' || columns.pk
                || ' ' || coalesce(columns.dflt_value, '') AS shape
            FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
            UNION SELECT 'index ' || coalesce(replace(sql, '"', ''), tbl_name) FROM sqlite_schema WHERE type = 'index'
            """
        ).rows { row in
            found.insert(row.text("shape") ?? "")
            return true
        }
        return found
    }

    @Test("gets the tables of a new one, from the first version and from the last")
    func sameTables() async throws {
        let others = (first: TemporaryFolder(), last: TemporaryFolder())
        for other in [folder, others.last] { await (try await SQLiteOutbox.opened(.sample(other))).close() }
        try others.last.giveFormerNames()
        try FileManager.default.createDirectory(atPath: others.first.path, withIntermediateDirectories: true)
        try Connection(others.first.state.database, .create).execute(Self.first)

        for other in [others.first, others.last] {
            let outbox = try await SQLiteOutbox.opened(.sample(other))
            #expect(await outbox.commit(.append("m1")).summary == "pending")
            await outbox.close()
            #expect(try Self.shape(of: other) == Self.shape(of: folder))
        }
    }

    /// Leaves a queue of version 8, with a record that was refused and one that is known by its key.
    private func leaveFormer() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .append("m1"), .append("m2"), .append("m3", given: true)])
        await outbox.commit(
            .drop([try #require(try outbox.records().first).id], .rejected(400), Rejection(status: 400, attempts: 1)))
        await outbox.close()
        try folder.giveFormerNames()
    }

    @Test("is inspected as it is")
    func inspected() async throws {
        try await leaveFormer()

        let state = try StateInspection(folder.state)
        let refused = try StateInspection.refused(in: folder.state)

        #expect(state.schema == 8)
        #expect(state.lanes.map(\.queued) == [2] && state.lanes.map(\.hasSession) == [true])
        #expect(refused.flatMap(\.1).map(\.messageID.text) == ["m1"])
        #expect(try folder.number("PRAGMA user_version") == 8)
    }

    @Test("goes on with queue, session, what was refused and the keys of callers")
    func goesOn() async throws {
        try await leaveFormer()

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try outbox.queue() == ["m2", "m3"])
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(await outbox.commit(.append("m3", given: true)).summary == "queued")
        #expect(try outbox.queue() == ["m2", "m3"])
        #expect(try outbox.account().isBalanced)
    }

    @Test("gives what can be read of it although the name of a column is damaged", arguments: [8, Schema.version])
    func damagedName(version: Int64) async throws {
        try await leaveFormer()
        if version == Schema.version { await (try await SQLiteOutbox.opened(.sample(folder))).close() }
        let removed = version == Schema.version ? "removed" : "settled"
        try folder.execute(
            """
            PRAGMA writable_schema=ON;
            UPDATE sqlite_schema SET sql = replace(sql, '\(removed) INTEGER', 'r INTEGER') WHERE name = 'lane';
            UPDATE sqlite_schema SET sql = replace(sql, 'answer TEXT', 'a TEXT') WHERE name = 'refused';
            """)

        let damaged = try #require(try DamagedDatabase(folder.state.database, isLastTry: true, givesUp: false))

        let lane = try #require(try damaged.lanes()[.sample])
        #expect(lane.queued == 2)
        var refused = 0
        try damaged.refused(1...Int64.max) { _ in refused += 1 }
        #expect(refused == 0)
    }

    @Test("is recovered when it is damaged", arguments: ["value", "brand", "given"])
    func recovered(table: String) async throws {
        try await leaveFormer()
        try folder.damage(table)

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try outbox.queue() == ["m2", "m3"])
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(try folder.number("PRAGMA user_version") == Schema.version)
        #expect(try folder.number("SELECT count(*) FROM refused") == 1)
    }
}
