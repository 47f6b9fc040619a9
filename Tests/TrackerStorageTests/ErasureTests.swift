import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Erasure", .closingOutboxes)
struct ErasureTests {
    let folder = TemporaryFolder()

    /// What must not be found afterwards.
    private static let secrets = ["SECRET-BODY", "SECRET-SESSION", "secret@example.com", "SECRET-USER", "SECRET-META"]

    @Test(
        "leaves nothing of what was deleted in any file",
        arguments: [LaneChange.consent(.denied, messageID: nil), .reset(all: true, messageID: nil)]
    )
    func erases(change: LaneChange) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let device = try await fill(outbox, count: 300)
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://other.example.com")))
        let isDenial = if case .consent = change { true } else { false }
        if isDenial { await other.commit((1...300).map { .append("o\($0)", body: #"{"text":"SECRET-BODY \#($0)"}"#) }) }
        try folder.write(Data("SECRET-BODY".utf8), to: "tracker.sqlite3.corrupt-1")
        try folder.write(Data("SECRET-BODY".utf8), to: "tracker.sqlite3.corrupt-1-wal")
        let leftover = folder.backupName(.own("x")) + ".tmp"
        try folder.write(Data("SECRET-USER".utf8), to: leftover)
        #expect(try folder.search(for: ["SECRET-BODY"]).count > 2, "The search finds what is there")

        let result = await outbox.commit(change)

        #expect(result.summary == "done")
        for secret in Self.secrets + [device] {
            let found = try folder.search(for: [secret])
            #expect(found == [], "\(secret)")
        }
        await outbox.commit(.append("after", body: #"{"text":"later"}"#))
        await outbox.close()
        await other.close()
        for secret in Self.secrets + [device] { #expect(try folder.files(holding: secret) == []) }
    }

    @Test(
        "recovers a database whose damage only the rewriting finds",
        arguments: [LaneChange.consent(.denied, messageID: nil), .reset(all: true, messageID: nil)]
    )
    func recovers(change: LaneChange) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let device = try await fill(outbox, count: 20)
        await outbox.close()
        // No transaction of a denial or a reset reads the callers' keys.
        try folder.damage("caller_key")
        let log = EventLog()
        let again = try await SQLiteOutbox.opened(.sample(folder, log: log))

        let result = await again.commit(change)

        #expect(result.summary == "done")
        if case .consent = change { #expect(try again.state().consent == .denied) }
        #expect(log.events.contains { if case .databaseRecovered = $0 { true } else { false } })
        #expect(try again.queue().isEmpty && again.account().isBalanced)
        for secret in Self.secrets + [device] { #expect(try folder.files(holding: secret) == [], "\(secret)") }
        await again.close()
        #expect(try folder.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
    }

    @Test("that a crash has broken off is finished by the next to open")
    func isFinished() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(first, count: 50)
        await first.close()
        // What a process leaves that dies right after the commit of a denial.
        try folder.execute(
            """
            PRAGMA secure_delete=OFF; PRAGMA foreign_keys=OFF;
            DELETE FROM record; DELETE FROM value; DELETE FROM generation; UPDATE tenant SET consent = 'denied', generation = 9;
            UPDATE lane SET generation = 9, queued = 0, accepted = 0; INSERT INTO meta VALUES('erase', 1)
            """
        )
        #expect(try !folder.files(holding: "SECRET-BODY").isEmpty, "Deleting alone erases nothing")

        let second = try await SQLiteOutbox.opened(.sample(folder))
        await second.commit(.barrier)
        await second.close()

        for secret in Self.secrets { #expect(try folder.files(holding: secret) == []) }
    }

    @Test(
        "that is made again after a crash is answered once the backup files are gone",
        arguments: [
            LaneChange.consent(.denied, messageID: MessageID("m")), .reset(all: true, messageID: MessageID("m")),
            .reset(all: false, messageID: MessageID("m")),
        ]
    )
    func isRepeated(change: LaneChange) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(first, count: 3)
        let backups = "backup"
        try folder.copy(backups, to: "kept")
        #expect(await first.commit(change).summary == "done")
        await first.close()
        // What a process leaves that dies after the commit.
        try folder.move("kept", to: backups)
        let lock = try LockedFile(folder.state.backupLock)
        let second = try await SQLiteOutbox.opened(.sample(folder))

        let refused = await second.commit(change)
        lock.unlock()
        let answer = await second.commit(change)

        #expect(refused.summary == "failed busy")
        #expect(answer.summary == "repeated")
        #expect(try folder.files(holding: "SECRET-USER").filter { $0.hasPrefix(backups) } == [])
    }

    @Test("overwrites the values with their deletion, before the database is written anew")
    func overwrites() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(outbox, count: 3)
        await outbox.close()
        #expect(try folder.files(holding: "secret@example.com").contains("tracker.sqlite3"))

        let connection = try Connection(folder.state.database, .readWrite)
        try Schema.configure(connection, durability: .process)
        try connection.execute("DELETE FROM value; PRAGMA wal_checkpoint(TRUNCATE)")

        #expect(try !folder.files(holding: "secret@example.com").contains { $0.hasPrefix("tracker.sqlite3") })
    }

    @Test("is done again where an older database brings back what was denied")
    func isDoneAgain() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(first, count: 50)
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder))
        #expect(await second.commit(.consent(.denied, messageID: nil)).summary == "done")
        await second.close()
        for suffix in ["-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await SQLiteOutbox.opened(.sample(folder))
        await third.commit(.barrier)
        await third.close()

        for secret in Self.secrets { #expect(try folder.files(holding: secret) == []) }
    }

    @Test("that a reader stands in the way of takes effect at once, and is finished once it is gone")
    func waitsForReaders() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(outbox, count: 10)
        let reader = try Connection(folder.state.database, .readWrite)
        try reader.execute("BEGIN; SELECT count(*) FROM record")

        #expect(await outbox.commit(.consent(.denied, messageID: nil)).summary == "failed busy")
        #expect(try outbox.state().consent == .denied)
        #expect(try outbox.queue().isEmpty)

        try reader.execute("COMMIT")
        await outbox.commit(.consent(.denied, messageID: nil))
        for secret in Self.secrets { #expect(try folder.search(for: [secret]) == []) }
    }

    @Test("that a reader stands in the way of writes the database anew once, however often the rest is tried again")
    func vacuumsOnce() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(outbox, count: 2_000)
        let reader = try Connection(folder.state.database, .readWrite)
        try reader.execute("BEGIN; SELECT count(*) FROM record")
        await outbox.commit(.reset(all: true, messageID: nil))
        let body = #"{"text":"\#(String(repeating: "x", count: 300))"}"#
        await outbox.commit((1...500).map { .append("n\($0)", body: body) })
        let log = folder.state.database + "-wal"
        let before = try size(of: log)

        for _ in 0..<5 { _ = outbox.writer.withLock { $0.commit(StagedGroup()) } }
        let after = try size(of: log)
        await outbox.close()
        let next = try await SQLiteOutbox.opened(.sample(folder))
        await next.commit(.append("later"))
        let reopened = try size(of: log)
        try reader.execute("COMMIT")
        _ = next.writer.withLock { $0.commit(StagedGroup()) }

        // A page or two is noted; the database has more than a hundred.
        #expect(after - before < 64 << 10)
        #expect(reopened - after < 64 << 10)
        #expect(next.writer.withLock { $0.erasure } == nil)
        for secret in Self.secrets { #expect(try folder.search(for: [secret]) == []) }
    }

    @Test("rewrites the database by a copy on disk, not in memory", .enabled(if: !isSanitized))
    func copiesOnDisk() async throws {
        let lane = LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane) { $0.keyPrefix = "__GT_7_" })
        let body = #"{"text":"\#(String(repeating: "x", count: 15_000))"}"#
        for start in stride(from: 0, to: 4000, by: 500) {
            await other.commit((start..<start + 500).map { .append("o\($0)", body: body) })
        }
        await other.close()
        #expect(try size(of: folder.state.database) > 60 << 20)
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("append mine") == "pending")
        let before = try probe.peakBytes()

        #expect(try await probe.ask("deny") == "done")

        #expect(before > 0)
        #expect(try probe.peakBytes() - before < 20 << 20)
    }

    @Test("gives other writers their turn between its steps")
    func givesTurns() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let other = try OtherWriter(folder.state)

        // The system promises no order, so that one erasure shows too little.
        for _ in 0..<500 where !other.hasSeenUnfinished {
            _ = try await fill(outbox, count: 10)
            #expect(await outbox.commit(.reset(all: true, messageID: nil)).summary == "done")
        }
        other.stop()

        #expect(other.hasSeenUnfinished)
    }

