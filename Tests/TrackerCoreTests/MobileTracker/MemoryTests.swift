import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A client that keeps its state in memory")
struct MemoryTests {
    private func isOnDisk(_ directory: TemporaryDirectory) -> Bool {
        FileManager.default.fileExists(atPath: directory.path("state"))
    }

    @Test("delivers over an outage, in order, leaves the user and obeys consent, and nothing of it is on the disk")
    func session() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        var config = fixture.patientConfig
        config.delivery.persistence = .memory
        try await fixture.start(config)
        let device = try #require(fixture.tracker.deviceId)
        await fixture.tracker.track(eventName: "A")
        await fixture.tracker.updateSessionEmail("a@b.example")
        await fixture.tracker.identify(userId: "u")
        try await fixture.drainToWait()
        let seen = fixture.names.count

        fixture.answer()
        await fixture.drain()
        #expect(fixture.tracker.sessionEmail == "a@b.example")
        await fixture.tracker.resetAndWait()
        #expect(fixture.tracker.sessionEmail == nil)
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()
        #expect(fixture.names.dropFirst(seen).suffix(2) == ["A", "B"])
        #expect(fixture.events.last?.json["session_id"] == "S2")
        #expect(fixture.tracker.deviceId != device)
        await fixture.tracker.setConsent(.pending)
        #expect(await fixture.tracker.track(eventName: "HELD").isPending)
        await fixture.tracker.setConsent(.denied)
        #expect(fixture.tracker.sessionId == nil && fixture.tracker.deviceId == nil)
        #expect(fixture.tracker.dropped == ["consent": 1])
        #expect(fixture.tracker.isBalanced)
        #expect(!isOnDisk(fixture.directory))
        await fixture.tracker.shutdown()
    }

    @Test("starts anew in the next run")
    func restart() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        var config = fixture.patientConfig
        config.delivery.persistence = .memory
        try await fixture.start(config)
        let device = try #require(fixture.tracker.deviceId)
        await fixture.tracker.track(eventName: "A")
        try await fixture.drainToWait()
        await fixture.tracker.shutdown(timeout: .zero)
        let seen = fixture.names.count
        fixture.answer()

        let next = fixture.restarted()
        try await next.start(config)
        await next.tracker.track(eventName: "B")
        await next.drain()

        #expect(next.names.dropFirst(seen) == ["B"])
        #expect(next.tracker.sessionId == "S2")
        #expect(next.tracker.deviceId != device)
        #expect(next.tracker.info("account", "recovered") == 0)
        #expect(!isOnDisk(next.directory))
        await next.tracker.shutdown()
    }

    @Test("goes on with what waits when a later initialize makes the session that an earlier one could not")
    func laterSession() async throws {
        let fixture = try SessionFixture { _ in .status(503) }
        let config = fixture.config { $0.delivery.persistence = .memory }
        #expect(await fixture.failure(config)?.code == .sessionCreationFailed)
        #expect(await fixture.tracker.track(eventName: "A").isPending)
        #expect(await fixture.tracker.setMetadata(["plan": "pro"]).isPending)
        #expect(await fixture.tracker.track(eventName: "B").isPending)

        fixture.answer()
        try await fixture.start(config)
        await fixture.tracker.track(eventName: "C")
        await fixture.drain()

        #expect(fixture.names == ["A", "B", "C"])
        let plans = fixture.events.map { $0.json["data"]?["plan"]?.stringValue }
        #expect(plans == [nil, "pro", "pro"])
        #expect(fixture.tracker.isBalanced && fixture.tracker.info("queueLength") == 0)
        await fixture.tracker.shutdown()
    }

    @Test("goes on with its session and queue under another key, once the server has refused the first")
    func otherKey() async throws {
        let fixture = try SessionFixture { $0.isEvent && $0.header("X-API-Key") == "key-1234" ? .status(401) : nil }
        var config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        let (session, device) = (fixture.tracker.sessionId, fixture.tracker.deviceId)
        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)

        config.xApiKey = "key-5678"
        try await fixture.start(config)
        await fixture.drain()

        #expect(fixture.names.suffix(2) == ["A", "B"])
        #expect(fixture.events.suffix(2).map { $0.header("X-Sequence") } == ["1", "2"])
        #expect(fixture.tracker.sessionId == session && fixture.tracker.deviceId == device && session != nil)
        #expect(fixture.tracker.brandId == "925")
        await fixture.tracker.shutdown()
    }

    @Test("keeps the time of an initialize that goes on with what waits")
    func initTimeout() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { _ in .status(503) }
        var config = fixture.config { $0.delivery.persistence = .memory }
        #expect(await fixture.failure(config)?.code == .sessionCreationFailed)
        #expect(await fixture.tracker.track(eventName: "A").isPending)
        fixture.answer { _ in .gated(gate, .status(200)) }

        config.initTimeout = .seconds(1)
        let failure = await fixture.failure(config)

        #expect(failure?.code == .sessionCreationFailed)
        #expect(failure?.message.contains("initTimeout") == true, "\(failure?.message ?? "none")")
        gate.open()
        await fixture.tracker.shutdown()
    }

    @Test("obeys a decision over every later initialize", arguments: ["reset", "off", "shutdown"])
    func decided(_ end: String) async throws {
        let fixture = try SessionFixture()
        let config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        await fixture.tracker.setConsent(.denied, messageId: "denial")
        switch end {
        case "reset": await fixture.tracker.resetAndWait(all: true)
        case "off": try await fixture.start(fixture.config { $0.enabled = false })
        default: await fixture.tracker.shutdown()
        }
        let made = fixture.backend.server.requests.count

        try await fixture.start(config)

        #expect(!fixture.tracker.isTrackingAllowed)
        #expect(await fixture.tracker.track(eventName: "A") == .dropped(.trackingNotAllowed))
        #expect(fixture.backend.server.requests.count == made)
        await fixture.tracker.setConsent(.denied, messageId: "another")
        await fixture.tracker.setConsent(.granted)
        // A repeat decides nothing.
        await fixture.tracker.setConsent(.denied, messageId: "another")
        try await fixture.start(fixture.config { $0.enabled = false })
        try await fixture.start(config)
        #expect(fixture.tracker.isTrackingAllowed)
        await fixture.tracker.shutdown()
    }

    @Test("goes on with the consent of its first configuration")
    func firstConsent() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(
            fixture.config {
                $0.delivery.persistence = .memory
                $0.consent = .pending
            })
        await fixture.tracker.resetAndWait(all: true)

        try await fixture.start(fixture.config { $0.delivery.persistence = .memory })

        #expect(await fixture.tracker.track(eventName: "A").isPending)
        #expect(fixture.backend.server.requests.isEmpty)
        await fixture.tracker.shutdown()
    }

    @Test("obeys the last decision, though one is made again behind it")
    func repeatedDecision() async throws {
        let fixture = try SessionFixture()
        let config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        await fixture.tracker.setConsent(.denied, messageId: "m1")
        await fixture.tracker.setConsent(.granted, messageId: "m2")
        fixture.tracker.setConsent(.denied, messageID: MessageID("m1")) { _ in }
        await fixture.tracker.setConsent(.denied, messageId: "m3")
        await fixture.tracker.resetAndWait(all: true)

        try await fixture.start(config)

        #expect(!fixture.tracker.isTrackingAllowed)
        await fixture.tracker.shutdown()
    }

    @Test("takes what was tracked before any session to another address, with the session's metadata and the device")
    func otherAddress() async throws {
        let fixture = try SessionFixture { $0.target.hasPrefix("/down") ? .status(503) : nil }
        var config = fixture.config { $0.delivery.persistence = .memory }
        let url = try #require(config.apiUrl)
        config.apiUrl = url + "/down"
        #expect(await fixture.failure(config)?.code == .sessionCreationFailed)
        let device = fixture.tracker.deviceId
        #expect(await fixture.tracker.setMetadata(["plan": "pro"]).isPending)

        config.apiUrl = url
        try await fixture.start(config)
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        #expect(fixture.events.last?.json["data"]?["plan"] == "pro")
        #expect(device != nil && fixture.tracker.deviceId == device)
        await fixture.tracker.shutdown()
    }

    @Test("delivers the events of an earlier session with a later initialize")
    func earlierSession() async throws {
        let fixture = try SessionFixture { $0.isEvent && $0.header("X-API-Key") == "key-1234" ? .status(401) : nil }
        var config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "C")

        config.xApiKey = "key-5678"
        try await fixture.start(config)
        await fixture.drain()

        #expect(fixture.names.suffix(3) == ["A", "B", "C"])
        #expect(fixture.events.suffix(3).map { $0.json["session_id"] } == ["S1", "S1", "S2"])
        await fixture.tracker.shutdown()
    }

    @Test("knows which calls came before a reset of everything, and goes on through several initialize at once")
    func severalInitialize() async throws {
        let fixture = try SessionFixture()
        let config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        #expect(await fixture.tracker.track(eventName: "A", messageId: "a").isQueued)
        await fixture.drain()

        for _ in 1...3 {
            fixture.tracker.reset(all: true)
            Task { try? await fixture.start(config) }
        }
        try await fixture.start(config)
        #expect(await fixture.tracker.track(eventName: "A", messageId: "a").isQueued)
        #expect(await fixture.tracker.track(eventName: "B").isQueued)
        await fixture.drain()

        #expect(fixture.names == ["A", "B"])
        await fixture.tracker.shutdown()
    }

    @Test("keeps what was set before a shutdown, until the client is gone")
    func shutDown() async throws {
        let fixture = try SessionFixture()
        let config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        let device = fixture.tracker.deviceId
        await fixture.tracker.shutdown()

        try await fixture.start(config)

        #expect(fixture.tracker.deviceId == device && device != nil)
        await fixture.tracker.shutdown()
    }

    @Test("knows whom to forget after a reset and a later initialize")
    func forgotten() async throws {
        let fixture = try AnalyticsFixture()
        let options = fixture.options { $0.persistence = .memory }
        await fixture.start(options)
        _ = try await fixture.client.forget(userId: "u")
        await fixture.client.resetAndWait()
        await fixture.start(options)

        #expect(await fixture.client.track("A", options: CallOptions(userId: "u")).outcome == .dropped(.forgotten))
        await fixture.client.shutdown()
    }

    @Test("is alone with it: two on one folder have a session and a queue each")
    func alone() async throws {
        let fixture = try SessionFixture()
        let other = fixture.restarted()
        let config = fixture.config { $0.delivery.persistence = .memory }
        try await fixture.start(config)
        try await other.start(config)

        await fixture.tracker.track(eventName: "A")
        await other.tracker.track(eventName: "B")
        await fixture.drain()
        await other.drain()
        await other.tracker.setConsent(.denied)

        #expect(Set(fixture.events.map { $0.json["session_id"] }) == ["S1", "S2"])
        #expect(fixture.events.map { $0.header("X-Sequence") } == ["1", "1"])
        #expect(fixture.tracker.isTrackingAllowed)
        #expect(await fixture.tracker.track(eventName: "C").isQueued)
        await other.tracker.shutdown()
        await fixture.tracker.shutdown()
    }

    @Test("sends batches, and forgets who spoke with the run")
    func analytics() async throws {
        let fixture = try AnalyticsFixture { $0.number == 0 ? .status(503) : .status(200) }
        let options = fixture.options { $0.persistence = .memory }
        await fixture.start(options)
        fixture.client.identify("u")
        fixture.client.track("A")
        while await fixture.client.flush(timeout: .seconds(60)).remaining > 0 { fixture.client.networkDidChange() }
        await fixture.client.shutdown()

        let next = fixture.restarted()
        await next.start(options)
        next.client.track("B")
        #expect(await next.client.flush(timeout: .seconds(60)).remaining == 0)

        let events = next.backend.events
        #expect(next.names == ["A", "A", "B"])
        #expect(events.last?["userId"] == nil)
        #expect(events.last?["anonymousId"] != events.first?["anonymousId"])
        #expect(!isOnDisk(next.directory))
        await next.client.shutdown()
    }
}
