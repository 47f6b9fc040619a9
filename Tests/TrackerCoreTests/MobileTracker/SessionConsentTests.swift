import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("What consent does to a session tracker")
struct SessionConsentTests {
    @Test("pending is kept over a restart, with the calls; granting sends them")
    func pending() async throws {
        let first = try SessionFixture()
        await first.tracker.setConsent(.pending)
        #expect(!first.tracker.isTrackingAllowed)
        try await first.start()
        #expect(await first.tracker.track(eventName: "A").isPending)
        await first.tracker.shutdown()

        let next = first.restarted()
        try await next.start()
        #expect(!next.tracker.isTrackingAllowed)
        #expect(await next.tracker.track(eventName: "B").isPending)
        #expect(await next.tracker.flush().stoppedBy == .noConsent)
        #expect(next.requests.isEmpty)
        await next.tracker.setConsent(.granted)
        await next.drain()

        #expect(next.tracker.isTrackingAllowed)
        #expect(next.names == ["A", "B"])
        #expect(next.events.allSatisfy { $0.json["session_id"] == "S1" })
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }

    @Test("denying deletes what is known, over a restart too, and leaves no trace on the disk")
    func denied() async throws {
        let first = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await first.start(first.patientConfig)
        await first.tracker.identify(userId: "sentinel-user")
        await first.tracker.updateSessionEmail("sentinel@b.example")
        await first.drain()
        await first.tracker.track(eventName: "sentinel-event", attributes: ["x": "sentinel-value"])
        await first.tracker.setConsent(.denied)
        #expect(first.tracker.sessionId == nil && first.tracker.deviceId == nil && first.tracker.sessionEmail == nil)
        #expect(first.tracker.dropped == ["consent": 1])
        #expect(await first.tracker.track(eventName: "B") == .dropped(.trackingNotAllowed))
        #expect(first.log.lines.all.contains("warning: Event blocked - consent not granted: B"))
        #expect(first.tracker.isBalanced)
        await first.tracker.shutdown()

        try first.expectNoTrace(of: "sentinel")
        let seen = first.requests.count
        let next = first.restarted()
        try await next.start()
        #expect(!next.tracker.isTrackingAllowed)
        #expect(await next.tracker.identify(userId: "u") == .dropped(.trackingNotAllowed))
        #expect(next.requests.count == seen)
        next.answer()
        await next.tracker.setConsent(.granted)
        await next.tracker.track(eventName: "C")
        await next.drain()
        #expect(next.names.last == "C")
        #expect(next.events.last?.json["session_id"] == "S2")
        await next.tracker.shutdown()
    }

    @Test(
        "a denial that the disk refuses holds over a halt and a new key, and nothing more is sent",
        arguments: [true, false])
    func refusedByDisk(isStillFull: Bool) async throws {
        let faults = OutboxFaults()
        let fixture = try await SessionFixture.halted(faults)
        try faults.refuseWrites(true)
        #expect(await fixture.tracker.setConsent(.denied) == .dropped(.storage))
        let seen = fixture.requests.count

        if !isStillFull { try faults.refuseWrites(false) }
        try await fixture.start(fixture.config { $0.xApiKey = "key-5678" })
        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(fixture.tracker.sessionId == nil && fixture.tracker.deviceId == nil)
        #expect(await fixture.tracker.track(eventName: "B") == .dropped(.trackingNotAllowed))
        await fixture.drain()

        #expect(fixture.requests.count == seen)
        let other = fixture.restarted()
        try await other.start(other.config { $0.xApiKey = "key-5678" })
        #expect(!other.tracker.isTrackingAllowed)
        #expect(await other.tracker.flush().delivered == 0)
        #expect(fixture.requests.count == seen)
        try faults.refuseWrites(false)
        await other.tracker.shutdown()
        await fixture.tracker.shutdown()
    }

