import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// A lane whose server is a function, on a clock that goes from one thing that is due to the next.
private struct PlayedServer {
    /// What the server does with a request that carries these records.
    enum Answered {
        case status(Int)
        case nothing
        /// It takes them, and the client does not get to know it.
        case lost
    }

    var state: DeliveryState
    private(set) var now = 0.0
    /// What has arrived, and what was set aside, in this order.
    private(set) var delivered: [Int64] = []
    private(set) var setAside: [Int64] = []
    private(set) var requests = 0
    private var peek: Peek
    private let size: Int

    init(
        _ records: Int, size: Int = 1, requests: Int = 1, poisonAfter: Duration? = .seconds(1800),
        sent groups: [ClosedRange<Int64>] = [], beforeReset: Int64 = 0
    ) throws {
        self.size = size
        let dialect: any Dialect =
            size == 1
            ? try SessionDialect.sample()
            : GroupDialect.batches(
                host: try BaseURL("https://in.example.com"), writeKey: Secret("wk"), timeout: .seconds(8),
                schedule: GroupDialect.Schedule(interval: .seconds(10), count: 1), maxRecords: size,
                maxBytes: 475_000)
        state = DeliveryState(
            dialect: dialect, breaker: DeliveryOptions(jitter: 0).breaker, maxConcurrentRequests: requests,
            eventTTL: nil, haltRetry: .seconds(300), poisonAfter: poisonAfter, jitter: NoJitter())
        state.start()
        peek = .sample(
            (1...Int64(records)).map {
                .sample($0, route: size == 1 ? .event : .batch, generation: $0 <= beforeReset ? 1 : 2)
            },
            state: .sample(generation: 2, session: "S2", queued: records))
        peek.entries[Generation(1)] = GenerationEntry(session: SessionID("S1"))
        peek.groups = groups.map { range in
            let ids = peek.records.filter { range.contains($0.sequence) }.map(\.id)
            return GroupExtent(first: ids[0], last: ids[ids.count - 1], count: ids.count)
        }
    }

    var isEmpty: Bool { peek.records.isEmpty }

    /// Lets the clock run until the queue is empty or the time is over.
    mutating func run(until end: Double, _ answer: (_ records: [Int64], _ now: Double) -> Answered) throws {
        while now < end, !isEmpty {
            switch state.readiness(at: .seconds(now)) {
            case .wait(let until, _):
                // A number of seconds may round down.
                now = MonotonicInstant.seconds(0).duration(to: until) / .seconds(1) + 1e-6
                continue
            case .look, .confirm, .recheck: state.forgetAhead()
            case .busy, .stopped: throw TransportError(.closed, host: "", message: "it has stopped")
            }
            let reading = ClockReading.seconds(now)
            var intention = state.intention(for: peek, wantedThrough: .max, at: reading)
            if case .work(.change(let changes)) = intention, case .group(let group)? = changes.first {
                // A group takes the place of others of its records.
                peek.groups.removeAll { $0.first <= group.last && $0.last >= group.first }
                peek.groups.append(group)
                intention = state.intention(for: peek, wantedThrough: .max, at: reading)
            }
            guard case .work(.send(let plan)) = intention else {
                throw TransportError(.closed, host: "", message: "nothing was planned")
            }
            requests += 1
            let token = state.depart(plan)
            let answered: Answer =
                switch answer(plan.records.map(\.sequence), now) {
                case .status(let status): .status(status)
                case .nothing: .failed(.connect)
                case .lost: .failed(.timeout)
                }
            let settlement = state.finish(token, with: answered, at: reading)
            if let plan = settlement.delivered {
                delivered += plan.records.map(\.sequence)
                peek.records.removeAll { plan.records.contains($0) }
            }
            for case .drop(let ids, .poison, let rejection?) in settlement.changes {
                #expect(rejection.status.map { $0 >= 500 } == true)
                setAside += peek.records.filter { ids.contains($0.id) }.map(\.sequence)
                peek.records.removeAll { ids.contains($0.id) }
            }
        }
    }
}

@Suite("A record that alone makes the server fail")
struct SuspicionTests {
    private static let day = 86_400.0

    @Test("is set aside, after one later record has shown that the server is well; the rest goes on in order")
    func single() throws {
        var world = try PlayedServer(10)
        try world.run(until: Self.day) { records, _ in .status(records == [1] ? 500 : 200) }

        #expect(world.setAside == [1])
        #expect(world.delivered == [2, 3, 4, 5, 6, 7, 8, 9, 10])
        // Half an hour of probes, one of the next, and three tries more.
        #expect(world.now > 1800 && world.now < 2300)
    }

