import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("What the server has refused is kept apart from the queue", .closingOutboxes)
struct RefusedRecordTests {
    private static func drop(_ ids: [Record.ID], _ status: Int = 422, answer: String = "no") -> LaneChange {
        .drop(ids, .rejected(status), Rejection(status: status, body: answer.utf8, attempts: 2))
    }

    private static func requeue(_ outbox: SQLiteOutbox) throws -> LaneChange {
        .requeue(try outbox.refused().map(\.id))
    }

    @Test("with its body, its answer and its session, and the account has it as dropped", arguments: Place.allCases)
    func keeps(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(TemporaryFolder(), place))
        await outbox.commit([.bind(1, "S1"), .append("a"), .append("b", body: #"{"event":"B"}"#)])
        let ids = try outbox.ids()

        await outbox.commit(Self.drop([ids[1]], answer: #"{"error":"no such event"}"#))
        await outbox.commit(.drop([ids[0]], .expired))

        let refused = try outbox.refused()
        let kept = try #require(refused.first)
        #expect(refused.count == 1)
        #expect(kept.messageID.text == "b" && kept.body.text == #"{"event":"B"}"# && kept.session?.text == "S1")
        #expect(kept.reason == .rejected(422) && kept.rejection.status == 422 && kept.rejection.attempts == 2)
        #expect(kept.rejection.answer == #"{"error":"no such event"}"#)
        #expect(kept.occurredAt == Timestamp(milliseconds: 1_700_000_000_000))
        #expect(
            try outbox.refusedCount()
                == RefusedCount(records: 1, bytes: kept.body.byteCount, reasons: [.rejected(422): 1]))
        #expect(try outbox.account() == .sample(accepted: 2, dropped: [.rejected(422): 1, .expired: 1]))
        await outbox.close()
    }

    @Test("of an answer the first KiB is kept, as text")
    func longAnswer() {
        #expect(
            Rejection(status: 400, body: String(repeating: "x", count: 5000).utf8, attempts: 1).answer.count == 1024)
        #expect(Rejection(status: 400, body: [0xFF, 0x41, 0, 0x42], attempts: 1).answer == "\u{FFFD}A")
    }

    @Test("queued again it goes to the end of the queue once, under its id, its time and its session")
    func requeues() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(TemporaryFolder()))
        await outbox.commit([.bind(1, "S1"), .append("a", given: true), .append("b")])
        await outbox.commit(Self.drop([try outbox.ids()[0]]))
        let change = try Self.requeue(outbox)

        let results = await outbox.commit([change, change])

        #expect(results.map(\.summary) == ["changed 1", "changed 0"])
        #expect(try outbox.queue() == ["b", "a"])
        let records = try outbox.peek(limit: .max, maxBytes: .max).records
        #expect(records.map(\.sequence) == [2, 3])
        #expect(records[1].occurredAt == Timestamp(milliseconds: 1_700_000_000_000))
        #expect(try outbox.refused().isEmpty)
        #expect(
            try outbox.account() == .sample(accepted: 2, requeued: 1, queued: 2, dropped: [.rejected(422): 1]))
        // The caller's id is on its way again: a call under it is answered as the first.
        #expect(await outbox.commit(.append("a", given: true)).summary == "queued")
        #expect(try outbox.queue() == ["b", "a"])
        await outbox.commit(.delivered(try outbox.records()))
        #expect(try outbox.account().isBalanced)
        await outbox.close()
    }

    @Test("the session it had stays bound until it has left the queue, whatever comes and goes before it")
    func keepsItsSession() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(TemporaryFolder()))
        await outbox.commit([.bind(1, "S1"), .append("old")])
        await outbox.commit(Self.drop(try outbox.ids()))
        await outbox.commit([.reset(all: false, messageID: nil), .bind(2, "S2"), .append("new")])
        #expect(try outbox.peek(limit: .max, maxBytes: .max).entries.keys.map(\.number) == [2])

        await outbox.commit(try Self.requeue(outbox))
        // The generation of the oldest record is newer than that of the last.
        await outbox.commit(.delivered([try outbox.records()[0]]))
        await outbox.commit(.append("newest"))

        let peek = try outbox.peek(limit: .max, maxBytes: .max)
        #expect(peek.records.map(\.messageID.text) == ["old", "newest"])
        #expect(peek.records.map { peek.entries[$0.generation]?.session?.text } == ["S1", "S2"])

        // Once it has left, its generation goes as others do.
        await outbox.commit(.delivered([peek.records[0]]))
        let bound = try outbox.read { (database, key, _) throws(StorageError) in
            try database.entry(of: Generation(1), in: key)
        }
        #expect((bound ?? nil) == nil)
        await outbox.close()
    }

    @Test("all of it is queued again at once, also where that takes more numbers than are reserved together")
    func requeuesMany() async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(TemporaryFolder(), .memory) {
                $0.refused = RefusedLimits(maxRecords: 10_000, maxBytes: 1 << 20, ttl: .seconds(100))
            })
        let count = Int(QueueTransaction.sequenceBlock) / 2 + 1
        await outbox.commit((0..<count).map { .append("m\($0)") })
        await outbox.commit(Self.drop(try outbox.ids()))
        let change = try Self.requeue(outbox)

        let results = await outbox.commit([change, change, change, change])

        #expect(results.map(\.summary) == ["changed \(count)", "changed 0", "changed 0", "changed 0"])
        #expect(try outbox.account().isBalanced)
        await outbox.close()
    }

    @Test("what has grown too old leaves the disk with the next change, though nothing more is refused")
    func ages() async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(
            .sample(TemporaryFolder(), clock: clock) {
                $0.refused = RefusedLimits(maxRecords: 9, maxBytes: 900, ttl: .seconds(100))
            })
        await outbox.commit(.append("a"))
        await outbox.commit(Self.drop(try outbox.ids()))
        func rows() throws -> Int64? {
            try outbox.read { (database, _, _) throws(StorageError) in
                try database.statement("SELECT count(*) FROM refused").number()
            } ?? nil
        }

        clock.advance(by: .seconds(99))
        await outbox.commit(.append("b"))
        #expect(try rows() == 1)
        clock.advance(by: .seconds(2))
        await outbox.commit(.append("c"))
        #expect(try rows() == 0)
        await outbox.close()
    }

    @Test("past the bounds the oldest goes, and so does what is too old")
    func bounds() async throws {
        let clock = HandClock()
        let outbox = try await SQLiteOutbox.opened(
            .sample(TemporaryFolder(), clock: clock) {
                $0.refused = RefusedLimits(maxRecords: 3, maxBytes: 70, ttl: .seconds(100))
            })
        for id in ["a", "b", "c", "d"] { await outbox.commit(.append(id)) }
        await outbox.commit(Self.drop(try outbox.ids()))
        #expect(try outbox.refused().map(\.messageID.text) == ["b", "c", "d"])

        await outbox.commit(.append("e", body: #"{"event":"\#(String(repeating: "x", count: 40))"}"#))
        await outbox.commit(Self.drop(try outbox.ids()))
        #expect(try outbox.refused().map(\.messageID.text) == ["d", "e"])

        clock.advance(by: .seconds(60))
        await outbox.commit(.append("f"))
        await outbox.commit(Self.drop(try outbox.ids()))
        clock.advance(by: .seconds(60))
        #expect(try outbox.refused().map(\.messageID.text) == ["f"])
        #expect(try outbox.refusedCount().records == 1)
        #expect(try outbox.account().isBalanced)
        await outbox.close()
    }

    @Test("one that alone is past the bound is not kept, and leaves the others there")
    func tooLarge() async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(TemporaryFolder()) { $0.refused = RefusedLimits(maxRecords: 9, maxBytes: 70, ttl: .seconds(100)) })
        await outbox.commit([.append("a"), .append("l", body: #"{"e":"\#(String(repeating: "x", count: 90))"}"#)])
        await outbox.commit(Self.drop(try outbox.ids()))
        await outbox.commit(.append("b"))
        await outbox.commit(Self.drop(try outbox.ids()))

        #expect(try outbox.refused().map(\.messageID.text) == ["a", "b"])
        #expect(try outbox.account().isBalanced)
        await outbox.close()
    }

    @Test("what has grown too old while no process ran leaves the disk at the next opening")
    func oldAtOpening() async throws {
        let (clock, folder) = (HandClock(), TemporaryFolder())
        let configuration = OutboxConfiguration.sample(folder, clock: clock) {
            $0.refused = RefusedLimits(maxRecords: 9, maxBytes: 900, ttl: .seconds(100))
        }
        let first = try await SQLiteOutbox.opened(configuration)
        await first.commit(.append("a"))
        await first.commit(Self.drop(try first.ids()))
        await first.close()
        clock.advance(by: .seconds(101))

        let second = try await SQLiteOutbox.opened(configuration)

        let rows = try second.read { (database, _, _) throws(StorageError) in
            try database.statement("SELECT count(*) FROM refused").number()
        }
        #expect(rows == 0)
        await second.close()
    }

    @Test("a record of an ended generation, whose session the server no longer knows, is kept with the answer")
    func ofEndedGeneration() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(TemporaryFolder()))
        await outbox.commit([.bind(1, "S1"), .append("a"), .reset(all: false, messageID: nil)])
        let answer = Rejection(status: 404, body: "gone".utf8, attempts: 3)

        await outbox.commit(.unbind(Generation(1), SessionID("S1")!, refused: try outbox.ids()[0], answer))

        #expect(try outbox.refused().map(\.rejection) == [answer])
        #expect(try outbox.refused().map(\.reason) == [.sessionGone])
        await outbox.close()
    }

    @Test("keeps the session of its request, which its generation has lost since by another answer")
    func ofLostSession() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(TemporaryFolder()))
        let session = try #require(SessionID("S1"))
        await outbox.commit([.bind(1, "S1"), .append("a"), .append("b")])
        let ids = try outbox.ids()
        await outbox.commit(.unbind(Generation(1), session, refused: ids[0]))

        await outbox.commit(.drop([ids[1]], .rejected(409), Rejection(status: 409, attempts: 1, session: session)))
        await outbox.commit(.reset(all: false, messageID: nil))
        let refused = try outbox.refused()
        await outbox.commit(.requeue(refused.map(\.id)))

        #expect(refused.map(\.session) == [session])
        #expect(try outbox.peek(limit: .max, maxBytes: .max).entries[Generation(1)]?.session == session)
        await outbox.close()
    }

    @Test("with a bound of 0 nothing is kept")
    func off() async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(TemporaryFolder()) { $0.refused = RefusedLimits(maxRecords: 0, maxBytes: 70, ttl: .seconds(100)) })
        await outbox.commit(.append("a"))
        await outbox.commit(Self.drop(try outbox.ids()))
        #expect(try outbox.refused().isEmpty)
        await outbox.close()
    }

    @Test("a denial and a reset of all erase it from every file, in all lanes of the brand; a reset alone keeps it")
    func erases() async throws {
        for change in [LaneChange.consent(.denied, messageID: nil), .reset(all: true, messageID: nil)] {
            let folder = TemporaryFolder()
            let other = try await SQLiteOutbox.opened(.sample(folder, lane: .session("https://b.example.com")))
            let outbox = try await SQLiteOutbox.opened(.sample(folder))
            for outbox in [other, outbox] {
                await outbox.commit(.append("a", body: #"{"event":"secret-of-the-user"}"#))
                await outbox.commit(Self.drop(try outbox.ids(), answer: "secret-of-the-user"))
                await outbox.commit(.reset(all: false, messageID: nil))
                #expect(try outbox.refused().count == 1)
            }
            if case .reset = change { await other.commit(change) }

            await outbox.commit(change)

            #expect(try outbox.refused().isEmpty)
            #expect(try other.refused().isEmpty)
            await outbox.close()
            await other.close()
            #expect(try folder.files(holding: "secret-of-the-user").isEmpty)
        }
    }

    @Test(
        "a full queue takes back as many as there is room for",
        arguments: [DeliveryOptions.Overflow.refuseNew, .dropOldest])
    func fullQueue(overflow: DeliveryOptions.Overflow) async throws {
        let outbox = try await SQLiteOutbox.opened(
            .sample(TemporaryFolder()) { $0.limits = OutboxLimits(maxRecords: 2, overflow: overflow) })
        await outbox.commit([.append("a"), .append("b")])
        await outbox.commit(Self.drop(try outbox.ids()))
        await outbox.commit(.append("c"))

        #expect(await outbox.commit(try Self.requeue(outbox)).summary == "changed 1")
        #expect(try outbox.queue() == ["c", "a"])
        #expect(try outbox.refused().map(\.messageID.text) == ["b"])
        #expect(await outbox.commit(.dropRefused(try outbox.refused().map(\.id))).summary == "changed 1")
        #expect(try outbox.refused().isEmpty)
        #expect(try outbox.account().isBalanced)
        await outbox.close()
    }

    @Test("it is there after a restart, for another process, and in what is recovered of a damaged database")
    func survives() async throws {
        let folder = TemporaryFolder()
        var outbox = try await SQLiteOutbox.opened(.sample(folder))
        let other = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.bind(1, "S1"), .append("a")])
        await outbox.commit(Self.drop(try outbox.ids()))
        #expect(try other.refused().map(\.messageID.text) == ["a"])
        #expect(await other.commit(try Self.requeue(other)).summary == "changed 1")
        await outbox.commit(Self.drop(try outbox.ids()))
        await other.close()
        await outbox.close()

        try folder.damage("value")
        outbox = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try outbox.refused().map(\.messageID.text) == ["a"])
        #expect(try outbox.refused().map(\.session?.text) == ["S1"])
        #expect(await outbox.commit(try Self.requeue(outbox)).summary == "changed 1")
        #expect(try outbox.account().isBalanced)
        await outbox.close()
    }

    @Test("while the disk refuses a denial, nothing of it is shown, and a call for it is refused")
    func refusedDenial() async throws {
        let folder = TemporaryFolder()
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit(.append("a"))
        await outbox.commit(Self.drop(try outbox.ids()))
        let ids = try outbox.refused().map(\.id)
        try outbox.refuseWrites(true)

        #expect(await outbox.commit(.requeue(ids)).summary == "refused storage")
        guard case .failed = await outbox.commit(.consent(.denied, messageID: nil)).effect else {
            Issue.record("the disk has taken it")
            return
        }
        #expect(try outbox.refused().isEmpty && outbox.refusedCount().records == 0)
        try outbox.refuseWrites(false)
        await outbox.close()
    }

    @Test("an older copy of the database does not bring back what a denial has erased")
    func olderCopy() async throws {
        let folder = TemporaryFolder()
        var outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit(.append("a", body: #"{"event":"secret-of-the-user"}"#))
        await outbox.commit(Self.drop(try outbox.ids()))
        await outbox.close()
        try folder.copy("tracker.sqlite3", to: "copy")
        outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit(.consent(.denied, messageID: nil))
        await outbox.close()
        try folder.move("copy", to: "tracker.sqlite3")

        outbox = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try outbox.refused().isEmpty)
        await outbox.close()
        #expect(try folder.files(holding: "secret-of-the-user").isEmpty)
    }
}
