import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What goes wrong in other batching clients, and not in this one")
struct AnalyticsTrapTests {
    @Test("an outage of any length neither overflows nor outlives itself: waits are bounded, and recovery starts over")
    func longOutage() async throws {
        let fixture = try AnalyticsFixture()
        fixture.backend.answer { $0.number < 120 ? .status(503) : .status(200) }
        await fixture.start(
            fixture.options(flushAt: 1) {
                $0.retryDelay = .milliseconds(10); $0.maxCooldown = .milliseconds(10)
            })

        fixture.client.track("A")
        try await fixture.backend.server.requests(atLeast: 121)
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.client.info("circuitState") == "closed")
        #expect(fixture.client.info("circuitRemainingMs") == 0)
        #expect(fixture.client.info("account", "delivered") == 1)
    }

    @Test("whatever answers the half-open probe, the breaker moves on", arguments: [400, 413, 422, 409])
    func probes(status: Int) async throws {
        let fixture = try AnalyticsFixture()
        fixture.backend.answer { request in
            request.number < 3 ? .status(503) : request.number == 3 ? .status(status) : .status(200)
        }
        await fixture.start(fixture.options(flushAt: 1))

        fixture.client.track("Probe")
        try await fixture.backend.server.requests(atLeast: 4)
        fixture.client.track("Next")
        try await fixture.backend.server.requests(atLeast: 5)
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.names.last == "Next")
        #expect(fixture.backend.server.requests.count == 5)
        #expect(fixture.client.info("circuitState") == "closed")
        #expect(fixture.client.info("account", "delivered") == 1)
    }

    @Test("two calls made one after the other arrive in that order, with no pause between them")
    func order() async throws {
        let fixture = try AnalyticsFixture()
        fixture.client.initialize(with: fixture.options(flushAt: 1))

        for number in 0..<500 {
            if number % 7 == 0 { fixture.client.identify("u\(number)") } else { fixture.client.track("E\(number)") }
        }
        _ = await fixture.client.flush(timeout: .seconds(60))

        let seen = fixture.backend.events.map { event in
            event["type"] == "identify" ? event["userId"]?.stringValue : event["event"]?.stringValue
        }
        #expect(seen == (0..<500).map { $0 % 7 == 0 ? "u\($0)" : "E\($0)" })
        #expect(
            fixture.backend.events.filter { $0["type"] == "track" }.map { $0["userId"]?.stringValue }
                == (0..<500).filter { $0 % 7 != 0 }.map { "u\($0 - $0 % 7)" })
    }

    @Test("after an outage delivery resumes by itself, and no two drains send the same records")
    func resumes() async throws {
        let fixture = try AnalyticsFixture()
        let state = OutageState()
        fixture.backend.answer { state.answer($0) }
        await fixture.start(fixture.options(flushAt: 5, maxBatchSize: 7))

        for number in 0..<200 {
            fixture.client.track("E\(number)")
            if number % 10 == 0 { fixture.client.flush() }
        }
        try await fixture.backend.server.requests(atLeast: 8)
        state.end()
        fixture.client.flush()
        var report = await fixture.client.flush(timeout: .seconds(60))
        while report.remaining > 0 { report = await fixture.client.flush(timeout: .seconds(60)) }

        #expect(state.delivered == (0..<200).map { "E\($0)" })
        #expect(fixture.client.info("account", "delivered") == 200)
    }

    @Test(
        "records stay until they are delivered: what was on the wire when the program ended is sent again, under its id"
    )
    func peeksBeforeItSends() async throws {
        let gate = try Gate()
        let fixture = try AnalyticsFixture { _ in .gated(gate, .status(200)) }
        await fixture.start(fixture.options(flushAt: 2))
        fixture.client.track("A")
        fixture.client.track("B")
        let lost = try await fixture.backend.server.requests(atLeast: 1)
        await fixture.client.shutdown(timeout: .zero)
        fixture.backend.answer { _ in .status(200) }

        let next = fixture.restarted()
        await next.start()
        let again = try await fixture.backend.server.requests(atLeast: 2)
        gate.open()

        #expect(again[1].events.map { $0["messageId"] } == lost[0].events.map { $0["messageId"] })
        #expect(again[1].header("Idempotency-Key") == lost[0].header("Idempotency-Key"))
        await next.client.shutdown()
    }

    @Test("what an earlier run left arrives before what this one adds")
    func oldBeforeNew() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start()
        for number in 0..<30 { fixture.client.track("Old\(number)") }
        _ = await fixture.client.track("Old30").outcome
        await fixture.client.shutdown(timeout: .zero)
        let taken = fixture.backend.takeEverything()

        let next = fixture.restarted()
        next.client.initialize(with: fixture.options())
        for number in 0..<30 { next.client.track("New\(number)") }
        _ = await next.client.flush(timeout: .seconds(60))

        #expect(
            taken.events.compactMap { $0["event"]?.stringValue }
                == (0...30).map { "Old\($0)" } + (0..<30).map { "New\($0)" })
    }

    @Test("null stays null, and a value of a foreign type drops its call and no other")
    func values() async throws {
        struct Foreign {}
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let withNil: [String: Any] = ["empty": Optional<Int>.none as Any, "kept": 1]
        let foreign: [String: Any] = ["items": [["id": Foreign()]]]

        fixture.client.track("Nil", properties: withNil)
        let dropped = await fixture.client.track("Foreign", properties: foreign).outcome
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(dropped == .dropped(.serialization))
        #expect(fixture.backend.events.map { $0["properties"] } == [["empty": nil, "kept": 1]])
        #expect(fixture.log.lines.all.contains { $0.contains("items[0].id") })
    }
}

/// A server that is down until a test says otherwise, and then keeps what it takes.
private final class OutageState: Sendable {
    private struct State {
        var isDown = true
        var delivered: [String] = []
    }

    private let state = Mutex(State())

    var delivered: [String] { state.withLock { $0.delivered } }

    func end() { state.withLock { $0.isDown = false } }

    func answer(_ request: LoopbackRequest) -> LoopbackAnswer {
        state.withLock { state in
            guard !state.isDown else { return .status(503) }
            state.delivered += request.events.compactMap { $0["event"]?.stringValue }
            return .status(200)
        }
    }
}
