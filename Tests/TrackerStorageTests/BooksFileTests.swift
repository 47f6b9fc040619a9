import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The books beside the database", .closingOutboxes)
struct BooksFileTests {
    let folder = TemporaryFolder()

    private var name: String { LaneIdentity.sample.fileName + ".books" }

    /// Has an outbox take records, deliver some, and close.
    private func fill(_ count: Int, delivered: Int = 0, lane: LaneIdentity = .sample) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, lane: lane))
        await outbox.commit((1...count).map { .append("m\($0)") })
        await outbox.commit(
            .delivered(Array(try outbox.ids().prefix(delivered)), bytes: WireBytes(before: 0, after: 0)))
        await outbox.close()
    }

    private func removeDatabase() throws {
        for suffix in ["", "-wal", "-shm"] where folder.files.contains("tracker.sqlite3\(suffix)") {
            try folder.remove("tracker.sqlite3\(suffix)")
        }
    }

    @Test("say how much waited in a database that is gone")
    func isRemoved() async throws {
        let log = EventLog()
        try await fill(5, delivered: 2)
        try removeDatabase()

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [.replaced(lost: 3), .dropped([], count: 3, .lost)])
        #expect(try outbox.account() == .sample(recovered: 3, dropped: [.lost: 3]))
        await outbox.close()
        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.account() == .sample())
    }

    @Test("are of the last commit, whoever has made it")
    func areCurrent() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.append("m1"), .append("m2")])
        let other = try await SQLiteOutbox.opened(.sample(folder))
        await other.commit(.append("m3"))
        await outbox.commit(.append("m4"))
        await other.commit(.delivered([try other.ids()[0]], bytes: WireBytes(before: 0, after: 0)))
        for open in [outbox, other] { await open.close() }
        try removeDatabase()

        _ = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [.replaced(lost: 3), .dropped([], count: 3, .lost)])
    }

    @Test("say how much came after an older copy of the database, and which numbers were given")
    func isTakenBack() async throws {
        let log = EventLog()
        try await fill(2)
        try folder.copy("tracker.sqlite3", to: "copy")
        try await fill(5, delivered: 3)
        try removeDatabase()
        try folder.move("copy", to: "tracker.sqlite3")

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        // Of m1, m2 and five more, three were delivered: the two of the copy, and the first of those that are gone.
        #expect(try outbox.queue() == ["m1", "m2"])
        #expect(log.ofRecords == [.replaced(lost: 4), .dropped([], count: 4, .lost)])
        #expect(try outbox.account() == .sample(recovered: 6, queued: 2, dropped: [.lost: 4]))
        #expect(try #require(await outbox.commit(.append("next")).state?.lastSequence) > 7)
    }

    @Test("say nothing if they are of an earlier commit than the database, as after a kill between the two")
    func areBehind() async throws {
        let log = EventLog()
        try await fill(2)
        try folder.copy(name, to: "old")
        try await fill(3, delivered: 1)
        try folder.copy("old", to: name)

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [])
        #expect(try outbox.account() == .sample(recovered: 4, queued: 4))
        #expect(await outbox.commit(.append("next")).state?.lastSequence == 6)
    }

    @Test(
        "say nothing if they are not as they were written",
        arguments: ["", "x", "one digit", "half", "twice", "bytes", "numbers"])
    func areDamaged(damage: String) async throws {
        let log = EventLog()
        try await fill(3)
        var bytes = try folder.read(name)
        #expect(bytes.count == 85)
        switch damage {
        case "one digit": bytes[bytes.startIndex + 20] = UInt8(ascii: "f")
        case "half": bytes = bytes.prefix(40)
        case "twice": bytes += bytes
        case "bytes": bytes = Data(repeating: 0xFF, count: bytes.count)
        case "numbers": bytes = Data(String(repeating: "ffffffffffffffff ", count: 5).utf8)
        default: bytes = Data(damage.utf8)
        }
        try folder.write(bytes, to: name)

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [])
        #expect(try outbox.account() == .sample(recovered: 3, queued: 3))
        await outbox.close()
        #expect(try folder.read(name).count == 85, "They are written anew")
    }

    @Test("stand in nobody's way where they cannot be written")
    func cannotBeWritten() async throws {
        let log = EventLog()
        try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)

        try await fill(3)
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [])
        #expect(try outbox.account() == .sample(recovered: 3, queued: 3))
    }

    @Test("without them and without a database, what waited is lost without a number")
    func areRemovedToo() async throws {
        let log = EventLog()
        try await fill(3)
        try removeDatabase()
        try folder.remove(name)

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [.replaced(lost: nil)])
        #expect(try outbox.account() == .sample())
    }

    @Test("count nothing that a denial in another lane has dropped")
    func areForgotten() async throws {
        let log = EventLog()
        try await fill(3)
        let other = LaneIdentity.session("https://other.example.com")
        let denier = try await SQLiteOutbox.opened(.sample(folder, lane: other))
        await denier.commit(.consent(.denied, messageID: nil))
        await denier.close()
        try removeDatabase()

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.ofRecords == [.replaced(lost: nil)])
        #expect(try outbox.state().consent == .denied)
        #expect(try outbox.account() == .sample())
    }

    @Test("count nothing that another lane has taken over")
    func areMoved() async throws {
        let log = EventLog()
        let other = LaneIdentity.session("https://other.example.com")
        try await fill(3, lane: other)
        let taker = try await SQLiteOutbox.opened(.sample(folder, log: log))
        #expect(try taker.account() == .sample(recovered: 3, queued: 3))
        await taker.close()

        let donor = try await SQLiteOutbox.opened(.sample(folder, lane: other, log: log))
        #expect(try donor.account().recovered == 3, "It takes them back: they have no session yet")
        await donor.close()
        #expect(log.ofRecords == [])
        try removeDatabase()

        _ = try await SQLiteOutbox.opened(.sample(folder, log: log))
        #expect(log.ofRecords == [.replaced(lost: nil)])
        _ = try await SQLiteOutbox.opened(.sample(folder, lane: other, log: log))
        #expect(log.ofRecords == [.replaced(lost: nil), .replaced(lost: 3), .dropped([], count: 3, .lost)])
    }
}
