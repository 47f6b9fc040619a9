import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("An fault to delivery")
struct DeliveryFaultTests {
    @Test("is what a flush names that it stops", arguments: DeliveryFault.allCases)
    func flush(_ fault: DeliveryFault) async throws {
        let fixture = try SessionFixture { fault.answer($0) }
        let other = try await fault.queueEvent(in: fixture)

        var report = await fixture.tracker.flush(timeout: fault.patience)
        // What was on the wire when the flush began may have been settled since.
        if report.stoppedBy == nil { report = await fixture.tracker.flush(timeout: .seconds(60)) }

        #expect(report == FlushReport(delivered: 0, remaining: fault.remaining, stoppedBy: fault.reason))
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown(timeout: .zero)
        await other?.shutdown(timeout: .zero)
    }

    @Test(
        "keeps no shutdown past its time, and nothing that is queued from the next run",
        arguments: DeliveryFault.allCases)
    func shutdown(_ fault: DeliveryFault) async throws {
        let fixture = try SessionFixture { fault.answer($0) }
        let other = try await fault.queueEvent(in: fixture)

        try await withGuard("the end") { await fixture.tracker.shutdown(timeout: .milliseconds(200)) }
        #expect(fixture.tracker.info("lifecycle") == "shutDown")
        #expect(await fixture.tracker.track(eventName: "LATE") == .dropped(.notInitialized))
        await other?.shutdown(timeout: .zero)
        fixture.answer()
        let next = fixture.restarted()
        try await next.start()
        await next.tracker.setConsent(.granted)
        await next.drain()

        #expect(next.names.last == "E")
        #expect(!next.names.contains("LATE"))
        #expect(Set(next.events.map { $0.header("Idempotency-Key") }).count == fault.remaining)
        #expect(next.tracker.info("account", "recovered")?.intValue == Int64(fault.remaining))
        #expect(next.tracker.info("queueLength") == 0)
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }
}