    @Test("writes next to nothing of what it deletes, and leaves the few records of others as they are")
    func writesLittle() async throws {
        let lane = LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane) { $0.keyPrefix = "__GT_7_" })
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        let body = #"{"text":"\#(String(repeating: "x", count: 1000))"}"#
        await other.commit((1...3).map { .append("o\($0)", given: true, body: #"{"number":\#($0)}"#) })
        for start in [0, 1000, 2000, 3000] {
            await outbox.commit((start..<start + 1000).map { .append("m\($0)", body: body) })
        }
        await other.commit(.append("o4", body: #"{"number":4}"#))
        let before = try other.peek(limit: 9, maxBytes: .max).records
        let reader = try Connection(folder.state.database, .readWrite)
        try reader.execute("BEGIN; SELECT count(*) FROM record")
        let log = try size(of: folder.state.database + "-wal")

        await outbox.commit(.reset(all: true, messageID: nil))

        // Behind a reader the log keeps all that is written: what went was 4 MB.
        #expect(try size(of: folder.state.database + "-wal") - log < 512 << 10)
        try reader.execute("COMMIT")
        #expect(before.map(\.messageID.text) == ["o1", "o2", "o3", "o4"])
        #expect(try other.peek(limit: 9, maxBytes: .max).records == before)
        #expect(try outbox.account().dropped == [.reset: 4000])
        #expect(try outbox.queue().isEmpty)
    }

    @Test("with many records of others leaves those as they are")
    func sparesMany() async throws {
        let lane = LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane) { $0.keyPrefix = "__GT_7_" })
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await other.commit((1...1_001).map { .append("o\($0)") })
        await outbox.commit((1...10).map { .append("m\($0)") })

        await outbox.commit(.reset(all: true, messageID: nil))

        #expect(try other.queue() == (1...1_001).map { "o\($0)" })
        #expect(try outbox.account().dropped == [.reset: 10])
    }

    @Test("leaves other brands alone")
    func sparesOthers() async throws {
        let lane = LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane) { $0.keyPrefix = "__GT_7_" })
        await other.commit([.ensureDevice, .bind(1, "s7"), .append("m7")])
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        _ = try await fill(outbox, count: 3)

        await outbox.commit(.consent(.denied, messageID: nil))

        #expect(try other.queue() == ["m7"])
        #expect(other.value(for: .sessionID) == "s7")
        await other.close()
        try folder.remove("tracker.sqlite3")
        let again = try await SQLiteOutbox.opened(.sample(folder, lane: lane) { $0.keyPrefix = "__GT_7_" })
        #expect(again.value(for: .sessionID) == "s7")
    }

    /// Takes the writers' lock again and again, as other processes do.
    private final class OtherWriter: Sendable {
        private let isStopped = Atomic(false)
        private let seen = Atomic(false)

        /// Begins.
        init(_ folder: StateFolder) throws {
            _ = try FileLock(folder.writerLock)
            Thread.detachNewThread { [self] in
                guard let lock = try? FileLock(folder.writerLock),
                    let connection = try? Connection(folder.database, .readOnly)
                else { return }
                while !isStopped.load(ordering: .relaxed), (try? lock.lock()) != nil {
                    let left = try? connection.number("SELECT value FROM meta WHERE name = 'erase'")
                    if left != nil { seen.store(true, ordering: .relaxed) }
                    lock.unlock()
                }
            }
        }

        /// Whether it has had its turn while something was left to erase.
        var hasSeenUnfinished: Bool { seen.load(ordering: .relaxed) }

        func stop() { isStopped.store(true, ordering: .relaxed) }
    }

    private func size(of path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    /// Puts secrets wherever they can go.
    ///
    /// - Returns: The device id.
    private func fill(_ outbox: SQLiteOutbox, count: Int) async throws -> String {
        let metadata = Draft.sample(
            "metadata", sessionMetadata: try JSONText(validating: #"{"plan":"SECRET-META"}"#))
        await outbox.commit([
            .ensureDevice, .bind(1, "SECRET-SESSION"), .store(.sessionEmail, "secret@example.com", nil),
            .identify(Generation(1), known(UserID("SECRET-USER"))), .store(.own("x"), "SECRET-USER", nil),
            .append(metadata), .store(.brandID, "925", nil),
        ])
        await outbox.commit((1...count).map { .append("m\($0)", body: #"{"text":"SECRET-BODY \#($0)"}"#) })
        let delivered = try outbox.records().prefix(count / 2)
        await outbox.commit(.delivered(Array(delivered)))
        return try #require(outbox.value(for: .deviceID))
    }
}
