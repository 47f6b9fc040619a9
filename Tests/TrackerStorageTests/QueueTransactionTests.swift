import Synchronization
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The queue below the rules of sessions")
struct QueueTransactionTests {
    /// What the layer above would act on.
    enum Situation: CaseIterable {
        case isDenied, sessionHasExpired, userHasExpired

        func apply(to row: inout LaneRow) {
            let past = Timestamp(milliseconds: 1)
            switch self {
            case .isDenied: row.consent = .denied
            case .sessionHasExpired: (row.entry.session, row.sessionExpires) = (SessionID("S1"), past)
            case .userHasExpired: (row.entry.identifyID, row.identifyExpires) = (UserID("u1"), past)
            }
        }
    }

    private let folder = TemporaryFolder()

    @Test(
        "has its numbers, bounds, callers' ids and account, whatever consent and session its lane has",
        arguments: Situation.allCases)
    func alone(_ situation: Situation) async throws {
        let configuration = OutboxConfiguration.sample(folder, .memory) {
            $0.limits = OutboxLimits(maxRecords: 3, maxBytes: 1 << 20, overflow: .dropOldest)
        }
        let outbox = try await SQLiteOutbox.opened(configuration)

        let (found, queue) = try outbox.writer.withLock { writer in
            let lane = try writer.currentLane()
            let database = lane.database
            var row = try #require(try database.lane(lane.key, prefix: configuration.keyPrefix))
            situation.apply(to: &row)
            return try database.writing { () throws(StorageError) in
                var queue = QueueTransaction(database, configuration, row: row, now: .now, run: 1)
                let isNewBlock = queue.reserve(6)
                #expect(!isNewBlock)
                #expect(try queue.claim(Array("a".utf8)[...], .queued))
                for name in ["a", "b", "c", "d", "e"] { try Self.queue(name, in: &queue) }
                let third = try database.movers(of: lane.key, onlyUnbound: false).prefix(1)
                try queue.settleDelivered(Array(third), WireBytes(before: 10, after: 5))
                let fourth = Record.ID(row.key.record(4))
                try queue.drop([fourth], .rejected(400), nil)
                if let kept = try database.kept(fourth.number) {
                    let number = try queue.requeue(kept, fourth)
                    #expect(number == row.key.record(6))
                }
                try queue.finish()
                return (row, queue)
            }
        }

        let counters = queue.row.counters
        #expect(queue.row.sequence == 6 && queue.row.removed == found.removed + 1)
        #expect(counters.accepted == 5 && counters.queued == 2 && counters.delivered == 1 && queue.requeued == 1)
        #expect(counters.bytes == WireBytes(before: 10, after: 5))
        #expect(!queue.isFull(for: 1) && queue.isFull(for: 1 << 20))
        #expect(
            queue.events == [
                .dropped([MessageID(accepted: "a"), MessageID(accepted: "b")], count: 2, .evicted),
                .dropped([MessageID(accepted: "d")], count: 1, .rejected(400)),
            ])
        var rest = queue.row
        (rest.sequence, rest.reserved, rest.boot) = (found.sequence, found.reserved, found.boot)
        (rest.counters, rest.removed) = (found.counters, found.removed)
        #expect(rest == found)
    }

    private static func queue(_ name: String, in queue: inout QueueTransaction) throws(StorageError) {
        let draft = Draft.sample(name, given: name == "a")
        var group = StagedGroup()
        group.append(draft, of: RecordOwner(draft.stamp, run: 1)) { { _ in } }
        guard case .record(let record)? = group.entries.first, case .complete(let place) = record.body else { return }
        try queue.insert(record, of: group, body: group.bytes[place.range])
        try queue.evict()
    }
}
