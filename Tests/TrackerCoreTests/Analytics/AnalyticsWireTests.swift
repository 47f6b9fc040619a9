import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What analytics events look like on the wire")
struct AnalyticsWireTests {
    @Test("each call is an event of its type, with its name or its id and its values")
    func calls() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        fixture.client.track("User Action", properties: ["action": "click", "nested": ["a": [1, nil, 2.50]]])
        fixture.client.identify("user123", traits: ["name": "Jo"])
        fixture.client.group("company1", traits: ["name": "Acme"])
        fixture.client.screen("Home", properties: [:])
        fixture.client.page("Pricing")
        fixture.client.alias("user456")
        fixture.client.track("Last")
        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report == FlushReport(delivered: 7, remaining: 0))
        let events = fixture.backend.events
        #expect(
            events.map { $0["type"]?.stringValue } == [
                "track", "identify", "group", "screen", "page", "alias", "track",
            ])
        #expect(events.map { $0["event"]?.stringValue } == ["User Action", nil, nil, "Home", "Pricing", nil, "Last"])
        #expect(
            events.map { $0["userId"]?.stringValue }
                == [nil, "user123", "user123", "user123", "user123", "user456", "user456"])
        #expect(
            events.map { $0["groupId"]?.stringValue }
                == [nil, nil, "company1", "company1", "company1", "company1", "company1"])
        #expect(events[0]["properties"] == ["action": "click", "nested": ["a": [1, nil, 2.5]]])
        #expect(events.map { $0["traits"] } == [nil, ["name": "Jo"], ["name": "Acme"], nil, nil, nil, nil])
        #expect(events.map { $0["properties"] }[3...] == [.object([:]), nil, nil, nil])
        #expect(Set(events.map { $0["anonymousId"]?.stringValue }).count == 1)
    }

    @Test("every event carries the write key, its ids, its times and the context, and nothing else")
    func members() async throws {
        let fixture = try AnalyticsFixture()
        let app = AppInfo(name: "Shop", version: "1.2.3", build: "4", namespace: "com.example.shop")
        await fixture.start(fixture.options(app: app))

        _ = await fixture.client.track("A").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))

        let request = try #require(fixture.backend.server.requests.first)
        let event = try #require(request.events.first)
        #expect(request.method == "POST")
        #expect(request.target == "/v1/batch")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("X-API-Key") == nil)
        #expect(request.header("X-Occurred-At") == nil)
        #expect(request.header("X-Sequence") == "1")
        #expect(request.header("User-Agent")?.hasPrefix("mobile-tracker/") == true)
        #expect(
            Set(event.objectValue?.keys ?? []) == [
                "type", "event", "anonymousId", "timestamp", "writeKey", "messageId", "context", "sentAt",
            ])
        #expect(event["writeKey"] == "wk-test-1234")
        let id = try #require(event["messageId"]?.stringValue)
        #expect(request.header("Idempotency-Key") == "\(id):\(id):1")
        #expect(id.wholeMatch(of: /[0-9]{13}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        let times = [event["timestamp"], event["sentAt"]].compactMap { $0?.stringValue }
        #expect(times.count == 2 && times[0] <= times[1])
        #expect(times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil })
        #expect(
            event["context"]?["app"] == [
                "name": "Shop", "version": "1.2.3", "build": "4", "namespace": "com.example.shop",
            ])
        #expect(event["context"]?["library"]?["name"] == "mobile-tracker")
        #expect(event["context"]?["os"]?["name"]?.stringValue == SystemDescription.osName)
    }

    @Test("a message id that the caller gave is the event's, and queues once")
    func callersMessageID() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        let first = await fixture.client.track("A", messageId: "own-1").outcome
        let second = await fixture.client.track("A", messageId: "own-1").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(first == .queued(.of("own-1")))
        #expect(second == first)
        #expect(fixture.backend.events.map { $0["messageId"] } == ["own-1"])
    }

    @Test("values in all three forms arrive as they were given")
    func forms() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let dictionary: [String: Any] = ["b": [1, "x", true] as [Any], "a": 0.1]

        fixture.client.track("Tree", properties: ["b": [1, "x", true], "a": 0.1])
        fixture.client.track("Dictionary", properties: dictionary)
        fixture.client.track("Text", properties: .of(#"{"n":1.10e2,"é":"\u00e9"}"#))
        _ = await fixture.client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events[0]["properties"] == ["b": [1, "x", true], "a": 0.1])
        #expect(events[1]["properties"] == ["a": 0.1, "b": [1, "x", true]])
        #expect(
            fixture.backend.server.requests.first?.text.contains(#""properties":{"n":1.10e2,"é":"\u00e9"}"#) == true)
    }

    @Test("a message id that is not valid drops its call, and a reset too")
    func invalidKey() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        let tracked = await fixture.client.track("A", messageId: "").outcome
        let reset = await fixture.client.reset(messageId: "\n").outcome
        let next = await fixture.client.track("B").outcome

        #expect([tracked, reset] == [.dropped(.invalidValue), .dropped(.invalidValue)])
        #expect(next.messageID != nil)
    }

    @Test("a value that JSON cannot hold drops its own call alone, and the log says where it stands")
    func unwritable() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let bad: [String: Any] = ["price": Double.nan]

        let dropped = await fixture.client.track("Bad", properties: bad).outcome
        let deep = await fixture.client.track("Deep", properties: Properties(Self.nested(130))).outcome
        fixture.client.track("Good", properties: ["null": nil])
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(dropped == .dropped(.serialization))
        #expect(deep == .dropped(.serialization))
        #expect(fixture.log.lines.all.contains { $0.contains("error:") && $0.contains("price") })
        #expect(fixture.backend.events.map { $0["properties"] } == [["null": nil]])
        #expect(fixture.client.info("refused", "SERIALIZATION_ERROR") == 2)
    }

    @Test(
        "a blank name or id drops the call",
        arguments: [
            (AnalyticsCall.track(event: " ", properties: nil), RefusalReason.invalidEventName),
            (.screen(name: "", properties: nil), .invalidEventName),
            (.page(name: "\t", properties: nil), .invalidEventName),
            (.identify(userId: "", traits: nil), .invalidUserId), (.alias(newUserId: "  "), .invalidUserId),
            (.group(groupId: "", traits: nil), .invalidValue), (.setAdvertisingId(" "), .invalidValue),
            (.track(event: "A", properties: .of("[1]")), .serialization),
        ])
    func blanks(call: AnalyticsCall, reason: RefusalReason) async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        let outcome = await fixture.client.enqueue(call, messageId: nil).outcome

        #expect(outcome == .dropped(reason))
        #expect(fixture.client.info("refused", reason.rawValue) == 1)
    }

    @Test("an event that is too large is refused and leaves no trace, not in the identity either")
    func tooLarge() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options { $0.maxEventBytes = 2000 })

        let outcome = await fixture.client.identify(
            "u1", traits: ["filler": .string(String(repeating: "x", count: 2000))]
        ).outcome
        fixture.client.track("After")
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(outcome == .dropped(.tooLarge))
        #expect(
            fixture.log.lines.all.contains {
                $0.hasSuffix(" TOO_LARGE. As JSON it is larger than maxEventBytes allows, 2,000 bytes.")
            })
        #expect(fixture.backend.events.map { $0["userId"] } == [nil])
    }

    private static func nested(_ depth: Int) -> JSONObject {
        var value = JSONValue.null
        for _ in 0..<depth { value = [value] }
        return ["a": value]
    }
}