    @Test("denying ends what is on the wire, and a late answer revives nothing")
    func aborts() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? nil : .gated(gate, .session("LATE")) }
        try await fixture.start()
        await fixture.tracker.updateSessionEmail("a@b.example")
        try await fixture.backend.server.requests(atLeast: 2)

        await fixture.tracker.setConsent(.denied)
        try await fixture.backend.server.closings(atLeast: 1)
        gate.open()
        await fixture.drain()

        #expect(fixture.tracker.sessionId == nil && fixture.tracker.sessionEmail == nil)
        #expect(fixture.tracker.dropped == ["consent": 1])
        #expect(fixture.requests.count == 2)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a reset does not touch it", arguments: [true, false])
    func reset(all: Bool) async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.consent = .denied })

        await fixture.tracker.resetAndWait(all: all)
        try await fixture.start()

        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(fixture.requests.isEmpty)
        await fixture.tracker.shutdown()
    }

    @Test("a stored decision goes before the configuration's")
    func stored() async throws {
        let first = try SessionFixture()
        try await first.start(first.config { $0.consent = .denied })
        await first.tracker.shutdown()

        let next = first.restarted()
        try await next.start(next.config { $0.consent = .granted })

        #expect(!next.tracker.isTrackingAllowed)
        await next.tracker.shutdown()
    }

    @Test("denying while a session is being made: initialize succeeds without one, and no session is reported")
    func duringInit() async throws {
        let gate = try Gate()
        let provider = CountingProvider()
        let fixture = try SessionFixture(locationProvider: provider) {
            $0.isCreation ? .gated(gate, .session("LATE")) : nil
        }
        let heard = fixture.reportedSessions()

        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.tracker.setConsent(.denied)
        gate.open()
        try await starting
        await fixture.drain()

        #expect(fixture.tracker.sessionId == nil)
        #expect(fixture.requests.count == 1)
        #expect(heard.all.isEmpty)
        #expect(provider.asked.all.isEmpty)
        await fixture.tracker.shutdown()
    }

    @Test(
        "the request for a session that initialize waits for is ended, and it succeeds without one",
        arguments: [Consent.denied, .pending])
    func endsCreation(consent: Consent) async throws {
        let fixture = try SessionFixture { $0.number == 0 ? .nothing(then: .stall) : nil }

        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.tracker.setConsent(consent)
        try await fixture.backend.server.closings(atLeast: 1)
        try await starting

        #expect(await fixture.tracker.track(eventName: "A").isPending == (consent == .pending))
        #expect(fixture.requests.count == 1)
        #expect(fixture.tracker.sessionId == nil)
        await fixture.tracker.setConsent(.granted)
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()
        #expect(fixture.names == (consent == .pending ? ["A", "B"] : ["B"]))
        #expect(fixture.creations.count == 2)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("taken back and given again while initialize waits, it ends with a session")
    func givenAgain() async throws {
        let fixture = try SessionFixture { $0.number == 0 ? .nothing(then: .stall) : nil }

        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        fixture.tracker.setConsent(.pending, messageID: nil) { _ in }
        await fixture.tracker.setConsent(.granted)
        try await starting
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        #expect(fixture.names == ["A"])
        #expect(fixture.creations.count == 2)
        await fixture.tracker.shutdown()
    }

    @Test(
        "whatever the place at which it is taken back, initialize succeeds, and nothing is sent or told after it",
        arguments: [Consent.denied, .pending], [true, false])
    func atEachPlace(consent: Consent, isBeforeDevice: Bool) async throws {
        let faults = OutboxFaults()
        let provider = CountingProvider()
        let fixture = try SessionFixture(locationProvider: provider, faults: faults)
        let heard = fixture.reportedSessions()
        faults.put(.consent(consent, messageID: nil)) { change in
            switch change {
            case .ensureDevice: isBeforeDevice
            case .bindMade: !isBeforeDevice
            default: false
            }
        }

        try await fixture.start()
        await fixture.drain()

        // A session that was made in time is the lane's, also while consent is pending.
        let hasSession = consent == .pending && !isBeforeDevice
        #expect(fixture.requests.count == (isBeforeDevice ? 0 : 1))
        #expect(fixture.tracker.sessionId == (hasSession ? "S1" : nil))
        #expect(heard.all == (hasSession ? [SessionID("S1")] : []))
        #expect(consent == .pending || provider.asked.all.isEmpty)
        await fixture.tracker.shutdown()
    }
}
