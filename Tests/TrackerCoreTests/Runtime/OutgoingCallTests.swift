import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What the program's function sees of a call, and may change")
struct OutgoingCallTests {
    private static let past = Timestamp(milliseconds: 1_600_000_000_000)

    @Test("is all of a session tracker's call: email, URLs, place and the other session too")
    func session() async throws {
        let fixture = try SessionFixture()
        let seen = Recorder<OutgoingCall>()
        try await fixture.start(
            fixture.config {
                $0.crossSiteCookie = true
                $0.beforeSend = { call in
                    seen.record(call)
                    var call = call
                    call.email = call.email.map { _ in "masked@example.com" }
                    call.location?.latitude.round()
                    call.sourceSessionId = call.sourceSessionId.map { "\($0)2" }
                    call.url = call.url?.replacing("token=secret", with: "token=x")
                    return call
                }
            })
        let tracker = fixture.tracker

        await tracker.updateSessionEmail("ada@example.com")
        await tracker.updateLocation(LocationData(latitude: 52.52, longitude: 13.405, accuracy: 20))
        await tracker.linkSession("S")
        await tracker.screenDidAppear(name: "Cart", url: "/cart?token=secret")
        await tracker.continueSession(from: "https://a.example/?gt_session_id=S9&token=secret")
        #expect(await tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(
            seen.all == [
                OutgoingCall(method: "updateSessionEmail", email: "ada@example.com"),
                OutgoingCall(
                    method: "updateLocation",
                    location: LocationData(latitude: 52.52, longitude: 13.405, accuracy: 20)),
                OutgoingCall(method: "linkSession", sourceSessionId: "S"),
                OutgoingCall(method: "screenDidAppear", name: "Cart", url: "/cart?token=secret"),
                OutgoingCall(
                    method: "continueSession", url: "https://a.example/?gt_session_id=S9&token=secret"),
            ])
        let bodies = fixture.backend.server.requests.map(\.json)
        #expect(bodies.contains { $0["email"] == "masked@example.com" })
        #expect(bodies.contains { $0["latitude"] == 53.0 && $0["longitude"] == 13.405 })
        #expect(bodies.contains { $0["source_session_id"] == "S2" })
        #expect(bodies.contains { $0["data"]?["url"] == "/cart?token=x" })
        #expect(!fixture.backend.server.requests.contains { $0.text.contains("ada@example.com") })
    }

    @Test("is all of an analytics call: the ids, the time and the context of its options too")
    func analytics() async throws {
        let fixture = try AnalyticsFixture()
        let seen = Recorder<OutgoingCall>()
        var options = fixture.options()
        options.beforeSend = { call in
            seen.record(call)
            var call = call
            call.userId = call.userId.map { "hash of \($0)" }
            call.anonymousId = call.anonymousId.map { "hash of \($0)" }
            call.groupId = call.groupId.map { "hash of \($0)" }
            call.advertisingId = call.advertisingId.map { _ in "masked" }
            call.context?["ip"] = nil
            if call.name == "Late" { call.timestamp = Self.past }
            return call
        }
        // One waits for initialize, with its options.
        fixture.client.track("Early", options: CallOptions(userId: "u0", context: ["ip": "192.0.2.1", "n": 1]))
        await fixture.start(options)
        let client = fixture.client
        client.setAdvertisingId("ad-1")
        client.identify("u1", options: CallOptions(userId: "u1"))
        client.group("g1", options: CallOptions(anonymousId: "a1", groupId: "g1"))
        client.alias("u2", options: CallOptions(userId: "u2", anonymousId: "u1"))
        client.track("Late", options: CallOptions(groupId: "g1"))
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(
            events.map { $0["userId"]?.stringValue }
                == ["hash of u0", "hash of u1", nil, "hash of u2", nil])
        #expect(
            events.map { $0["anonymousId"]?.stringValue }.prefix(4) == [nil, nil, "hash of a1", "hash of u1"])
        #expect(events.map { $0["groupId"]?.stringValue } == [nil, nil, "hash of g1", nil, "hash of g1"])
        #expect(events[0]["context"]?["ip"] == nil && events[0]["context"]?["n"] == 1)
        #expect(events[4]["context"]?["device"]?["advertisingId"] == "masked")
        #expect(events[4]["timestamp"] == "2020-09-13T12:26:40.000Z")
        #expect(
            seen.all.first
                == OutgoingCall(method: "track", name: "Early", userId: "u0", context: ["ip": "192.0.2.1", "n": 1]))
    }

    @Test(
        "what a call cannot do without drops it once it is removed",
        arguments: [
            ("track", RefusalReason.invalidEventName), ("identify", .invalidUserId), ("group", .invalidValue),
            ("alias", .invalidUserId), ("named", .invalidValue), ("grouped", .invalidValue),
            ("in a group's scope", .invalidValue),
        ])
    func removed(_ kind: String, _ reason: RefusalReason) async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = { call in
            OutgoingCall(method: call.method, name: kind == "track" ? nil : call.name)
        }
        await fixture.start(options)
        let client = fixture.client

        let call =
            switch kind {
            case "track": client.track("A")
            case "identify": client.identify("u1")
            case "group": client.group("g1")
            case "alias": client.alias("u2")
            case "named": client.track("A", options: CallOptions(userId: "u1", anonymousId: "a1"))
            case "in a group's scope": AnalyticsScope.with(groupId: "g1") { client.track("A") }
            default: client.track("A", options: CallOptions(groupId: "g1"))
            }

        #expect(await call.outcome == .dropped(reason))
        await client.shutdown()
    }

    @Test("a user may be removed from a call that still names its visitor, and a call may get both")
    func named() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = { call in
            var call = call
            call.userId = call.name == "A" ? nil : "u2"
            call.anonymousId = call.name == "A" ? call.anonymousId : "a2"
            return call
        }
        await fixture.start(options)
        fixture.client.track("A", options: CallOptions(userId: "u1", anonymousId: "a1", groupId: "g1"))
        fixture.client.track("B")
        _ = await fixture.client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events.map { $0["userId"]?.stringValue } == [nil, "u2"])
        #expect(events.map { $0["anonymousId"]?.stringValue } == ["a1", "a2"])
    }

    @Test("a text may be spelled otherwise, in its arguments and in its values")
    func normalised() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = { call in
            var call = call
            call.name = call.name?.precomposedStringWithCanonicalMapping
            call.userId = call.userId?.precomposedStringWithCanonicalMapping
            call.properties = call.properties?["city"] == nil ? call.properties : ["city": "Z\u{FC}rich"]
            return call
        }
        await fixture.start(options)
        fixture.client.track("Cafe\u{301}")
        fixture.client.track("A", options: CallOptions(userId: "Jose\u{301}"))
        fixture.client.track("B", properties: ["city": "Zu\u{308}rich"])
        _ = await fixture.client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        let texts = [events[0]["event"], events[1]["userId"], events[2]["properties"]?["city"]]
        #expect(texts == ["Caf\u{E9}", "Jos\u{E9}", "Z\u{FC}rich"])
    }

    @Test("values that it leaves alone keep every digit, beside one that it changes")
    func digits() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = { call in
            var call = call
            call.properties?["email"] = nil
            return call
        }
        await fixture.start(options)
        fixture.client.track("A", properties: .of(#"{"a":1.50,"email":"x","b":[12345678901234567890.10]}"#))
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(
            fixture.backend.server.requests.contains { $0.text.contains(#"{"a":1.50,"b":[12345678901234567890.10]}"#) })
    }

    @Test("a second initialize that fails leaves the function of the first in force, until one succeeds")
    func failedInitialize() async throws {
        let fixture = try SessionFixture { $0.target == "/v2/tracking-session" ? .status(500) : nil }
        let renamed: @Sendable (String) -> BeforeSend = { name in
            { call in
                var call = call
                call.name = name
                return call
            }
        }
        var failures = [await fixture.failure(fixture.config { $0.beforeSend = renamed("first") })]
        await fixture.tracker.track(eventName: "A")
        failures.append(await fixture.failure(fixture.config()))
        await fixture.tracker.track(eventName: "B")
        failures.append(await fixture.failure(fixture.config { $0.beforeSend = renamed("third") }))
        await fixture.tracker.track(eventName: "C")
        fixture.answer()
        try await fixture.start()
        await fixture.tracker.track(eventName: "D")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        let names = fixture.backend.server.requests.compactMap { $0.json["event_name"]?.stringValue }
        #expect(failures.map { $0?.code } == Array(repeating: .sessionCreationFailed, count: 3))
        #expect(names == ["first", "first", "first", "D"])
    }

    @Test("a second initialize with options that are not valid leaves the function of the first in force")
    func invalidInitialize() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options()
        options.beforeSend = { _ in nil }
        await fixture.start(options)

        await fixture.client.initializeAndWait(with: fixture.options(writeKey: ""))

        #expect(await fixture.client.track("A").outcome == .dropped(.beforeSend))
    }
}
