import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// An answer, and what it must come to for a single record of a session lane.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    enum Fate: Hashable, Sendable {
        case delivered, kept, dropped(DropReason), halted, sessionReopened
    }

    var answer: Answer
    var fate: Fate
    /// The least wait before the next request; `nil`: the breaker is closed.
    var wait: Duration?
    var testDescription: String { "\(answer) → \(fate)" }

    static let all: [AnswerRow] = [
        AnswerRow(answer: .status(200), fate: .delivered),
        AnswerRow(answer: .status(204), fate: .delivered),
        AnswerRow(answer: .status(299), fate: .delivered),
        AnswerRow(answer: .status(500), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .status(503, headers: ["Retry-After": "7"]), fate: .kept, wait: .seconds(7)),
        AnswerRow(answer: .status(599), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .status(408), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .status(429), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .status(429, headers: ["Retry-After": "0"]), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .status(429, headers: ["Retry-After": "99999"]), fate: .kept, wait: .seconds(3600)),
        AnswerRow(answer: .status(413), fate: .dropped(.tooLarge)),
        AnswerRow(answer: .status(401), fate: .halted),
        AnswerRow(answer: .status(403), fate: .halted),
        AnswerRow(answer: .status(404), fate: .sessionReopened),
        AnswerRow(answer: .status(410), fate: .sessionReopened),
        AnswerRow(answer: .status(400), fate: .dropped(.rejected(400))),
        AnswerRow(answer: .status(409), fate: .dropped(.rejected(409))),
        AnswerRow(answer: .status(422), fate: .dropped(.rejected(422))),
        AnswerRow(answer: .status(304), fate: .dropped(.rejected(304))),
        AnswerRow(answer: .status(302), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .failed(.connect), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .failed(.timeout), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .failed(.redirectRefused), fate: .kept, wait: .seconds(1)),
        AnswerRow(answer: .failed(.responseTooLarge), fate: .kept, wait: .seconds(1)),
    ]
}

@Suite("The delivery state")
struct DeliveryStateTests {
    private static func state(ttl: Duration? = nil, concurrency: Int = 1) throws -> DeliveryState {
        var state = DeliveryState(
            dialect: try SessionDialect.sample(maxConcurrentRequests: concurrency),
            breaker: CircuitBreaker.Policy(jitter: 0), maxConcurrentRequests: concurrency, eventTTL: ttl,
            jitter: NoJitter()
        )
        state.isStarted = true
        return state
    }

    private static func moment(_ seconds: Double) -> DeliveryState.Moment {
        DeliveryState.Moment(
            now: .seconds(seconds), wall: Timestamp(milliseconds: Int64(seconds * 1000)), uptime: .seconds(seconds))
    }

    private static func plan(_ state: inout DeliveryState, _ peek: Peek, at seconds: Double = 0) throws -> Plan {
        guard case .send(let plan) = state.intention(for: peek, wantedThrough: 0, at: moment(seconds)) else {
            throw TransportError(.closed, host: "", message: "nothing was planned")
        }
        return plan
    }

    /// Brings a breaker to the state that the matrix names.
    private static func bring(_ state: inout DeliveryState, to circuit: CircuitState) throws -> Double {
        guard circuit != .closed else { return 0 }
        var now = 0.0
        for _ in 0..<3 {
            let token = state.depart(try plan(&state, .sample([.sample()]), at: now))
            _ = state.settle(token, with: .status(500), at: moment(now))
            now += 120
        }
        return now
    }

