import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A database whose files are replaced", .closingOutboxes)
struct ReplacedFilesTests {
    let folder = TemporaryFolder()

    @Test("a late answer to a process changes nothing in a folder that was removed and made anew")
    func isMadeAnew() async throws {
        let old = try await SQLiteOutbox.opened(.sample(folder))
        await old.commit([.ensureDevice, .bind(1, "s1"), .append("old")])
        let peek = try old.peek(limit: 1, maxBytes: .max)
        let (record, database) = (peek.records[0], peek.state.database)
        try FileManager.default.removeItem(atPath: folder.path)
        let new = try await SQLiteOutbox.opened(.sample(folder))
        await new.commit(.append("new"))
        #expect(try new.ids() == [record.id])

        await old.commit(.delivered([record], bytes: WireBytes(before: 1, after: 1)), of: database)
        await old.commit(.drop([record.id], .expired), of: database)
        await old.commit(.bindMade(Generation(1), known(SessionID("late"))), of: database)
        await old.commit(.identify(Generation(1), known(UserID("late"))), of: database)

        #expect(try new.queue() == ["new"])
        #expect(new.value(for: .sessionID) == nil && new.value(for: .identifyID) == nil)
        #expect(try new.account().isBalanced)
        await new.commit(.delivered(try new.records()), of: try new.state().database)
        #expect(try new.queue() == [])
    }

