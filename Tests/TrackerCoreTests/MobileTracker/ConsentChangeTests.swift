import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("Consent that changes, with restarts and resets between")
struct ConsentChangeTests {
    @Test("pending, then denied by the next process: what waited is deleted unsent, and leaves no trace")
    func pendingThenDenied() async throws {
        let first = try SessionFixture()
        try await first.start(first.config { $0.consent = .pending })
        for name in ["sentinel-1", "sentinel-2"] { #expect(await first.tracker.track(eventName: name).isPending) }
        await first.tracker.shutdown()

        let next = first.restarted()
        try await next.start()
        #expect(next.tracker.info("account", "recovered") == 2)
        await next.tracker.setConsent(.denied)
        await next.drain()

        #expect(next.tracker.dropped == ["consent": 2])
        #expect(next.tracker.isBalanced)
        #expect(next.requests.isEmpty)
        await next.tracker.shutdown()
        try next.expectNoTrace(of: "sentinel")
    }

    @Test("denied before initialize: the session and the queue of an earlier run are deleted before anything is sent")
    func deniedOverQueue() async throws {
        let first = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await first.start(first.patientConfig)
        await first.tracker.track(eventName: "sentinel-1")
        try await first.drainToWait()
        await first.tracker.identify(userId: "sentinel-2")
        await first.tracker.shutdown(timeout: .seconds(60))
        first.answer()
        let seen = first.requests.count

        let next = first.restarted()
        await next.tracker.setConsent(.denied)
        try await next.start()
        await next.drain()

        #expect(next.requests.count == seen)
        #expect(next.tracker.sessionId == nil && next.tracker.deviceId == nil)
        #expect(next.tracker.info("account", "recovered") == 2)
        #expect(next.tracker.dropped == ["consent": 2])
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
        try next.expectNoTrace(of: "sentinel")
    }

    @Test(
        "what stops sending is answered once the loop can send nothing more of what it had under way",
        arguments: [Consent.pending, .denied, nil])
    func loopAtWork(consent: Consent?) async throws {
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start()
        let goOn = try await fixture.loop().hold()
        let answers = Recorder<StorageError?>()

        if let consent {
            fixture.tracker.setConsent(consent, messageID: nil) { answers.record($0) }
        } else {
            fixture.tracker.reset(all: true, messageID: nil) { answers.record($0) }
        }
        // What needs no pause is answered in its turn, once both are on disk.
        await fixture.tracker.setConsent(.granted)
        #expect(answers.all.isEmpty)
        goOn()

        #expect(try await answers.values(atLeast: 1) == [nil])
        await fixture.tracker.shutdown()
    }

    @Test("pending while a request is on the wire, then granted: it is ended, and sent again under its key")
    func pendingOnTheWire() async throws {
        let fixture = try SessionFixture { $0.number == 1 ? .nothing(then: .stall) : nil }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)

        await fixture.tracker.setConsent(.pending)
        try await fixture.backend.server.closings(atLeast: 1)
        #expect(await fixture.tracker.track(eventName: "B").isPending)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .noConsent)
        #expect(fixture.requests.count == 2)
        await fixture.tracker.setConsent(.granted)
        await fixture.drain()

        #expect(fixture.names == ["A", "A", "B"])
        #expect(Set(fixture.events.prefix(2).map { $0.header("Idempotency-Key") }).count == 1)
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "pending, then a reset: what has a session stays, and goes to it once consent is granted",
        arguments: [true, false])
    func pendingThenReset(restarts: Bool) async throws {
        let first = try SessionFixture()
        try await first.start()
        await first.tracker.setConsent(.pending)
        #expect(await first.tracker.track(eventName: "A").isPending)

        await first.tracker.resetAndWait()
        #expect(await first.tracker.track(eventName: "B").isPending)
        let next = restarts ? first.restarted() : first
        if restarts {
            await first.tracker.shutdown()
            try await next.start()
        }
        #expect(next.requests.count == 1)
        await next.tracker.setConsent(.granted)
        await next.drain()

        #expect(next.names == ["A", "B"])
        #expect(next.events.map { $0.json["session_id"] } == ["S1", "S2"])
        #expect(next.tracker.dropped == [:])
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }
}

extension SessionFixture {
    /// Looks for a text in every file of the state folder.
    func expectNoTrace(of text: String) throws {
        try directory.expectNoTrace(of: text)
    }
}