    @Test(
        "gives every answer its meaning, whatever the breaker", arguments: AnswerRow.all,
        [CircuitState.closed, .halfOpen])
    func answers(row: AnswerRow, circuit: CircuitState) throws {
        var state = try Self.state()
        let now = try Self.bring(&state, to: circuit)
        let token = state.depart(try Self.plan(&state, .sample([.sample()]), at: now))
        #expect(state.breaker.state.circuit == circuit)

        let settlement = state.settle(token, with: row.answer, at: Self.moment(now))

        #expect(state.inFlight.isEmpty)
        switch row.fate {
        case .delivered:
            #expect(settlement.changes.contains { if case .delivered([Record.ID(1)], _) = $0 { true } else { false } })
        case .kept:
            #expect(settlement.changes.isEmpty)
        case .dropped(let reason):
            #expect(
                settlement.changes.contains { if case .drop([Record.ID(1)], reason) = $0 { true } else { false } })
        case .halted:
            #expect(settlement.changes.isEmpty)
            #expect(state.readiness(at: .seconds(now + 10_000)) == .stopped(.halted))
        case .sessionReopened:
            #expect(settlement.awaitsCommit)
            #expect(settlement.changes.contains { if case .unbind = $0 { true } else { false } })
        }
        guard let wait = row.wait else {
            #expect(state.breaker.state == .closed(failures: 0, until: nil))
            return
        }
        let least = circuit == .halfOpen ? max(wait, .seconds(20)) : wait
        let reason: StopReason = circuit == .halfOpen ? .breakerOpen : .retryWait
        #expect(state.readiness(at: .seconds(now)) == .wait(until: .seconds(now).advanced(by: least), reason))
    }

    @Test("drops a record whose session is refused a second time")
    func dropsAfterTheSecondLoss() throws {
        var state = try Self.state()
        let first = state.depart(try Self.plan(&state, .sample([.sample()])))
        _ = state.settle(first, with: .status(404), at: Self.moment(0))
        state.committed()

        let again = state.depart(
            try Self.plan(&state, .sample([.sample()], state: .sample(session: "S2"))))
        let settlement = state.settle(again, with: .status(410), at: Self.moment(0))

        #expect(
            settlement.changes.contains { if case .drop([Record.ID(1)], .sessionGone) = $0 { true } else { false } })
    }

    @Test("drops a record of an older generation when its session is refused once")
    func dropsOldGenerations() throws {
        var state = try Self.state()
        var peek = Peek.sample([.sample(generation: 1)], state: .sample(generation: 2, session: "S2"))
        peek.entries[Generation(1)] = GenerationEntry(session: SessionID("S1"))

        let token = state.depart(try Self.plan(&state, peek))
        let settlement = state.settle(token, with: .status(404), at: Self.moment(0))

        #expect(
            settlement.changes.contains { if case .drop([Record.ID(1)], .sessionGone) = $0 { true } else { false } })
    }

    @Test("sends nothing while a change that must come first is not on disk")
    func awaitsCommits() throws {
        var state = try Self.state()
        state.awaitCommit()
        #expect(state.readiness(at: .seconds(0)) == .busy)

        state.committed()
        #expect(state.readiness(at: .seconds(0)) == .look(Window(records: 1, bytes: .max)))
    }

    @Test("keeps one request under way by default, and as many as asked for once it flows")
    func boundsConcurrency() throws {
        var single = try Self.state()
        _ = single.depart(try Self.plan(&single, .sample([.sample()])))
        #expect(single.readiness(at: .seconds(0)) == .busy)

        var three = try Self.state(concurrency: 3)
        for number in 1...3 {
            let peek = Peek.sample((1...Int64(number)).map { .sample($0) })
            #expect(three.readiness(at: .seconds(0)) == .look(Window(records: 3 + number - 1, bytes: .max)))
            #expect(try Self.plan(&three, peek).records.map(\.id.number) == [Int64(number)])
            _ = three.depart(try Self.plan(&three, peek))
        }
        #expect(three.readiness(at: .seconds(0)) == .busy)
    }

    @Test(
        "drops what is older than eventTTL, by the run's own clock or by the wall clock of another run",
        arguments: [
            (acceptedAt: Duration?.some(.zero), occurredAt: Int64(0), seconds: 11.0, isExpired: true),
            (.some(.seconds(5)), 0, 11, false),
            // The wall clock jumped a year ahead within the run: the record is as young as it was.
            (.some(.seconds(5)), -31_536_000_000, 11, false),
            (nil, 0, 11, true),
            (nil, 5_000, 11, false),
            // Made by a clock that was ahead: its age is zero, not negative.
            (nil, 31_536_000_000, 11, false),
        ])
    func expires(acceptedAt: Duration?, occurredAt: Int64, seconds: Double, isExpired: Bool) throws {
        var state = try Self.state(ttl: .seconds(10))
        let record = Record.sample(occurredAt: occurredAt, acceptedAt: acceptedAt)

        let intention = state.intention(for: .sample([record]), wantedThrough: 0, at: Self.moment(seconds))

        let dropped = if case .drop([record.id], .expired, _) = intention { true } else { false }
        #expect(dropped == isExpired)
    }

    @Test(
        "takes no notice of an answer to a request that was cancelled",
        arguments: [TransportError.Kind.cancelled, .closed])
    func ignoresCancelled(kind: TransportError.Kind) throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))

        let settlement = state.settle(token, with: .failed(kind), at: Self.moment(0))

        #expect(settlement.changes.isEmpty && settlement.news.isEmpty)
        #expect(state.readiness(at: .seconds(0)) == .look(Window(records: 1, bytes: .max)))
    }

    @Test("resumes with other credentials after a halt, with a fresh breaker")
    func resumes() throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))
        _ = state.settle(token, with: .status(401), at: Self.moment(0))
        #expect(state.readiness(at: .seconds(0)) == .stopped(.halted))

        state.resume(with: try SessionDialect.sample())

        #expect(state.readiness(at: .seconds(0)) == .look(Window(records: 1, bytes: .max)))
    }

    @Test("sends nothing without consent or while the disk holds a decision back")
    func obeysTheLane() throws {
        var state = try Self.state()
        for consent in [Consent.pending, .denied] {
            let peek = Peek.sample([.sample()], state: .sample(consent: consent))
            guard case .blocked(.noConsent) = state.intention(for: peek, wantedThrough: 0, at: Self.moment(0)) else {
                Issue.record("something was sent with consent \(consent)")
                continue
            }
        }
        var awaiting = Peek.sample([.sample()])
        awaiting.state.isAwaitingDisk = true
        guard case .blocked(.storage) = state.intention(for: awaiting, wantedThrough: 0, at: Self.moment(0)) else {
            Issue.record("something was sent while a decision was not on disk")
            return
        }
    }
}
