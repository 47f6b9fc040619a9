import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Dual storage", .closingOutboxes)
struct DualStorageTests {
    let folder = TemporaryFolder()

    @Test("has both halves written when a save is done")
    func writesBoth() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(await outbox.commit(.ensureDevice).summary == "done")
        #expect(await outbox.commit(.bind(1, "s1")).summary == "done")

        #expect(try folder.backedUp(.sessionID) == "s1")
        #expect(try folder.backedUp(.deviceID) == outbox.value(for: .deviceID))
        #expect(folder.backupName(.sessionID).hasSuffix("/__GT_925_session_id"))
        #expect(try folder.number("SELECT count(*) FROM value WHERE key = '__GT_925_session_id' AND value = 's1'") == 1)
    }

    @Test("answers calls while another process does not finish its backups, and refuses values in the end")
    func stoppedElsewhere() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit(.ensureDevice)
        let lock = try LockedFile(folder.state.backupLock)
        let answers = Recorder<String>()

        outbox.stage(.bind(1, "s1")) { answers.record("session \($0.summary)") }
        outbox.stage(.append("m1")) { answers.record($0.summary) }
        let all = try await answers.values(atLeast: 2)
        lock.unlock()
        let later = await outbox.commit(.store(.own("x"), "y", nil))

        #expect(all == ["queued", "session failed busy"])
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(later.summary == "done")
        #expect(try folder.backedUp(.sessionID) == "s1")
        #expect(log.events.contains(.backupRecovered))
    }

    /// Calls whose answer is `queued`, and what they save.
    private static let savingCalls: [(change: LaneChange, key: StoredKey)] = [
        (.append(.sample("m1", sessionMetadata: known(try? JSONText(validating: #"{"a":1}"#)))), .sessionMetadata),
        (.continueSession(known(SessionID("s9")), link: .sample("c1")), .sessionID),
    ]

    @Test("has both halves written when a call that saves a value is answered", arguments: savingCalls.indices)
    func callWritesBoth(index: Int) async throws {
        let (change, key) = Self.savingCalls[index]
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        if key == .sessionMetadata { await outbox.commit(.bind(1, "s1")) }
        let lock = try LockedFile(folder.state.backupLock)
        let answers = Recorder<String>()

        outbox.stage(change) { answers.record("saved \($0.summary)") }
        outbox.stage(.append("m2")) { _ in answers.record("next") }
        let first = try await answers.values(atLeast: 1)
        lock.unlock()

        #expect(first == ["next"])
        #expect(try await answers.values(atLeast: 2) == ["next", "saved queued"])
        #expect(try folder.backedUp(key) == outbox.value(for: key))
        #expect(outbox.value(for: key) != nil)
    }

    @Test("heals the primary from the backup", arguments: [StoredKey.sessionID, .identifyID, .deviceID, .own("x")])
    func healsPrimary(key: StoredKey) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([
            .ensureDevice, .bind(1, "s1"), .identify(Generation(1), known(UserID("u"))), .store(.own("x"), "y", nil),
        ])
        let value = try #require(outbox.value(for: key))
        try folder.execute("DELETE FROM value")

        #expect(outbox.value(for: key) == value)

        await outbox.commit(.barrier)
        #expect(try folder.number("SELECT count(*) FROM value WHERE value = '\(value)'") == 1)
    }

    @Test("heals the primary when it is opened, and the generation with it")
    func healsPrimaryAtOpening() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        let state = await first.commit([
            .ensureDevice, .bind(1, "s1"), .identify(Generation(1), known(UserID("u"))), .barrier,
        ]).last?.state
        await first.close()
        try folder.execute("DELETE FROM value; DELETE FROM generation")

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try second.state().entry == state?.entry)
        #expect(try folder.number("SELECT count(*) FROM value WHERE value IS NOT NULL") == 3)
    }

    @Test("heals the backup from the primary")
    func healsBackup() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit(.bind(1, "s1"))
        try folder.remove(folder.backupName(.sessionID))

        #expect(outbox.value(for: .sessionID) == "s1")

        await outbox.close()
        #expect(try folder.backedUp(.sessionID) == "s1")
    }

    @Test("ignores a damaged backup and writes it anew", arguments: ["", "{", #"{"value":1}"#, "\u{0}\u{1}"])
    func replacesDamagedBackup(content: String) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit(.bind(1, "s1"))
        await first.close()
        try folder.write(Data(content.utf8), to: folder.backupName(.sessionID))

        let second = try await SQLiteOutbox.opened(.sample(folder))
        #expect(second.value(for: .sessionID) == "s1")

        await second.close()
        #expect(try folder.backedUp(.sessionID) == "s1")
    }

    @Test("never heals with a value from before a reset, when a crash left its backup behind")
    func forgetsOldBackups() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.ensureDevice, .bind(1, "s1"), .store(.own("x"), "y", nil), .store(.brandID, "925", nil)])
        try folder.copy("backup", to: "old")
        await first.commit(.reset(all: false, messageID: nil))
        await first.close()
        try folder.move("old", to: "backup")

        let second = try await SQLiteOutbox.opened(.sample(folder))

        for key in [StoredKey.sessionID, .deviceID, .own("x")] { #expect(second.value(for: key) == nil) }
        #expect(second.value(for: .brandID) == "925")
        #expect(try second.state().entry == GenerationEntry())
        await second.close()
        #expect(try folder.backedUp(.sessionID) == nil)
        #expect(try folder.backedUp(.deviceID) == nil)
        #expect(try folder.backedUp(.brandID) == "925")
    }

    @Test("never heals with the primary of before a reset, when the disk has lost its last commits")
    func forgetsOldPrimary() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.ensureDevice, .bind(1, "s1"), .append("m1")])
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder))
        await second.commit([.reset(all: false, messageID: nil), .consent(.pending, messageID: nil)])
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await SQLiteOutbox.opened(.sample(folder))

        #expect(third.value(for: .sessionID) == nil)
        #expect(third.value(for: .deviceID) == nil)
        #expect(try third.state().generation == Generation(2))
        #expect(try third.state().consent == .pending)
        #expect(try third.peek(limit: 1, maxBytes: 1).entries[Generation(1)]?.session == SessionID("s1"))
    }

    @Test("brings values, consent, generation and sequence back when the database is gone")
    func survivesWithoutDatabase() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([
            .reset(all: false, messageID: nil), .ensureDevice, .bind(2, "s1"), .append("m1"),
            .consent(.pending, messageID: nil),
        ])
        let device = first.value(for: .deviceID)
        await first.close()
        try folder.remove("tracker.sqlite3")
        let log = EventLog()

        let second = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(log.events == [.replaced(lost: nil)])
        #expect(try second.account() == .sample())
        let state = try second.state()
        #expect(state.generation == Generation(2))
        #expect(state.consent == .pending)
        #expect(state.entry == GenerationEntry(session: SessionID("s1"), device: device.flatMap(DeviceID.init)))
        #expect(await second.commit(.append("m2")).state?.lastSequence == 10_001)
    }

    @Test("keeps a lane's backups while its database is older than they are")
    func keepsNewerBackups() async throws {
        let lane = LaneIdentity.session("https://other.example.com")
        let first = try await SQLiteOutbox.opened(.sample(folder))
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: lane))
        await other.commit(.bind(1, "old"))
        await first.close()
        await other.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let later = try await SQLiteOutbox.opened(.sample(folder, lane: lane))
        await later.commit([.reset(all: false, messageID: nil), .bind(2, "new")])
        await later.close()
        try folder.move("old", to: "tracker.sqlite3")

        let second = try await SQLiteOutbox.opened(.sample(folder))
        await second.commit(.store(.own("x"), "y", nil))
        let again = try await SQLiteOutbox.opened(.sample(folder, lane: lane))

        #expect(try again.state().generation == Generation(2))
        #expect(again.value(for: .sessionID) == "new")
    }

    @Test("removes what has expired from both halves")
    func expires() async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, clock: clock) { $0.expiration = .seconds(60) })
        await outbox.commit([.ensureDevice, .store(.own("x"), "y", nil)])
        clock.advance(by: .seconds(60))

        #expect(outbox.value(for: .own("x")) == nil)

        await outbox.commit(.barrier)
        await outbox.close()
        #expect(try folder.backedUp(.own("x")) == nil)
        #expect(try folder.number("SELECT count(*) FROM value WHERE value = 'y'") == 0)
    }

    @Test("writes a value that is kept already once it would last notably longer")
    func renews() async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, clock: clock) { $0.expiration = .seconds(1_000) })
        func ends() async throws -> Int64 {
            await outbox.commit(.store(.own("x"), "y", nil))
            return try #require(try folder.number("SELECT expires FROM value WHERE value = 'y'"))
        }
        let first = try await ends()

        clock.advance(by: .milliseconds(9_999))
        #expect(try await ends() == first)

        clock.advance(by: .milliseconds(1))
        #expect(try await ends() == first + 10_000)

        clock.advance(by: .seconds(-60))
        #expect(try await ends() == first - 50_000)
    }

    @Test("does not bring an expired value back from the backup")
    func expiresBackup() async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, clock: clock) { $0.expiration = .seconds(60) })
        await outbox.commit(.store(.own("x"), "y", nil))
        try folder.execute("DELETE FROM value")
        clock.advance(by: .seconds(60))

        #expect(outbox.value(for: .own("x")) == nil)
    }

    @Test("removes a value from both halves")
    func removes() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit(.store(.own("x"), "y", nil))

        await outbox.commit(.remove(.own("x")))

        #expect(outbox.value(for: .own("x")) == nil)
        #expect(try folder.backedUp(.own("x")) == nil)
    }

    @Test("reports a backup that cannot be written, does not call the save done, and tries again by itself")
    func reportsFailure() async throws {
        let events = Recorder<OutboxEvent>()
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder) { configuration in
                configuration.observer = { [folder] event in withExtendedLifetime(folder) { events.record(event) } }
            }
        )
        await outbox.commit(.barrier)
        await outbox.commit(.store(.own("x"), "y", nil))
        try folder.remove("backup")
        try folder.write(Data(), to: "backup")

        let result = await outbox.commit(.store(.own("x"), "z", nil))

        #expect(result.summary == "failed failed")
        guard case .backupFailed = try #require(events.all.first), events.all.count == 1 else {
            Issue.record("\(events.all)")
            return
        }
        // A read would have the backup written anew.
        #expect(try folder.number("SELECT count(*) FROM value WHERE value = 'z'") == 1)
        try folder.remove("backup")

        #expect(try await events.values(atLeast: 2).last == .backupRecovered)

        #expect(try folder.backedUp(.own("x")) == "z")
        #expect(outbox.value(for: .own("x")) == "z")
    }

    @Test("keeps any key and any text", arguments: ["a/b", "..", "ключ %41", "x.tmp", ""])
    func keepsAnyKey(name: String) async throws {
        let text = "\u{1F600} \"\\\u{7}\n"
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit(.store(.own(name), text, nil))
        await first.close()
        try folder.remove("tracker.sqlite3")

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(second.value(for: .own(name)) == text)
    }

    @Test("is for its owner alone from the instant its database is made, as a kill would leave it")
    func isPrivateAtOnce() async throws {
        try folder.state.make()
        let database = try Connection(folder.state.database, .create)
        #expect(try mode("tracker.sqlite3") == "600")
        try database.execute("PRAGMA journal_mode=WAL; CREATE TABLE t(x)")
        #expect(try mode("tracker.sqlite3-wal") == "600" && mode("tracker.sqlite3-shm") == "600")

        try folder.move("tracker.sqlite3", to: "tracker.sqlite3.damaged")
        _ = try RecoveredDatabase(folder.state).build(expecting: [:])

        #expect(try mode("tracker.sqlite3.new") == "600")
    }

    private func mode(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
        return String(attributes[.posixPermissions] as? Int ?? 0, radix: 8)
    }

    @Test("is for its owner alone, whatever the umask")
    func isPrivate() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.ensureDevice, .bind(1, "s"), .append("m")])
        #expect(outbox.acquireDelivery())

        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let modes = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            return
                "\(name) \(isFolder ? "folder" : "file") \(String(attributes[.posixPermissions] as? Int ?? 0, radix: 8))"
        }

        #expect(modes.allSatisfy { $0.hasSuffix("folder 700") || $0.hasSuffix("file 600") }, "\(modes)")
        #expect(names.contains("tracker.sqlite3-wal"))
    }
}
