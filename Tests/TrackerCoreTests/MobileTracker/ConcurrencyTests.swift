import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("A session tracker with several requests under way")
struct ConcurrencyTests {
    private static let all = (0..<20).map { "E\($0)" }

    /// Eight at once.
    private func config(_ fixture: SessionFixture) -> TrackerConfig {
        fixture.config {
            $0.delivery.maxConcurrentRequests = 8
            $0.delivery.retryDelay = .seconds(1)
            $0.delivery.failureThreshold = 3
            $0.delivery.cooldown = .seconds(10)
            $0.delivery.maxCooldown = .seconds(10)
        }
    }

    /// Tracks twenty events, of which eight get under way and wait at a gate for this answer.
    private func begin(
        _ answer: LoopbackAnswer, isClocked: Bool = true
    ) async throws -> (fixture: SessionFixture, gate: Gate) {
        let gate = try Gate()
        let fixture = try SessionFixture(isClocked: isClocked) { $0.isEvent ? .gated(gate, answer) : nil }
        try await fixture.start(config(fixture))
        for name in Self.all { await fixture.tracker.track(eventName: name) }
        try await fixture.backend.server.requests(atLeast: 9)
        if isClocked { await (try fixture.loop()).turn() }
        #expect(fixture.names.count == 8)
        return (fixture, gate)
    }

