import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("How a session is made in the background")
struct BackgroundSessionTests {
    private func config(_ fixture: SessionFixture) -> TrackerConfig {
        fixture.config { $0.sessionCreation = .inBackground }
    }

    @Test("initialize does not wait for it; it is tried again under one key until it succeeds")
    func retries() async throws {
        let fixture = try SessionFixture {
            $0.number < 3 ? [.status(503), .nothing(then: .reset), .status(429, retryAfter: "0")][$0.number] : nil
        }

        try await fixture.start(config(fixture))
        await fixture.tracker.track(eventName: "A")
        let requests = try await fixture.backend.server.requests(atLeast: 2).prefix(2)
        await fixture.drain()
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()

        #expect(requests.allSatisfy { $0.isCreation })
        #expect(fixture.creations.count == 4)
        #expect(Set(fixture.creations.map { $0.header("Idempotency-Key") }).count == 1)
        #expect(Set(fixture.creations.map { $0.json["device_id"] }).count == 1)
        #expect(fixture.names == ["A", "B"])
        #expect(fixture.tracker.sessionId == "S1")
        await fixture.tracker.shutdown()
    }

    @Test("metadata that is set while there is no session waits for it, and goes with the events after it")
    func metadata() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture {
            switch $0.number {
            case 0: .status(503)
            case 1: .gated(gate, .session("S1"))
            default: nil
            }
        }
        try await fixture.start(config(fixture))

        #expect(await fixture.tracker.setMetadata(["plan": "pro"]).isPending)
        await fixture.tracker.track(eventName: "A")
        gate.open()
        await fixture.drain()

        let profile = try #require(fixture.requests.first { $0.path == "/v1/customer-profiles/set" })
        #expect(profile.json["session_id"] == "S1")
        #expect(profile.json["metadata"] == ["plan": "pro"])
        #expect(fixture.events.map { $0.json["data"] } == [["plan": "pro"]])
        #expect(fixture.tracker.dropped == [:])
        await fixture.tracker.shutdown()
    }

    @Test("an answer without an id is tried again")
    func unreadable() async throws {
        let fixture = try SessionFixture { $0.number == 0 ? .status(200, body: "{}") : nil }

        try await fixture.start(config(fixture))
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.drain()

        #expect(fixture.creations.count == 2)
        #expect(fixture.names == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test(
        "a refusal for good halts delivery and keeps the queue; initialize runs in full again",
        arguments: [400, 401, 403, 404, 410, 413, 415, 422])
    func refused(status: Int) async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(status) : nil }
        try await fixture.start(config(fixture))
        await fixture.tracker.track(eventName: "A")

        let report = await fixture.tracker.flush(timeout: .seconds(60))
        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .halted))
        #expect(fixture.creations.count == 1)
        #expect(fixture.tracker.info("lifecycle") == "halted")
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("error:") && $0.contains("\(status)") })
        fixture.answer()
        try await fixture.start(config(fixture))
        await fixture.drain()

        #expect(fixture.names == ["A"])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("without granted consent none is made, and calls wait or are blocked", arguments: [Consent.pending, .denied])
    func noConsent(consent: Consent) async throws {
        let fixture = try SessionFixture()

        try await fixture.start(fixture.config { $0.consent = consent })
        let outcome = await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.requests.isEmpty)
        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(consent == .pending ? outcome.isPending : outcome == .dropped(.trackingNotAllowed))
        #expect(report.stoppedBy == (consent == .pending ? .noConsent : nil))
        await fixture.tracker.setConsent(.granted)
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()
        #expect(fixture.names == (consent == .pending ? ["A", "B"] : ["B"]))
        #expect(fixture.creations.count == 1)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("calls wait up to maxPendingEvents; past that the newest is refused")
    func bounded() async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(503) : nil }
        try await fixture.start(
            fixture.config {
                $0.sessionCreation = .inBackground
                $0.maxPendingEvents = 2
                $0.delivery.retryDelay = .seconds(3600)
                $0.delivery.cooldown = .seconds(3600)
                $0.delivery.maxCooldown = .seconds(3600)
            })

        for name in ["A", "B"] { #expect(await fixture.tracker.track(eventName: name).isPending) }
        let outcome = await fixture.tracker.track(eventName: "C")
        fixture.answer()
        await fixture.drain()

        #expect(outcome == .dropped(.queueFull))
        #expect(fixture.log.lines.all.contains("warning: Event queue full - dropping event: C"))
        #expect(fixture.names == ["A", "B"])
        #expect(fixture.tracker.info("refused", "QUEUE_FULL") == 1)
        await fixture.tracker.shutdown()
    }
}
