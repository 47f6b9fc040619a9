import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("A backup file", .closingOutboxes)
struct BackupTests {
    let folder = TemporaryFolder()

    /// The files that say how far a lane and its brand have come.
    enum Count: String, CaseIterable {
        case generation, erased, sequence, number
        case tenantGeneration = "epoch"

        /// The file, from the state folder.
        func name(in folder: TemporaryFolder) -> String {
            let backup = BackupFiles(folder.state, .sample)
            let files = self == .tenantGeneration ? backup.tenant : backup.lane
            return files.directory.file(rawValue).replacing(folder.path + "/", with: "")
        }
    }

    @Test("with one damaged digit is ignored and written anew", arguments: Count.allCases)
    func damagedDigit(count: Count) async throws {
        try await leaveLane()
        let name = count.name(in: folder)
        let sound = try folder.read(name)
        let digit = try #require(sound.firstIndex { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        var damaged = sound
        damaged[digit] = UInt8(ascii: "9")
        try folder.write(damaged, to: name)

        try await expectLaneUnharmed()

        #expect(try folder.read(name) == sound)
    }

    @Test("of a value, with a damaged generation, does not bring back a user who has left")
    func damagedGeneration() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.bind(1, "s1"), .identify(Generation(1), known(UserID("u1")))])
        let name = folder.backupName(.identifyID)
        let old = String(decoding: try folder.read(name), as: UTF8.self)
        await first.commit(.reset(all: false, messageID: nil))
        await first.close()
        #expect(old.contains(#""epoch":1"#))
        try folder.write(Data(old.replacing(#""epoch":1"#, with: #""epoch":2"#).utf8), to: name)

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(second.value(for: .identifyID) == nil)
        await second.close()
        #expect(!folder.exists(name))
    }

    @Test(
        "that says what cannot be is ignored and written anew", arguments: Count.allCases,
        [Int64.max, Int64.max - 1, .min, -1, 1 << 44, 1 << 44 - 1, 1 << 43 + 1])
    func impossible(count: Count, number: Int64) async throws {
        try await leaveLane()
        let name = count.name(in: folder)
        let sound = try folder.read(name)
        // As version 0.1.0 has written it: without a check sum, which would have to be right.
        let text = #"{"value":"\#(number)","expires":9223372036854775807,"epoch":0}"#
        try folder.write(Data(text.utf8), to: name)

        try await expectLaneUnharmed()

        #expect(try folder.read(name) == sound)
    }

    @Test("that says what cannot be keeps no database from being made anew", arguments: Count.allCases)
    func impossibleWithoutDatabase(count: Count) async throws {
        try await leaveLane()
        let text = #"{"value":"\#(Int64.max)","expires":9223372036854775807,"epoch":0}"#
        try folder.write(Data(text.utf8), to: count.name(in: folder))
        try folder.remove("tracker.sqlite3")

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(await outbox.commit(.reset(all: false, messageID: nil)).summary == "done")
        #expect(await outbox.commit(.append("m2")).summary == "pending")
    }

    @Test("of version 0.1.0, which has no check sum, is read, and written anew with one")
    func withoutCheckSum() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.bind(1, "s1"), .store(.own("x"), "y", nil)])
        await first.close()
        let sound = try folder.files.filter { $0.hasPrefix("backup/") }.map { ($0, try folder.read($0)) }
        for (name, data) in sound {
            let text = String(decoding: data, as: UTF8.self)
            let check = try #require(text.range(of: #","check":""#))
            try folder.write(Data((text[..<check.lowerBound] + "}").utf8), to: name)
        }
        try folder.remove("tracker.sqlite3")

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(second.value(for: .sessionID) == "s1")
        #expect(second.value(for: .own("x")) == "y")
        #expect(await second.commit(.append("m")).state?.lastSequence == 10_001)
        await second.close()
        for (name, data) in sound where !name.hasSuffix("/sequence") {
            #expect(try folder.read(name) == data, "\(name)")
        }
    }

    @Test(
        "of after a reset keeps a damaged database of before it from bringing the user back", arguments: [false, true])
    func olderDamagedDatabase(isDamaged: Bool) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([
            .ensureDevice, .identify(Generation(1), known(UserID("u1"))), .store(.sessionEmail, "u1@example.com", nil),
            .store(.own("x"), "y", nil), .append("unbound", given: true),
        ])
        let device = first.value(for: .deviceID)
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder))
        #expect(await second.commit(.reset(all: false, messageID: nil)).summary == "done")
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")
        if isDamaged { try damageKeys() }

        let third = try await SQLiteOutbox.opened(.sample(folder))

        for key in [StoredKey.identifyID, .sessionEmail, .own("x"), .deviceID] {
            #expect(third.value(for: key) == nil, "\(key)")
        }
        #expect(device != nil)
        #expect(try third.state().generation == Generation(2))
        #expect(try third.state().entry == GenerationEntry())
        #expect(try third.queue() == [])
        #expect(try third.account().isBalanced)
        #expect(await third.commit(.append("next")).summary == "pending")
        await third.close()
        #expect(folder.exists("tracker.sqlite3.corrupt-1") == isDamaged)
    }

    /// What erases a user, all of it answered as done.
    enum End: CaseIterable {
        case reset, denial

        var changes: [LaneChange] {
            switch self {
            case .reset: [.reset(all: true, messageID: nil)]
            case .denial: [.consent(.denied, messageID: nil), .consent(.granted, messageID: nil)]
            }
        }
    }

    @Test(
        "of after an erasure keeps an older database from bringing anything of the user back", arguments: End.allCases,
        [false, true])
    func olderThanErasure(end: End, isDamaged: Bool) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([
            .ensureDevice, .bind(1, "s-secret"), .identify(Generation(1), known(UserID("u-secret"))),
            .store(.own("x"), "secret", nil), .append("m1", given: true, body: #"{"event":"secret"}"#),
            .append("m2", body: #"{"event":"refused secret"}"#),
        ])
        let rejection = Rejection(status: 422, body: "secret answer".utf8, attempts: 1)
        await first.commit(.drop([try first.ids()[1]], .rejected(422), rejection))
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder))
        #expect(await second.commit(end.changes).map(\.summary).allSatisfy { $0 == "done" })
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")
        if isDamaged { try damageKeys() }

        let third = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try third.queue() == [])
        #expect(try third.refused().isEmpty)
        for key in [StoredKey.sessionID, .identifyID, .own("x"), .deviceID] { #expect(third.value(for: key) == nil) }
        #expect(try third.state().generation >= Generation(2))
        #expect(try third.account().isBalanced)
        #expect(await third.commit(.append("m3")).summary == "pending")
        await third.close()
        #expect(try folder.files(holding: "secret") == [])
        #expect(!folder.exists("tracker.sqlite3.corrupt-1"))
        let fourth = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try fourth.queue() == ["m3"])
    }

    @Test("of after a reset of everything keeps an older database from being read before it is written")
    func olderUnderReader() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .store(.own("x"), "y", nil)])
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try folder.copy("tracker.sqlite3", to: "old")
        await outbox.commit([.reset(all: true, messageID: nil), .bind(2, "s2"), .append("m2")])
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try folder.move("old", to: "tracker.sqlite3")

        #expect(try outbox.queue() == [])
        #expect(try outbox.state().entry.session?.text == "s2")
        #expect(outbox.value(for: .own("x")) == nil)
        await outbox.commit(.append("m3"))
        #expect(try outbox.queue() == ["m3"])
        #expect(outbox.value(for: .sessionID) == "s2")
        #expect(try outbox.account().isBalanced)
    }

    @Test("an older database that is put under an idle process is brought up to its backups without a call")
    func olderUnderIdle() async throws {
        let told = Recorder<OutboxEvent>()
        let outbox = try await SQLiteOutbox.opened(.sample(folder) { $0.observer = { told.record($0) } })
        await outbox.commit([.bind(1, "s1"), .append("m1"), .append("m2")])
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try folder.copy("tracker.sqlite3", to: "old")
        await outbox.commit([.reset(all: false, messageID: nil), .bind(2, "s2")])
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try folder.move("old", to: "tracker.sqlite3")

        let peek = try outbox.peek(limit: 9, maxBytes: .max)
        #expect(peek.records.isEmpty && peek.state.isAwaitingDisk)
        #expect(try await told.values(atLeast: 1) == [.unwrittenIsWritten])
        #expect(try outbox.queue() == ["m1", "m2"] && !outbox.state().isAwaitingDisk)
        #expect(outbox.value(for: .sessionID) == "s2")
    }

    @Test("so it is however often that has failed, and though nobody reads it any more")
    func olderAndRefused() async throws {
        let told = Recorder<OutboxEvent>()
        let outbox = try await SQLiteOutbox.opened(.sample(folder) { $0.observer = { told.record($0) } })
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try folder.copy("tracker.sqlite3", to: "old")
        await outbox.commit([.reset(all: false, messageID: nil), .bind(2, "s2")])
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try folder.move("old", to: "tracker.sqlite3")
        #expect(try outbox.queue() == [])

        try folder.move("tracker.sqlite3", to: "old")
        let obstacle = folder.file("tracker.sqlite3")
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        for _ in 1...3 { #expect(await outbox.commit(.barrier).summary.hasPrefix("failed")) }
        try folder.remove("tracker.sqlite3")
        try folder.move("old", to: "tracker.sqlite3")

        var seen: [OutboxEvent] = []
        while !seen.contains(.unwrittenIsWritten) { seen = try await told.values(atLeast: seen.count + 1) }
        #expect(try outbox.queue() == ["m1"])
    }

    @Test("what an older database has as refused is not listed before a client has opened it")
    func olderRefused() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.bind(1, "s1"), .append("m1")])
        let rejection = Rejection(status: 422, body: "no".utf8, attempts: 1)
        await first.commit(.drop(try first.ids(), .rejected(422), rejection))
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        #expect(try StateInspection.refused(in: folder.state).map(\.1.count) == [1])
        let second = try await SQLiteOutbox.opened(.sample(folder))
        await second.commit(.reset(all: true, messageID: nil))
        await second.close()

        try folder.move("old", to: "tracker.sqlite3")

        #expect(try StateInspection.refused(in: folder.state).isEmpty)
    }

    @Test("a lane that is not opened catches up as well, before a denial or a forgotten person hides that it is old")
    func olderBeside() async throws {
        let there = LaneIdentity.session("https://a.example.com")
        let here = LaneIdentity.session("https://b.example.com")
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        await first.commit([
            .ensureDevice, .bind(1, "s1"), .identify(Generation(1), known(UserID("u1"))),
            .append("m1", body: #"{"x":"secret"}"#),
        ])
        let device = first.value(for: .deviceID)
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        await second.commit([
            .reset(all: true, messageID: nil), .bind(2, "s-secret"), .store(.sessionEmail, "secret", nil),
        ])
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await SQLiteOutbox.opened(.sample(folder, lane: here))
        #expect(device != nil && third.value(for: .deviceID) != device)
        #expect(await third.commit(.forget([.user("u1")])).summary == "changed 0")
        #expect(await third.commit(.consent(.denied, messageID: nil)).summary == "done")
        #expect(try folder.files(holding: "secret") == [])
        #expect(await third.commit(.consent(.granted, messageID: nil)).summary == "done")
        await third.close()

        let fourth = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        #expect(try fourth.queue() == [])
        #expect(fourth.value(for: .sessionID) == nil && fourth.value(for: .sessionEmail) == nil)
    }

    @Test(
        "of a brand that was reset keeps its device from coming back with the session of another lane",
        arguments: [false, true])
    func olderDevice(isDamaged: Bool) async throws {
        let there = LaneIdentity.session("https://a.example.com")
        let here = LaneIdentity.session("https://b.example.com")
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        await first.commit([.ensureDevice, .bind(1, "s1")])
        let device = first.value(for: .deviceID)
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: here))
        await second.commit([.reset(all: true, messageID: nil), .ensureDevice])
        let next = second.value(for: .deviceID)
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")
        if isDamaged { try damageKeys() }

        let third = try await SQLiteOutbox.opened(.sample(folder, lane: there))

        #expect(device != nil && next != device)
        #expect(third.value(for: .deviceID) == next)
        #expect(try third.state().entry.device?.text == next)
    }

    @Test("what waits for the session from before a reset keeps its device, whichever lane is opened first")
    func olderSession() async throws {
        let there = LaneIdentity.session("https://a.example.com")
        let here = LaneIdentity.session("https://b.example.com")
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        await first.commit([.ensureDevice, .bind(1, "s1"), .append("m1")])
        let device = try #require(first.value(for: .deviceID))
        await first.close()
        let own = try await SQLiteOutbox.opened(.sample(folder, lane: here))
        await own.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        await second.commit(.reset(all: false, messageID: nil))
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await SQLiteOutbox.opened(.sample(folder, lane: here))
        #expect(third.value(for: .deviceID) == nil)
        await third.close()

        let fourth = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        let peek = try fourth.peek(limit: 9, maxBytes: .max)
        #expect(peek.records.map(\.messageID.text) == ["m1"])
        #expect(peek.entries[Generation(1)]?.device?.text == device)
    }

    @Test("a database that says that its present generation was erased is damaged", arguments: [3, 9])
    func impossibleErasure(erased: Int) async throws {
        try await leaveLane()
        try folder.execute("UPDATE lane SET erased = \(erased), generation = 3")

        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(folder.exists("tracker.sqlite3.corrupt-1"))
        #expect(try outbox.queue() == ["m1"])
        #expect(try outbox.account().isBalanced)
    }

    @Test("of another lane keeps what a reset or denial has dropped there from moving here", arguments: [false, true])
    func olderOtherLane(isDenied: Bool) async throws {
        let there = LaneIdentity.session("https://a.example.com")
        let here = LaneIdentity.session("https://b.example.com")
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        await first.commit([.ensureDevice, .append("unbound")])
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        let end = isDenied ? LaneChange.consent(.denied, messageID: nil) : .reset(all: false, messageID: nil)
        #expect(await second.commit(end).summary == "done")
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await SQLiteOutbox.opened(.sample(folder, lane: here))

        #expect(try third.queue() == [])
        #expect(try third.state().consent == (isDenied ? .denied : .granted))
        await third.close()
        let fourth = try await SQLiteOutbox.opened(.sample(folder, lane: there))
        #expect(try fourth.queue() == [])
    }

    @Test("of a lane whose user has denied keeps its records from moving to one that names it")
    func olderDeniedLane() async throws {
        let (there, here) = (LaneIdentity.endpoint("a"), LaneIdentity.endpoint("b"))
        let first = try await SQLiteOutbox.opened(.sample(folder, lane: there) { $0.bindsSessions = false })
        await first.commit([.append("m1"), .store(.own("user_id"), "u1", nil)])
        await first.close()
        try folder.copy("tracker.sqlite3", to: "old")
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: there) { $0.bindsSessions = false })
        #expect(await second.commit(.consent(.denied, messageID: nil)).summary == "done")
        await second.close()
        try folder.move("old", to: "tracker.sqlite3")

        let third = try await SQLiteOutbox.opened(
            .sample(folder, lane: here) {
                $0.bindsSessions = false
                $0.takesOver = [there]
                $0.takesOverValues = [.own("user_id")]
            })

        #expect(try third.queue() == [])
        #expect(third.value(for: .own("user_id")) == nil)
    }

    /// A lane of generation 2 with a session, one event and a clean end.
    private func leaveLane() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.reset(all: true, messageID: nil), .bind(2, "s2"), .append("m1")])
        await outbox.close()
    }

    /// Uses the lane that ``leaveLane()`` has left, which has come to no harm, and ends cleanly without an event.
    private func expectLaneUnharmed() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        #expect(try outbox.queue() == ["m1"])
        #expect(try outbox.state().generation == Generation(2))
        #expect(outbox.value(for: .sessionID) == "s2")
        #expect(try outbox.state().lastSequence == 1)
        await outbox.commit(.barrier)
        #expect(log.events == [])
        await outbox.close()
    }

    /// Damages the callers' keys, which are read when the lane is opened.
    private func damageKeys() throws {
        try folder.execute("UPDATE lane SET queued = queued + 1")
        try folder.damage("caller_key")
    }
}
