import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("A session tracker in an outage")
struct OutageTests {
    private static func answers(_ status: Int) -> SessionFixture.Exception {
        { $0.isEvent ? .status(status) : nil }
    }

    /// Waits of 1, 2, then 10, 20, 40, 80 and from then on 120 seconds.
    private func config(_ fixture: SessionFixture) -> TrackerConfig {
        fixture.config {
            // Of no record is it found out whether it alone makes the server fail.
            $0.delivery.poisonAfter = nil
            $0.delivery.retryDelay = .seconds(1)
            $0.delivery.failureThreshold = 3
            $0.delivery.cooldown = .seconds(10)
            $0.delivery.maxCooldown = .seconds(120)
        }
    }

    /// How many requests those waits allow within a time, the first one at its beginning.
    private func requests(within time: Int) -> Int {
        var (count, now, wait) = (0, 0, 1)
        while now <= time {
            count += 1
            now += wait
            wait = count < 2 ? wait * 2 : count == 2 ? 10 : min(120, wait * 2)
        }
        return count
    }

    /// Lets time pass up to the next attempt, and waits until it has failed.
    private func attempt(_ fixture: SessionFixture, _ loop: ClockedLoop) async throws {
        let seen = fixture.requests.count
        let due = try #require(loop.pending.first)
        loop.advance(by: loop.now.duration(to: due))
        try await fixture.backend.server.requests(atLeast: seen + 1)
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy != nil)
        await loop.turn()
    }

    @Test("of a day: as many requests as the waits allow, nothing is lost, and the order is kept")
    func day() async throws {
        let fixture = try SessionFixture(isClocked: true, Self.answers(503))
        try await fixture.start(config(fixture))
        let loop = try await fixture.loop()
        let day = 24 * 3600
        await fixture.tracker.track(eventName: "E0")
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == .retryWait)
        await loop.turn()

        var tracked = 1
        while let due = loop.pending.first, due <= .seconds(Double(day)) {
            #expect(loop.pending.count == 1)
            try await attempt(fixture, loop)
            // One an hour, made while it waits.
            if Double(tracked) * 3600 <= Double(loop.now.nanoseconds) / 1e9 {
                #expect(await fixture.tracker.track(eventName: "E\(tracked)").isQueued)
                tracked += 1
            }
        }
        #expect(tracked == 24)
        #expect(fixture.names.count == requests(within: day))
        #expect(Set(fixture.names) == ["E0"])
        #expect(fixture.tracker.info("queueLength") == 24)
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.info("circuitState") == "open")
        let seen = fixture.events.count
        fixture.answer()
        let due = try #require(loop.pending.first)
        loop.advance(by: loop.now.duration(to: due))
        try await fixture.backend.server.requests(atLeast: fixture.creations.count + seen + 24)
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)

        #expect(fixture.names.dropFirst(seen) == ArraySlice((0..<24).map { "E\($0)" }))
        #expect(Set(fixture.events.map { $0.header("Idempotency-Key") }).count == 24)
        #expect(fixture.tracker.info("circuitState") == "closed")
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("that ends in the middle of a wait: its end brings one probe, and that brings all the rest")
    func returns() async throws {
        let fixture = try SessionFixture(isClocked: true, Self.answers(503))
        try await fixture.start(config(fixture))
        let loop = try await fixture.loop()
        for number in 0..<10 { await fixture.tracker.track(eventName: "E\(number)") }
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == .retryWait)
        await loop.turn()
        while fixture.names.count < 8 { try await attempt(fixture, loop) }
        #expect(loop.pending.map { loop.now.duration(to: $0) } == [.seconds(120)])

        let gate = try Gate()
        loop.advance(by: .seconds(60))
        fixture.answer { $0.isEvent ? .gated(gate, .status(200)) : nil }
        loop.advance(by: .seconds(60) - .milliseconds(1))
        await loop.turn()
        #expect(fixture.names.count == 8)
        loop.advance(by: .milliseconds(1))
        try await fixture.backend.server.requests(atLeast: 10)
        await fixture.tracker.track(eventName: "E10")
        await loop.turn()
        #expect(fixture.names.count == 9)
        #expect(fixture.tracker.info("circuitState") == "halfOpen")
        #expect(loop.pending.isEmpty)
        gate.open()
        try await fixture.backend.server.requests(atLeast: 20)
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)
        await loop.turn()

        #expect(loop.pending.isEmpty)
        #expect(fixture.names.dropFirst(8) == ArraySlice((0...10).map { "E\($0)" }))
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("is asked once more by networkDidChange, however often that is said, and then waits in full again")
    func networkChanges() async throws {
        let fixture = try SessionFixture(isClocked: true, Self.answers(503))
        try await fixture.start(
            config(fixture).changed {
                $0.delivery.failureThreshold = 1
                $0.delivery.maxCooldown = .seconds(10)
            })
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == .breakerOpen)
        await loop.turn()
        #expect(loop.pending == [.seconds(10)])

        let gate = try Gate()
        fixture.answer { $0.isEvent ? .gated(gate, .status(503)) : nil }
        loop.advance(by: .seconds(4))
        for _ in 0..<2 { fixture.tracker.networkDidChange() }
        try await fixture.backend.server.requests(atLeast: 3)
        await loop.turn()
        #expect(loop.pending.isEmpty)
        fixture.tracker.networkDidChange()
        loop.advance(by: .seconds(2))
        await loop.turn()
        #expect(fixture.names.count == 2)
        gate.open()
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == .breakerOpen)
        await loop.turn()

        #expect(fixture.names.count == 2)
        #expect(loop.pending == [.seconds(16)])
        loop.advance(by: .seconds(10) - .milliseconds(1))
        await loop.turn()
        #expect(fixture.names.count == 2)
        fixture.answer()
        loop.advance(by: .milliseconds(1))
        try await fixture.backend.server.requests(atLeast: 4)
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)
        #expect(fixture.names == ["A", "A", "A"])
        await fixture.tracker.shutdown()
    }

    @Test("of the connection: a port that is closed loses nothing, and the same port opened again takes all in order")
    func refused() async throws {
        let taking: @Sendable (LoopbackRequest) -> LoopbackAnswer = {
            $0.isCreation ? .session("S1") : .status(200)
        }
        let first = try LoopbackServer(answer: taking)
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start(config(fixture).changed { $0.apiUrl = first.url })
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)
        first.stop()
        try await first.closings(atLeast: first.connections)

        for name in ["B", "C", "D"] { await fixture.tracker.track(eventName: name) }
        for wait in [1, 2, 10, 20] {
            let report = await fixture.tracker.flush(timeout: .seconds(600))
            #expect(report.stoppedBy == (wait < 10 ? .retryWait : .breakerOpen))
            await loop.turn()
            #expect(loop.pending.map { loop.now.duration(to: $0) } == [.seconds(wait)])
            if wait < 20 { loop.advance(by: .seconds(wait)) }
            await loop.turn()
        }
        #expect(fixture.tracker.info("queueLength") == 3)
        let second = try LoopbackServer(port: first.port, answer: taking)
        loop.advance(by: .seconds(20))
        try await second.requests(atLeast: 3)
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)

        #expect(first.requests.filter(\.isEvent).map { $0.json["event_name"] } == ["A"])
        #expect(second.requests.map { $0.json["event_name"] } == ["B", "C", "D"])
        #expect(second.requests.map { $0.header("X-Sequence") } == ["2", "3", "4"])
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }
}

extension TrackerConfig {
    /// The same, but for a few things.
    fileprivate func changed(_ change: (inout TrackerConfig) -> Void) -> TrackerConfig {
        var copy = self
        change(&copy)
        return copy
    }
}