    @Test("is set aside also where no other record of its session waits")
    func lastOfSession() throws {
        var world = try PlayedServer(10, beforeReset: 1)
        try world.run(until: Self.day) { records, _ in .status(records == [1] ? 500 : 200) }

        #expect(world.setAside == [1])
        #expect(world.delivered == [2, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test("is set aside as soon as without resets, which leave it where it is")
    func resets() throws {
        var world = try PlayedServer(10)
        for end in stride(from: 300.0, through: 3600, by: 300) {
            try world.run(until: end) { records, _ in .status(records == [1] ? 500 : 200) }
            world.state.forget()
        }

        #expect(world.setAside == [1] && world.isEmpty)
        #expect(world.now < 2300)
    }

    @Test("somewhere in the queue holds up nothing before it, and one later record overtakes it")
    func inTheMiddle() throws {
        var world = try PlayedServer(6, requests: 4)
        try world.run(until: Self.day) { records, _ in .status(records == [3] ? 503 : 200) }
        #expect(world.setAside == [3])
        #expect(world.delivered == [1, 2, 4, 5, 6])
    }

    @Test(
        "in a batch is found by halves, several of them too, and the others arrive",
        arguments: [[5], [1], [20], [3, 17], [20, 21]])
    func batch(poison: [Int64]) throws {
        var world = try PlayedServer(30, size: 20)
        try world.run(until: 3 * Self.day) { records, _ in .status(records.contains(where: poison.contains) ? 500 : 200)
        }
        #expect(world.setAside == poison)
        #expect(world.delivered.sorted() == (1...30).filter { !poison.contains($0) })
        // At most one record a time of looking has overtaken others.
        let overtakers = zip(world.delivered, world.delivered.dropFirst()).count { $0 > $1 }
        #expect(overtakers <= poison.count)
    }

    @Test("is found where the records behind it are at fault as well")
    func several() throws {
        var world = try PlayedServer(10)
        try world.run(until: Self.day) { records, _ in .status(records[0] <= 3 ? 500 : 200) }
        #expect(world.setAside == [1, 2, 3])
        #expect(world.delivered == [4, 5, 6, 7, 8, 9, 10])
    }

    @Test("alone in the queue stays there: nothing waits behind it")
    func alone() throws {
        var world = try PlayedServer(1)
        try world.run(until: Self.day) { _, _ in .status(500) }
        #expect(world.setAside.isEmpty && !world.isEmpty)
    }

    @Test("stays where it is if that is turned off")
    func off() throws {
        var world = try PlayedServer(3, poisonAfter: nil)
        try world.run(until: Self.day) { records, _ in .status(records == [1] ? 500 : 200) }
        #expect(world.setAside.isEmpty && world.delivered.isEmpty)
    }

    @Test("no outage sets anything aside, by answers or without, however long", arguments: [1, 20], [500, 503, 0])
    func outage(size: Int, status: Int) throws {
        var world = try PlayedServer(50, size: size)
        try world.run(until: 3 * Self.day) { _, now in
            now < 2 * Self.day ? status == 0 ? .nothing : .status(status) : .status(200)
        }
        #expect(world.setAside.isEmpty)
        // One later record may have shown that the server is well again.
        #expect(world.delivered.sorted() == Array(1...50))
        #expect(zip(world.delivered, world.delivered.dropFirst()).count { $0 > $1 } <= 1)
    }

    @Test("one answer in the midst of an outage condemns one record at most", arguments: [1, 20])
    func blip(size: Int) throws {
        var world = try PlayedServer(50, size: size)
        var isOver = false
        try world.run(until: 3 * Self.day) { records, now in
            // The first request for a record behind.
            if now > 3600, !records.contains(1), !isOver {
                isOver = true
                return .status(200)
            }
            return .status(now < 2 * Self.day ? 503 : 200)
        }
        #expect(isOver && world.isEmpty)
        #expect(world.setAside.count <= 1)
    }

    @Test("is not suspected where the server refuses the key of the record behind", arguments: [401, 403])
    func refusedKey(status: Int) throws {
        var world = try PlayedServer(3)
        try world.run(until: 3 * Self.day) { records, now in
            guard now < Self.day else { return .status(200) }
            return .status(records == [1] ? 503 : status)
        }
        #expect(world.setAside.isEmpty && world.isEmpty)
    }

    @Test("a group whose answer was lost goes again as it is: no half of it is tried", arguments: 0..<4)
    func lostAnswer(turn: Int) throws {
        var world = try PlayedServer(6, size: 3)
        var taken: [[Int64]] = []
        try world.run(until: Self.day) { records, now in
            if taken.contains(records) { return .status(200) }
            // It has failed for long enough. Whose turn it is then is another one with each end.
            guard now > 2000 + 120 * Double(turn) else { return .status(500) }
            taken.append(records)
            return taken.count == 1 ? .lost : .status(200)
        }
        #expect(world.isEmpty)
        #expect(taken.joined().sorted() == Array(1...6))
    }

    @Test("a group behind that was sent goes whole, or not at all")
    func sentBehind() throws {
        var world = try PlayedServer(6, size: 3, sent: [1...1, 2...4])
        // An earlier process has not got the answer.
        var taken: [[Int64]] = [[2, 3, 4]]
        try world.run(until: Self.day) { records, _ in
            if records.contains(1) { return .status(500) }
            if !taken.contains(records) { taken.append(records) }
            return .status(200)
        }
        #expect(world.setAside == [1])
        #expect(taken.joined().sorted() == Array(2...6))
    }

    @Test("evidence from elsewhere spares the record behind", arguments: [true, false])
    func elsewhere(isRecent: Bool) throws {
        var suspicion = Suspicion(after: .seconds(60))
        let front = [Record.sample(1)]
        for probe in 0..<6 {
            #expect(
                suspicion.failed(
                    front, isNext: false, isProbe: true, status: 500, server: probe < 5 ? "before" : "a",
                    at: .seconds(Double(probe) * 20)) == .none)
        }
        #expect(suspicion.doubtedServer == "a" && suspicion.probesNext(to: Record.ID(1)))
        // So does one to a request without records, such as for a session.
        suspicion.answered([], isNext: false)
        // One from before the first failure says nothing.
        suspicion.learn(ofAnswerAt: .seconds(isRecent ? 100 : -1))
        #expect(suspicion.doubtedServer == (isRecent ? nil : "a"))
        #expect(suspicion.probesNext(to: Record.ID(1)) == !isRecent)
        guard isRecent else { return }
        for strike in 1...3 {
            let consequence = suspicion.failed(
                front, isNext: false, isProbe: true, status: 500, server: "a", at: .seconds(120 + Double(strike)))
            #expect(consequence == (strike == 3 ? .setAside : .none))
        }
    }

