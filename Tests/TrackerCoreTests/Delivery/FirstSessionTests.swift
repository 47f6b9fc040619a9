import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The session for which initialize waits, as the delivery state decides")
struct FirstSessionTests {
    private static func world(_ lane: LaneState = lane()) throws -> PlayedLane {
        var world = PlayedLane(dialect: try SessionDialect.sample(), Peek.sample([], state: lane))
        world.state.makeFirstSession()
        return world
    }

    private static let now = ClockReading.seconds(0)

    /// A lane without a session.
    private static func lane(_ generation: Int64 = 1, consent: Consent = .granted) -> LaneState {
        .sample(generation: generation, consent: consent, session: nil)
    }

    @Test("nothing is looked at while the lane is being opened, nor without a session; delivery begins when told")
    func phases() throws {
        var world = PlayedLane(dialect: try SessionDialect.sample(), Peek.sample([], state: Self.lane()))
        #expect(world.round().isEmpty)
        var givenUp = world
        givenUp.state.goWithoutSession()
        givenUp.state.start()
        givenUp.state.makeFirstSession()
        #expect(givenUp.round() == ["record"])
        #expect(givenUp.state.rest.reason == .noSession)

        world.state.makeFirstSession()
        #expect(world.round() == ["takeLane", "record", "look at 0", "send"])
        #expect(world.sent.map(\.purpose) == [.session(Generation(1))])

        world.state.start()
        world.state.goWithoutSession()
        #expect(world.state.extent == .nothing)
    }

    @Test("a lane with a session, or without consent, needs none", arguments: [nil, Consent.pending, .denied])
    func settled(consent: Consent?) throws {
        var world = try Self.world(consent.map { Self.lane(consent: $0) } ?? .sample(session: "S1"))
        #expect(world.round().last == "initialize is done")
        #expect(world.sent.isEmpty)
        #expect(world.round().isEmpty)
    }

    @Test("a session that was made is bound before initialize is answered")
    func succeeds() throws {
        var world = try Self.world()
        world.round()
        #expect(world.round().isEmpty)

        let settlement = world.answer(.status(200, body: #"{"data":{"id":"S1"}}"#))

        #expect(settlement.awaitsCommit && settlement.sessionMade == SessionID("S1"))
        guard case .bindMade(Generation(1), _)? = settlement.changes.first, settlement.changes.count == 1 else {
            Issue.record("the changes are \(settlement.changes)")
            return
        }
        #expect(world.round().isEmpty)
        world.state.committed()
        world.peek.state = .sample(session: "S1")
        #expect(world.round().last == "initialize is done")
    }

    @Test(
        "the first failure decides, but for what is asked after a 401: no retry, no halt, no breaker",
        arguments: [401, 500, 503])
    func fails(status: Int) throws {
        var world = try Self.world()
        world.round()

        let settlement = world.answer(.status(status))
        world.state.committed()
        world.round()

        #expect(settlement.awaitsCommit && settlement.outage == nil)
        #expect(settlement.events.count == (status == 401 ? 1 : 0))
        #expect(world.concluded == [.failure(.status(status))])
        #expect(world.state.breaker.isFlowing && !world.state.isHalted)
        world.state.goWithoutSession()
        world.round()
        #expect(world.state.rest.reason == .noSession)
    }

    @Test("a failure is void where a reset has ended its generation: another session is made under another key")
    func voidFailure() throws {
        var world = try Self.world()
        world.round()
        world.answer(.status(500))
        world.state.committed()
        world.peek.state = Self.lane(2)

        world.round()

        #expect(world.concluded.isEmpty)
        #expect(world.sent.map(\.purpose) == [.session(Generation(1)), .session(Generation(2))])
        #expect(Set(world.sent.map { $0.request.headers["Idempotency-Key"] }).count == 2)
    }

    @Test("a failure that came too late for one client's initialize is not the answer to another's")
    func lateFailure() throws {
        var world = try Self.world()
        world.round()
        world.answer(.status(500))
        world.state.committed()
        world.state.goWithoutSession()

        world.state.makeFirstSession(again: true)
        world.round()

        #expect(world.concluded.isEmpty)
        #expect(world.sent.count == 2)
    }

    @Test("a request that was called off decides nothing, and a decision that is not on disk is waited for")
    func waits() throws {
        var world = try Self.world()
        world.round()
        world.answer(.failed(.cancelled))
        world.peek.state.isAwaitingDisk = true

        #expect(world.round() == ["record", "look at 0", "record", "let go, look once more: false"])
        #expect(world.concluded.isEmpty && world.state.wakesAt == .seconds(0.05))

        world.peek.state.isAwaitingDisk = false
        world.round()
        #expect(world.sent.count == 2)
    }

    @Test("another process that has the lane may make the session; a disk that cannot be read ends initialize")
    func elsewhere() throws {
        var world = try Self.world()
        world.isTakenElsewhere = true
        #expect(world.round() == ["takeLane", "glance"])
        #expect(world.concluded.isEmpty && world.state.wakesAt == .seconds(0.05))
        world.peek.state = .sample(session: "S1")
        world.round()
        #expect(world.concluded == [.success(nil)])

        var broken = try Self.world()
        broken.diskError = StorageError(.failed, "the disk is broken")
        broken.round()
        #expect(broken.concluded == [.failure(nil)])
    }
}
