import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

/// A way in which a database comes to harm.
enum Damage: String, CaseIterable, CustomTestStringConvertible {
    case noDatabase
    case firstPage
    case header
    case truncated
    case randomPages
    case everyByte

    var testDescription: String { rawValue }

    /// Harms a file; no connection to it may be open.
    func apply(_ folder: TemporaryFolder) throws {
        var data = try folder.read("tracker.sqlite3")
        switch self {
        case .noDatabase: data = Data("This is a text.".utf8)
        case .firstPage: data.replaceSubrange(0..<4096, with: Data(repeating: 0xA5, count: 4096))
        case .header: data.replaceSubrange(0..<100, with: Data(repeating: 0, count: 100))
        case .truncated: data = data.prefix(data.count * 2 / 3)
        case .randomPages:
            for page in stride(from: 18, to: data.count / 4096, by: 3) {
                data.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0x5A, count: 4096))
            }
        case .everyByte: data = Data(repeating: 0xFF, count: data.count)
        }
        try folder.write(data, to: "tracker.sqlite3")
    }
}

@Suite("A damaged database", .closingOutboxes)
struct DatabaseRecoveryTests {
    let folder = TemporaryFolder()

    @Test("is set aside; what can be read of it is carried over, the rest is counted", arguments: Damage.allCases)
    func recovers(damage: Damage) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([
            .reset(all: false, messageID: nil), .ensureDevice, .bind(2, "s1"), .consent(.pending, messageID: nil),
            .store(.own("x"), "y", nil),
        ])
        await first.commit((1...500).map { .append("m\($0)", given: true, body: #"{"n":\#($0)}"#) })
        await first.commit(.delivered([try first.records()[0]]))
        let device = first.value(for: .deviceID)
        await first.close()
        try damage.apply(folder)

        let log = EventLog()
        let second = SQLiteOutbox.made(.sample(folder, log: log))
        let opening = try await second.open().get()

        // Damage in the middle is only found by a read of that page.
        var recovery = opening.recovery
        if recovery == nil {
            _ = try? second.peek(limit: .max, maxBytes: .max)
            await second.commit(.barrier)
            recovery =
                log.events.compactMap { if case .databaseRecovered(let recovery) = $0 { recovery } else { nil } }.first
        }
        let found = try #require(recovery)
        #expect(found.setAside == "tracker.sqlite3.corrupt-1")
        #expect(folder.exists(found.setAside))
        // Where nothing can be read, nothing says how much there was.
        let isReadable = [.truncated, .randomPages].contains(damage)
        #expect(found.lost == (isReadable ? 499 - found.carriedOver : nil))
        #expect((found.carriedOver > 0) == isReadable)

        let records = try second.peek(limit: .max, maxBytes: .max).records
        #expect(records.count == found.carriedOver)
        #expect(records.map(\.sequence) == records.map(\.sequence).sorted())
        #expect(
            records.allSatisfy { $0.messageID.text == "m\($0.sequence)" && $0.body.text == #"{"n":\#($0.sequence)}"# })
        let account = try second.account()
        #expect(account.isBalanced)
        #expect(account.dropped == ((found.lost ?? 0) > 0 ? [.lost: found.lost ?? 0] : [:]))
        let state = try second.state()
        #expect(state.generation == Generation(2))
        #expect(state.consent == .pending)
        #expect(state.entry == GenerationEntry(session: SessionID("s1"), device: device.flatMap(DeviceID.init)))
        #expect(second.value(for: .own("x")) == "y")
        #expect(await second.commit(.append("next")).state?.lastSequence == 10_001)
        if isReadable, let last = records.last {
            #expect(
                await second.commit(.append(last.messageID.text, given: true)).summary == "pending")
            #expect(try second.queue().count == found.carriedOver + 1)
        }
        await second.close()

        let third = SQLiteOutbox.made(.sample(folder))
        #expect(try await third.open().get().recovery == nil)
        #expect(try third.queue().count == found.carriedOver + 1)
        #expect(try third.account().isBalanced)
    }

    @Test("keeps its records if what is damaged is the row of the lane or of the brand", arguments: ["lane", "tenant"])
    func withoutLane(table: String) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([
            .append("left"), .reset(all: false, messageID: nil), .bind(2, "s1"), .append("m1", given: true),
            .append("m2"),
        ])
        await first.close()
        try folder.damage(table)

        let second = SQLiteOutbox.made(.sample(folder))
        let recovery = try #require(try await second.open().get().recovery)

        #expect(recovery.carriedOver == 2 && recovery.lost == nil)
        #expect(try second.queue() == ["m1", "m2"])
        #expect(try second.state().entry.session == SessionID("s1"))
        #expect(await second.commit(.append("m1", given: true)).summary == "queued")
        #expect(try second.queue() == ["m1", "m2"])
        #expect(try second.account().isBalanced)
    }

    @Test("gives a lane no records of another one that has its number in a database from elsewhere")
    func databaseFromElsewhere() async throws {
        let elsewhere = TemporaryFolder()
        let otherBrand = LaneIdentity(kind: .session, owner: "926", origin: LaneIdentity.sample.origin)
        for (place, lane, id) in [(folder, LaneIdentity.sample, "own"), (elsewhere, otherBrand, "other")] {
            let outbox = try await SQLiteOutbox.opened(.sample(place, lane: lane))
            await outbox.commit(.append(id))
            await outbox.close()
        }
        try elsewhere.damage("value")
        try folder.write(elsewhere.read("tracker.sqlite3"), to: "tracker.sqlite3")

        let found = try await SQLiteOutbox.opened(.sample(folder))

        #expect(folder.exists("tracker.sqlite3.corrupt-1"))
        #expect(try found.queue() == [])
        await found.close()
        let other = try await SQLiteOutbox.opened(.sample(folder, lane: otherBrand))
        #expect(try other.queue() == ["other"])
    }

    @Test("opens again whatever number it gives to a call that is settled")
    func settledNumber() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit(.append("m1", given: true))
        await first.commit(.delivered(try first.records()))
        await first.close()
        try folder.execute("UPDATE caller_key SET removed = \(Int64.max)")
        try folder.damage("value")

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(await second.commit(.append("m1", given: true)).summary == "pending")
        #expect(try second.queue().isEmpty)
    }

