import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What an analytics call says for itself")
struct CallOptionsTests {
    private static let past = Timestamp(milliseconds: 1_600_000_000_000)

    @Test("holds for its event alone: its user, visitor, group, time and context")
    func oneEvent() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(context: ["screen": ["width": 100], "locale": "de-CH"]))
        let client = fixture.client
        client.identify("own")
        client.group("own-group")
        client.setAdvertisingId("ad-1")

        let options = CallOptions(
            userId: "u1", anonymousId: "visitor 1", groupId: "g1", timestamp: Self.past,
            context: ["screen": ["height": 50], "ip": "192.0.2.1"])
        let outcome = await client.track("A", properties: ["n": 1], options: options, messageId: "m-1").outcome
        client.track("B")
        _ = await client.flush(timeout: .seconds(60))

        #expect(outcome == .queued(.of("m-1")))
        let (first, second) = try #require(fixture.backend.events.named("A", "B"))
        #expect(first["userId"] == "u1" && first["anonymousId"] == "visitor 1" && first["groupId"] == "g1")
        #expect(first["timestamp"] == "2020-09-13T12:26:40.000Z")
        #expect(first["messageId"] == "m-1")
        #expect(first["properties"] == ["n": 1])
        #expect(first["context"]?["screen"] == ["width": 100, "height": 50])
        #expect(first["context"]?["ip"] == "192.0.2.1" && first["context"]?["locale"] == "de-CH")
        #expect(first["context"]?["library"]?["name"] == "mobile-tracker")
        #expect(second["userId"] == "own" && second["groupId"] == "own-group")
        #expect(second["anonymousId"] == client.info("anonymousId"))
        #expect(second["context"]?["screen"] == ["width": 100] && second["context"]?["ip"] == nil)
        #expect(second["context"]?["device"]?["advertisingId"] == "ad-1")
    }

    @Test("leaves nothing of the client's own user in an event about another")
    func noTrace() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client
        client.identify("own")
        client.group("own-group")
        client.setAdvertisingId("ad-1")

        client.track("User", options: CallOptions(userId: "u1"))
        client.track("Visitor", options: CallOptions(anonymousId: "a1", context: ["device": ["model": "X"]]))
        client.track("Group", options: CallOptions(groupId: "g1"))
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        let user = try #require(events.last { $0["event"] == "User" })
        #expect(user["userId"] == "u1" && user["anonymousId"] == nil && user["groupId"] == nil)
        #expect(user["context"]?["device"]?["advertisingId"] == nil)
        let visitor = try #require(events.last { $0["event"] == "Visitor" })
        #expect(visitor["userId"] == nil && visitor["anonymousId"] == "a1")
        #expect(visitor["context"]?["device"]?["advertisingId"] == nil)
        #expect(visitor["context"]?["device"]?["model"] == "X")
        let group = try #require(events.last { $0["event"] == "Group" })
        #expect(group["userId"] == "own" && group["groupId"] == "g1")
        #expect(group["context"]?["device"]?["advertisingId"] == "ad-1")
    }

    @Test("an identify, group or alias that names its user changes nothing of the client's own")
    func changesNothing() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client
        client.identify("own")

        client.identify("u1", traits: ["name": "Ada"], options: CallOptions(userId: "u1"))
        client.group("g1", options: CallOptions(userId: "u1"))
        client.alias("u2", options: CallOptions(anonymousId: "a1"))
        client.identify("u3", options: CallOptions(timestamp: Self.past))
        client.track("Last")
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(
            events.map { $0["userId"]?.stringValue } == ["own", "u1", "u1", "u2", "u3", "u3"])
        #expect(events.map { $0["groupId"]?.stringValue } == [nil, nil, "g1", nil, nil, nil])
        #expect(events[1]["traits"] == ["name": "Ada"] && events[1]["anonymousId"] == nil)
        #expect(events[3]["anonymousId"] == "a1")
        #expect(client.info("userId") == "u3" && client.info("groupId") == .null)
    }

    @Test("tells an id that is given and nil from one that is left out, also in options that are changed")
    func givenNil() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client
        client.identify("own")
        var changed = CallOptions()
        changed.userId = nil

        let outcomes = [
            await client.track("Changed", options: changed).outcome,
            await client.identify("u1", options: CallOptions(userId: nil as String?)).outcome,
            await client.track("Own", options: CallOptions(timestamp: Self.past)).outcome,
        ]
        _ = await client.flush(timeout: .seconds(60))

        #expect(outcomes.prefix(2) == [.dropped(.invalidValue), .dropped(.invalidValue)])
        #expect(fixture.backend.events.map { $0["userId"] } == ["own", "own"])
        #expect(CallOptions() != changed && changed.userId == nil)
    }

    @Test("takes text, whole numbers and UUIDs as ids, optional or not")
    func kindsOfIDs() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client
        let uuid = UUID()
        let number: Int64? = .max

        client.track("A", options: CallOptions(userId: 7, anonymousId: uuid, groupId: "x-g1".dropFirst(2)))
        client.track("B", options: CallOptions(userId: number, anonymousId: Optional("v"), groupId: UInt8(1)))
        client.identify(8, traits: ["a": 1])
        client.group(uuid, traits: ["a": 1] as [String: Any])
        client.alias("user \(9)".dropFirst(5))
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events.map { $0["userId"] } == ["7", "9223372036854775807", "8", "8", "9"])
        #expect(events[0]["anonymousId"]?.stringValue == uuid.uuidString && events[0]["groupId"] == "g1")
        #expect(events[1]["anonymousId"] == "v" && events[1]["groupId"] == "1")
        #expect(events[3]["groupId"]?.stringValue == uuid.uuidString)
    }

    static let invalid: [(AnalyticsCall, CallOptions, RefusalReason, String)] = [
        (.track(event: "A", properties: nil), CallOptions(userId: " "), .invalidValue, "'options.userId' is blank"),
        (
            .track(event: "A", properties: nil), CallOptions(anonymousId: ""), .invalidValue,
            "'options.anonymousId' is blank"
        ),
        (
            .track(event: "A", properties: nil), CallOptions(groupId: String(repeating: "é", count: 513)),
            .invalidValue,
            "'options.groupId' has more than 1,024 bytes"
        ),
        (
            .track(event: "A", properties: nil), CallOptions(timestamp: Timestamp(milliseconds: .max)), .invalidValue,
            "'options.timestamp' is not in the years 0 to 9999"
        ),
        (
            .track(event: "A", properties: nil), CallOptions(context: Properties(["x": Double.nan] as [String: Any])),
            .serialization, "x"
        ),
        (
            .identify(userId: "u1", traits: nil), CallOptions(userId: "u2"), .invalidValue,
            "'options.userId' is another than the call's own"
        ),
        (
            .track(event: "A", properties: nil), CallOptions(userId: nil as String?), .invalidValue,
            "'options.userId' is given and has no value"
        ),
        (
            .track(event: "A", properties: nil), CallOptions(userId: "u1", anonymousId: nil as UUID?), .invalidValue,
            "'options.anonymousId' is given and has no value"
        ),
        (
            .track(event: "A", properties: nil), CallOptions(groupId: nil as Int?), .invalidValue,
            "'options.groupId' is given and has no value"
        ),
        (
            .group(groupId: "é", traits: nil), CallOptions(groupId: "e\u{301}"), .invalidValue,
            "'options.groupId' is another than the call's own"
        ),
        (.setAdvertisingId("ad"), CallOptions(userId: "u1"), .invalidValue, "takes no options"),
    ]

    @Test(
        "drops the call if it is not valid, leaves no trace, and the log names the option", arguments: invalid.indices)
    func faults(index: Int) async throws {
        let (call, options, reason, words) = Self.invalid[index]
        let fixture = try AnalyticsFixture()
        await fixture.start()

        let outcome = await fixture.client.enqueue(call, options: options, messageId: nil).outcome
        fixture.client.track("After")
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(outcome == .dropped(reason))
        #expect(fixture.log.lines.all.contains { $0.contains(words) }, "\(fixture.log.lines.all)")
        #expect(fixture.names == ["After"])
        #expect(fixture.client.info("userId") == .null && fixture.client.info("groupId") == .null)
    }

    @Test("a context that is too large drops its call alone")
    func tooLarge() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options { $0.maxEventBytes = 4096 })

        let long = JSONValue(String(repeating: "x", count: 4096))
        let outcome = await fixture.client.track("A", options: CallOptions(context: ["x": long])).outcome

        #expect(outcome == .dropped(.tooLarge))
    }

    @Test("a repeated message id queues nothing, even if the second call is about another user")
    func once() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        for user in ["u1", "u2"] {
            let outcome = await fixture.client.track(
                "A", options: CallOptions(userId: user), messageId: "order-1"
            ).outcome
            #expect(outcome == .queued(.of("order-1")))
        }
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.map { $0["userId"] } == ["u1"])
    }

    @Test("an event about the past waits as long as any other, and is not expired by its time")
    func notExpired() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options { $0.eventTTL = .seconds(3600) })

        fixture.client.track("A", options: CallOptions(timestamp: Self.past))
        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report == FlushReport(delivered: 1, remaining: 0))
    }

    @Test("holds for calls made before the client is ready")
    func held() async throws {
        let fixture = try AnalyticsFixture()
        fixture.client.track("A", options: CallOptions(userId: "u1", context: ["ip": "192.0.2.1"]))
        await fixture.start()
        _ = await fixture.client.flush(timeout: .seconds(60))

        let event = try #require(fixture.backend.events.first)
        #expect(event["userId"] == "u1" && event["context"]?["ip"] == "192.0.2.1")
    }

    @Test("of a thousand users at once reaches each event, in each user's order")
    func thousandUsers() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(maxQueueEvents: 10_000))
        let client = fixture.client

        await withTaskGroup(of: Void.self) { group in
            for user in 0..<1000 {
                group.addTask {
                    for step in 0..<3 {
                        client.track(
                            "Step \(step)", properties: ["user": JSONValue(user)],
                            options: user % 2 == 0
                                ? CallOptions(userId: "u\(user)", anonymousId: "a\(user)")
                                : CallOptions(userId: "u\(user)"))
                    }
                    _ = await client.identify("u\(user)", options: CallOptions(userId: "u\(user)")).outcome
                }
            }
        }
        #expect(await client.flush(timeout: .seconds(60)).remaining == 0)

        let events = fixture.backend.events
        #expect(events.count == 4000)
        var steps: [String: [String]] = [:]
        for event in events {
            let user = try #require(event["userId"]?.stringValue)
            steps[user, default: []].append(event["event"]?.stringValue ?? "identify")
            guard let number = event["properties"]?["user"]?.intValue else { continue }
            #expect(user == "u\(number)")
            #expect(event["anonymousId"] == (number % 2 == 0 ? .string("a\(number)") : nil))
        }
        #expect(steps.count == 1000)
        #expect(steps.values.allSatisfy { $0 == ["Step 0", "Step 1", "Step 2", "identify"] })
        #expect(client.info("userId") == .null)
    }
}

extension [JSONValue] {
    /// The events of these names.
    fileprivate func named(_ first: String, _ second: String) -> (JSONValue, JSONValue)? {
        guard let one = last(where: { $0["event"]?.stringValue == first }),
            let other = last(where: { $0["event"]?.stringValue == second })
        else { return nil }
        return (one, other)
    }
}
