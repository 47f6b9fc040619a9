import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("When the wall clock is set a year forward or back")
struct ClockJumpTests {
    /// Which way the clock is set.
    enum Jump: Int, CaseIterable, CustomTestStringConvertible {
        case forward = 365
        case back = -365

        var testDescription: String { "\(rawValue) days" }

        var duration: Duration { .seconds(rawValue * 86_400) }
    }

    /// What the tracker waits for meanwhile.
    enum Wait: CaseIterable {
        case retry, breaker

        var length: Duration { self == .retry ? .seconds(5) : .seconds(60) }

        var reason: StopReason { self == .retry ? .retryWait : .breakerOpen }

        func change(_ config: inout TrackerConfig) {
            config.cookieExpiration = 3650
            config.delivery.failureThreshold = self == .retry ? 9 : 1
            config.delivery.retryDelay = .seconds(5)
            config.delivery.cooldown = .seconds(60)
            config.delivery.maxCooldown = .seconds(3600)
        }
    }

    @Test("a wait for the next attempt neither ends nor grows", arguments: Jump.allCases, Wait.allCases)
    func waits(jump: Jump, wait: Wait) async throws {
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.config(wait.change))
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == wait.reason)
        await loop.turn()
        let due = MonotonicInstant.seconds(wait.length / .seconds(1))
        #expect(loop.pending == [due])

        fixture.clock.advance(by: jump.duration)
        await fixture.tracker.track(eventName: "B")
        await loop.turn()
        #expect(loop.pending == [due])
        loop.advance(by: wait.length - .milliseconds(1))
        await loop.turn()
        #expect(fixture.names == ["A"])
        loop.advance(by: .milliseconds(1))
        try await fixture.backend.server.requests(atLeast: 3)
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == wait.reason)
        #expect(fixture.names == ["A", "A"])
        await loop.turn()
        #expect(loop.pending == [due.advanced(by: wait.length * 2)])
        fixture.answer()
        await fixture.drain()

        #expect(fixture.names == ["A", "A", "A", "B"])
        #expect(Set(fixture.events.map { $0.json["session_id"] }) == ["S1"])
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "back, a session stays; forward past its days, a new one is made; nothing is dropped", arguments: Jump.allCases)
    func session(jump: Jump) async throws {
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .status(503) : nil }
        var config = fixture.patientConfig
        config.cookieExpiration = 300
        try await fixture.start(config)
        let device = fixture.tracker.deviceId
        await fixture.tracker.track(eventName: "A")
        try await fixture.drainToWait()

        fixture.clock.advance(by: jump.duration)
        let seen = fixture.requests.count
        fixture.answer()
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()

        let last = jump == .back ? "S1" : "S2"
        let late = fixture.requests.dropFirst(seen).filter { $0.isEvent }
        #expect(late.map { $0.json["event_name"] } == ["A", "B"])
        #expect(late.map { $0.json["session_id"]?.stringValue } == ["S1", last])
        #expect(fixture.tracker.sessionId == last)
        #expect(fixture.creations.count == (jump == .back ? 1 : 2))
        if jump == .back { #expect(fixture.tracker.deviceId == device) }
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("an event's time is what the clock said at its call, and no age is below zero", arguments: Jump.allCases)
    func times(jump: Jump) async throws {
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .status(503) : nil }
        var config = fixture.patientConfig
        config.cookieExpiration = 3650
        try await fixture.start(config)
        let clock = fixture.clock

        let first = clock.wall
        await fixture.tracker.track(eventName: "A")
        let second = clock.wall
        clock.advance(by: jump.duration)
        let third = clock.wall
        await fixture.tracker.track(eventName: "B")
        let fourth = clock.wall
        let age = try #require(fixture.tracker.info("oldestQueuedMs")?.intValue)
        try await fixture.drainToWait()
        fixture.answer()
        await fixture.drain()

        #expect(jump == .back ? age == 0 : age >= 365 * 86_400_000)
        let taken = fixture.events.suffix(2).compactMap { $0.header("X-Occurred-At") }
        try #require(taken.count == 2)
        #expect((first.description...second.description).contains(taken[0]))
        #expect((third.description...fourth.description).contains(taken[1]))
        await fixture.tracker.shutdown()
    }

    @Test("what was tracked in this run is no older for it: eventTTL drops nothing", arguments: Jump.allCases)
    func lifetime(jump: Jump) async throws {
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .status(503) : nil }
        var config = fixture.patientConfig
        config.cookieExpiration = 3650
        config.delivery.eventTTL = .seconds(3600)
        try await fixture.start(config)
        await fixture.tracker.track(eventName: "A")
        try await fixture.drainToWait()

        fixture.clock.advance(by: jump.duration)
        await fixture.tracker.track(eventName: "B")
        fixture.answer()
        await fixture.drain()

        #expect(fixture.names.suffix(2) == ["A", "B"])
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.info("account", "delivered") == 2)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a batch's interval is unmoved, and its events say when they were made and sent", arguments: Jump.allCases)
    func batches(jump: Jump) async throws {
        let clocked = try ClockedAnalytics()
        await clocked.client.initializeAndWait(with: clocked.fixture.options(interval: 10))
        let loop = try clocked.loop
        let first = clocked.clock.wall
        try await clocked.track("A")
        let second = clocked.clock.wall
        try await loop.timer(at: .seconds(10))

        clocked.clock.advance(by: jump.duration)
        let third = clocked.clock.wall
        try await clocked.track("B")
        #expect(loop.pending == [.seconds(10)])
        loop.advance(by: .seconds(10) - .milliseconds(1))
        await loop.turn()
        #expect(clocked.server.requests.isEmpty)
        loop.advance(by: .milliseconds(1))
        try await clocked.server.requests(atLeast: 1)
        let fourth = clocked.clock.wall
        _ = await clocked.client.flush(timeout: .seconds(60))

        let events = clocked.fixture.backend.events
        try #require(events.map { $0["event"] } == ["A", "B"])
        let made = events.compactMap { $0["timestamp"]?.stringValue }
        try #require(made.count == 2)
        #expect((first.description...second.description).contains(made[0]))
        #expect((third.description...fourth.description).contains(made[1]))
        for event in events {
            let sent = try #require(event["sentAt"]?.stringValue)
            #expect((third.description...fourth.description).contains(sent))
        }
        #expect(clocked.client.isBalanced)
        await clocked.client.shutdown()
    }
}
