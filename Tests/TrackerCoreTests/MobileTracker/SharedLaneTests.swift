import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

/// Trackers on one folder and identity, each with its own database connection, locks and thread, as processes have.
@Suite("Session trackers that share a state folder")
struct SharedLaneTests {
    @Test("all take events, and each event arrives once, in the order of the lane")
    func sharesDelivery() async throws {
        let fixture = try SessionFixture()
        let trackers = [fixture, fixture.restarted(), fixture.restarted()]
        for each in trackers { try await each.start() }

        for number in 0..<60 {
            #expect(await trackers[number % 3].tracker.track(eventName: "E\(number)").isQueued)
        }
        for each in trackers { _ = await each.tracker.flush(timeout: .seconds(60)) }

        #expect(fixture.names == (0..<60).map { "E\($0)" })
        #expect(fixture.events.map { $0.header("X-Sequence") } == (1...60).map { "\($0)" })
        #expect(fixture.creations.count == 1)
        #expect(Set(fixture.events.map { $0.json["session_id"] }) == ["S1"])
        for each in trackers {
            #expect(each.tracker.isBalanced)
            await each.tracker.shutdown()
        }
    }

    @Test("an answer that comes after the folder was removed and made anew concerns nothing in the new one")
    func madeAnew() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { request in
            guard request.isEvent else { return nil }
            return request.json["event_name"] == "A" ? .gated(gate, .status(200)) : .status(503)
        }
        try await fixture.start(fixture.patientConfig)
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)
        try FileManager.default.removeItem(atPath: fixture.directory.path("state"))
        let other = fixture.restarted()
        try await other.start(fixture.patientConfig)
        #expect(await other.tracker.track(eventName: "B").isQueued)
        try await other.drainToWait()
        #expect(other.events.map { $0.header("X-Sequence") } == ["1", "1"])

        gate.open()
        await fixture.tracker.shutdown(timeout: .seconds(60))

        #expect(other.tracker.info("queueLength") == 1)
        fixture.answer()
        await other.drain()
        // The process whose lock went with the folder may have tried it too.
        #expect(other.names.first == "A" && Set(other.names.dropFirst()) == ["B"])
        #expect(other.tracker.isBalanced)
        await other.tracker.shutdown()
    }

    @Test("two that initialize at once make one session, under the lock of delivery")
    func oneSession() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }
        let other = fixture.restarted(isClocked: true)
        async let first: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        async let second: Void = other.start()
        let loop = try await other.loop()
        try await loop.timer(at: .seconds(0.05))

        gate.open()
        try await first
        loop.advance(by: .milliseconds(50))
        try await second

        #expect(fixture.creations.count == 1)
        #expect(other.tracker.sessionId == "S1")
        await other.tracker.shutdown(timeout: .zero)
        await fixture.tracker.shutdown()
    }

    @Test("one that looks while another process builds the database anew delivers once that is done")
    func rebuiltElsewhere() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig)
        #expect(await fixture.tracker.track(eventName: "A").isQueued)
        try await fixture.drainToWait()
        fixture.answer()
        let database = fixture.directory.path("state/tracker.sqlite3")
        let lock = try LockedFile(fixture.directory.path("state/writer.lock"))

        try FileManager.default.moveItem(atPath: database, toPath: database + ".damaged")
        fixture.tracker.networkDidChange()
        try await withGuard("a look") { [tracker = fixture.tracker] in
            while tracker.info("lastError", "message")?.stringValue?.contains("built anew") != true {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        try FileManager.default.moveItem(atPath: database + ".damaged", toPath: database)
        lock.unlock()

        try await fixture.backend.server.requests(atLeast: 3)
        #expect(fixture.names == ["A", "A"])
        await fixture.tracker.shutdown()
    }

    @Test("another goes on when the one that delivers ends, with what is left of both")
    func takesOver() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .nothing(then: .stall) : nil }
        let other = fixture.restarted()
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)
        try await other.start()
        await other.tracker.track(eventName: "B")
        #expect(other.tracker.info("delivering") != "here")

        fixture.answer()
        await fixture.tracker.shutdown(timeout: .zero)
        try await fixture.backend.server.requests(atLeast: 4)

        #expect(fixture.names == ["A", "A", "B"])
        await other.tracker.shutdown()
    }

    @Test("one that ends has its request answered first, and another does not send that event again")
    func endsWithoutRepeat() async throws {
        let (first, second) = (try Gate(), try Gate())
        let fixture = try SessionFixture { request in
            switch request.json["event_name"] {
            case "A": .gated(first, .status(200))
            case "B": .gated(second, .status(200))
            default: nil
            }
        }
        let other = fixture.restarted()
        try await fixture.start()
        try await other.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)

        async let end: Void = fixture.tracker.shutdown(timeout: .seconds(60))
        while fixture.tracker.brandId != nil, await fixture.tracker.track(eventName: "NO").isQueued {}
        await other.tracker.track(eventName: "B")
        first.open()
        try await fixture.backend.server.requests(atLeast: 3)
        await other.tracker.track(eventName: "C")
        second.open()
        await end
        await other.drain()

        #expect(fixture.names.filter { $0 == "B" }.count == 1)
        #expect(fixture.names.last == "C")
        #expect(Set(fixture.events.map { $0.header("Idempotency-Key") }).count == fixture.events.count)
        await other.tracker.shutdown()
    }

    @Test("one that is released lets another deliver")
    func release() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .nothing(then: .stall) : nil }
        let other = fixture.restarted()
        try await Self.trackAndForget("A", in: fixture.restarted()) {
            try await other.start()
            await other.tracker.track(eventName: "B")
            fixture.answer()
        }

        try await fixture.backend.server.requests(atLeast: 4)

        #expect(fixture.names == ["A", "A", "B"])
        await other.tracker.shutdown()
    }

    @Test("another goes on with its own key where one is halted")
    func takesOverFromHalted() async throws {
        let fixture = try SessionFixture { $0.header("X-API-Key") == "key-old" && $0.isEvent ? .status(401) : nil }
        let other = fixture.restarted()
        try await fixture.start(fixture.config { $0.xApiKey = "key-old" })

        await fixture.tracker.track(eventName: "A")
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        #expect(fixture.tracker.info("lifecycle") == "halted")
        try await other.start()
        await other.tracker.track(eventName: "B")
        try await fixture.backend.server.requests(atLeast: 4)

        #expect(fixture.events.map { $0.header("X-API-Key") } == ["key-old", "key-1234", "key-1234"])
        #expect(fixture.names == ["A", "A", "B"])
        await other.tracker.shutdown()
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("one that is halted keeps the lane until its other requests are answered", arguments: [401, 403])
    func keepsLaneWhileUnderWay(status: Int) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { request in
            guard request.isEvent, request.header("X-API-Key") == "key-old" else { return nil }
            return request.json["event_name"] == "A" ? .status(status) : .gated(gate, .status(200))
        }
        let clocked = fixture.restarted(isClocked: true)
        try await fixture.start(
            fixture.config {
                $0.xApiKey = "key-old"
                $0.delivery.maxConcurrentRequests = 3
            })
        fixture.trackAndGoOn(["B", "C", "A"])
        try await fixture.backend.server.requests(atLeast: 4)
        try await clocked.start()
        await clocked.tracker.track(eventName: "D")
        let loop = try await clocked.loop()
        let reported = Recorder<Diagnostic>()
        fixture.tracker.control.observe { if case .lane = $0 { reported.record($0) } }
        if fixture.tracker.info("lifecycle") != "halted" { try await reported.values(atLeast: 1) }

        // Each time it looks whether the lane is free.
        for _ in 0..<4 {
            await loop.turn()
            loop.advance(by: .milliseconds(500))
        }
        await loop.turn()
        #expect(fixture.events.count == 3)
        gate.open()
        // It gives the lock back once both deliveries are on disk.
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path("state"))
                .first { $0.hasSuffix(".delivery.lock") })
        try await onThread { try LockedFile(fixture.directory.path("state/\(name)")).unlock() }
        loop.advance(by: .milliseconds(500))
        let report = await clocked.tracker.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(Set(fixture.names.prefix(3)) == ["A", "B", "C"])
        #expect(fixture.names.dropFirst(3) == ["A", "D"])
        await clocked.tracker.shutdown()
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("a reset in one holds in all")
    func reset() async throws {
        let fixture = try SessionFixture()
        let other = fixture.restarted()
        try await fixture.start()
        try await other.start()
        let device = fixture.tracker.deviceId

        await other.tracker.resetAndWait()
        await other.drain()
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()
        await other.drain()

        #expect(fixture.events.map { $0.json["session_id"] } == ["S2"])
        #expect(fixture.tracker.sessionId == "S2")
        #expect(fixture.tracker.deviceId == other.tracker.deviceId && fixture.tracker.deviceId != device)
        #expect(fixture.creations.count == 2)
        await other.tracker.shutdown()
        await fixture.tracker.shutdown()
    }

    @Test("a denial in one holds in all, and what one has queued is deleted")
    func denial() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        let other = fixture.restarted()
        try await fixture.start(fixture.patientConfig)
        try await other.start(other.patientConfig)
        await fixture.tracker.track(eventName: "A")

        await other.tracker.setConsent(.denied)
        let outcome = await fixture.tracker.track(eventName: "B")

        #expect(outcome == .dropped(.trackingNotAllowed))
        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(fixture.tracker.sessionId == nil && fixture.tracker.deviceId == nil)
        #expect(fixture.tracker.info("queueLength") == 0)
        #expect(fixture.tracker.dropped?["consent"] == 1)
        #expect(fixture.tracker.isBalanced)
        await other.tracker.shutdown(timeout: .zero)
        await fixture.tracker.shutdown(timeout: .zero)
    }

    /// Tracks an event with a tracker of its own, which is released once the event is on the wire and `body` is done.
    private static func trackAndForget(
        _ name: String, in fixture: SessionFixture, whileOnTheWire body: () async throws -> Void
    ) async throws {
        try await fixture.start()
        await fixture.tracker.track(eventName: name)
        try await fixture.backend.server.requests(atLeast: 2)
        try await body()
    }
}
