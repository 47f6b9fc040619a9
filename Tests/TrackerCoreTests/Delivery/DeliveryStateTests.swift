import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The delivery state")
struct DeliveryStateTests {
    private static func state(ttl: Duration? = nil, concurrency: Int = 1) throws -> DeliveryState {
        var state = DeliveryState(
            dialect: try SessionDialect.sample(),
            breaker: DeliveryOptions(retryDelay: .seconds(1), jitter: 0).breaker, maxConcurrentRequests: concurrency,
            eventTTL: ttl,
            jitter: NoJitter()
        )
        state.start()
        return state
    }

    private static func plan(_ state: inout DeliveryState, _ peek: Peek, at seconds: Double = 0) throws -> Plan {
        guard case .work(.send(let plan)) = state.intention(for: peek, wantedThrough: 0, at: .seconds(seconds)) else {
            throw TransportError(.closed, host: "", message: "nothing was planned")
        }
        return plan
    }

    @Test("drops a record whose session is refused a second time")
    func dropsAfterTheSecondLoss() throws {
        var state = try Self.state()
        let first = state.depart(try Self.plan(&state, .sample([.sample()])))
        _ = state.finish(first, with: .status(404), at: .seconds(0))
        state.committed()

        let again = state.depart(
            try Self.plan(&state, .sample([.sample()], state: .sample(session: "S2"))))
        let settlement = state.finish(again, with: .status(410), at: .seconds(0))

        #expect(
            settlement.changes.contains { if case .drop([Record.ID(1)], .sessionGone, _) = $0 { true } else { false } })
    }

    @Test("masks in what is kept of an answer the key that the request was sent with, also if there is another one now")
    func masksFormerKey() throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))
        state.resume(with: try SessionDialect.sample(key: "another-key"))

        let settlement = state.finish(token, with: .status(422, body: "no key-1234"), at: .seconds(0))

        guard case .drop(_, _, let rejection?)? = settlement.changes.first else {
            Issue.record("Nothing is dropped: \(settlement.changes)")
            return
        }
        #expect(rejection.answer == "no ****1234")
    }

    @Test("lacks a key until one comes: a lack that is told after it is none, and a dialect without a key ends none")
    func lack() throws {
        var state = try Self.state()
        state.lackKey("late", at: .seconds(0))
        #expect(state.credentials.lack == nil)

        state.resume(with: try SessionDialect.sample(key: ""))
        state.lackKey("nobody answers", at: .seconds(1))
        state.resume(with: try SessionDialect.sample(key: ""))
        state.lackKey(at: .seconds(2))
        #expect(state.credentials.lack?.reason == "nobody answers")

        state.resume(with: try SessionDialect.sample(key: "another-key"))
        #expect(state.credentials.lack == nil)
    }

    @Test("sends what has failed alone: no other answer ends the wait after its next failure")
    func failedGoesAlone() throws {
        var state = try Self.state(concurrency: 2)
        let records = (1...4).map { Record.sample($0) }
        let first = state.depart(try Self.plan(&state, .sample(records)))
        let second = state.depart(try Self.plan(&state, .sample(Array(records[1...]))))
        let rest = Peek.sample([records[0], records[2], records[3]])

        _ = state.finish(first, with: .status(500), at: .seconds(0))
        guard case .rest = state.intention(for: rest, wantedThrough: 0, at: .seconds(0)) else {
            Issue.record("It does not wait for the answer to the other request")
            return
        }
        _ = state.finish(second, with: .status(200), at: .seconds(0))
        let again = try Self.plan(&state, rest)
        #expect(again.records == [records[0]])
        let token = state.depart(again)
        #expect(state.readiness(at: .seconds(60)) == .busy)

        _ = state.finish(token, with: .status(500), at: .seconds(60))
        #expect(state.readiness(at: .seconds(60)) == .wait(until: .seconds(61), .retryWait))
    }

    @Test("finds again at the front what an answer about former credentials leaves in the queue")
    func formerCredentials() throws {
        var state = try Self.state(concurrency: 2)
        let records = (1...4).map { Record.sample($0) }
        let first = state.depart(try Self.plan(&state, .sample(records)))
        let second = state.depart(try Self.plan(&state, .sample(Array(records[1...]))))
        state.resume(with: try SessionDialect.sample(key: "another-key"))
        _ = state.finish(second, with: .status(200), at: .seconds(0))
        _ = state.depart(try Self.plan(&state, .sample(Array(records[2...]))))

        _ = state.finish(first, with: .status(401), at: .seconds(0))

        #expect(state.readiness(at: .seconds(0)) == .look(.ahead))
    }

    @Test("tries to make the same session with other credentials, unless it was answered")
    func sessionAttempt() throws {
        var state = try Self.state()
        let peek = Peek.sample([], state: .sample(session: nil))
        var keys: [String?] = []
        for answer in [.failed(.timeout), .status(401), .status(200)] as [Answer] {
            let plan = try Self.plan(&state, peek, at: 60)
            keys.append(plan.request.headers["Idempotency-Key"])
            _ = state.finish(state.depart(plan), with: answer, at: .seconds(60))
            state.resume(with: try SessionDialect.sample(key: "another-key"))
        }

        #expect(keys[0] != nil && keys[1] == keys[0] && keys[2] != keys[0])
    }

    @Test("drops a record of an older generation when its session is refused once")
    func dropsOldGenerations() throws {
        var state = try Self.state()
        var peek = Peek.sample([.sample(generation: 1)], state: .sample(generation: 2, session: "S2"))
        peek.entries[Generation(1)] = GenerationEntry(session: SessionID("S1"))

        let token = state.depart(try Self.plan(&state, peek))
        let settlement = state.finish(token, with: .status(404), at: .seconds(0))

        #expect(
            settlement.changes.contains { if case .drop([Record.ID(1)], .sessionGone, _) = $0 { true } else { false } })
    }

    @Test("costs a quarter of a second for each isolated 5xx: every fifth request fails, 200 events arrive")
    func isolatedFailures() throws {
        var state = DeliveryState(
            dialect: try SessionDialect.sample(),
            breaker: DeliveryOptions(retryDelay: .milliseconds(250), jitter: 0).breaker, maxConcurrentRequests: 1,
            eventTTL: nil, jitter: NoJitter())
        state.start()
        var (now, requests, delivered, waits) = (0.0, 0, 0, 0)
        while delivered < 200 {
            if case .wait(let until, .retryWait) = state.readiness(at: .seconds(now)) {
                waits += 1
                now = MonotonicInstant.seconds(0).duration(to: until) / .seconds(1)
            }
            requests += 1
            let token = state.depart(try Self.plan(&state, .sample([.sample(Int64(delivered + 1))]), at: now))
            let status = requests.isMultiple(of: 5) ? 500 : 200
            _ = state.finish(token, with: .status(status), at: .seconds(now))
            if status == 200 { delivered += 1 }
        }

        #expect(waits == 49)
        #expect(now == 49 * 0.25)
    }

    @Test("reads ahead where records travel alone, and trusts that only while the lane is as it was")
    func readsAhead() throws {
        var state = try Self.state()
        let lane = LaneState.sample()
        let peek = Peek.sample((1...3).map { .sample($0) }, state: lane)
        let token = state.depart(try Self.plan(&state, peek))
        _ = state.finish(token, with: .status(200), at: .seconds(0))

        #expect(state.readiness(at: .seconds(0)) == .confirm(Record.ID(2)))
        var same = state
        let isConfirmed = same.confirm((lane, nil))
        #expect(isConfirmed)
        #expect(same.ahead?.peek.records.map(\.id) == [Record.ID(2), Record.ID(3)])
        for changed in [nil, .sample(generation: 2), .sample(consent: .denied), .sample(session: "S2")] as [LaneState?]
        {
            var other = state
            let isConfirmed = other.confirm(changed.map { ($0, nil) })
            #expect(!isConfirmed)
            #expect(other.readiness(at: .seconds(0)) == .look(.ahead))
        }
    }

    @Test("makes the next event's request while the last is under way, and another if its session has changed")
    func prepares() throws {
        var state = try Self.state()
        let peek = Peek.sample((1...3).map { .sample($0) })
        let token = state.depart(try Self.plan(&state, peek))
        state.prepare()
        #expect(state.ahead?.prepared?.records.map(\.id) == [Record.ID(2)])
        _ = state.finish(token, with: .status(200), at: .seconds(0))
        var changed = state

        guard case .work(.send(let plan)) = state.intention(wantedThrough: 0, at: .seconds(0)) else {
            Issue.record("what was prepared is not sent")
            return
        }
        #expect(plan.records.map(\.id) == [Record.ID(2)] && plan.session == SessionID("S1"))
        #expect(state.ahead?.prepared == nil)
        let isConfirmed = changed.confirm((.sample(session: "S2"), nil))
        let rest = Peek.sample((2...3).map { .sample($0) }, state: .sample(session: "S2"))
        #expect(!isConfirmed)
        #expect(try Self.plan(&changed, rest).session == SessionID("S2"))
    }

    @Test("reads anew after a failure")
    func readsAnew() throws {
        var state = try Self.state()
        let peek = Peek.sample((1...3).map { .sample($0) })
        _ = state.finish(state.depart(try Self.plan(&state, peek)), with: .status(200), at: .seconds(0))
        #expect(state.readiness(at: .seconds(0)) == .confirm(Record.ID(2)))
        guard case .work(.send(let plan)) = state.intention(wantedThrough: 0, at: .seconds(0)) else {
            Issue.record("it sends nothing of what was read ahead")
            return
        }
        _ = state.finish(state.depart(plan), with: .status(500), at: .seconds(0))

        guard case .look = state.readiness(at: .seconds(60)) else {
            Issue.record("it does not look")
            return
        }
        let rest = Peek.sample((2...3).map { .sample($0) })
        #expect(try Self.plan(&state, rest, at: 60).records.map(\.id) == [Record.ID(2)])
    }

    @Test("sends nothing while a change that must come first is not on disk")
    func awaitsCommits() throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))
        #expect(state.finish(token, with: .status(404), at: .seconds(0)).awaitsCommit)
        #expect(state.readiness(at: .seconds(0)) == .busy)

        state.committed()
        #expect(state.readiness(at: .seconds(0)) == .look(.ahead))
    }

    @Test("keeps one request under way by default, and as many as asked for once it flows")
    func boundsConcurrency() throws {
        var single = try Self.state()
        _ = single.depart(try Self.plan(&single, .sample([.sample()])))
        #expect(single.readiness(at: .seconds(0)) == .busy)

        var three = try Self.state(concurrency: 3)
        for number in 1...3 {
            let peek = Peek.sample([.sample(Int64(number))])
            #expect(three.readiness(at: .seconds(0)) == .look(.ahead))
            #expect(three.underWay.count == number - 1)
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

        let intention = state.intention(for: .sample([record]), wantedThrough: 0, at: .seconds(seconds))

        let dropped = if case .work(.drop([record], .expired, _)) = intention { true } else { false }
        #expect(dropped == isExpired)
    }

    @Test(
        "takes no notice of an answer to a request that was cancelled",
        arguments: [TransportError.Kind.cancelled, .closed])
    func ignoresCancelled(kind: TransportError.Kind) throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))

        let settlement = state.finish(token, with: .failed(kind), at: .seconds(0))

        #expect(settlement.changes.isEmpty && settlement.events.isEmpty)
        #expect(state.readiness(at: .seconds(0)) == .look(.ahead))
    }

    @Test("forgets how often a record was sent that has left the queue without an answer")
    func forgetsAttempts() throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))
        _ = state.finish(token, with: .status(503), at: .seconds(0))
        #expect(state.attempts == [Record.ID(1): 1])

        _ = try Self.plan(&state, .sample([.sample(2)]), at: 10)

        #expect(state.attempts.isEmpty)
    }

    @Test("resumes with other credentials after a halt, with a fresh breaker")
    func resumes() throws {
        var state = try Self.state()
        let token = state.depart(try Self.plan(&state, .sample([.sample()])))
        _ = state.finish(token, with: .status(401), at: .seconds(0))
        #expect(state.readiness(at: .seconds(0)) == .stopped(.halted))

        state.resume(with: try SessionDialect.sample())

        #expect(state.readiness(at: .seconds(0)) == .look(.ahead))
    }

    @Test("sends nothing without consent or while the disk holds a decision back")
    func obeysTheLane() throws {
        var state = try Self.state()
        for consent in [Consent.pending, .denied] {
            let peek = Peek.sample([.sample()], state: .sample(consent: consent))
            guard case .blocked(.noConsent) = state.intention(for: peek, wantedThrough: 0, at: .seconds(0)) else {
                Issue.record("something was sent with consent \(consent)")
                continue
            }
        }
        var awaiting = Peek.sample([.sample()])
        awaiting.state.isAwaitingDisk = true
        guard case .blocked(.storage) = state.intention(for: awaiting, wantedThrough: 0, at: .seconds(0)) else {
            Issue.record("something was sent while a decision was not on disk")
            return
        }
    }
}
