import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("How a user is left")
struct SessionResetTests {
    @Test("what has a session still goes to it, what comes later goes to the next, of another device")
    func bound() async throws {
        let fixture = try SessionFixture { $0.isCreation ? nil : .status(503) }
        try await fixture.start(fixture.patientConfig)
        await fixture.tracker.identify(userId: "user-1")
        await fixture.tracker.setMetadata(["tier": "gold"])
        await fixture.tracker.track(eventName: "A")
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        let seen = fixture.requests.count
        let device = fixture.tracker.deviceId

        await fixture.tracker.resetAndWait()
        #expect(fixture.tracker.sessionEmail == nil)
        #expect(fixture.tracker.sessionId != "S1" && fixture.tracker.deviceId != device)
        #expect(fixture.tracker.brandId == "925")
        await fixture.tracker.track(eventName: "B")
        await fixture.tracker.set(profileData: ["name": "N"])
        fixture.answer()
        await fixture.drain()

        let late = fixture.requests.dropFirst(seen)
        #expect(late.filter { $0.isEvent }.map { $0.json["event_name"] } == ["A", "B"])
        #expect(late.filter { $0.isEvent }.map { $0.json["session_id"] } == ["S1", "S2"])
        #expect(late.filter { $0.isEvent }.map { $0.json["data"] } == [["tier": "gold"], nil])
        #expect(late.last { $0.isProfile }?.json["user_id"] == nil)
        #expect(late.contains { $0.path == "/v2/tracking-session/S1/identify/user-1" })
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("with all: true everything queued is dropped and counted, and the tracker goes on once it is initialised")
    func all() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig)
        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        let seen = fixture.requests.count
        fixture.answer()

        await fixture.tracker.resetAndWait(all: true)
        #expect(await fixture.tracker.track(eventName: "C").messageID != nil)
        fixture.tracker.networkDidChange()
        await fixture.drain()

