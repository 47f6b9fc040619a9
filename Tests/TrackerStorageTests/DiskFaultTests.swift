import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

extension SQLiteOutbox {
    /// Lets the database grow no more, as a full disk would.
    func fillDisk() throws {
        try writer.withLock { (writer) throws(StorageError) in
            // A log that has room would still take a little.
            try writer.database.lane?.database.connection.execute("PRAGMA max_page_count=1")
        }
    }

    /// Lets the database grow again.
    func freeDisk() throws {
        try writer.withLock { (writer) throws(StorageError) in
            try writer.database.lane?.database.connection.execute("PRAGMA max_page_count=1000000")
        }
    }

    /// Appends until the disk takes no more.
    ///
    /// - Returns: The ids that were taken.
    func fillUp() async throws -> [String] {
        let large = #"{"text":"\#(String(repeating: "x", count: 3000))"}"#
        for number in 1...10_000 {
            guard case .refused = await commit(.append("fill\(number)", body: large)).effect else { continue }
            return (1..<number).map { "fill\($0)" }
        }
        throw StorageError(.failed, "The disk does not fill up")
    }

    /// Makes every write fail, as a disk does that has turned read-only.
    func refuseWrites(_ refuses: Bool) throws {
        try writer.withLock { (writer) throws(StorageError) in
            try writer.database.lane?.database.connection.execute("PRAGMA query_only=\(refuses ? "ON" : "OFF")")
        }
    }
}

/// A change that outlives its refusal.
enum Refused: String, CaseIterable, CustomTestStringConvertible {
    case delivered
    case bind
    case store
    case dropAll
    case ensureDevice

    var testDescription: String { rawValue }

    /// The change, which may concern a record.
    func change(_ record: Record) -> LaneChange {
        switch self {
        case .delivered: .delivered([record], bytes: WireBytes(before: 1, after: 1))
        case .bind: .bind(1, "s1")
        case .store: .store(.own("x"), "y", nil)
        case .dropAll: .dropAll(.disabled)
        case .ensureDevice: .ensureDevice
        }
    }

    /// What gives 1 once the change is on disk.
    var proof: String {
        switch self {
        case .delivered: "SELECT count(*) FROM record"
        case .bind: "SELECT count(*) FROM generation WHERE session = 's1'"
        case .store: "SELECT count(*) FROM value WHERE value = 'y'"
        case .dropAll: "SELECT count(*) = 0 FROM record"
        case .ensureDevice: "SELECT count(*) FROM value WHERE key = '__GT_925_device_id'"
        }
    }
}

/// The changes that decide which records are sent, or under which session.
enum Deciding: String, CaseIterable, CustomTestStringConvertible {
    case delivered, drop, dropAll, bind, bindMade, unbind, identify, expire, reset, consent, group

    var testDescription: String { rawValue }

    /// The change, which may concern a record.
    func change(_ record: Record) -> LaneChange {
        let generation = Generation(1)
        let session = known(SessionID("s1"))
        return switch self {
        case .delivered: .delivered([record])
        case .drop: .drop([record.id], .expired)
        case .dropAll: .dropAll(.disabled)
        case .bind: .bind(generation, session)
        case .bindMade: .bindMade(generation, session)
        case .unbind: .unbind(generation, session, refused: record.id)
        case .identify: .identify(generation, known(UserID("u")))
        case .expire: .expire(generation)
        case .reset: .reset(all: false, messageID: nil)
        case .consent: .consent(.denied, messageID: nil)
        case .group: .group(GroupExtent(first: record.id, last: record.id, count: 1))
        }
    }
}

@Suite("A disk that refuses", .closingOutboxes)
struct DiskFaultTests {
    let folder = TemporaryFolder()

