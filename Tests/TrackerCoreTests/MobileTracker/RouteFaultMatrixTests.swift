import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What a session tracker does with an answer to other calls than track")
struct RouteFaultMatrixTests {
    /// A call that makes a request of its own, with an event behind it.
    enum Call: CaseIterable, Sendable {
        case metadata, profile, identify, location, email, link

        func make(_ tracker: MobileTracker) async -> TrackOutcome {
            switch self {
            case .metadata: await tracker.setMetadata(["tier": "gold"])
            case .profile: await tracker.set(profileData: ["name": "N"])
            case .identify: await tracker.identify(userId: "u")
            case .location: await tracker.updateLocation(LocationData(latitude: 1, longitude: 2, accuracy: 3))
            case .email: await tracker.updateSessionEmail("a@b.example")
            case .link: await tracker.linkSession("OTHER")
            }
        }

        /// Its request, by method and path, in a session.
        func line(_ session: String) -> String {
            switch self {
            case .metadata, .profile: "PUT /v1/customer-profiles/set"
            case .identify: "PUT /v2/tracking-session/\(session)/identify/u"
            case .location: "PUT /v2/tracking-session/\(session)/location"
            case .email: "PUT /v2/tracking-session/\(session)/email_v2"
            case .link: "POST /v2/tracking-session/link-session"
            }
        }

        /// What follows once it has succeeded, or is given up.
        var sequel: [String] { self == .identify ? ["PUT /v1/customer-profiles/set"] : [] }
    }

    /// What an answer comes to.
    enum Effect {
        case delivered, retried, dropped, halted, gone
    }

    static let answers: [(status: Int, effect: Effect)] =
        [200, 204].map { ($0, .delivered) } + [500, 503, 408, 429, 302, 700].map { ($0, .retried) }
        + [304, 400, 409, 413, 415, 422].map { ($0, .dropped) } + [401, 403].map { ($0, .halted) }
        + [404, 410].map { ($0, .gone) }

    @Test(
        "by status: each has its one meaning, and the event behind it keeps its place", arguments: Call.allCases,
        answers)
    func answer(call: Call, answer: (status: Int, effect: Effect)) async throws {
        let fixture = try SessionFixture(isClocked: true)
        // Such an answer may be about the other session, or the email, that the request names.
        let effect = answer.effect == .gone && (call == .email || call == .link) ? .dropped : answer.effect
        try await fixture.start(fixture.patientConfig)
        let failing = Once()
        fixture.answer { request in
            request.line == call.line("S1") && failing.claim()
                ? .status(answer.status, body: answer.status == 200 ? "{}" : "") : nil
        }

        await fixture.tracker.setConsent(.pending)
        #expect(await call.make(fixture.tracker).isPending)
        await fixture.tracker.track(eventName: "B")
        await fixture.tracker.setConsent(.granted)
        let report = await fixture.tracker.flush(timeout: .seconds(60))
        #expect(report.stoppedBy == (effect == .halted ? .halted : effect == .retried ? .retryWait : nil))
        #expect(fixture.tracker.info("circuitState") == "closed")
        await fixture.drain()

        let create = "POST /v2/tracking-session"
        let event = "POST /v2/tracking-session-data"
        let lines: [String] =
            switch effect {
            case .delivered: [call.line("S1")] + call.sequel + [event]
            case .retried: [call.line("S1"), call.line("S1")] + call.sequel + [event]
            case .dropped: [call.line("S1")] + call.sequel + [event]
            case .halted: [call.line("S1")]
            case .gone: [call.line("S1"), create, call.line("S2")] + call.sequel + [event]
            }
        #expect(fixture.requests.map(\.line) == [create] + lines)
        let own = fixture.requests.filter { [call.line("S1"), call.line("S2")].contains($0.line) }
        #expect(Set(own.map { $0.header("Idempotency-Key") }).count == 1)
        let isLost = effect == .dropped && call != .identify
        let reason = answer.status == 413 ? "tooLarge" : "rejected(\(answer.status))"
        #expect(fixture.tracker.dropped == (isLost ? .object([reason: 1]) : [:]))
        #expect(fixture.tracker.info("queueLength") == (effect == .halted ? 2 : 0))
        #expect(fixture.tracker.info("lifecycle") == (effect == .halted ? "halted" : "ready"))
        #expect(fixture.tracker.sessionId == (effect == .gone ? "S2" : "S1"))
        let isTaken = effect != .dropped && effect != .halted
        #expect(fixture.tracker.sessionEmail == (call == .email && isTaken ? "a@b.example" : nil))
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("on a connection that dies twice: it is sent again before anything else", arguments: Call.allCases)
    func fault(call: Call) async throws {
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start(fixture.patientConfig)
        let failing = Recorder<Int>()
        fixture.answer { request in
            guard request.line == call.line("S1"), failing.all.count < 2 else { return nil }
            failing.record(request.number)
            return .nothing(then: .close)
        }

        await fixture.tracker.setConsent(.pending)
        #expect(await call.make(fixture.tracker).isPending)
        await fixture.tracker.track(eventName: "B")
        await fixture.tracker.setConsent(.granted)
        let report = await fixture.tracker.flush(timeout: .seconds(60))
        #expect(report == FlushReport(delivered: 0, remaining: 2, stoppedBy: .retryWait))
        await fixture.drain()

        let lines = Array(repeating: call.line("S1"), count: 3) + call.sequel + ["POST /v2/tracking-session-data"]
        #expect(fixture.requests.map(\.line) == ["POST /v2/tracking-session"] + lines)
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }
}
