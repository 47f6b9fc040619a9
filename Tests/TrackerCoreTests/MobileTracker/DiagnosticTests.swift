import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What a session tracker tells of itself")
struct DiagnosticTests {
    @Test("diagnostics keep the latest for a late reader, and say how many they left out")
    func areBounded() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        var diagnostics = fixture.tracker.diagnostics.makeAsyncIterator()

        for _ in 0..<300 { await fixture.tracker.track(eventName: "") }
        await fixture.tracker.shutdown()

        var pieces: [Diagnostic] = []
        while let piece = await diagnostics.next() { pieces.append(piece) }
        guard case .missed(let count)? = pieces.first else {
            Issue.record("no word of what was left out")
            return
        }
        #expect(pieces.count - 1 + count >= 300)
        #expect(pieces.dropFirst().count == 256)
        #expect(pieces.contains(.refused(call: "track", .invalidEventName)))
    }

    @Test("each drop, retry, move of the breaker and session is reported")
    func kinds() async throws {
        let fixture = try SessionFixture { request in
            switch request.json["event_name"]?.stringValue {
            case "Ill": request.number < 4 ? .status(503) : nil
            case "Bad": .status(422)
            default: nil
            }
        }
        let heard = Recorder<Diagnostic>()
        fixture.tracker.control.observe { heard.record($0) }
        try await fixture.start(fixture.config { $0.delivery.failureThreshold = 1 })

        await fixture.tracker.track(eventName: "Ill")
        await fixture.drain()
        await fixture.tracker.track(eventName: "Bad")
        await fixture.drain()
        await fixture.tracker.shutdown()

        let reported = heard.all
        #expect(reported.contains(.session(SessionID("S1"))))
        #expect(reported.contains { if case .retried(503, _) = $0 { true } else { false } })
        #expect(reported.contains(.breaker(.open)) && reported.contains(.breaker(.closed)))
        #expect(reported.contains { if case .dropped(_, 1, .rejected(422)) = $0 { true } else { false } })
    }

    @Test("the session is reported whenever it is another: made, named by an answer, gone, denied; and only then")
    func sessions() async throws {
        let fixture = try SessionFixture { request in
            if request.path.contains("/identify/") { return .session("MERGED") }
            return request.text.contains("\"MERGED\"") && request.isEvent ? .status(404) : nil
        }
        let heard = fixture.reportedSessions()
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        await fixture.tracker.identify(userId: "u")
        await fixture.drain()
        await fixture.tracker.track(eventName: "B")
        await fixture.drain()
        await fixture.tracker.setConsent(.denied)
        await fixture.tracker.setConsent(.denied)

        #expect(heard.all == ["S1", "MERGED", nil, "S2", nil].map { $0.flatMap(SessionID.init) })
        await fixture.tracker.shutdown()
    }

    @Test("a session that is found, or has expired, is reported as such", arguments: [true, false])
    func foundSession(expires: Bool) async throws {
        let first = try SessionFixture()
        try await first.start()
        await first.tracker.shutdown()
        let next = first.restarted()
        let heard = next.reportedSessions()

        next.tracker.initialize(brandId: "925", config: next.config()) { _ in }
        await next.tracker.track(eventName: "A")
        await next.drain()
        #expect(heard.all.isEmpty)
        if expires { next.clock.advance(by: .seconds(366 * 86_400)) }
        await next.tracker.track(eventName: "B")
        await next.drain()

        #expect(heard.all == (expires ? [nil, SessionID("S2")] : []))
        await next.tracker.shutdown()
    }

    @Test("the debug information has every key, the sums agree, and no secret is whole")
    func debugInfo() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.xApiKey = "secret-key-9876" })
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        let info = fixture.tracker.debugInfo()
        for key in [
            "lifecycle", "queueLength", "circuitState", "circuitRemainingMs", "flushInFlight", "sessionId", "deviceId",
            "consent", "queueBytes", "oldestQueuedMs", "account", "refused", "bytesBeforeCompression",
            "bytesAfterCompression", "lastError", "storage", "delivering", "otherLanes", "config",
        ] {
            #expect(info[key] != nil, "\(key)")
        }
        #expect(info["config"]?["xApiKey"]?.stringValue?.hasSuffix("9876") == true)
        #expect(!"\(info)".contains("secret-key"))
        #expect(fixture.tracker.info("account", "delivered") == 1)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("logs hold no personal data above debug level, keys never whole, and the documents' words")
    func logs() async throws {
        let fixture = try SessionFixture { $0.json["event_name"] == "Refused" ? .status(400) : nil }
        try await fixture.start(
            fixture.config {
                $0.xApiKey = "secret-key-9876"
                $0.debug = true
            })

        await fixture.tracker.track(eventName: "Taken", attributes: ["note": "private-sentinel"])
        await fixture.tracker.identify(userId: "user-sentinel", profileData: ["email": "email-sentinel@example.com"])
        await fixture.tracker.updateSessionEmail("email-sentinel@example.com")
        await fixture.tracker.track(eventName: "Refused", attributes: ["note": "private-sentinel"])
        await fixture.drain()
        await fixture.tracker.shutdown()

        let lines = fixture.log.lines.all
        #expect(lines.contains { $0.contains("Event tracked:") && $0.contains("Taken") })
        #expect(lines.contains { $0.contains("Error tracking event:") })
        #expect(!lines.contains { $0.contains("secret-key") })
        #expect(!lines.contains { !$0.hasPrefix("debug") && $0.contains("sentinel") })
    }

    @Test("an event that is too old by the wall clock goes undelivered, and is counted")
    func expires() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        var config = fixture.patientConfig
        config.delivery.eventTTL = .seconds(3600)
        try await fixture.start(config)
        await fixture.tracker.track(eventName: "Old")
        try await fixture.drainToWait()
        await fixture.tracker.shutdown(timeout: .zero)
        fixture.answer()
        fixture.clock.advance(by: .seconds(7200))

        let next = fixture.restarted()
        let sent = fixture.events.count
        try await next.start(config)
        await next.tracker.track(eventName: "New")
        await next.drain()

        #expect(fixture.names.dropFirst(sent) == ["New"])
        #expect(next.tracker.dropped?["expired"] == 1)
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }

    @Test("an event under way is not too old, though a later one finds no room")
    func expiresNothingUnderWay() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isEvent ? .gated(gate, .status(200)) : nil }
        try await fixture.start(
            fixture.config {
                $0.delivery.eventTTL = .seconds(3600)
                $0.delivery.maxQueuedEvents = 1
            })
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)

        fixture.clock.advance(by: .seconds(3610))
        #expect(await fixture.tracker.track(eventName: "B") == .dropped(.queueFull))
        gate.open()
        await fixture.drain()

        #expect(fixture.tracker.info("account", "delivered") == 1)
        #expect(fixture.tracker.dropped?["expired"] == nil && fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("several requests may be under way at once, if asked for")
    func concurrent() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isEvent ? .gated(gate, .status(200)) : nil }
        try await fixture.start(fixture.config { $0.delivery.maxConcurrentRequests = 3 })

        fixture.trackAndGoOn((0..<6).map { "E\($0)" })
        try await fixture.backend.server.requests(atLeast: 4)
        gate.open()
        await fixture.drain()

        #expect(Set(fixture.names) == Set((0..<6).map { "E\($0)" }))
        #expect(fixture.names.count == 6)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }
}
