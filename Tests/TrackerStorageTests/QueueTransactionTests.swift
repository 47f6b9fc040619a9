import Synchronization
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The queue below the rules of sessions")
struct QueueTransactionTests {
    private let folder = TemporaryFolder()

    @Test("has its numbers, bounds and account, whatever consent and session its lane has", arguments: Consent.allCases)
    func alone(consent: Consent) async throws {
        let configuration = OutboxConfiguration.sample(folder, .memory) {
            $0.limits = OutboxLimits(maxRecords: 3, maxBytes: 1 << 20, overflow: .dropOldest)
        }
        let outbox = try await SQLiteOutbox.opened(configuration)

        let queue = try outbox.writer.withLock { writer in
            let lane = try writer.currentLane()
            let database = lane.database
            var row = try #require(try database.lane(lane.key, prefix: configuration.keyPrefix))
            row.consent = consent
            return try database.writing { () throws(StorageError) in
                var queue = QueueTransaction(database, configuration, row: row, now: .now, run: 1)
                for name in ["a", "b", "c", "d", "e"] { try Self.queue(name, in: &queue) }
                let third = try database.movers(of: lane.key, onlyUnbound: false).prefix(1)
                try queue.settleDelivered(Array(third), WireBytes(before: 10, after: 5))
                try queue.drop([Record.ID(row.key.record(4))], .expired, nil)
                try queue.finish(oldest: nil)
                return queue
            }
        }

        let counters = queue.row.counters
        #expect(queue.row.sequence == 5)
        #expect(counters.accepted == 5 && counters.queued == 1 && counters.delivered == 1)
        #expect(counters.bytes == WireBytes(before: 10, after: 5))
        #expect(
            queue.events == [
                .dropped([MessageID(accepted: "a"), MessageID(accepted: "b")], count: 2, .evicted),
                .dropped([MessageID(accepted: "d")], count: 1, .expired),
            ])
    }

    private static func queue(_ name: String, in queue: inout QueueTransaction) throws(StorageError) {
        let draft = Draft.sample(name)
        var group = StagedGroup()
        group.append(draft, of: RecordOwner(draft.stamp, run: 1)) { { _ in } }
        guard case .record(let record)? = group.entries.first, case .complete(let place) = record.body else { return }
        try queue.insert(record, of: group, body: group.bytes[place.range])
        try queue.evict()
    }
}