    @Test(
        "others are asked about a server from when it is doubted until it is no longer; also about one beside another")
    func asking() throws {
        var state = try PlayedServer(2).state
        state.suspicion = Suspicion(after: .zero)
        #expect(state.takeAsking() == nil)
        let front = [Record.sample(1), .sample(2)]
        let fail = { (records: [Record], suspicion: inout Suspicion) in
            suspicion.failed(records, isNext: false, isProbe: true, status: 500, server: "a", at: .seconds(1))
        }
        for _ in 0..<5 { #expect(fail(front, &state.suspicion) == .none) }
        #expect(state.takeAsking() == true)
        #expect(state.takeAsking() == nil)

        state.suspicion.learn(ofAnswerAt: .seconds(2))
        #expect(state.takeAsking() == false)
        // The server may have failed since the first record was set aside.
        for _ in 0..<2 { #expect(fail([front[0]], &state.suspicion) == .none) }
        #expect(fail([front[0]], &state.suspicion) == .setAside)
        #expect(state.suspicion.doubtedServer == "a" && state.takeAsking() == true)

        state.suspicion.forget()
        #expect(state.takeAsking() == false)
        #expect(state.takeAsking() == nil)
    }

    @Test("what the network does, a wait that the server asks for and another front say nothing of a record")
    func innocent() {
        var suspicion = Suspicion(after: .seconds(60))
        for probe in 0..<50 {
            let now = MonotonicInstant.seconds(Double(probe) * 60)
            _ = suspicion.failed([.sample(1)], isNext: false, isProbe: true, status: nil, server: "a", at: now)
            _ = suspicion.failed([.sample(1)], isNext: false, isProbe: true, status: 429, server: "a", at: now)
            _ = suspicion.failed([.sample(1)], isNext: false, isProbe: false, status: 500, server: "a", at: now)
            _ = suspicion.failed(
                [.sample(Int64(probe))], isNext: false, isProbe: true, status: 500, server: "a", at: now)
        }
        #expect(suspicion.doubtedServer == nil)
    }

    /// `SIMULATIONS=1000 swift test --filter SuspicionTests.simulation` simulates more servers.
    @Test("servers that fail at random half of the time, and outages by answers and by network: the false alarms")
    func simulation() throws {
        var (alarms, ofOutage) = (0, 0)
        let seeds = ProcessInfo.processInfo.environment["SIMULATIONS"].flatMap(UInt64.init) ?? 100
        for seed in 1...seeds {
            var generator = SeededGenerator(seed: seed)
            let size = seed.isMultiple(of: 2) ? 1 : 5
            var random = try PlayedServer(10, size: size)
            try random.run(until: 30 * Self.day) { _, _ in .status(Bool.random(using: &generator) ? 503 : 200) }
            alarms += random.setAside.count
            #expect(random.isEmpty)

            // Hours of failures by status and by network, in turns.
            var outage = try PlayedServer(10, size: size)
            let end = Double.random(in: 1...4, using: &generator) * 3600
            try outage.run(until: 30 * Self.day) { _, now in
                guard now < end else { return .status(200) }
                return Bool.random(using: &generator) ? .nothing : .status(503)
            }
            ofOutage += outage.setAside.count
            // One later record may have shown that the server is well again.
            #expect(outage.delivered.sorted() == Array(1...10))
            #expect(zip(outage.delivered, outage.delivered.dropFirst()).count { $0 > $1 } <= 1)
        }
        print(
            "false alarms: \(alarms) with \(seeds) servers that fail half of the time, \(ofOutage) in \(seeds) outages")
        #expect(ofOutage == 0)
        #expect(alarms <= 1)
    }
}