        let late = fixture.requests.dropFirst(seen).filter { $0.isEvent }
        #expect(late.map { $0.json["event_name"] } == ["C"])
        #expect(late.map { $0.json["brand_id"] } == [925])
        #expect(fixture.tracker.dropped == ["reset": 2])
        #expect(fixture.tracker.brandId == nil)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("with all: true what is on the wire is ended, and not put back")
    func allOnTheWire() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.json["event_name"] == "A" ? .gated(gate, .status(200)) : nil }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)

        await fixture.tracker.resetAndWait(all: true)
        try await fixture.backend.server.closings(atLeast: 1)
        gate.open()
        #expect(fixture.tracker.dropped == ["reset": 1])
        #expect(fixture.tracker.info("account", "delivered") == 0)
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()

        #expect(fixture.names == ["A", "B"])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1", "S2"])
        #expect(fixture.tracker.info("account", "delivered") == 1)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("while a session is being made in the background: what waited for it goes, what comes later has the next one")
    func inBackground() async throws {
        let (late, next) = (try Gate(), try Gate())
        let fixture = try SessionFixture { request in
            switch request.number {
            case 0: .gated(late, .session("LATE"))
            case 1: .gated(next, .session("S1"))
            default: nil
            }
        }
        try await fixture.start(fixture.config { $0.sessionCreation = .inBackground })
        try await fixture.backend.server.requests(atLeast: 1)
        #expect(await fixture.tracker.track(eventName: "A").isPending)

        await fixture.tracker.resetAndWait()
        #expect(await fixture.tracker.track(eventName: "B").isPending)
        late.open()
        next.open()
        await fixture.drain()

        #expect(fixture.names == ["B"])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1"])
        #expect(fixture.creations.count == 2)
        #expect(Set(fixture.creations.compactMap { $0.json["device_id"]?.stringValue }).count == 2)
        #expect(fixture.tracker.dropped == ["reset": 1])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("what never had a session is dropped and counted")
    func unbound() async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(500) : nil }
        _ = await fixture.failure(fixture.config())
        await fixture.tracker.track(eventName: "A")

        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "B")
        #expect(fixture.tracker.dropped == ["reset": 1])
        fixture.answer()
        try await fixture.start()
        await fixture.drain()

        #expect(fixture.names == ["B"])
        await fixture.tracker.shutdown()
    }

    @Test("while a session is being made: that one is never taken, and initialize ends with another")
    func duringInit() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.number == 0 ? .gated(gate, .session("LATE")) : nil }

        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.tracker.resetAndWait()
        gate.open()
        try await starting
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        #expect(fixture.tracker.sessionId == "S1")
        #expect(fixture.creations.count == 2)
        #expect(Set(fixture.creations.compactMap { $0.json["device_id"]?.stringValue }).count == 2)
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1"])
        await fixture.tracker.shutdown()
    }

    @Test(
        "while a session is being made: whatever its request comes to, initialize does not wait for it nor fail with it",
        arguments: [.status(500), .status(401), .nothing(then: .reset), .nothing(then: .stall)] as [LoopbackAnswer])
    func ignoresOldRequest(answer: LoopbackAnswer) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.number == 0 ? .gated(gate, answer) : nil }

        async let failing = fixture.failure(fixture.config())
        try await fixture.backend.server.requests(atLeast: 1)
        fixture.resetAndGoOn()
        gate.open()
        let error = await failing

        #expect(error == nil)
        #expect(fixture.tracker.sessionId == "S1")
        #expect(fixture.creations.count == 2)
        await fixture.tracker.shutdown()
    }

    @Test("one that the disk refuses holds over a halt and a new key", arguments: [true, false])
    func refusedByDisk(isStillFull: Bool) async throws {
        let faults = OutboxFaults()
        let fixture = try await SessionFixture.halted(faults)
        let (device, seen) = (fixture.tracker.deviceId, fixture.requests.count)
        try faults.refuseWrites(true)
        await fixture.tracker.resetAndWait(all: true)

        if !isStillFull { try faults.refuseWrites(false) }
        let next = fixture.config {
            $0.xApiKey = "key-5678"
            $0.sessionCreation = .inBackground
        }
        try await fixture.start(next)
        if isStillFull {
            #expect(fixture.tracker.sessionId == nil && fixture.tracker.deviceId == nil)
            #expect(await fixture.tracker.track(eventName: "B") == .dropped(.storage))
            #expect(await fixture.tracker.flush(timeout: .milliseconds(50)).delivered == 0)
            #expect(fixture.requests.count == seen)
            try faults.refuseWrites(false)
        }
        try await withGuard("the disk") {
            while await fixture.tracker.track(eventName: "C").messageID == nil { try Task.checkCancellation() }
        }
        await fixture.drain()

        #expect(fixture.names == ["A", "C"])
        #expect(fixture.events.last?.json["session_id"] == "S2")
        #expect(device != nil && fixture.tracker.deviceId != device)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a session whose answer comes too late is not reported", arguments: [true, false])
    func silent(isInBackground: Bool) async throws {
        let faults = OutboxFaults()
        let provider = CountingProvider()
        let fixture = try SessionFixture(locationProvider: provider, faults: faults)
        let heard = fixture.reportedSessions()
        faults.put(.reset(all: false, messageID: nil)) { if case .bindMade = $0 { true } else { false } }

        try await fixture.start(fixture.config { $0.sessionCreation = isInBackground ? .inBackground : .duringInit })
        await fixture.tracker.track(eventName: "A")
        try await provider.asked.values(atLeast: 1)
        await fixture.drain()

        #expect(heard.all == [SessionID("S2")])
        #expect(fixture.tracker.sessionId == "S2")
        #expect(provider.asked.all.count == 1)
        await fixture.tracker.shutdown()
    }

    @Test("a reset and a denial that had taken effect before, by their keys, are not reported and change nothing")
    func repeatedKeys() async throws {
        let fixture = try SessionFixture()
        let heard = fixture.reportedSessions()
        try await fixture.start()
        await fixture.tracker.resetAndWait(messageId: "leave-1")
        try await heard.values(atLeast: 3)
        await fixture.tracker.setConsent(.denied, messageId: "deny-1")
        await fixture.tracker.setConsent(.granted, messageId: "grant-1")
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        await fixture.tracker.resetAndWait(messageId: "leave-1")
        await fixture.tracker.setConsent(.denied, messageId: "deny-1")
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()

        #expect(heard.all == [SessionID("S1"), nil, SessionID("S2"), nil, SessionID("S3")])
        #expect(fixture.tracker.isTrackingAllowed)
        #expect(fixture.names == ["A", "B"])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S3", "S3"])
        await fixture.tracker.shutdown()
    }

    @Test("of a session that is made in the background and left meanwhile only the end is reported")
    func silentInBackground() async throws {
        let gate = try Gate()
        let provider = CountingProvider()
        let fixture = try SessionFixture(locationProvider: provider) {
            $0.number == 0 ? .gated(gate, .session("LATE")) : nil
        }
        let heard = fixture.reportedSessions()
        try await fixture.start(fixture.config { $0.sessionCreation = .inBackground })
        try await fixture.backend.server.requests(atLeast: 1)

        await fixture.tracker.resetAndWait()
        gate.open()
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()
        try await provider.asked.values(atLeast: 1)

        #expect(heard.all == [nil, SessionID("S1")])
        #expect(provider.asked.all.count == 1)
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1"])
        await fixture.tracker.shutdown()
    }

    @Test(
        "a late answer that names a session, a user or an email changes nothing of the next one", arguments: [0, 1, 2])
    func late(call: Int) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { request in
            request.path.hasPrefix("/v2/tracking-session/") ? .gated(gate, .session("LATE")) : nil
        }
        try await fixture.start()
        switch call {
        case 0: await fixture.tracker.identify(userId: "user-1")
        case 1: await fixture.tracker.updateSessionEmail("a@b.example")
        default: await fixture.tracker.linkSession("other")
        }
        await fixture.tracker.track(eventName: "OLD")
        try await fixture.backend.server.requests(atLeast: 2)

        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "NEW")
        gate.open()
        await fixture.drain()

        #expect(fixture.tracker.sessionId == "S2")
        #expect(fixture.tracker.sessionEmail == nil)
        #expect(fixture.events.map { $0.json["session_id"] } == ["LATE", "S2"])
        #expect(fixture.names == ["OLD", "NEW"])
        await fixture.tracker.set(profileData: ["name": "N"])
        await fixture.drain()
        #expect(fixture.requests.last?.json["user_id"] == nil)
        await fixture.tracker.shutdown()
    }

    @Test("over a restart the old state is gone, from both sides of the storage")
    func restart() async throws {
        let first = try SessionFixture()
        try await first.start()
        await first.tracker.updateSessionEmail("a@b.example")
        await first.drain()
        first.answer { $0.isCreation ? .status(503) : nil }
        await first.tracker.resetAndWait()
        await first.tracker.shutdown(timeout: .seconds(60))
        first.answer()

        let next = first.restarted()
        try await next.start()

        #expect(next.tracker.sessionId == "S2")
        #expect(next.tracker.sessionEmail == nil)
        await next.tracker.shutdown()
    }

    @Test("before initialize it is kept, and applied first")
    func before() async throws {
        let first = try SessionFixture()
        try await first.start()
        await first.tracker.shutdown()

        let next = first.restarted()
        await next.tracker.resetAndWait()
        try await next.start()

        #expect(next.tracker.sessionId == "S2")
        await next.tracker.shutdown()
    }

    @Test("a screen whose view was refused has not been shown")
    func refusedScreen() async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(503) : nil }
        var config = fixture.patientConfig
        config.sessionCreation = .inBackground
        config.maxPendingEvents = 1
        try await fixture.start(config)
        await fixture.tracker.track(eventName: "A")

        #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.queueFull))
        fixture.answer()
        await fixture.drain()
        #expect(await fixture.tracker.screenDidAppear(name: "Home").isQueued)
        #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.repeatedScreen))
        await fixture.drain()
        await fixture.tracker.setConsent(.denied)
        for _ in 0..<2 {
            #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.trackingNotAllowed))
        }
        await fixture.tracker.setConsent(.granted)
        #expect(await fixture.tracker.screenDidAppear(name: "Home").messageID != nil)
        await fixture.drain()

        #expect(fixture.names == ["A", "VIEW_PAGE", "VIEW_PAGE"])
        await fixture.tracker.shutdown()
    }

    @Test("that had taken effect before, by its key, forgets neither the screen nor the brand")
    func repeated() async throws {
        let fixture = try SessionFixture()
        let reset = {
            await withCheckedContinuation { done in
                fixture.tracker.reset(all: true, messageID: .of("r")) { _ in done.resume() }
            }
        }
        try await fixture.start()
        await reset()
        try await fixture.start()
        #expect(await fixture.tracker.screenDidAppear(name: "Home").messageID != nil)
        await fixture.drain()
        let session = fixture.tracker.sessionId

        await reset()
        let screen = await fixture.tracker.screenDidAppear(name: "Home")
        try await fixture.start()

        #expect(screen == .dropped(.repeatedScreen))
        #expect(session != nil && fixture.tracker.sessionId == session)
        await fixture.tracker.shutdown()
    }

    @Test("of which the first had taken effect before and the second had not leaves brand and screen all the same")
    func repeatedThenNew() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        await withCheckedContinuation { done in
            fixture.tracker.reset(all: true, messageID: .of("r")) { _ in done.resume() }
        }
        try await fixture.start()
        #expect(await fixture.tracker.screenDidAppear(name: "Home").messageID != nil)
        await fixture.drain()
        let session = fixture.tracker.sessionId

        await withCheckedContinuation { done in
            fixture.tracker.reset(all: true, messageID: .of("r")) { _ in }
            fixture.tracker.reset(all: true, messageID: .of("new")) { _ in done.resume() }
        }
        let screen = await fixture.tracker.screenDidAppear(name: "Home")
        try await fixture.start()

        #expect(screen.messageID != nil)
        #expect(fixture.tracker.sessionId != nil && fixture.tracker.sessionId != session)
        await fixture.tracker.shutdown()
    }

    @Test("a screen that was shown may be shown again")
    func screens() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.initialScreen = "Home" })

        #expect(await fixture.tracker.screenDidAppear(name: "Home") == .dropped(.repeatedScreen))
        #expect(await fixture.tracker.screenDidAppear(name: "Home", url: "app://home").isQueued)
        #expect(await fixture.tracker.screenDidAppear(name: "Start", url: "app://home") == .dropped(.repeatedScreen))
        #expect(await fixture.tracker.screen(name: "Home", properties: ["url": "mine"]).isQueued)
        await fixture.drain()
        await fixture.tracker.resetAndWait()
        #expect(await fixture.tracker.screenDidAppear(name: "Home", url: "app://home").messageID != nil)
        await fixture.drain()

        #expect(fixture.names == Array(repeating: "VIEW_PAGE", count: 4))
        #expect(
            fixture.events.map { $0.json["data"] } == [
                ["screen": "Home", "url": "Home"], ["screen": "Home", "url": "app://home"],
                ["screen": "Home", "url": "mine"], ["screen": "Home", "url": "app://home"],
            ])
        await fixture.tracker.shutdown()
    }
}
