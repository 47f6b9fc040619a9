import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The calls of a session tracker besides track")
struct SessionCallTests {
    @Test("an identify whose answer names another session changes it for all that is queued, itself included")
    func identifyChangesSession() async throws {
        let fixture = try SessionFixture { request in
            request.path.contains("/identify/") ? .session("MERGED") : nil
        }
        try await fixture.start()
        await fixture.tracker.setConsent(.pending)
        await fixture.tracker.track(eventName: "BEFORE")
        await fixture.tracker.identify(
            userId: "user/ä 1", profileData: ["name": "N", "userId": "other", "plan": "pro"])
        await fixture.tracker.track(eventName: "AFTER")
        await fixture.tracker.setConsent(.granted)
        await fixture.drain()

        #expect(
            fixture.requests.map(\.line) == [
                "POST /v2/tracking-session", "POST /v2/tracking-session-data",
                "PUT /v2/tracking-session/S1/identify/user%2F%C3%A4%201", "PUT /v1/customer-profiles/set",
                "POST /v2/tracking-session-data",
            ])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1", "MERGED"])
        let profile = try #require(fixture.requests.first { $0.isProfile })
        #expect(profile.json["session_id"] == "MERGED")
        #expect(profile.json["user_id"] == "user/ä 1")
        #expect(profile.json["extra"] == ["plan": "pro"])
        let identify = fixture.requests[2]
        #expect(identify.body.isEmpty && identify.header("Content-Type") == nil)
        #expect(identify.header("Idempotency-Key") == profile.header("Idempotency-Key").map { $0 + ":identify" })
        #expect(fixture.tracker.sessionId == "MERGED")
        await fixture.tracker.shutdown()
    }

    @Test("a user and a screen whose names only look like the last ones are others")
    func exactNames() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        for name in ["Zo\u{e9}", "Zoe\u{301}"] {
            #expect(await fixture.tracker.identify(userId: name).isQueued)
            #expect(await fixture.tracker.screenDidAppear(name: "n", url: "https://a/\(name)").isQueued)
        }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        let identified = fixture.requests.map(\.path).filter { $0.contains("/identify/") }
        #expect(identified.map { $0.split(separator: "/").last } == ["Zo%C3%A9", "Zoe%CC%81"])
        await fixture.tracker.shutdown()
    }

    @Test("a retried profile does not repeat an identify that has succeeded")
    func identifyOnce() async throws {
        let fixture = try SessionFixture { $0.isProfile && $0.number < 4 ? .status(503) : nil }
        try await fixture.start()

        await fixture.tracker.identify(userId: "user-1")
        await fixture.drain()

        #expect(fixture.requests.filter { $0.path.contains("/identify/") }.count == 1)
        #expect(Set(fixture.requests.filter { $0.isProfile }.map { $0.header("Idempotency-Key") }).count == 1)
        await fixture.tracker.shutdown()
    }

    @Test(
        "an identify that is refused is logged, and the profile goes all the same",
        arguments: [400, 409, 413, 415, 422])
    func identifyRefused(status: Int) async throws {
        let fixture = try SessionFixture { $0.path.contains("/identify/") ? .status(status) : nil }
        try await fixture.start()

        await fixture.tracker.identify(userId: "user-1")
        await fixture.drain()

        #expect(fixture.requests.filter { $0.isProfile }.map { $0.json["user_id"] } == ["user-1"])
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.log.lines.all.contains { $0.contains("\(status)") })
        #expect(!fixture.log.lines.all.contains { $0.contains("user-1") })
        await fixture.tracker.shutdown()
    }

    @Test("location, email and link: their requests, and what a 2xx stores")
    func endpoints() async throws {
        let fixture = try SessionFixture { request in
            request.path.hasSuffix("/link-session") ? .session("LINKED") : nil
        }
        try await fixture.start()
        let device = try #require(fixture.tracker.deviceId)

        await fixture.tracker.updateLocation(LocationData(latitude: 52.5, longitude: -13.25, accuracy: 4.75))
        await fixture.tracker.updateSessionEmail("a@b.example")
        await fixture.tracker.linkSession("other")
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        #expect(
            fixture.requests.dropFirst().map(\.line) == [
                "PUT /v2/tracking-session/S1/location", "PUT /v2/tracking-session/S1/email_v2",
                "POST /v2/tracking-session/link-session", "POST /v2/tracking-session-data",
            ])
        #expect(fixture.requests[1].text == #"{"latitude":52.5,"longitude":-13.25,"accuracy":4.75}"#)
        #expect(fixture.requests[2].text == #"{"email":"a@b.example","brand_id":925}"#)
        #expect(
            fixture.requests[3].json == [
                "source_session_id": "other", "current_session_id": "S1", "device_id": .string(device), "brand_id": 925,
            ])
        #expect(fixture.requests[4].json["session_id"] == "LINKED")
        #expect(fixture.tracker.sessionEmail == "a@b.example")
        #expect(fixture.tracker.sessionId == "LINKED")
        await fixture.tracker.shutdown()
    }

    @Test("impossible values are refused when the call is made")
    func refusals() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let tracker = fixture.tracker

        #expect(await tracker.track(eventName: " \n") == .dropped(.invalidEventName))
        #expect(await tracker.identify(userId: "") == .dropped(.invalidUserId))
        for email in ["", "a", "a@b@c", "a @b", "@b", "a@"] {
            #expect(await tracker.updateSessionEmail(email) == .dropped(.invalidValue))
        }
        for (latitude, longitude, accuracy) in [(90.1, 0.0, 0.0), (0, -180.1, 0), (0, 0, -1), (.nan, 0, 0)] {
            let place = LocationData(latitude: latitude, longitude: longitude, accuracy: accuracy)
            #expect(await tracker.updateLocation(place) == .dropped(.invalidValue))
        }
        #expect(await tracker.linkSession("") == .dropped(.invalidValue))
        #expect(await tracker.continueSession(from: "https://a.example?gt_session_id=X") == .dropped(.invalidValue))
        #expect(fixture.log.lines.all.contains("warning: user_id is required for identify()"))
        #expect(tracker.info("queueLength") == 0)
        #expect(fixture.requests.count == 1)
        await tracker.shutdown()
    }

    @Test("a session comes from another site, or is linked with the one there is")
    func crossSite() async throws {
        let first = try SessionFixture()
        try await first.start(
            first.config {
                $0.crossSiteCookie = true; $0.cookieDomain = ".shop.example"
            })
        let link = first.tracker.crossDomainURL(for: "https://a.shop.example/x?q=1#f")
        #expect(link == "https://a.shop.example/x?q=1&gt_session_id=S1#f")
        #expect(first.tracker.crossDomainURL(for: "https://other.example/") == "https://other.example/")
        #expect(await first.tracker.continueSession(from: link).isQueued)
        #expect(await first.tracker.continueSession(from: "https://a.example?gt_session_id=X9").isQueued)
        await first.drain()
        #expect(first.requests.dropFirst().map { $0.json["source_session_id"] } == ["X9"])
        await first.tracker.shutdown()

        let second = try SessionFixture { $0.isCreation ? .status(503) : nil }
        try await second.start(
            second.config {
                $0.crossSiteCookie = true
                $0.sessionCreation = .inBackground
                $0.delivery = second.patientConfig.delivery
            })
        #expect(await second.tracker.track(eventName: "HELD").isPending)
        #expect(await second.tracker.continueSession(from: link).isQueued)
        await second.drain()
        #expect(second.tracker.sessionId == "S1")
        #expect(second.tracker.deviceId != nil)
        #expect(second.events.map { $0.json["session_id"] } == ["S1"])
        await second.tracker.shutdown()
    }

    @Test(
        "a session that is continued while another is being made stays",
        arguments: [TrackerConfig.SessionCreation.duringInit, .inBackground])
    func continuedMeanwhile(creation: TrackerConfig.SessionCreation) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("MADE")) : nil }
        let heard = Recorder<Diagnostic>()
        fixture.tracker.control.observe { heard.record($0) }
        async let start: Void = fixture.start(
            fixture.config {
                $0.crossSiteCookie = true
                $0.sessionCreation = creation
            })
        try await fixture.backend.server.requests(atLeast: 1)

        let outcome = await fixture.tracker.continueSession(from: "https://a.example/?gt_session_id=GIVEN")
        await fixture.tracker.track(eventName: "A")
        gate.open()
        try await start
        await fixture.drain()

        #expect(outcome.isQueued)
        #expect(fixture.tracker.sessionId == "GIVEN")
        #expect(fixture.events.map { $0.json["session_id"] } == ["GIVEN"])
        #expect(!heard.all.contains(.session(SessionID("MADE"))))
        await fixture.tracker.shutdown()
    }

    @Test("the place is asked for after each creation of a session, and after nothing else")
    func location() async throws {
        struct Unknown: Error { var address = "Ada's Street 1" }
        struct Provider: LocationProvider {
            let asked = Recorder<Bool>()

            func location() async throws -> LocationData {
                asked.record(true)
                if asked.all.count == 2 { throw Unknown() }
                return LocationData(latitude: 1, longitude: 2, accuracy: 3)
            }
        }
        let provider = Provider()
        let first = try SessionFixture(locationProvider: provider)
        try await first.start()
        try await first.backend.server.requests(atLeast: 2)
        await first.drain()
        await first.tracker.shutdown()
        let next = first.restarted()
        try await next.start()
        await next.drain()
        #expect(provider.asked.all.count == 1)

        await next.tracker.resetAndWait()
        try await provider.asked.values(atLeast: 2)
        await next.tracker.track(eventName: "E")
        await next.drain()
        let lines = try await next.log.lines.values(atLeast: 1)

        #expect(provider.asked.all.count == 2)
        #expect(lines == ["warning: The device's place is not available: Unknown"])
        #expect(
            next.requests.filter { $0.path.hasSuffix("/location") }.map(\.path) == ["/v2/tracking-session/S1/location"])
        await next.tracker.shutdown()
    }

    @Test("a place that does not come holds nothing up")
    func lateLocation() async throws {
        struct Provider: LocationProvider {
            let answer = Recorder<LocationData>()

            func location() async throws -> LocationData { try await answer.values(atLeast: 1)[0] }
        }
        let provider = Provider()
        let fixture = try SessionFixture(locationProvider: provider)
        try await fixture.start()
        #expect(await fixture.tracker.track(eventName: "E").isQueued)
        await fixture.drain()
        #expect(fixture.events.count == 1)

        provider.answer.record(LocationData(latitude: 1, longitude: 2, accuracy: 3))
        let places = try await fixture.backend.server.requests(atLeast: 3).filter { $0.path.hasSuffix("/location") }
        #expect(places.count == 1)
        await fixture.tracker.shutdown()
    }

    @Test("going on with a session says why it cannot", arguments: [true, false])
    func cannotContinue(isOn: Bool) async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.crossSiteCookie = isOn })

        let url = isOn ? "https://a.example/?x=1" : "https://a.example/?gt_session_id=S9"
        let outcome = await fixture.tracker.continueSession(from: url)

        #expect(outcome == .dropped(.invalidValue))
        let reason = isOn ? "carries no gt_session_id" : "`crossSiteCookie` is off"
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("warning: continueSession") && $0.contains(reason) })
        await fixture.tracker.shutdown()
    }

    @Test("a key that the caller gave is taken once, and goes with the request")
    func messageIDs() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let id = MessageID.of("order-1")

        let outcomes = [
            await fixture.tracker.track(eventName: "A", messageId: CallerKey(id)),
            await fixture.tracker.track(eventName: "A", messageId: CallerKey(id)),
        ]
        await fixture.drain()

        #expect(outcomes == [.queued(id), .queued(id)])
        #expect(fixture.events.map { $0.header("Idempotency-Key") } == ["order-1"])
        await fixture.tracker.shutdown()
    }
}
