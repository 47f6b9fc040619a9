import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("Unwritten changes")
struct UnwrittenChangesTests {
    private let disk: LaneState = {
        var state = LaneState.empty
        state.generation = Generation(3)
        state.entry = GenerationEntry(session: SessionID("s"), device: DeviceID("d"), identifyID: UserID("u"))
        return state
    }()

    private func log(_ changes: [LaneChange]) -> UnwrittenLog {
        let log = UnwrittenLog.log(of: .sample, in: nil)
        for change in changes { log.keep(change, of: .sample, over: disk) }
        return log
    }

    private func unwritten(_ changes: LaneChange...) -> UnwrittenChanges { log(changes).changes(of: .sample) }

    @Test("do not bind a generation that another process has begun meanwhile")
    func leavesOthersGeneration() throws {
        let log = log([
            .reset(all: false, messageID: nil), .bind(4, "virtual"), .store(.own("x"), "y", Generation(4)),
            .bind(3, "late"), .store(.own("x"), "y", nil),
        ])

        let entries = try #require(log.first(splitAfter: 0)?.entries)
        #expect(entries.count { $0.applies(at: Generation(3)) } == 5)
        #expect(entries.count { $0.applies(at: Generation(4)) } == 3)
    }

    @Test("show a reset, and what came after it, over what the disk says")
    func showsReset() {
        let unwritten = unwritten(
            .store(.own("x"), "1", nil), .reset(all: false, messageID: nil), .store(.sessionEmail, "e", nil))

        let state = unwritten.state(over: disk)
        #expect(state.generation == Generation(4))
        #expect(state.entry == GenerationEntry())
        #expect(state.isAwaitingDisk && unwritten.hidesRecords)
        #expect(unwritten.lane(over: disk).effect(on: .own("x")) == .removed)
        #expect(unwritten.lane(over: disk).effect(on: .sessionEmail) == .text("e"))
        #expect(unwritten.lane(over: disk).effect(on: .brandID) == .untouched)
        #expect(unwritten.lane(over: disk).effect(on: .deviceID) == .removed)
    }

    @Test("of another lane show what they do to the brand, and keep everything back")
    func showsOtherLane() {
        let log = log([.store(.own("x"), "1", nil), .reset(all: false, messageID: nil)])
        let reset = log.changes(of: .session("https://other.example.com"))
        #expect(
            reset.state(over: disk).entry
                == GenerationEntry(session: disk.entry.session, identifyID: disk.entry.identifyID))
        #expect(reset.isAwaitingDisk && reset.hidesRecords)
        #expect(reset.lane(over: disk).effect(on: .deviceID) == .removed)
        #expect(reset.lane(over: disk).effect(on: .own("x")) == .untouched)

        log.keep(.consent(.denied, messageID: nil), of: .sample, over: disk)
        let denied = log.changes(of: .session("https://other.example.com"))
        #expect(denied.state(over: disk).consent == .denied)
        #expect(denied.lane(over: disk).effect(on: .sessionID) == .removed)
    }

    @Test("show an expiry: the device stays")
    func showsExpiry() {
        let unwritten = unwritten(.expire(Generation(3)), .expire(Generation(3)))

        #expect(unwritten.state(over: disk).generation == Generation(4))
        #expect(unwritten.state(over: disk).entry == GenerationEntry(device: DeviceID("d")))
        #expect(unwritten.lane(over: disk).effect(on: .sessionID) == .removed)
        #expect(unwritten.lane(over: disk).effect(on: .deviceID) == .text("d"))
        #expect(!unwritten.isAwaitingDisk && !unwritten.hidesRecords)
    }

    @Test("make no device where there is one, and one that stays the same where there is none")
    func makesDevice() {
        #expect(unwritten(.ensureDevice).isEmpty)

        let fresh = unwritten(.reset(all: false, messageID: nil), .ensureDevice, .ensureDevice)
        #expect(fresh.changes.count == 2)
        #expect(fresh.state(over: disk).entry.device != nil)
        #expect(fresh.state(over: disk).entry.device == fresh.state(over: disk).entry.device)
        #expect(unwritten(.consent(.denied, messageID: nil), .ensureDevice).changes.count == 1)
    }

    @Test("keep no more of values and deliveries than is needed")
    func staysSmall() {
        let unwritten = unwritten(
            .store(.own("x"), "1", nil), .store(.own("x"), "2", nil),
            .delivered([.sample(1)], bytes: WireBytes(before: 1, after: 2)),
            .delivered([.sample(2)], bytes: WireBytes(before: 3, after: 4)), .barrier, .append("m")
        )

        #expect(unwritten.changes.count == 2)
        guard case .delivered(let records, let bytes)? = unwritten.changes.last else {
            Issue.record("\(unwritten.changes)")
            return
        }
        #expect(records.map(\.id.number) == [1, 2])
        #expect(bytes == WireBytes(before: 4, after: 6))
    }
}

extension Record {
    fileprivate static func sample(_ number: Int64) -> Record {
        Record(
            id: Record.ID(number), messageID: known(MessageID("m")), sequence: number, generation: Generation(1),
            route: .event,
            body: .emptyObject, occurredAt: Timestamp(milliseconds: 0), acceptedAt: nil)
    }
}
