import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A database whose files are replaced", .closingOutboxes)
struct ReplacedFilesTests {
    let folder = TemporaryFolder()

    @Test("by none goes on in a new one, with the values of before")
    func isRemoved() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .append("m1")])
        for suffix in ["", "-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }

        let result = await outbox.commit(.append("m2"))

        #expect(result.summary == "queued m2")
        #expect(result.state?.lastSequence == 10_001)
        #expect(try outbox.queue() == ["m2"])
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(try folder.number("SELECT count(*) FROM record") == 1)
        #expect(try outbox.account().isBalanced)
    }

    @Test("together with the whole folder goes on in a new one")
    func losesFolder() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try FileManager.default.removeItem(atPath: folder.path)

        #expect(await outbox.commit(.append("m2")).summary == "pending m2")

        #expect(try outbox.queue() == ["m2"])
        #expect(outbox.acquireDelivery())
        await outbox.close()
        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.queue() == ["m2"])
    }

    @Test("by another goes on in that one")
    func isReplaced() async throws {
        let other = TemporaryFolder()
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.append("m1"), .append("m2")])
        let elsewhere = try await SQLiteOutbox.opened(.sample(other))
        await elsewhere.commit(.append("x"))
        await elsewhere.close()
        for suffix in ["-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }
        try FileManager.default.removeItem(atPath: folder.file("tracker.sqlite3"))
        try FileManager.default.copyItem(atPath: other.file("tracker.sqlite3"), toPath: folder.file("tracker.sqlite3"))

        #expect(try outbox.queue() == ["x"])
        #expect(await outbox.commit(.append("m3")).summary == "pending m3")

        #expect(try outbox.queue() == ["x", "m3"])
        #expect(try folder.number("SELECT count(*) FROM record") == 2)
    }

    @Test("when its log alone is removed keeps all it has acknowledged")
    func losesLog() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .append("m2")])
        try folder.remove("tracker.sqlite3-wal")

        #expect(await outbox.commit(.append("m3")).summary == "queued m3")

        #expect(try outbox.queue() == ["m1", "m2", "m3"])
        #expect(try outbox.account().accepted == 3)
        await outbox.close()
        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.queue() == ["m1", "m2", "m3"])
        #expect(log.events.isEmpty)
    }

    @Test("when its log is cut short while it is in use still takes commits, and keeps its books")
    func losesEndOfLog() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit((1...50).map { .append("m\($0)") })
        let other = try await SQLiteOutbox.opened(.sample(folder))
        await other.commit(.append("m51"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/truncate")
        process.arguments = ["-s", "20000", folder.file("tracker.sqlite3-wal")]
        try process.run()
        process.waitUntilExit()

        #expect(await outbox.commit(.append("next")).summary == "pending next")
        #expect(await other.commit(.append("last")).summary == "pending last")

        let queue = try outbox.queue()
        #expect(queue.suffix(2) == ["next", "last"])
        #expect(try other.queue() == queue)
        #expect(try outbox.account().isBalanced)
        #expect(try other.account().isBalanced)
        #expect(try folder.number("SELECT count(*) FROM record") == Int64(queue.count))
    }

    @Test("when it was set aside by another instance goes on in the new one, also for readers")
    func isSetAsideByAnother() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try DamagedFiles(folder.state).wreckDatabase()
        let other = SQLiteOutbox.made(.sample(folder))
        #expect(
            try await other.open().get().salvage
                == Salvage(
                    setAside: "tracker.sqlite3.corrupt-1", carriedOver: 1, lost: 0
                ))
        await other.commit(.consent(.denied, messageID: nil))

        #expect(try outbox.state().consent == .denied)
        #expect(try outbox.queue().isEmpty)
        #expect(await outbox.commit(.append("m2")).summary == "refused trackingNotAllowed")
    }
}
