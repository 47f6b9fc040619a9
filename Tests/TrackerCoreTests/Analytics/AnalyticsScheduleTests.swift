import Synchronization
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("When an analytics client sends")
struct AnalyticsScheduleTests {
    @Test("what is called while the client is set up waits for the interval, as what is called later does")
    func calledWhileInitializing() async throws {
        let clocked = try ClockedAnalytics()
        clocked.client.initialize(with: clocked.fixture.options(interval: 10))
        try await clocked.track("A")
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10))
        try await clocked.loop.turn()

        #expect(try clocked.loop.pending == [.seconds(10)])
        #expect(clocked.server.requests.isEmpty)
        await clocked.client.shutdown()
    }

    @Test("after the interval, counted from the first event, and never while the queue is empty")
    func interval() async throws {
        let clocked = try ClockedAnalytics()
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10))
        let loop = try clocked.loop
        await loop.turn()
        #expect(loop.pending.isEmpty)

        try await clocked.track("A")
        try await loop.timer(at: .seconds(10))
        loop.advance(by: .seconds(4))
        try await clocked.track("B")
        #expect(loop.pending == [.seconds(10)])
        #expect(clocked.server.requests.isEmpty)
        loop.advance(by: .seconds(6))
        try await clocked.server.requests(atLeast: 1)
        _ = await clocked.client.flush(timeout: .seconds(60))

        #expect(clocked.fixture.names == ["A", "B"])
        await loop.turn()
        #expect(loop.pending.isEmpty)
    }

    @Test("at once when flushAt events are queued, all in one batch")
    func count() async throws {
        let clocked = try ClockedAnalytics()
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10, flushAt: 3))

        try await clocked.track("A", "B")
        #expect(clocked.server.requests.isEmpty)
        try await clocked.track("C")
        try await clocked.server.requests(atLeast: 1)

        #expect(clocked.server.requests.map { $0.events.count } == [3])
    }

    @Test("at once when a batch's bytes are queued")
    func bytes() async throws {
        let clocked = try ClockedAnalytics()
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10, maxBatchBytes: 4000))

        for name in ["A", "B"] { try await clocked.track(name) }
        #expect(clocked.server.requests.isEmpty)
        _ = await clocked.client.track("C", properties: ["filler": .string(String(repeating: "x", count: 4000))])
            .outcome
        try await clocked.server.requests(atLeast: 2)

        #expect(clocked.server.requests.map { $0.events.map { $0["event"] } } == [["A", "B"], ["C"]])
    }

    @Test("at once what an earlier run left behind")
    func recovered() async throws {
        let first = try AnalyticsFixture { _ in .status(503) }
        await first.start()
        _ = await first.client.track("A").outcome
        await first.client.shutdown(timeout: .zero)
        let sent = first.backend.server.requests.count
        first.backend.answer { _ in .status(200) }

        let second = first.restarted()
        await second.start()
        let requests = try await first.backend.server.requests(atLeast: sent + 1)

        #expect(requests.last?.events.map { $0["event"] } == ["A"])
        await second.client.shutdown()
    }

    @Test("in the background once, and then nothing by itself until the foreground")
    func background() async throws {
        let clocked = try ClockedAnalytics()
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10))
        let loop = try clocked.loop
        try await clocked.track("A")

        clocked.client.applicationDidEnterBackground()
        try await clocked.server.requests(atLeast: 1)
        try await clocked.track("B")
        await loop.turn()
        loop.advance(by: .seconds(20))
        await loop.turn()
        #expect(clocked.server.requests.count == 1)
        clocked.client.applicationDidBecomeActive()
        try await clocked.server.requests(atLeast: 2)

        #expect(clocked.fixture.names == ["A", "B"])
    }

    @Test("in the background not even once enough has come, or after a failure, but for a flush")
    func backgroundKeepsAll() async throws {
        let clocked = try ClockedAnalytics()
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10, flushAt: 1))
        let loop = try clocked.loop
        clocked.client.applicationDidEnterBackground()
        _ = await clocked.client.flush(timeout: .seconds(60))

        for name in ["A", "B"] {
            try await clocked.track(name)
            loop.advance(by: .seconds(20))
            await loop.turn()
        }
        #expect(clocked.server.requests.isEmpty)
        clocked.fixture.backend.answer { _ in .status(503) }
        let failed = await clocked.client.flush(timeout: .seconds(60))
        #expect(failed == FlushReport(delivered: 0, remaining: 2, stoppedBy: .retryWait))
        clocked.fixture.backend.answer { _ in .status(200) }
        loop.advance(by: .seconds(60))
        try await clocked.track("C")
        await loop.turn()
        #expect(clocked.server.requests.count == 1)
        let delivered = await clocked.client.flush(timeout: .seconds(60))

        #expect(delivered == FlushReport(delivered: 3, remaining: 0))
    }

    @Test("in the background no retry is scheduled; the foreground tries again")
    func backgroundCancelsRetries() async throws {
        let clocked = try ClockedAnalytics { _ in .status(503) }
        await clocked.client.initializeAndWait(
            with: clocked.fixture.options {
                $0.cooldown = .seconds(60); $0.maxCooldown = .seconds(60); $0.retryDelay = .seconds(5)
            })
        let loop = try clocked.loop
        try await clocked.track("A")
        _ = await clocked.client.flush(timeout: .seconds(60))
        try await loop.timer(at: .seconds(5))

        clocked.client.applicationDidEnterBackground()
        let report = await clocked.client.flush(timeout: .seconds(60))
        await loop.turn()
        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .retryWait))
        #expect(!loop.pending.contains(.seconds(5)))
        clocked.fixture.backend.answer { _ in .status(200) }
        loop.advance(by: .seconds(5))
        await loop.turn()
        #expect(clocked.server.requests.count == 1)
        clocked.client.applicationDidBecomeActive()
        try await clocked.server.requests(atLeast: 2)

        #expect(clocked.fixture.names == ["A", "A"])
    }

    @Test("with the time of sending, not of the call")
    func sentAt() async throws {
        let fixture = try AnalyticsFixture()
        let clock = SetClock()
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.clock = clock
        let client = AnalyticsClient(dependencies: dependencies)
        await client.initializeAndWait(with: fixture.options())

        _ = await client.track("A").outcome
        clock.set(Timestamp(milliseconds: 1_764_239_460_000))
        _ = await client.flush(timeout: .seconds(60))

        let event = try #require(fixture.backend.events.first)
        #expect(event["timestamp"] == "2025-11-27T10:30:00.000Z")
        #expect(event["sentAt"] == "2025-11-27T10:31:00.000Z")
        #expect(event["messageId"]?.stringValue?.hasPrefix("1764239400000-") == true)
    }
}

/// A clock that stands still until a test sets it.
private final class SetClock: TrackerClock {
    private let now = Mutex(Timestamp(milliseconds: 1_764_239_400_000))

    var wall: Timestamp { now.withLock { $0 } }
    var uptime: Duration { .zero }

    func set(_ time: Timestamp) { now.withLock { $0 = time } }
}