    @Test("a server that fails them all is asked no more until one probe has gone well, and then gets all")
    func outage() async throws {
        let (fixture, gate) = try await begin(.status(503))
        let loop = try await fixture.loop()
        gate.open()
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).stoppedBy == .breakerOpen)
        await loop.turn()
        #expect(fixture.names.count == 8)
        #expect(loop.pending == [.seconds(10)])

        let second = try Gate()
        fixture.answer { $0.isEvent ? .gated(second, .status(200)) : nil }
        loop.advance(by: .seconds(10))
        try await fixture.backend.server.requests(atLeast: 10)
        await loop.turn()
        #expect(fixture.names.count == 9)
        #expect(fixture.names.last == "E0")
        second.open()
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)

        #expect(fixture.names.count == 28)
        #expect(Set(fixture.names.dropFirst(8)) == Set(Self.all))
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "a session that is lost under them is made anew once, and each is sent to the new one", arguments: [404, 410])
    func sessionLost(status: Int) async throws {
        let (fixture, gate) = try await begin(.status(status))
        fixture.answer { $0.isEvent && $0.json["session_id"] == "S1" ? .status(status) : nil }
        gate.open()
        await fixture.drain()

        #expect(fixture.creations.count == 2)
        let renewed = fixture.events.filter { $0.json["session_id"] == "S2" }
        #expect(Set(renewed.compactMap { $0.json["event_name"]?.stringValue }) == Set(Self.all))
        #expect(renewed.count == 20)
        #expect(Set(fixture.events.map { $0.header("Idempotency-Key") }).count == 20)
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a server that asks for a wait gets it, whatever it answers to the others", arguments: [200, 503])
    func asksForWait(status: Int) async throws {
        let (first, others) = (try Gate(), try Gate())
        let fixture = try SessionFixture(isClocked: true) { request in
            guard request.isEvent else { return nil }
            let isFirst = request.json["event_name"] == "E0"
            return isFirst ? .gated(first, .status(429, retryAfter: "600")) : .gated(others, .status(status))
        }
        try await fixture.start(config(fixture))
        fixture.trackAndGoOn(["E0", "E1", "E2", "E3"])
        try await fixture.backend.server.requests(atLeast: 5)
        let loop = try await fixture.loop()
        first.open()
        while fixture.tracker.info("lastError") == .null { await loop.turn() }
        others.open()
        let report = await fixture.tracker.flush(timeout: .seconds(3600))
        await loop.turn()
        let before = fixture.names.count
        let waits = loop.pending
        fixture.answer()
        loop.advance(by: .seconds(599))
        await loop.turn()

        #expect(report.stoppedBy == (status == 200 ? .retryWait : .breakerOpen))
        #expect(before == 4)
        #expect(waits == [.seconds(600)])
        #expect(fixture.names.count == 4)
        loop.advance(by: .seconds(1))
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)
        #expect(Set(fixture.names.dropFirst(4)) == (status == 200 ? ["E0"] : ["E0", "E1", "E2", "E3"]))
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a refused key halts them all and keeps the queue", arguments: [401, 403])
    func halted(status: Int) async throws {
        let (fixture, gate) = try await begin(.status(status))
        gate.open()
        #expect(
            await fixture.tracker.flush(timeout: .seconds(600))
                == FlushReport(delivered: 0, remaining: 20, stoppedBy: .halted))
        #expect(fixture.names.count == 8)
        fixture.answer()
        try await fixture.start(config(fixture))
        await fixture.drain()

        #expect(Set(fixture.names.dropFirst(8)) == Set(Self.all))
        #expect(fixture.names.count == 28)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("each that is refused is dropped alone, and counted")
    func refused() async throws {
        let (fixture, gate) = try await begin(.status(422))
        fixture.answer()
        gate.open()
        await fixture.drain()

        #expect(fixture.names.count == 20)
        #expect(fixture.tracker.dropped == ["rejected(422)": 8])
        #expect(fixture.tracker.info("account", "delivered") == 12)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a reset lets those that had a session reach it, and what comes then goes to the next")
    func reset() async throws {
        let (fixture, gate) = try await begin(.status(200))
        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "NEW")
        gate.open()
        await fixture.drain()

        let sessions = Dictionary(grouping: fixture.events) { $0.json["event_name"]?.stringValue ?? "" }
            .mapValues { Set($0.map { $0.json["session_id"] }) }
        #expect(sessions["NEW"] == ["S2"])
        for name in Self.all { #expect(sessions[name] == ["S1"]) }
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a denial ends them all, and nothing more is sent")
    func denied() async throws {
        let (fixture, gate) = try await begin(.status(200))
        await fixture.tracker.setConsent(.denied)
        gate.open()
        try await fixture.backend.server.closings(atLeast: 8)
        let report = await fixture.tracker.flush(timeout: .seconds(600))

        #expect(report.remaining == 0)
        #expect(fixture.names.count == 8)
        #expect(fixture.tracker.dropped == ["consent": 20])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("what was under way at the end is sent again in the next run, under its keys")
    func shutdown() async throws {
        let (fixture, gate) = try await begin(.status(200), isClocked: false)
        try await withGuard("the end") { await fixture.tracker.shutdown(timeout: .milliseconds(100)) }
        try await fixture.backend.server.closings(atLeast: 8)
        gate.open()
        fixture.answer()
        let next = fixture.restarted()
        try await next.start(config(next))
        await next.drain()

        #expect(Set(next.names.dropFirst(8)) == Set(Self.all))
        #expect(next.names.count == 28)
        #expect(Set(next.events.map { $0.header("Idempotency-Key") }).count == 20)
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }

    /// A call that events do not overtake.
    enum Barrier: CaseIterable, Sendable {
        case identify, set, setMetadata, location, email, link

        func make(_ tracker: MobileTracker) async {
            switch self {
            case .identify: await tracker.identify(userId: "u")
            case .set: await tracker.set(profileData: ["name": "N"])
            case .setMetadata: await tracker.setMetadata(["tier": "gold"])
            case .location: await tracker.updateLocation(LocationData(latitude: 1, longitude: 2, accuracy: 3))
            case .email: await tracker.updateSessionEmail("a@b.example")
            case .link: await tracker.linkSession("OTHER")
            }
        }
    }

    /// How many events had been read when each other request was, and how many were under way.
    private func scenario(_ barrier: @Sendable (MobileTracker) async -> Void) async throws -> [String] {
        let gate = try Gate()
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .gated(gate, .status(200)) : nil }
        try await fixture.start(config(fixture))
        let loop = try await fixture.loop()
        for name in ["A", "B", "C"] { await fixture.tracker.track(eventName: name) }
        // The session and three events. After a reset the new session would go before events that are not sent yet.
        try await fixture.backend.server.requests(atLeast: 4)
        await barrier(fixture.tracker)
        for name in ["D", "E"] { await fixture.tracker.track(eventName: name) }
        // What comes behind the barrier waits, and so does the barrier.
        await loop.turn()
        #expect(fixture.requests.count == 4)
        gate.open()
        await fixture.drain()
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        let lines = fixture.requests.map { request in
            request.isEvent ? request.json["event_name"]?.stringValue ?? "" : request.isCreation ? "+" : "|"
        }
        await fixture.tracker.shutdown()
        return lines
    }

    @Test("only events overtake each other: any other call goes alone, in its place", arguments: Barrier.allCases)
    func barriers(barrier: Barrier) async throws {
        let lines = try await scenario { await barrier.make($0) }

        let others = Array(repeating: "|", count: barrier == .identify ? 2 : 1)
        #expect(lines.prefix(1) == ["+"])
        #expect(Set(lines[1...3]) == ["A", "B", "C"])
        #expect(Array(lines[4..<(4 + others.count)]) == others)
        #expect(Set(lines.dropFirst(4 + others.count)) == ["D", "E"])
    }

    @Test("no event goes before those of the generation before it")
    func border() async throws {
        let lines = try await scenario { await $0.resetAndWait() }

        #expect(lines.filter { $0 == "+" }.count == 2)
        let events = lines.filter { $0 != "+" }
        #expect(Set(events.prefix(3)) == ["A", "B", "C"])
        #expect(Set(events.suffix(2)) == ["D", "E"])
    }
}
