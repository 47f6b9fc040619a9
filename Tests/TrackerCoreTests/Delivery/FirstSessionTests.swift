import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The session for which initialize waits, as the delivery state decides")
struct FirstSessionTests {
    private static func state() throws -> DeliveryState {
        DeliveryState(
            dialect: try SessionDialect.sample(), breaker: DeliveryOptions(retryDelay: .seconds(1), jitter: 0).breaker,
            maxConcurrentRequests: 1,
            eventTTL: nil, jitter: NoJitter())
    }

    private static let now = ClockReading(now: .seconds(0), wall: Timestamp(milliseconds: 0), uptime: .zero)

    /// A lane without a session.
    private static func lane(_ generation: Int64 = 1, consent: Consent = .granted) -> LaneState {
        .sample(generation: generation, consent: consent, session: nil)
    }

    /// Sends the request for the session.
    private static func depart(_ state: inout DeliveryState, _ lane: LaneState = lane()) throws -> DeliveryState.Token {
        guard case .send(let plan) = state.firstStep(in: lane, at: now) else {
            throw TransportError(.closed, host: "", message: "no session was asked for")
        }
        return state.depart(plan)
    }

    private static func error(_ step: FirstStep) -> TrackerError? {
        if case .conclude(.failure(let error)) = step { error } else { nil }
    }

    private static func hasSucceeded(_ step: FirstStep) -> Bool {
        if case .conclude(.success) = step { true } else { false }
    }

    @Test("nothing is looked at while the lane is being opened, nor without a session; delivery begins when told")
    func phases() throws {
        var state = try Self.state()
        #expect(state.readiness(at: .seconds(0)) == .busy)
        var givenUp = state
        givenUp.goWithoutSession()
        givenUp.start()
        givenUp.makeFirstSession()
        #expect(givenUp.readiness(at: .seconds(0)) == .stopped(.noSession))
        state.makeFirstSession()
        #expect(state.readiness(at: .seconds(0)) == .firstSession)

        var started = try Self.state()
        started.start()
        started.goWithoutSession()
        #expect(started.readiness(at: .seconds(0)) == .look(.ahead))
    }

    @Test("a lane with a session, or without consent, needs none", arguments: [nil, Consent.pending, .denied])
    func settled(consent: Consent?) throws {
        var state = try Self.state()
        state.makeFirstSession()
        let lane = consent.map { Self.lane(consent: $0) } ?? .sample(session: "S1")

        #expect(Self.hasSucceeded(state.firstStep(in: lane, at: Self.now)))
        #expect(state.readiness(at: .seconds(0)) == .busy)
    }

    @Test("a session that was made is bound before initialize is answered")
    func succeeds() throws {
        var state = try Self.state()
        state.makeFirstSession()
        let token = try Self.depart(&state)
        #expect(state.readiness(at: .seconds(0)) == .busy)

        let settlement = state.finish(token, with: .status(200, body: #"{"data":{"id":"S1"}}"#), at: Self.now)

        #expect(settlement.awaitsCommit && settlement.sessionMade == SessionID("S1"))
        #expect(settlement.changes.count == 1)
        guard case .bindMade(Generation(1), _)? = settlement.changes.first else {
            Issue.record("the changes are \(settlement.changes)")
            return
        }
        #expect(Self.hasSucceeded(state.firstStep(in: .sample(session: "S1"), at: Self.now)))
    }

    @Test(
        "the first failure decides: no retry, no halt, and the breaker has no part in it", arguments: [401, 500, 503])
    func fails(status: Int) throws {
        var state = try Self.state()
        state.makeFirstSession()

        let settlement = state.finish(try Self.depart(&state), with: .status(status), at: Self.now)
        let step = state.firstStep(in: Self.lane(), at: Self.now)

        #expect(settlement.awaitsCommit && settlement.events.isEmpty && settlement.outage == nil)
        #expect(Self.error(step)?.cause == .status(status))
        #expect(state.breaker.isFlowing && !state.isHalted)
        state.goWithoutSession()
        #expect(state.readiness(at: .seconds(0)) == .stopped(.noSession))
    }

    @Test("a failure is void where a reset has ended its generation: another session is made under another key")
    func voidFailure() throws {
        var state = try Self.state()
        state.makeFirstSession()
        guard case .send(let first) = state.firstStep(in: Self.lane(), at: Self.now) else {
            Issue.record("no session was asked for")
            return
        }
        _ = state.finish(state.depart(first), with: .status(500), at: Self.now)

        guard case .send(let second) = state.firstStep(in: Self.lane(2), at: Self.now) else {
            Issue.record("no other session was asked for")
            return
        }
        #expect(second.purpose == .session(Generation(2)))
        #expect(first.request.headers["Idempotency-Key"] != second.request.headers["Idempotency-Key"])
    }

    @Test("a request that was called off decides nothing, and a decision that is not on disk is waited for")
    func waits() throws {
        var state = try Self.state()
        state.makeFirstSession()
        _ = state.finish(try Self.depart(&state), with: .failed(.cancelled), at: Self.now)
        var lane = Self.lane()
        lane.isAwaitingDisk = true

        guard case .wait = state.firstStep(in: lane, at: Self.now) else {
            Issue.record("it does not wait")
            return
        }
        _ = try Self.depart(&state)
    }
}
