import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What the clients log of an outage")
struct OutageLogTests {
    /// Waits of an hour, and a breaker that opens at the second failure.
    private func change(_ options: inout DeliveryOptions) {
        options.retryDelay = .seconds(3600)
        options.failureThreshold = 2
        options.cooldown = .seconds(3600)
        options.maxCooldown = .seconds(3600)
        options.jitter = 0
    }

    /// Fails twice, and then takes what is queued.
    private func outage(
        _ flush: () async -> FlushReport, _ networkDidChange: () -> Void, recovery: () -> Void
    ) async {
        #expect(await flush().stoppedBy == .retryWait)
        networkDidChange()
        #expect(await flush().stoppedBy == .breakerOpen)
        recovery()
        networkDidChange()
        #expect(await flush().remaining == 0)
    }

    /// What was logged of the outage, and nothing twice: the first failure, the breaker, the recovery.
    private func check(_ log: RecordingLog, _ backend: Backend) {
        let host = backend.url.dropFirst("http://".count)
        let lines = log.lines.all
        let warnings = lines.filter { $0.hasPrefix("warning:") }
        #expect(warnings.count == 2)
        #expect(
            warnings.first
                == "warning: Delivery fails: \(host) answered 503. What is queued is kept; the next try is in "
                + "3600.0 s.")
        #expect(
            warnings.last?.hasPrefix(
                "warning: The circuit breaker is open after repeated failures. What is queued is kept; the next try is "
                    + "in 3600.0 s. Last error: \(host) answered 503") == true)
        #expect(lines.filter { $0 == "info: Delivery works again." }.count == 1)
    }

    @Test("a session tracker: that it began, that the breaker opened, that it ended")
    func session() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(
            fixture.config {
                $0.debug = true
                change(&$0.delivery)
            })
        await fixture.tracker.track(eventName: "A")

        await outage({ await fixture.tracker.flush(timeout: .seconds(60)) }, fixture.tracker.networkDidChange) {
            fixture.answer()
        }

        check(fixture.log, fixture.backend)
        await fixture.tracker.shutdown()
    }

    @Test("an analytics client: that it began, that the breaker opened, that it ended")
    func analytics() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        var options = fixture.options(change: change)
        options.debug = true
        await fixture.start(options)
        fixture.client.track("A")

        await outage({ await fixture.client.flush(timeout: .seconds(60)) }, fixture.client.networkDidChange) {
            fixture.backend.answer { _ in .status(200) }
        }

        check(fixture.log, fixture.backend)
        await fixture.client.shutdown()
    }

    @Test("a basic tracker: that it began, that the breaker opened, that it ended; the end with debug alone")
    func basic() async throws {
        let fixture = try BasicFixture { _ in .status(503) }
        var options = fixture.options
        change(&options)
        try fixture.tracker.initialize(
            apiKey: "key-1234", endpoint: fixture.backend.url + "/events", options: options, debug: true)
        fixture.tracker.track(event: "A")

        await outage({ await fixture.tracker.flush(timeout: .seconds(60)) }, fixture.tracker.networkDidChange) {
            fixture.backend.answer { _ in .status(200) }
        }
        check(fixture.log, fixture.backend)
        #expect(fixture.log.lines.all.contains("debug: Event tracked: A"))

        let count = fixture.log.lines.all.count
        try fixture.tracker.initialize(
            apiKey: "key-1234", endpoint: fixture.backend.url + "/events", options: options)
        fixture.tracker.track(event: "B")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        #expect(fixture.log.lines.all.count == count)
        await fixture.tracker.shutdown()
    }
}