    @Test("a database of the version before gets its name, and one that is recovered keeps it")
    func isNamed() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.ensureDevice, .bind(1, "s1"), .append("m1")])
        let name = try #require(try first.state().database)
        await first.close()
        try folder.giveFormerNames()
        try folder.execute(
            """
            DELETE FROM meta WHERE name = 'database'; DROP TABLE refused; DROP TABLE requeued; DROP TABLE forgotten;
            ALTER TABLE record DROP COLUMN check_sum; ALTER TABLE lane DROP COLUMN erased; PRAGMA user_version=3
            """)

        let next = try await SQLiteOutbox.opened(.sample(folder))
        let newName = try #require(try next.state().database)
        #expect(newName != name && newName.number >= 0)
        #expect(try next.queue() == ["m1"])
        await next.close()

        try folder.move("tracker.sqlite3", to: "tracker.sqlite3.damaged")
        let recovered = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try recovered.state().database == newName)
        #expect(try recovered.queue() == ["m1"])
    }

    @Test("by none goes on in a new one, with the values of before")
    func isRemoved() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .append("m1")])
        for suffix in ["", "-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }

        let result = await outbox.commit(.append("m2"))

        #expect(result.summary == "queued")
        #expect(result.state?.lastSequence == 10_001)
        #expect(try outbox.queue() == ["m2"])
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(try folder.number("SELECT count(*) FROM record") == 1)
        #expect(log.ofRecords == [.replaced(lost: 1), .dropped([], count: 1, .lost)])
        #expect(try outbox.account() == .sample(accepted: 1, recovered: 1, queued: 1, dropped: [.lost: 1]))
    }

    @Test("by none counts what was lost once, in whichever process notices it first, and what another had written last")
    func isRemovedUnderTwo() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.append("m1"), .append("m2")])
        let other = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await other.commit([.append("m3"), .delivered([try other.records()[0]])])
        for suffix in ["", "-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }

        await outbox.commit(.append("m4"))
        #expect(try other.account().isBalanced)
        await other.commit(.append("m5"))

        #expect(log.ofRecords == [.replaced(lost: 2), .dropped([], count: 2, .lost)])
        #expect(try outbox.account() == .sample(accepted: 2, recovered: 2, queued: 2, dropped: [.lost: 2]))
        #expect(try other.account() == .sample(accepted: 1, recovered: 1, queued: 2))
        #expect(try other.queue() == ["m4", "m5"])
    }

    @Test("together with the whole folder goes on in a new one")
    func losesFolder() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try FileManager.default.removeItem(atPath: folder.path)

        #expect(await outbox.commit(.append("m2")).summary == "pending")

        #expect(try outbox.queue() == ["m2"])
        #expect(log.ofRecords == [.replaced(lost: 1), .dropped([], count: 1, .lost)])
        #expect(try outbox.account() == .sample(accepted: 1, recovered: 1, queued: 1, dropped: [.lost: 1]))
        #expect(outbox.acquireDelivery())
        await outbox.close()
        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.queue() == ["m2"])
    }

    @Test("by another goes on in that one")
    func isReplaced() async throws {
        let other = TemporaryFolder()
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.append("m1"), .append("m2")])
        let elsewhere = try await SQLiteOutbox.opened(.sample(other))
        await elsewhere.commit(.append("x"))
        await elsewhere.close()
        for suffix in ["-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }
        try FileManager.default.removeItem(atPath: folder.file("tracker.sqlite3"))
        try FileManager.default.copyItem(atPath: other.file("tracker.sqlite3"), toPath: folder.file("tracker.sqlite3"))

        #expect(try outbox.queue() == ["x"])
        #expect(try outbox.account().isBalanced)
        #expect(await outbox.commit(.append("m3")).summary == "pending")

        #expect(try outbox.queue() == ["x", "m3"])
        #expect(try folder.number("SELECT count(*) FROM record") == 2)
        #expect(log.ofRecords == [])
        #expect(try outbox.account() == .sample(accepted: 1, recovered: 1, queued: 2))
        // Late answers to what was numbered before settle nothing else.
        #expect(try outbox.ids().map { RowKey.sequence(ofRecord: $0.number) } == [1, 10_001])
    }

    @Test("by an older copy of itself goes on in that one, and gives no number twice")
    func isTakenBack() async throws {
        let log = EventLog()
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.append("m1"), .append("m2")])
        await first.close()
        try folder.copy("tracker.sqlite3", to: "copy")
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        let delivered = try outbox.records()[0]
        await outbox.commit([
            .append("m3"), .append("m4"), .append("m5"), .delivered([delivered], bytes: WireBytes(before: 1, after: 1)),
        ])
        for suffix in ["-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }
        try folder.move("copy", to: "tracker.sqlite3")

        #expect(await outbox.commit(.append("m6")).state?.lastSequence == 10_003)

        #expect(try outbox.queue() == ["m1", "m2", "m6"])
        #expect(try outbox.account() == .sample(accepted: 1, recovered: 2, queued: 3))
    }

    @Test("when its log alone is removed keeps all it has acknowledged")
    func losesLog() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .append("m2")])
        try folder.remove("tracker.sqlite3-wal")

        #expect(await outbox.commit(.append("m3")).summary == "queued")

        #expect(try outbox.queue() == ["m1", "m2", "m3"])
        #expect(try outbox.account() == .sample(accepted: 1, recovered: 2, queued: 3))
        await outbox.close()
        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.queue() == ["m1", "m2", "m3"])
        #expect(log.ofRecords.isEmpty)
    }

    @Test("when its log is cut short while it is in use still takes commits, and keeps its books")
    func losesEndOfLog() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        // What stores a value waits for all backups, which read the database on their own.
        await outbox.commit((1...50).map { .append("m\($0)") } + [.store(.own("a"), "1", nil)])
        let other = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await other.commit([.append("m51"), .store(.own("b"), "2", nil)])
        try Program.run("truncate", ["-s", "20000", folder.file("tracker.sqlite3-wal")])

        #expect(await outbox.commit(.append("next")).summary == "pending")
        #expect(await other.commit(.append("last")).summary == "pending")

        let queue = try outbox.queue()
        #expect(try other.queue() == queue)
        // What either has written is counted, and nothing twice.
        #expect(queue == ["next", "last"])
        #expect(try outbox.account() == .sample(accepted: 2, recovered: 50, queued: 2, dropped: [.lost: 50]))
        #expect(try other.account().isBalanced)
        #expect(
            log.ofRecords == [
                .databaseRecovered(DatabaseRecovery(setAside: "tracker.sqlite3.corrupt-1", carriedOver: 0, lost: 50)),
                .dropped([], count: 50, .lost),
            ])
        #expect(try folder.number("SELECT count(*) FROM record") == Int64(queue.count))
    }

    @Test("when it was set aside by another instance goes on in the new one, also for readers")
    func isSetAsideByAnother() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try DamagedFiles(folder.state).moveDamaged()
        let other = SQLiteOutbox.made(.sample(folder))
        #expect(
            try await other.open().get().recovery
                == DatabaseRecovery(
                    setAside: "tracker.sqlite3.corrupt-1", carriedOver: 1, lost: 0
                ))
        await other.commit(.consent(.denied, messageID: nil))

        #expect(try outbox.state().consent == .denied)
        #expect(try outbox.queue().isEmpty)
        #expect(await outbox.commit(.append("m2")).summary == "refused trackingNotAllowed")
    }
}