    @Test("is not seen in a sound one that is looked into beside calls that are not written yet")
    func soundBesideCalls() async throws {
        let outbox = SQLiteOutbox.made(.sample(folder))
        for id in ["m1", "m2"] { outbox.stage(.append(id), of: nil) { _ in } }
        outbox.stage(StagedTask(task: .inspect))

        _ = try await outbox.open().get()
        await outbox.commit(.barrier)

        #expect(try outbox.queue() == ["m1", "m2"])
        #expect(!folder.exists("tracker.sqlite3.corrupt-1"))
    }

    @Test("counts nothing as lost that a killed process had delivered")
    func trustsNoOldCount() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit((1...5).map { .append("m\($0)") })
        await first.close()
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        try probe.tell("deliver")
        var delivered = 0
        while delivered < 5, let line = probe.nextLine() { delivered += line.hasPrefix("done ") ? 1 : 0 }
        probe.kill()
        for suffix in ["-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }
        try Damage.everyByte.apply(folder)

        let second = SQLiteOutbox.made(.sample(folder))

        #expect(try await second.open().get().recovery?.lost == nil)
        #expect(try second.account() == .sample())
    }

    @Test("is kept at most three times")
    func keepsThree() async throws {
        for round in 1...5 {
            let outbox = SQLiteOutbox.made(.sample(folder))
            let recovery = try await outbox.open().get().recovery
            #expect(recovery?.setAside == (round == 1 ? nil : "tracker.sqlite3.corrupt-\(round - 1)"))
            await outbox.close()
            try Damage.noDatabase.apply(folder)
        }

        #expect(databases.filter { $0.contains("corrupt") } == (2...4).map { "tracker.sqlite3.corrupt-\($0)" })
    }

    @Test("is noticed while it is in use, by the first reader or writer that meets it")
    func noticesInUse() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit((1...50).map { .append("m\($0)") })
        let other = try await SQLiteOutbox.opened(.sample(folder))
        // What another has written is read from the file again.
        await other.commit(.store(.own("x"), "y", nil))
        try folder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try overwrite("tracker.sqlite3", from: 4096)

        let result = await outbox.commit(.append("m51"))