    @Test("has calls refused, tells once, and recovers", arguments: Place.allCases)
    func fillsUp(place: Place) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place, log: log))
        try outbox.fillDisk()

        let taken = try await outbox.fillUp()
        #expect(await outbox.commit(.barrier).summary == "done")

        guard case .writeFailed(let error)? = log.events.first, log.events.count == 1 else {
            Issue.record("\(log.events)")
            return
        }
        #expect(error.kind == .full)
        #expect(try outbox.state().writeFailure == error)
        #expect(try outbox.queue() == taken)
        #expect(try outbox.account().isBalanced)
        try outbox.freeDisk()
        #expect(await outbox.commit(.append("yes")).summary == "pending")
        #expect(log.events.count == 2 && log.events.last == .recovered)
        #expect(try outbox.state().writeFailure == nil)
        #expect(try outbox.queue() == taken + ["yes"])
        #expect(try outbox.account().accepted == taken.count + 1)
    }

    @Test(
        "does not make delivered records come back, and has them counted once it takes them", arguments: Place.allCases)
    func remembersDelivered(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit((1...4).map { .append("m\($0)") })
        let records = try outbox.records()
        try outbox.refuseWrites(true)
        #expect(await outbox.commit(.append("no")).summary == "refused storage")

        let delivered = await outbox.commit(.delivered([records[0]], bytes: WireBytes(before: 9, after: 9)))
        await outbox.commit(.drop([records[1].id], .rejected(400)))

        #expect(delivered.summary == "failed readOnly")
        #expect(try outbox.queue() == ["m3", "m4"])
        #expect(try outbox.account().delivered == 0)
        try outbox.refuseWrites(false)
        await outbox.commit(.delivered([records[2]], bytes: WireBytes(before: 1, after: 1)))
        #expect(try outbox.queue() == ["m4"])
        let account = try outbox.account()
        #expect(account.delivered == 2)
        #expect(account.dropped == [.rejected(400): 1])
        #expect(account.bytes == WireBytes(before: 10, after: 10))
        #expect(account.isBalanced)
    }

    @Test("has a reset hold in memory, and written before anything else", arguments: Place.allCases, [false, true])
    func holdsReset(place: Place, all: Bool) async throws {
        let log = EventLog()
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place, log: log))
        await outbox.commit([.ensureDevice, .bind(1, "s1"), .append("m1"), .store(.brandID, "925", nil)])
        try outbox.refuseWrites(true)

        let result = await outbox.commit(.reset(all: all, messageID: nil))
        let late = await outbox.commit([.append("m2"), .bind(1, "late")])

        #expect(result.summary == "failed readOnly")
        #expect(late.map(\.summary) == ["refused storage", "failed readOnly"])
        let state = try outbox.state()
        #expect(state.isAwaitingDisk)
        #expect(state.entry == GenerationEntry())
        #expect(state.generation == Generation(2))
        #expect(try outbox.peek(limit: 9, maxBytes: .max).records.isEmpty)
        #expect(outbox.value(for: .sessionID) == nil)
        #expect(outbox.value(for: .deviceID) == nil)
        #expect(outbox.value(for: .brandID) == (all ? nil : "925"))

        try outbox.refuseWrites(false)
        let result2 = await outbox.commit(.append("m3"))
        #expect(result2.summary == "pending")
        #expect(result2.state?.generation == Generation(2))
        #expect(result2.state?.isAwaitingDisk == false)
        #expect(try outbox.queue() == (all ? ["m3"] : ["m1", "m3"]))
        if !all { #expect(try outbox.peek(limit: 1, maxBytes: 1).entries[Generation(1)]?.session == SessionID("late")) }
        #expect(outbox.value(for: .sessionID) == nil)
        #expect(log.events.contains(.recovered))
    }

    @Test("has a denial hold in memory and calls refused for it", arguments: Place.allCases)
    func holdsDenial(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        await outbox.commit([.bind(1, "s1"), .append("m1")])
        try outbox.refuseWrites(true)

        await outbox.commit(.consent(.denied, messageID: nil))

        #expect(try outbox.state().consent == .denied)
        #expect(try outbox.state().isAwaitingDisk)
        #expect(try outbox.peek(limit: 9, maxBytes: .max).records.isEmpty)
        #expect(await outbox.commit(.append("m2")).summary == "refused trackingNotAllowed")
        try outbox.refuseWrites(false)
        #expect(await outbox.commit(.append("m2")).summary == "refused trackingNotAllowed")
        #expect(try outbox.state().isAwaitingDisk == false)
        #expect(try outbox.queue().isEmpty)
        #expect(try outbox.account().dropped == [.consent: 1])
    }

    @Test("is tried again for a reset without a further call")
    func retriesReset() async throws {
        let recovered = AsyncStream.makeStream(of: OutboxEvent.self)
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder) { configuration in
                configuration.observer = { [folder] event in
                    withExtendedLifetime(folder) { _ = recovered.1.yield(event) }
                }
            }
        )
        await outbox.commit(.bind(1, "s1"))
        try outbox.refuseWrites(true)
        await outbox.commit(.reset(all: false, messageID: nil))
        try outbox.refuseWrites(false)

        #expect(await recovered.0.first { $0 == .recovered } != nil)

        #expect(try outbox.state().isAwaitingDisk == false)
        #expect(try folder.number("SELECT generation FROM lane") == 2)
    }

    @Test("is tried again for every refused change without a further call", arguments: Refused.allCases)
    func retries(refused: Refused) async throws {
        let events = Recorder<OutboxEvent>()
        let outbox = try await SQLiteOutbox.opened(
            .sample(folder) { configuration in
                configuration.observer = { [folder] event in withExtendedLifetime(folder) { events.record(event) } }
            }
        )
        await outbox.commit([.append("m1"), .append("m2")])
        let first = try outbox.records()[0]
        try outbox.refuseWrites(true)
        #expect(await outbox.commit(refused.change(first)).summary == "failed readOnly")
        try outbox.refuseWrites(false)

        // A drop is reported as well.
        #expect(try await events.values(atLeast: refused == .dropAll ? 3 : 2).last == .recovered)

        #expect(try folder.number(refused.proof) == 1)
        #expect(try outbox.account().isBalanced)
    }

    @Test("keeps others from delivering what it cannot note as delivered", arguments: [Refused.delivered, .dropAll])
    func keepsDelivery(refused: Refused) async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        await one.commit([.append("m1"), .append("m2")])
        #expect(one.acquireDelivery())
        try one.refuseWrites(true)
        #expect(await one.commit(refused.change(try one.records()[0])).summary == "failed readOnly")

        one.releaseDelivery()

        #expect(!two.acquireDelivery())
        #expect(one.acquireDelivery())
        one.releaseDelivery()
        #expect(!two.acquireDelivery())
        try one.refuseWrites(false)
        await one.commit(.barrier)
        #expect(two.acquireDelivery())
        #expect(try !two.queue().contains("m1"))
    }

    @Test(
        "that is slow keeps others from delivering until they find there what decides what is sent",
        arguments: Deciding.allCases)
    func keepsDeliveryWhileItIsSlow(deciding: Deciding) async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        await one.commit([.append("m1"), .append("m2")])
        let change = deciding.change(try one.records()[0])
        #expect(one.acquireDelivery())
        let writers = try FileLock(folder.state.writerLock)
        try writers.lock()

        one.stage(change) { _ in }
        #expect(!one.releaseDelivery())

        #expect(!two.acquireDelivery())
        writers.unlock()
        await one.commit(.barrier)
        #expect(two.acquireDelivery())
        #expect(try two.queue() == one.queue())
    }

    @Test("that is slow does not keep others from delivering while it takes calls")
    func givesDeliveryWhileItTakesCalls() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        #expect(one.acquireDelivery())
        let writers = try FileLock(folder.state.writerLock)
        try writers.lock()

        one.stage(.append("m1")) { _ in }
        #expect(one.releaseDelivery())

        #expect(two.acquireDelivery())
        writers.unlock()
        await one.commit(.barrier)
    }

    @Test("does not keep others from making the session that it refused to note")
    func givesDeliveryWithoutSession() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        #expect(one.acquireDelivery())
        try one.refuseWrites(true)
        #expect(await one.commit(.bind(1, "s1")).summary == "failed readOnly")

        #expect(one.releaseDelivery())
        #expect(two.acquireDelivery())
    }

    @Test("does not keep others from delivering when the one that it refused has closed")
    func releasesDeliveryAtClose() async throws {
        let one = try await SQLiteOutbox.opened(.sample(folder))
        let two = try await SQLiteOutbox.opened(.sample(folder))
        await one.commit(.append("m1"))
        #expect(one.acquireDelivery())
        try one.refuseWrites(true)
        await one.commit(Refused.delivered.change(try one.records()[0]))
        one.releaseDelivery()
        #expect(!two.acquireDelivery())

        await one.close()

        #expect(two.acquireDelivery())
    }

    @Test("has values live in memory until it takes them", arguments: Place.allCases)
    func holdsValues(place: Place) async throws {
        let outbox = try await SQLiteOutbox.opened(.sample(folder, place))
        try outbox.refuseWrites(true)

        let results = await outbox.commit([
            .ensureDevice, .bind(1, "s1"), .store(.sessionEmail, "a@b.c", Generation(1)), .store(.own("x"), "1", nil),
            .store(.own("x"), "2", nil), .identify(Generation(1), known(UserID("u"))),
        ])

        #expect(Set(results.map(\.summary)) == ["failed readOnly"])
        let device = try #require(outbox.value(for: .deviceID))
        let state = try outbox.state()
        #expect(!state.isAwaitingDisk)
        #expect(
            state.entry
                == GenerationEntry(session: SessionID("s1"), device: DeviceID(device), identifyID: UserID("u"))
        )
        #expect(outbox.value(for: .sessionID) == "s1")
        #expect(outbox.value(for: .sessionEmail) == "a@b.c")
        #expect(outbox.value(for: .own("x")) == "2")

        try outbox.refuseWrites(false)
        await outbox.commit(.barrier)
        #expect(try outbox.state().entry == state.entry)
        #expect(outbox.value(for: .own("x")) == "2")
        #expect(outbox.value(for: .deviceID) == device)
    }
}
