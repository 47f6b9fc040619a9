import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The batch dialect")
struct BatchDialectTests {
    private static func dialect(
        interval: Duration = .seconds(10), flushAt: Int = 20, maxRecords: Int = 100, maxBytes: Int = 475_000
    ) throws -> GroupDialect {
        GroupDialect.batches(
            host: try BaseURL("https://in.example.com/base"), writeKey: Secret("wk-1234"), timeout: .seconds(8),
            schedule: GroupDialect.Schedule(interval: interval, count: flushAt), maxRecords: maxRecords,
            maxBytes: maxBytes)
    }

    @Test("posts the events to /v1/batch with the write key and the time of sending in each")
    func request() throws {
        var dialect = try Self.dialect()

        let plan = try #require(
            dialect.plan(.sample(Record.events(1...2), wanted: 2, wall: 1_764_239_400_000)).plan)

        #expect(plan.request.method == .post)
        #expect(plan.request.url == "https://in.example.com/base/v1/batch")
        #expect(plan.request.timeout == .seconds(8))
        #expect(
            plan.request.body.map { String(decoding: $0, as: UTF8.self) } == """
                {"batch":[\
                {"type":"track","event":"E1","writeKey":"wk-1234","sentAt":"2025-11-27T10:30:00.000Z"},\
                {"type":"track","event":"E2","writeKey":"wk-1234","sentAt":"2025-11-27T10:30:00.000Z"}]}
                """)
        #expect(
            plan.request.headers.fields == [
                .init(name: "Content-Type", value: "application/json"),
                .init(name: "Idempotency-Key", value: "m1:m2:2"),
                .init(name: "X-Sequence", value: "1"),
            ])
    }

    @Test("waits for the interval, counted from the first event, and sets no timer for an empty queue")
    func interval() throws {
        var dialect = try Self.dialect()

        #expect(dialect.plan(.sample([], at: 1)).isRest)
        #expect(dialect.plan(.sample(Record.events(1...1), at: 2)).heldUntil == .seconds(12))
        #expect(dialect.plan(.sample(Record.events(1...3), at: 5)).heldUntil == .seconds(12))
        #expect(dialect.plan(.sample(Record.events(1...4), at: 12)).plan?.records.count == 4)
        #expect(dialect.plan(.sample([], at: 12)).isRest)
        #expect(dialect.plan(.sample(Record.events(5...5), at: 20)).heldUntil == .seconds(30))
    }

    @Test("what was held back stays so, as the lane's counters tell, until it is due, wanted or enough")
    func stillHolds() throws {
        var dialect = try Self.dialect(flushAt: 20)
        var lane = LaneState.sample(session: nil, device: nil, queued: 2, bytes: 200)
        lane.lastSequence = 2
        _ = dialect.plan(.sample(Record.events(1...2), at: 2))

        #expect(dialect.stillHolds(lane, wantedThrough: 0, at: .seconds(5)) == .seconds(12))
        #expect(dialect.stillHolds(lane, wantedThrough: 2, at: .seconds(5)) == nil)
        #expect(dialect.stillHolds(lane, wantedThrough: 0, at: .seconds(12)) == nil)
        lane.queuedRecords = 20
        #expect(dialect.stillHolds(lane, wantedThrough: 0, at: .seconds(5)) == nil)
        lane.queuedRecords = 19
        #expect(dialect.stillHolds(lane, wantedThrough: 0, at: .seconds(5)) == .seconds(12))
        lane.queuedBytes = 1_000_000
        #expect(dialect.stillHolds(lane, wantedThrough: 0, at: .seconds(5)) == nil)
    }

    @Test("starts the interval of what comes during a drain when it is first seen")
    func intervalDuringDrain() throws {
        var dialect = try Self.dialect(maxRecords: 2)

        #expect(dialect.plan(.sample(Record.events(1...2), lastSequence: 4, at: 0)).plan?.records.count == 2)
        #expect(dialect.plan(.sample(Record.events(3...4), lastSequence: 5, at: 3)).plan?.records.count == 2)
        #expect(dialect.plan(.sample(Record.events(5...5), at: 6)).heldUntil == .seconds(13))
    }

    @Test("is due at once when flushAt events are queued, or a batch is full", arguments: [(3, 100, 3), (50, 4, 4)])
    func count(flushAt: Int, maxRecords: Int, due: Int64) throws {
        var dialect = try Self.dialect(flushAt: flushAt, maxRecords: maxRecords)

        #expect(dialect.plan(.sample(Record.events(1...(due - 1)))).heldUntil != nil)
        #expect(dialect.plan(.sample(Record.events(1...due))).plan?.records.count == Int(due))
    }

    @Test("is due at once when a batch's bytes are queued")
    func bytes() throws {
        let overhead = #","writeKey":"wk-1234","sentAt":"2025-11-27T10:30:00.000Z","#.utf8.count
        let frame = #"{"batch":[]}"#.utf8.count
        let full = frame + 3 * (100 + overhead)

        var larger = try Self.dialect(maxBytes: full + 1)
        #expect(larger.plan(.sample(Record.events(1...3, bytes: 100))).heldUntil != nil)
        var exact = try Self.dialect(maxBytes: full)
        let plan = try #require(exact.plan(.sample(Record.events(1...3, bytes: 100))).plan)
        #expect(plan.records.count == 3)
        #expect((plan.request.body?.count ?? 0) <= full)
    }

    @Test("is due when the bytes let it see only a part of the queue")
    func cutView() throws {
        var dialect = try Self.dialect()

        #expect(dialect.plan(.sample(Record.events(1...3), lastSequence: 4)).plan?.records.count == 3)
    }

    @Test("never sends a body over its bound, but for an event that is larger by itself", arguments: 0..<100)
    func boundsBodies(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let maxBytes = Int.random(in: 200...2000, using: &generator)
        var dialect = try Self.dialect(maxBytes: maxBytes)
        var queue = (1...Int64.random(in: 1...60, using: &generator)).flatMap { number in
            Record.events(number...number, bytes: Int.random(in: 10...600, using: &generator))
        }
        let all = queue.map(\.sequence)
        var sent: [Int64] = []

        while let plan = dialect.plan(.sample(queue, wanted: all.last ?? 0)).plan, !plan.records.isEmpty {
            let size = plan.request.body?.count ?? 0
            #expect(size <= maxBytes || plan.records.count == 1, "seed \(seed)")
            sent += plan.records.map(\.sequence)
            _ = dialect.judge(.status(200), to: plan, at: Timestamp(milliseconds: 0))
            queue.removeFirst(plan.records.count)
        }

        #expect(sent == all, "seed \(seed)")
    }

    @Test("drains what was queued when it fell due, and no more")
    func drainsWhatWasQueued() throws {
        var dialect = try Self.dialect(flushAt: 5, maxRecords: 5)

        #expect(
            dialect.plan(.sample(Record.events(1...5), lastSequence: 7)).plan?.records.map(\.sequence) == [
                1, 2, 3, 4, 5,
            ])
        #expect(dialect.plan(.sample(Record.events(6...9), lastSequence: 9)).plan?.records.map(\.sequence) == [6, 7])
        #expect(dialect.plan(.sample(Record.events(8...9), lastSequence: 9, at: 1)).heldUntil != nil)
    }

    @Test("keeps what a flush wanted due after the flush has given up, and repeats it under the same key")
    func keepsDue() throws {
        var dialect = try Self.dialect()

        let first = try #require(dialect.plan(.sample(Record.events(1...2), wanted: 2)).plan)
        let verdict = dialect.judge(.status(503), to: first, at: Timestamp(milliseconds: 0))
        let again = try #require(dialect.plan(.sample(Record.events(1...4), at: 1, wall: 5)).plan)

        #expect(VerdictKind(verdict) == .retry(.zero))
        #expect(again.request.headers["Idempotency-Key"] == first.request.headers["Idempotency-Key"])
        #expect(again.request.body != first.request.body)
    }

    @Test(
        "means by an answer what the table says",
        arguments: [
            (200, 5, VerdictKind.delivered), (204, 1, .delivered),
            (500, 5, .retry(.zero)), (503, 1, .retry(.zero)), (408, 5, .retry(.zero)), (599, 1, .retry(.zero)),
            (429, 5, .retry(.seconds(1))), (429, 1, .retry(.seconds(1))),
            (413, 5, .regroup), (413, 2, .regroup), (413, 1, .discard(.tooLarge)),
            (400, 5, .regroup), (422, 2, .regroup), (400, 1, .discard(.rejected(400))),
            (422, 1, .discard(.rejected(422))),
            (409, 1, .discard(.rejected(409))), (304, 1, .discard(.rejected(304))),
            (401, 5, .halt), (403, 1, .halt), (404, 5, .halt), (410, 1, .halt),
        ] as [(Int, Int64, VerdictKind)])
    func answers(status: Int, size: Int64, expected: VerdictKind) throws {
        var dialect = try Self.dialect()
        let plan = try #require(dialect.plan(.sample(Record.events(1...size), wanted: size)).plan)

        let verdict = dialect.judge(.status(status), to: plan, at: Timestamp(milliseconds: 0))

        #expect(VerdictKind(verdict) == expected)
    }

    @Test("waits as long as the server asks", arguments: [429, 503])
    func retryAfter(status: Int) throws {
        var dialect = try Self.dialect()
        let plan = try #require(dialect.plan(.sample(Record.events(1...1), wanted: 1)).plan)

        let verdict = dialect.judge(
            .status(status, headers: ["Retry-After": "90"]), to: plan, at: Timestamp(milliseconds: 0))

        #expect(VerdictKind(verdict) == .retry(.seconds(90)))
    }

    @Test(
        "keeps a batch whose answer never came", arguments: [TransportError.Kind.timeout, .connect, .redirectRefused])
    func networkErrors(kind: TransportError.Kind) throws {
        var dialect = try Self.dialect()
        let plan = try #require(dialect.plan(.sample(Record.events(1...3), wanted: 3)).plan)

        #expect(VerdictKind(dialect.judge(.failed(kind), to: plan, at: Timestamp(milliseconds: 0))) == .retry(.zero))
    }

    @Test("finds the records a server refuses and delivers the others", arguments: 0..<100)
    func bisects(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var dialect = try Self.dialect()
        var queue = Record.events(1...Int64.random(in: 1...250, using: &generator))
        let all = queue.map(\.sequence)
        let bad = Set(all.filter { _ in Int.random(in: 0..<20, using: &generator) == 0 })
        var delivered: [Int64] = []
        var dropped: Set<Int64> = []
        var requests = 0

        while let plan = dialect.plan(.sample(queue, wanted: all.last ?? 0)).plan, requests < 5000 {
            requests += 1
            let isBad = plan.records.contains { bad.contains($0.sequence) }
            switch dialect.judge(.status(isBad ? 400 : 200), to: plan, at: Timestamp(milliseconds: 0)) {
            case .delivered: delivered += plan.records.map(\.sequence)
            case .discard(.rejected(400), _): dropped.formUnion(plan.records.map(\.sequence))
            default: continue
            }
            queue.removeFirst(plan.records.count)
        }

        #expect(delivered == all.filter { !bad.contains($0) }, "seed \(seed)")
        #expect(dropped == bad, "seed \(seed)")
    }
}