        #expect(result.summary == "pending")
        guard case .databaseRecovered(let recovery) = try #require(log.ofRecords.first) else {
            Issue.record("\(log.events)")
            return
        }
        #expect(recovery.lost == 50)
        #expect(try outbox.queue() == ["m51"])
        #expect(
            try outbox.account()
                == .sample(accepted: 1, recovered: 50, queued: 1, dropped: [.lost: 50])
        )
        #expect(log.ofRecords.last == .dropped([], count: 50, .lost) && log.ofRecords.count == 2)
        #expect(try other.account() == .sample(accepted: 1, recovered: 50, queued: 1, dropped: [.lost: 50]))
        #expect(try other.queue() == ["m51"])
        #expect(await other.commit(.append("m52")).summary == "pending")
        #expect(try outbox.queue() == ["m51", "m52"])
        #expect(try other.account().isBalanced)
    }

    @Test("whose log was removed after a kill, before the start, says that what waited is lost")
    func opensWithoutLog() async throws {
        let log = EventLog()
        try await killed(after: 50)
        let size = try folder.read("tracker.sqlite3").count
        for suffix in ["-wal", "-shm"] { try folder.remove("tracker.sqlite3\(suffix)") }

        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        #expect(size == 4096, "\(size)")
        #expect(log.ofRecords == [.replaced(lost: nil)])
        #expect(try outbox.account() == .sample())
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(await outbox.commit(.append("next")).state?.lastSequence == 10_001)
    }

    @Test("whose log was cut after a kill, before the start, opens with what came before the cut")
    func opensWithHalfLog() async throws {
        try await killed(after: 50)
        let data = try folder.read("tracker.sqlite3-wal")
        try folder.write(data.prefix(data.count / 2), to: "tracker.sqlite3-wal")
        try folder.remove("tracker.sqlite3-shm")

        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))

        let queue = try outbox.queue()
        #expect((5..<45).contains(queue.count))
        #expect(queue == (1...queue.count).map { "m\($0)" })
        #expect(log.ofRecords == [])
        #expect(try outbox.account() == .sample(recovered: queue.count, queued: queue.count))
        #expect(await outbox.commit(.append("next")).summary == "queued")
    }

    @Test("is built anew from where a crash broke it off", arguments: 0..<4)
    func resumes(step: Int) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.bind(1, "s1")] + (1...20).map { .append("m\($0)") })
        await first.close()
        let files = DamagedFiles(folder.state)
        switch step {
        case 0:
            try folder.move("tracker.sqlite3", to: "tracker.sqlite3.damaged")
            try folder.write(Data("stale".utf8), to: "tracker.sqlite3-wal")
        case 1:
            try files.moveDamaged()
        case 2:
            try files.moveDamaged()
            try folder.write(Data("half".utf8), to: "tracker.sqlite3.new")
            try folder.write(Data("half".utf8), to: "tracker.sqlite3.new-journal")
        default:
            try files.moveDamaged()
            _ = try RecoveredDatabase(folder.state).build(expecting: [:])
            try files.placeNew()
        }

        let second = try await SQLiteOutbox.opened(.sample(folder))

        #expect(try second.queue() == (1...20).map { "m\($0)" })
        #expect(second.value(for: .sessionID) == "s1")
        await second.close()
        #expect(
            databases
                == [
                    "tracker.sqlite3", "tracker.sqlite3.corrupt-1",
                ])
    }

    @Test("of another kind, with tables of its own, is set aside")
    func setsForeignAside() async throws {
        try folder.state.make()
        try Connection(folder.state.database, .create).execute("CREATE TABLE other(x)")

        let outbox = SQLiteOutbox.made(.sample(folder))

        #expect(try await outbox.open().get().recovery?.setAside == "tracker.sqlite3.corrupt-1")
        #expect(await outbox.commit(.append("m")).summary == "pending")
    }

    @Test("of a newer schema is left alone, also where its library has begun to recover it", arguments: [false, true])
    func leavesNewerAlone(isDamaged: Bool) async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit(.append("m1"))
        await first.close()
        try folder.execute("PRAGMA user_version=\(Schema.version + 1)")
        let before = try folder.read("tracker.sqlite3")
        if isDamaged { try DamagedFiles(folder.state).moveDamaged() }

        let second = SQLiteOutbox.made(.sample(folder))
        let result = await second.open()

        guard case .failure(let error) = result else {
            Issue.record("It opened")
            return
        }
        #expect(error.kind == .newerSchema)
        #expect(error.message.contains("\(Schema.version + 1)") && error.message.contains("\(Schema.version)"))
        #expect(await second.commit(.append("m")).summary == "refused storage")
        await second.close()
        #expect(try folder.read(isDamaged ? "tracker.sqlite3.damaged" : "tracker.sqlite3") == before)
        #expect(!folder.exists("tracker.sqlite3.corrupt-1"))
    }

    @Test("counts as lost no more than there can have been")
    func countsNoMore() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit((1...20).map { .append("m\($0)") })
        await first.close()
        try folder.execute("UPDATE lane SET queued = queued + 1099511627776")
        try DamagedFiles(folder.state).moveDamaged()

        let count = try RecoveredDatabase(folder.state).build(expecting: [:])

        #expect(count.carriedOver == 20)
        #expect(count.lost.map { $0 <= 10_000 } == true)
    }

    @Test("counts as lost what this process has seen in it, if nothing else knows its lane")
    func countsSeen() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit((1...3).map { .append("m\($0)") })
        await first.close()
        try FileManager.default.removeItem(atPath: folder.path + "/backup")
        try Damage.everyByte.apply(folder)
        try DamagedFiles(folder.state).moveDamaged()

        let count = try RecoveredDatabase(folder.state).build(expecting: [.sample: 3])

        #expect(count.lost == 3 && count.lostByLane[.sample] == 3)
    }

    @Test("whose schema becomes newer while it is open takes no more")
    func noticesNewerSchema() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        try folder.execute("PRAGMA user_version=\(Schema.version + 1)")

        #expect(await outbox.commit(.append("m")).summary == "refused storage")
        #expect(await outbox.commit(.barrier).summary == "failed newerSchema")
    }

    @Test(
        "loses a record that has changed on disk, and says so",
        arguments: [
            // Still JSON, and half an object.
            "body = CAST('{\"event\":\"y\"}' AS BLOB)", "body = x'7b'", "occurred = occurred + 1", "route = 7",
            // Of a version without check sums what is no JSON is found.
            "body = x'7b', check_sum = NULL",
        ])
    func losesDamagedRecord(change: String) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.append("m1"), .append("m2")])
        try folder.execute("UPDATE record SET \(change) WHERE message_id = 'm1'")

        #expect(try outbox.queue() == ["m2"])

        await outbox.commit(.barrier)
        #expect(log.ofRecords == [.dropped([known(MessageID("m1"))], count: 1, .lost)])
        #expect(try outbox.account().dropped == [.lost: 1])
    }

    @Test("loses a record that has changed on disk also if the disk refuses that at first")
    func losesDamagedRecordLater() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.append("m1"), .append("m2"), .append("m3")])
        let first = try outbox.records()[0]
        try folder.execute("UPDATE record SET body = x'7b' WHERE message_id = 'm2'")
        try outbox.refuseWrites(true)
        await outbox.commit(.delivered([first]))
        #expect(try outbox.queue() == ["m3"])
        await outbox.commit(.barrier)
        try outbox.refuseWrites(false)
        await outbox.commit(.barrier)

        #expect(try outbox.queue() == ["m3"])
        await outbox.commit(.barrier)

        #expect(try outbox.account() == .sample(accepted: 3, delivered: 1, queued: 1, dropped: [.lost: 1]))
    }

    @Test("reads a record of a version without check sums")
    func readsWithoutCheckSum() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit(.append("m1"))
        await outbox.close()
        try folder.giveFormerNames()
        try folder.execute(
            """
            ALTER TABLE record DROP COLUMN check_sum; DROP TABLE forgotten; ALTER TABLE lane DROP COLUMN erased;
            PRAGMA user_version=5
            """)

        let next = try await SQLiteOutbox.opened(.sample(folder))
        await next.commit(.append("m2"))
        #expect(try next.queue() == ["m1", "m2"])
        #expect(try next.account().dropped.isEmpty)
    }

    @Test("a check sum changes with every bit, and with where one part ends", arguments: [0, 1, 7, 8, 9, 40])
    func checkSum(count: Int) {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let whole = Record.checkSum("id", 1, 2, body)
        var others = [
            Record.checkSum("ie", 1, 2, body), Record.checkSum("id", 2, 2, body), Record.checkSum("id", 1, 3, body),
            Record.checkSum("i", 1, 2, [UInt8(ascii: "d")] + body), Record.checkSum("id", 1, 2, body + [0]),
        ]
        for place in body.indices {
            for bit in 0..<8 {
                var changed = body
                changed[place] ^= 1 << UInt8(bit)
                others.append(Record.checkSum("id", 1, 2, changed))
            }
        }
        #expect(!others.contains(whole))
        #expect(Record.checkSum(Array("id".utf8)[...], 1, 2, body[...]) == whole)
        #expect(Set(others).count == others.count)
    }

    /// Has a process write records and be killed.
    private func killed(after count: Int) async throws {
        let probe = try ProbeProcess()
        #expect(try await probe.ask("open \(folder.path)") == "open writable")
        #expect(try await probe.ask("bind s1") == "done")
        for number in 1...count { #expect(try await probe.ask("append m\(number)") == "queued") }
        probe.kill()
    }

    /// The databases in the folder, without the files that SQLite keeps beside them.
    private var databases: [String] {
        folder.files.filter { $0.hasPrefix("tracker") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    /// Writes over a file from an offset on, through a process of its own: closing it here would drop SQLite's locks.
    private func overwrite(_ name: String, from offset: Int) throws {
        let script =
            "head -c $(($(stat -c %s \"$0\") - \(offset))) /dev/urandom | dd of=\"$0\" bs=\(offset) seek=1 conv=notrunc"
        try Program.run("/bin/sh", ["-c", script, folder.file(name)], errors: .null)
    }

    /// Result codes as in sqlite3.h: too big, constraint, mismatch.
    @Test(
        "a row number of an impossible type is damage; a row that is too long or breaks a rule need not be",
        arguments: zip([18, 19, 20] as [Int32], [StorageError.Kind.refused, .refused, .corrupt]))
    func impossibleRow(code: Int32, kind: StorageError.Kind) {
        let error = StorageError(sqlite: code, systemError: 0, path: "tracker.sqlite3", detail: "")

        #expect(error.kind == kind)
    }

    @Test("is not what a call means that breaks a rule of a sound one: it alone is refused")
    func refusesRow() async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, log: log))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try folder.execute(
            """
            CREATE TRIGGER rule BEFORE INSERT ON record WHEN NEW.message_id = 'bad'
            BEGIN SELECT RAISE(ABORT, 'against the rule'); END
            """)

        #expect(await outbox.commit(.append("bad")).summary == "refused storage")
        #expect(await outbox.commit(.append("m2")).summary == "queued")

        #expect(try outbox.queue() == ["m1", "m2"])
        #expect(try outbox.account() == .sample(accepted: 2, queued: 2))
        #expect(!log.events.contains { if case .databaseRecovered = $0 { true } else { false } })
        #expect(databases == ["tracker.sqlite3"])
    }

    @Test("in which a delivered record stays after its DELETE is built anew, and the record goes")
    func keepsDeleted() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "s1"), .append("m1"), .append("m2"), .append("m3")])
        try folder.execute(
            "CREATE TRIGGER rule BEFORE DELETE ON record WHEN OLD.message_id = 'm2' BEGIN SELECT RAISE(IGNORE); END")

        await outbox.commit(.delivered(Array(try outbox.records().prefix(2))))

        #expect(try outbox.queue() == ["m3"])
        #expect(try outbox.account() == .sample(recovered: 3, delivered: 2, queued: 1))
        #expect(databases == ["tracker.sqlite3", "tracker.sqlite3.corrupt-1"])
    }

    @Test("whose row has lost a number that was given is built anew by the first call that meets it")
    func losesNumber() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.bind(1, "s1"), .append("m1"), .append("m2")])
        await first.close()
        try folder.execute("UPDATE lane SET sequence = 1")
        let outbox = try await SQLiteOutbox.opened(.sample(folder))

        #expect(await outbox.commit(.append("m3")).summary == "queued")

        #expect(try outbox.queue() == ["m1", "m2", "m3"])
        #expect(databases == ["tracker.sqlite3", "tracker.sqlite3.corrupt-1"])
    }
}
