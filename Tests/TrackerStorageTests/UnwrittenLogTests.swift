import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

/// What the disk has refused to an outbox, as the other outboxes of its process have it.
@Suite("A reset or a consent that the disk has refused", .closingOutboxes)
struct UnwrittenLogTests {
    let folder = TemporaryFolder()
    private let other = LaneIdentity.session("https://other.example.com")

    /// An outbox with a session and a record, whose disk refuses what comes next.
    private func refused(_ change: LaneChange) async throws -> SQLiteOutbox {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.append("unbound"), .ensureDevice, .bind(1, "s1"), .append("m1")])
        try outbox.refuseWrites(true)
        #expect(await outbox.commit(change).summary == "failed readOnly")
        return outbox
    }

    @Test("outlives its outbox: the next one shows it at once, and writes it first", arguments: [true, false])
    func isHandedOn(isDenial: Bool) async throws {
        let first = try await refused(
            isDenial ? .consent(.denied, messageID: nil) : .reset(all: true, messageID: nil))
        await first.close()
        #expect(try folder.number("SELECT count(*) FROM record") == 2)
        // Another path to the folder.
        let link = TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: folder.path)

        let next = SQLiteOutbox.made(.sample(folder) { $0.location = .folder(link.path) })
        #expect(next.value(for: .sessionID) == nil && next.value(for: .deviceID) == nil)
        let before = try next.state()
        #expect(before.isAwaitingDisk && before.entry == GenerationEntry())
        #expect(before.consent == (isDenial ? .denied : .granted))
        #expect(try next.queue() == [])
        #expect(try await next.open().get().state.entry == GenerationEntry())

        #expect(await next.commit(.append("m2")).summary == (isDenial ? "refused trackingNotAllowed" : "pending"))
        #expect(try next.queue() == (isDenial ? [] : ["m2"]))
        #expect(try next.state().isAwaitingDisk == false)
        #expect(try folder.number("SELECT count(*) FROM generation WHERE session IS NOT NULL") == 0)
        #expect(UnwrittenLog.log(of: .sample, in: folder.state).isEmpty)
    }

    /// An outbox of another lane that is open, while a consent of a closed one, which has a record, waits for the disk.
    private func opened(log: EventLog) async throws -> SQLiteOutbox {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.append("m1"), .append("m2")])
        // The next one finds it too, until the disk works.
        try folder.execute(
            "CREATE TRIGGER rule BEFORE UPDATE ON tenant BEGIN SELECT RAISE(ABORT, 'against the rule'); END")
        #expect(await first.commit(.consent(.pending, messageID: nil)).effect.isFailure)
        await first.close()
        let next = SQLiteOutbox.made(.sample(folder, lane: other, log: log))
        #expect(try await next.open().get().movedRecords == 0)
        return next
    }

    @Test("keeps records of other lanes where they are until it is written; then they move")
    func defersTransfer() async throws {
        let log = EventLog()
        let next = try await opened(log: log)
        await next.commit(.barrier)
        #expect(try next.records() == [])
        try folder.execute("DROP TRIGGER rule")

        await next.commit(.barrier)

        #expect(try next.queue() == ["m1", "m2"])
        #expect(try next.account() == .sample(recovered: 2, queued: 2))
        #expect(log.ofRecords.contains(.recordsMoved(2)) && log.ofRecords.contains(.recovered))
        #expect(try next.state().writeFailure == nil)
    }

    @Test("has records of other lanes move before a reset that waits behind it, as they would have without the outage")
    func resetsBeforeTransfer() async throws {
        let next = try await opened(log: EventLog())
        #expect(await next.commit(.reset(all: false, messageID: nil)).effect.isFailure)
        try folder.execute("DROP TRIGGER rule")

        await next.commit(.append("own"))

        #expect(try next.queue() == ["own"])
        #expect(try next.account() == .sample(accepted: 1, recovered: 2, queued: 1, dropped: [.reset: 2]))
    }

    @Test("is told of to every outbox of the brand when all is written, in whatever order", arguments: [true, false])
    func tellsAll(resetIsFirst: Bool) async throws {
        let (log, otherLog) = (EventLog(), EventLog())
        let first = try await SQLiteOutbox.opened(.sample(folder, log: log))
        let second = try await SQLiteOutbox.opened(.sample(folder, lane: other, log: otherLog))
        await second.commit([.append("m1"), .bind(1, "s1")])
        let delivered = LaneChange.delivered(try second.records())
        try first.refuseWrites(true)
        try second.refuseWrites(true)
        if resetIsFirst { await first.commit(.reset(all: false, messageID: nil)) }
        await second.commit(delivered)
        if !resetIsFirst { await first.commit(.reset(all: false, messageID: nil)) }
        try first.refuseWrites(false)
        try second.refuseWrites(false)

        await first.commit(.barrier)
        // What they are told comes behind what their queues have under way.
        for outbox in [first, second] { await outbox.finishBackups() }

        for (outbox, log) in [(first, log), (second, otherLog)] {
            #expect(log.ofRecords.contains(.unwrittenIsWritten))
            #expect(log.ofRecords.filter { $0 == .recovered }.count == 1)
            #expect(try outbox.state().writeFailure == nil)
        }
        #expect(try second.queue() == [])
    }

    @Test("holds a session for the generation on disk, which another process may have begun meanwhile")
    func isOfGenerationOnDisk() async throws {
        let first = try await SQLiteOutbox.opened(.sample(folder))
        await first.commit([.bind(1, "s1"), .append("m1")])
        let second = try await SQLiteOutbox.opened(.sample(folder))
        await second.commit([.reset(all: false, messageID: nil), .append("m2")])
        try first.refuseWrites(true)

        #expect(await first.commit(.bindMade(Generation(2), known(SessionID("s2")))).summary == "failed readOnly")
        #expect(try first.state().entry.session?.text == "s2")
        try first.refuseWrites(false)
        await first.commit(.barrier)

        #expect(try second.state().entry.session?.text == "s2")
    }

    @Test("holds in an outbox that is open beside it, which writes it once the first one has closed")
    func holdsBeside() async throws {
        let log = EventLog()
        let beside = try await SQLiteOutbox.opened(.sample(folder, log: log))
        try beside.refuseWrites(true)
        let first = try await refused(.consent(.denied, messageID: nil))

        #expect(try beside.state().consent == .denied)
        #expect(try beside.state().isAwaitingDisk)
        #expect(try beside.queue() == [])
        #expect(beside.value(for: .sessionID) == nil)
        await first.close()
        try beside.refuseWrites(false)
        try await withGuard("the write") {
            while !log.events.contains(.unwrittenIsWritten) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }

        #expect(try beside.state().isAwaitingDisk == false)
        #expect(try folder.number("SELECT count(*) FROM tenant WHERE consent = 'denied'") == 1)
    }

    @Test("of another lane of the brand is written in that lane, before any record of it moves")
    func isWrittenInItsLane() async throws {
        let first = try await refused(.reset(all: false, messageID: MessageID("r")))
        await first.close()

        let next = try await SQLiteOutbox.opened(.sample(folder, lane: other))
        await next.commit(.append("m2"))
        #expect(try next.queue() == ["m2"])
        #expect(next.value(for: .deviceID) == nil)
        await next.close()

        let again = try await SQLiteOutbox.opened(.sample(folder))
        #expect(try again.state().generation == Generation(2))
        #expect(again.value(for: .sessionID) == nil)
        // The last one was taken over from the other lane, which has no session.
        #expect(try again.queue() == ["unbound", "m1", "m2"])
        #expect(await again.commit(.reset(all: false, messageID: MessageID("r"))).summary == "repeated")
    }

    @Test("is not shared with another brand or another folder")
    func isNotShared() async throws {
        let first = try await refused(.consent(.denied, messageID: nil))

        let brand = LaneIdentity(kind: .session, owner: "7", origin: "https://api.example.com")
        let otherBrand = try await SQLiteOutbox.opened(.sample(folder, lane: brand))
        let otherFolder = try await SQLiteOutbox.opened(.sample(TemporaryFolder()))

        #expect(try otherBrand.state().consent == .granted)
        #expect(try otherFolder.state().consent == .granted)
        await first.close()
    }

    @Test("comes after the deliveries that the disk refused before it, which the next outbox does not send again")
    func handsOnDeliveries() async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .append("m1"), .append("m2")])
        let records = try outbox.records()
        try outbox.refuseWrites(true)
        await outbox.commit(.delivered([records[0]], bytes: WireBytes(before: 1, after: 1)))
        await outbox.close()

        let next = SQLiteOutbox.made(.sample(folder))
        #expect(try next.queue() == ["m2"])
        #expect(try next.queuedRecords(through: 2) == 1)
        _ = try await next.open().get()
        await next.commit(.barrier)
        #expect(try folder.number("SELECT count(*) FROM record") == 1)
    }
}
