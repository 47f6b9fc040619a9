import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// What an answer must come to, as the table of answers has it.
enum AnswerEffect: Hashable, Sendable {
    case delivered
    /// Kept at the front; the server asked for a wait of at least this.
    case kept(Duration)
    /// The same records again, fewer at a time.
    case split
    case dropped(DropReason)
    case halted, disabled
    /// The session is made anew, and the record sent again.
    case sessionReopened
}

/// Who speaks to whom, and how many records a request carries.
enum Speaker: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case session, batchOfOne, batch, endpointOfOne, endpoint
    /// A batch of a client that is disabled where others halt.
    case disablingBatch

    var testDescription: String { rawValue }

    private var isEndpoint: Bool { self == .endpoint || self == .endpointOfOne }

    var size: Int64 { [.batch, .disablingBatch, .endpoint].contains(self) ? 5 : 1 }

    func dialect() throws -> any Dialect {
        switch self {
        case .session: return try SessionDialect.sample()
        case .batchOfOne, .batch, .disablingBatch:
            return GroupDialect.batches(
                host: try BaseURL("https://in.example.com"), writeKey: Secret("wk"), timeout: .seconds(8),
                schedule: GroupDialect.Schedule(interval: .seconds(10), count: 1), maxRecords: Int(size),
                maxBytes: 475_000, whenRefused: self == .disablingBatch ? .disable : .halt)
        case .endpointOfOne, .endpoint:
            return GroupDialect.arrays(
                endpoint: "https://in.example.com/e", apiKey: Secret("key"), timeout: .seconds(30))
        }
    }

    /// What a status comes to.
    func effect(of status: Int) -> AnswerEffect {
        switch status {
        case 200..<300: .delivered
        case 429: .kept(.seconds(1))
        case 407, 408, 300..<304, 305..<400, 500...: .kept(.zero)
        case 413: size > 1 ? .split : .dropped(.tooLarge)
        case 401, 403: self == .disablingBatch ? .disabled : .halted
        case 404 where !isEndpoint, 410 where !isEndpoint:
            self == .session ? .sessionReopened : self == .disablingBatch ? .disabled : .halted
        default: size > 1 ? .split : .dropped(.rejected(status))
        }
    }
}

/// Where the breaker stands when the answer comes.
enum BreakerPlace: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case closed, failedOnce
    /// Another request has opened it meanwhile.
    case open
    case halfOpen

    var testDescription: String { rawValue }
}

@Suite("The table of answers, by the delivery state alone")
struct DeliveryMatrixTests {
    private static let statuses = [
        200, 201, 202, 204, 299, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409,
        410, 411, 413, 414, 415, 418, 422, 423, 429, 431, 451, 499, 500, 501, 502, 503, 504, 507, 599, 600, 700,
    ]

    @Test("each status has its one meaning", arguments: Speaker.allCases, BreakerPlace.allCases)
    func answers(speaker: Speaker, circuit: BreakerPlace) throws {
        for status in Self.statuses {
            try check(.status(status), speaker.effect(of: status), speaker, circuit)
        }
    }

    @Test("a server that names a time is given it", arguments: Speaker.allCases, BreakerPlace.allCases)
    func retryAfter(speaker: Speaker, circuit: BreakerPlace) throws {
        for status in [408, 429, 500, 503] {
            try check(.status(status, headers: ["Retry-After": "300"]), .kept(.seconds(300)), speaker, circuit)
        }
    }

    @Test("whatever keeps an answer from coming is a failure", arguments: Speaker.allCases, BreakerPlace.allCases)
    func failures(speaker: Speaker, circuit: BreakerPlace) throws {
        for kind in TransportError.Kind.allCases where kind != .cancelled && kind != .closed {
            let isUseless = kind == .invalidRequest && speaker == .session
            try check(.failed(kind), isUseless ? .dropped(.tooLarge) : .kept(.zero), speaker, circuit)
        }
    }

    @Test("what was called off here says nothing of the server", arguments: Speaker.allCases, BreakerPlace.allCases)
    func cancelled(speaker: Speaker, circuit: BreakerPlace) throws {
        for kind in [TransportError.Kind.cancelled, .closed] {
            var world = try World(speaker, circuit)
            let before = world.state.breaker.state

            let settlement = world.state.finish(world.token, with: .failed(kind), at: world.moment)

            #expect(settlement.changes.isEmpty && settlement.events.isEmpty)
            if circuit == .halfOpen {
                #expect(world.state.breaker.state == .open(trips: 1, until: .seconds(world.now)))
            } else {
                #expect(world.state.breaker.state == before)
            }
            #expect(try world.next(after: 500) == world.records.map(\.id))
        }
    }

    @Test("what is said of credentials that have been changed since halts nothing", arguments: [401, 403])
    func formerCredentials(status: Int) throws {
        for speaker in Speaker.allCases {
            var world = try World(speaker, .closed)
            world.state.resume(with: try speaker.dialect())

            let settlement = world.state.finish(world.token, with: .status(status), at: world.moment)

            #expect(settlement.changes.isEmpty && settlement.events.isEmpty)
            #expect(!world.state.isHalted)
            #expect(try world.next().starts(with: world.records.map(\.id)))
        }
    }

