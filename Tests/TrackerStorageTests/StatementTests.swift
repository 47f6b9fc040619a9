import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Statements", .closingOutboxes)
struct StatementTests {
    @Test("a start compiles what it runs, and the connection that reads compiles nothing that writes")
    func compilesWhatRuns() async throws {
        let folder = TemporaryFolder()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, .disk))
        _ = try outbox.peek(limit: 10, maxBytes: .max)
        await outbox.commit(.append(.sample("m1")))
        let restarted = try await SQLiteOutbox.opened(.sample(folder, .disk))
        _ = try restarted.peek(limit: 10, maxBytes: .max)

        let writing = restarted.writer.withLock { $0.database.lane?.database.connection.compiled ?? [] }
        let reading = try restarted.reader?.read { (database, _) in database.connection.compiled } ?? []

        #expect(max(writing.count, reading.count) <= 12, "\(writing + reading)")
        #expect(!writing.contains { $0.contains("RETURNING") || $0.contains("DELETE") }, "\(writing)")
        #expect(writing.contains("BEGIN IMMEDIATE"))
        #expect(reading.contains { $0.contains("FROM record") })
        #expect(
            !reading.contains { text in ["INSERT", "UPDATE", "DELETE"].contains { text.contains($0) } }, "\(reading)")
    }

    @Test("a statement is compiled once, and runs with other values each time")
    func isKept() throws {
        let connection = try Connection(Connection.memory, .create)
        func double(_ number: Int64) throws(StorageError) -> Int64? {
            try connection.statement("SELECT 2 * ?1").number(number)
        }

        #expect(try [1, 2, 3].map(double) == [2, 4, 6])

        #expect(connection.compiled == ["SELECT 2 * ?1"])
    }

    @Test("columns are read by their names, in whatever order, from every row")
    func readsNames() throws {
        let connection = try Connection(Connection.memory, .create)
        try connection.execute(
            "CREATE TABLE t(a INTEGER, b TEXT, c BLOB); INSERT INTO t VALUES(1, 'x', x'0102'), (2, NULL, NULL)")

        let rows = try connection.statement("SELECT b AS text, c, a, a + 10 AS later FROM t ORDER BY a").all { row in
            "\(row.int64("a")) \(row.text("text") ?? "none") \(row.bytes("c")) \(row.isNull("c")) \(row.int("later"))"
        }

        #expect(rows == ["1 x [1, 2] false 11", "2 none [] true 12"])
    }

    @Test("a run that ends early, or fails, leaves nothing for the next")
    func startsAgain() throws {
        let connection = try Connection(Connection.memory, .create)
        try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES(1), (2), (3)")
        func first() throws(StorageError) -> Int64? {
            try connection.statement("SELECT a FROM t ORDER BY a").first { $0.int64("a") }
        }
        func insert(_ number: Int) throws(StorageError) {
            try connection.statement("INSERT INTO t VALUES(?1)").run(number)
        }

        #expect(try [first(), first()] == [1, 1])
        #expect(throws: StorageError.self) { try insert(1) }
        try insert(4)

        #expect(try connection.number("SELECT count(*) FROM t") == 4)
    }
}
