import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What is decided while there is no open lane")
struct SessionEarlyTests {
    @Test(
        "a decision made before an initialize that fails on the disk goes first in the next one",
        arguments: [Consent.denied, .pending])
    func consentBeforeFailure(consent: Consent) async throws {
        let fixture = try SessionFixture()
        await fixture.tracker.setConsent(consent)
        #expect(await fixture.failure(fixture.brokenConfig)?.code == .storage)
        #expect(!fixture.tracker.isTrackingAllowed)

        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(fixture.requests.isEmpty)
        await fixture.tracker.shutdown()
    }

    @Test("a reset or a decision made before initialize keeps nothing of its caller")
    func releasesCaller() throws {
        final class Caller: Sendable {}
        let fixture = try SessionFixture()
        weak var last: Caller?
        do {
            let caller = Caller()
            fixture.tracker.reset(all: false, messageID: nil) { [caller] _ in _ = caller }
            fixture.tracker.setConsent(.denied, messageID: nil) { [caller] _ in _ = caller }
            last = caller
        }

        #expect(last == nil)
    }

    @Test("a decision made before initialize holds while that opens, whatever an earlier run has stored")
    func consentWhileOpening() async throws {
        let first = try SessionFixture()
        try await first.start()
        await first.tracker.shutdown()
        let faults = OutboxFaults()
        let next = first.restarted(faults: faults)
        await next.tracker.setConsent(.denied)
        faults.stall()

        let ends = Recorder<Bool>()
        next.tracker.initialize(brandId: "925", config: next.config()) { _ in ends.record(true) }
        #expect(!next.tracker.isTrackingAllowed)
        faults.goOn()
        try await ends.values(atLeast: 1)

        #expect(!next.tracker.isTrackingAllowed)
        await next.tracker.shutdown()
    }

    @Test("so does one made while such an initialize is under way")
    func consentDuringFailure() async throws {
        let faults = OutboxFaults()
        let fixture = try SessionFixture(faults: faults)
        faults.stall()
        let failure = Recorder<TrackerError?>()
        fixture.tracker.initialize(brandId: "925", config: fixture.brokenConfig) { result in
            if case .failure(let error) = result { failure.record(error) } else { failure.record(nil) }
        }
        let told = Recorder<Bool>()
        fixture.tracker.setConsent(.denied, messageID: nil) { told.record($0 != nil) }
        faults.goOn()
        #expect(try await failure.values(atLeast: 1).first??.code == .storage)
        #expect(try await told.values(atLeast: 1) == [true])

        try await fixture.start()

        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(fixture.requests.isEmpty)
        await fixture.tracker.shutdown()
    }

    @Test(
        "a disk that stalls past initTimeout keeps it too, whether it opens or fails",
        arguments: [true, false])
    func consentOverStall(opens: Bool) async throws {
        let faults = OutboxFaults()
        let fixture = try SessionFixture(isClocked: true, faults: faults)
        faults.stall()
        await fixture.tracker.setConsent(.denied)
        async let failing = fixture.failure(opens ? fixture.config() : fixture.brokenConfig)
        let loop = try await fixture.loop()
        try await loop.timer(at: .seconds(60))
        loop.advance(by: .seconds(60))
        #expect(await failing?.cause == .timeout)

        async let starting: Void = fixture.start()
        try await fixture.loops.values(atLeast: 2)
        faults.goOn()
        try await starting

        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(fixture.requests.isEmpty)
        await fixture.tracker.shutdown()
    }

    @Test("a reset made before an initialize that fails on the disk goes first in the next one, and once")
    func resetBeforeFailure() async throws {
        let first = try SessionFixture()
        try await first.start()
        await first.tracker.shutdown()

        let next = first.restarted()
        await next.tracker.resetAndWait()
        #expect(await next.failure(next.brokenConfig)?.code == .storage)
        try await next.start()
        await next.tracker.shutdown()
        try await next.start()

        #expect(next.tracker.sessionId == "S2")
        #expect(next.creations.count == 2)
        await next.tracker.shutdown()
    }

    @Test("a reset on a disk that stalls past initTimeout drops nothing that was tracked after it")
    func resetOverStall() async throws {
        let faults = OutboxFaults()
        let fixture = try SessionFixture(isClocked: true, faults: faults)
        faults.stall()
        await fixture.tracker.resetAndWait()
        async let failing = fixture.failure(fixture.config())
        let loop = try await fixture.loop()
        try await loop.timer(at: .seconds(60))
        loop.advance(by: .seconds(60))
        #expect(await failing?.cause == .timeout)
        fixture.trackAndGoOn(["A"])

        async let starting: Void = fixture.start()
        try await fixture.loops.values(atLeast: 2)
        faults.goOn()
        try await starting
        await fixture.drain()

        #expect(fixture.names == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test("a reset after shutdown is kept for the next initialize", arguments: [true, false])
    func resetAfterShutdown(all: Bool) async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig)
        await fixture.tracker.track(eventName: "A")
        try await fixture.drainToWait()
        let device = fixture.tracker.deviceId
        await fixture.tracker.shutdown(timeout: .seconds(60))
        fixture.answer()
        let sent = fixture.events.count

        await fixture.tracker.resetAndWait(all: all)
        try await fixture.start()
        await fixture.drain()

        #expect(fixture.tracker.sessionId == "S2" && fixture.tracker.deviceId != device)
        #expect(fixture.events.dropFirst(sent).map { $0.json["session_id"] } == (all ? [] : ["S1"]))
        await fixture.tracker.shutdown()
    }
}