    // MARK: One answer

    private func check(
        _ answer: Answer, _ effect: AnswerEffect, _ speaker: Speaker, _ circuit: BreakerPlace
    ) throws {
        let name: Comment = "\(answer)"
        var world = try World(speaker, circuit)
        let ids = world.records.map(\.id)

        let settlement = world.state.finish(world.token, with: answer, at: world.moment)

        #expect(world.state.breaker.state == Self.breaker(after: effect, circuit, world.now), name)
        switch effect {
        case .delivered:
            #expect(settlement.changes.isEmpty, name)
            #expect(settlement.delivered?.records.map(\.id) == ids, name)
        case .kept:
            #expect(settlement.changes.isEmpty, name)
            #expect(try world.next(after: 4000) == ids, name)
        case .split:
            #expect(settlement.changes.isEmpty, name)
            #expect(try world.next() == Array(ids.prefix(2)), name)
        case .dropped(let reason):
            #expect(settlement.changes.contains { if case .drop(ids, reason, _) = $0 { true } else { false } }, name)
        case .halted:
            #expect(settlement.changes.isEmpty, name)
            #expect(world.state.readiness(at: .seconds(world.now + 4000)) == .stopped(.halted), name)
        case .disabled:
            #expect(settlement.changes.contains { if case .dropAll(.disabled) = $0 { true } else { false } }, name)
            #expect(world.state.readiness(at: .seconds(world.now + 4000)) == .stopped(.halted), name)
        case .sessionReopened:
            #expect(settlement.awaitsCommit, name)
            #expect(
                settlement.changes.contains { change in
                    if case .unbind(Generation(1), SessionID("S1"), refused: ids[0], _) = change { true } else { false }
                }, name)
        }
    }

    private static func breaker(
        after effect: AnswerEffect, _ circuit: BreakerPlace, _ now: Double
    ) -> CircuitBreaker.State {
        guard case .kept(let floor) = effect else { return .closed(failures: 0, until: nil) }
        let until = { (wait: Duration) in MonotonicInstant.seconds(now).advanced(by: max(wait, floor)) }
        return switch circuit {
        case .closed: .closed(failures: 1, until: until(.seconds(1)))
        case .failedOnce: .closed(failures: 2, until: until(.seconds(2)))
        case .open: .open(trips: 1, until: until(.seconds(10)))
        case .halfOpen: .open(trips: 2, until: until(.seconds(20)))
        }
    }
}

/// A delivery state with a request under way, whose answer is looked at.
private struct World {
    private(set) var records: [Record] = []
    private(set) var now = 0.0
    var state: DeliveryState
    var token: DeliveryState.Token { tokens[0] }
    private var tokens: [DeliveryState.Token] = []
    private let queue: [Record]
    private let size: Int

    init(_ speaker: Speaker, _ circuit: BreakerPlace) throws {
        let threshold = circuit == .open || circuit == .halfOpen ? 1 : 3
        state = DeliveryState(
            dialect: try speaker.dialect(),
            breaker: DeliveryOptions(retryDelay: .seconds(1), failureThreshold: threshold, jitter: 0).breaker,
            maxConcurrentRequests: 2, eventTTL: nil, jitter: NoJitter())
        state.start()
        size = Int(speaker.size)
        let route: Route = speaker == .session ? .event : .batch
        // What the request carries, and as much behind it.
        queue = (1...speaker.size * 2).map { .sample($0, route: route) }
        switch circuit {
        case .closed:
            try depart()
        case .failedOnce, .halfOpen:
            try depart()
            _ = state.finish(tokens.removeFirst(), with: .status(500), at: moment)
            now = circuit == .failedOnce ? 1 : 10
            try depart()
        case .open:
            try depart()
            let carried = records
            try depart()
            _ = state.finish(tokens.removeLast(), with: .status(500), at: moment)
            records = carried
        }
    }

    var moment: ClockReading {
        ClockReading(now: .seconds(now), wall: Timestamp(milliseconds: 0))
    }

    /// The records that are sent next, that much later.
    mutating func next(after seconds: Double = 0) throws -> [Record.ID] {
        now += seconds
        return try plan(queue).records.map(\.id)
    }

    private mutating func depart() throws {
        let plan = try plan(Array(queue.prefix(size * (tokens.count + 1))))
        records = plan.records
        tokens.append(state.depart(plan))
    }

    private mutating func plan(_ front: [Record]) throws -> Plan {
        let waiting = front.filter { !state.underWay.contains($0.id) }
        var peek = Peek.sample(waiting, state: .sample(queued: queue.count))
        var intention = state.intention(for: peek, wantedThrough: .max, at: moment)
        if case .work(.change(let changes)) = intention, case .group(let group)? = changes.first {
            peek.groups.append(group)
            intention = state.intention(for: peek, wantedThrough: .max, at: moment)
        }
        guard case .work(.send(let plan)) = intention else {
            throw TransportError(.closed, host: "", message: "nothing was planned")
        }
        return plan
    }
}
