import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A scope around analytics calls")
struct AnalyticsScopeTests {
    @Test("files 1,000 interleaved requests each under its own user")
    func interleaved() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(maxQueueEvents: 5000, maxBatchSize: 1000))
        let client = fixture.client
        client.identify("own")

        await withTaskGroup(of: Void.self) { requests in
            for user in 0..<1000 {
                requests.addTask {
                    await AnalyticsScope.with(userId: user, properties: ["user": JSONValue(user)]) {
                        await Task.yield()
                        client.track("Body")
                        await withTaskGroup(of: Void.self) { steps in
                            steps.addTask { client.track("Child") }
                            steps.addTask {
                                await Task.yield()
                                _ = await client.track("Awaited").outcome
                            }
                        }
                        await Task { _ = client.track("Task") }.value
                    }
                }
            }
        }
        _ = await client.flush(timeout: .seconds(600))

        let events = fixture.backend.events.dropFirst()
        #expect(events.count == 4000)
        #expect(events.allSatisfy { $0["userId"]?.stringValue == $0["properties"]?["user"]?.intValue.map { "\($0)" } })
        #expect(events.allSatisfy { $0["anonymousId"] == nil })
        #expect(client.info("userId") == "own")
        await client.shutdown()
    }

    @Test("yields to the call, and over the defaults and the stored user")
    func precedence() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(context: ["app": ["name": "Shop"]]))
        let client = fixture.client
        client.identify("own")
        client.group("own-group")
        try client.setDefaults(
            properties: ["release": 1, "a": "default"], context: ["region": "eu", "app": ["build": "7"]])

        AnalyticsScope.with(
            userId: 7, anonymousId: "v", groupId: "g", context: ["region": "us"],
            properties: ["a": "scope", "b": "scope"]
        ) {
            client.track("Scope", properties: ["b": "call"])
            client.track("Call", options: CallOptions(userId: "7", groupId: "g2", context: ["region": "call"]))
        }
        client.track("Outside")
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events.dropFirst(2)
        let ids = events.map { [$0["userId"], $0["groupId"]] }
        #expect(ids == [["7", "g"], ["7", "g2"], ["own", "own-group"]])
        #expect(events.map { $0["anonymousId"] }.prefix(2) == ["v", "v"])
        #expect(
            events.map { $0["properties"] } == [
                ["release": 1, "a": "scope", "b": "call"], ["release": 1, "a": "scope", "b": "scope"],
                ["release": 1, "a": "default"],
            ])
        #expect(events.map { $0["context"]?["region"] } == ["us", "call", "eu"])
        #expect(events.allSatisfy { $0["context"]?["app"] == ["name": "Shop", "build": "7"] })
        await client.shutdown()
    }

    @Test("gives nothing of one person to an event of another, whoever names them")
    func another() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client
        client.identify("own")

        AnalyticsScope.with(userId: "u1", anonymousId: "v1", groupId: "g1") {
            client.track("Another user", options: CallOptions(userId: "u2"))
            client.track("Same user", options: CallOptions(userId: "u1", anonymousId: "v9"))
            client.track("Another visitor", options: CallOptions(anonymousId: "v2"))
            client.identify("u3")
            client.identify("u1")
            client.alias("u4")
            client.group("g5")
            AnalyticsScope.with(userId: "u6") { client.track("Inner") }
            AnalyticsScope.with(groupId: "g7") { client.track("Inner group") }
        }
        AnalyticsScope.with(anonymousId: "v1", groupId: "g1") {
            client.track("Another visitor, no user", options: CallOptions(anonymousId: "v2"))
        }
        AnalyticsScope.with(anonymousId: "v1") { client.identify("u8") }
        AnalyticsScope.with(groupId: "g9") { client.group("g10") }
        client.track("Own")
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events.dropFirst()
        let own = client.info("anonymousId")?.stringValue
        let expected: [[String?]] = [
            ["u2", nil, nil], ["u1", "v9", "g1"], ["u1", "v2", "g1"], ["u3", nil, nil], ["u1", "v1", "g1"],
            ["u4", "v1", "g1"], ["u1", "v1", "g5"], ["u6", nil, nil], ["u1", "v1", "g7"], [nil, "v2", nil],
            ["u8", "v1", nil],
            ["own", own, "g10"], ["own", own, "g10"],
        ]
        #expect(
            events.map { event in ["userId", "anonymousId", "groupId"].map { event[$0]?.stringValue } } == expected)
        #expect(client.info("userId") == "own" && client.info("groupId") == "g10")
        await client.shutdown()
    }

    static let wrong: [(AnalyticsScope, String)] = [
        (AnalyticsScope(userId: nil as String?), "'scope.userId' is given and has no value"),
        (AnalyticsScope(userId: "u1", anonymousId: " "), "'scope.anonymousId' is blank"),
        (AnalyticsScope(groupId: String(repeating: "x", count: 1025)), "'scope.groupId' has more than"),
        (AnalyticsScope(userId: "u1", properties: ["n": JSONValue(Double.nan)]), "scope.properties"),
        (AnalyticsScope(userId: "u1", context: ["n": JSONValue(Double.infinity)]), "scope.context"),
    ]

    @Test("drops every call if it is not valid, also one that names its user", arguments: wrong)
    func invalid(scope: AnalyticsScope, message: String) async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        let outcomes = await scope.hold {
            [
                await fixture.client.track("A").outcome,
                await fixture.client.track("B", options: CallOptions(userId: "u1")).outcome,
            ]
        }
        let advertising = await scope.hold { await fixture.client.setAdvertisingId("ad-1").outcome }

        #expect(advertising == .dropped(.invalidValue))
        let isJSON = !message.hasPrefix("scope")
        #expect(outcomes == [TrackOutcome](repeating: .dropped(isJSON ? .invalidValue : .serialization), count: 2))
        #expect(fixture.log.lines.all.contains { $0.contains(message) })
        await fixture.client.shutdown()
    }

    @Test("sets no identifier of the client's own user, unless it names nobody")
    func advertising() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client

        let inside = AnalyticsScope.with(userId: "u1") { client.setAdvertisingId("ad-1") }
        let nobody = AnalyticsScope.with(properties: [:]) { client.setAdvertisingId("ad-2") }

        #expect(await inside.outcome == .dropped(.invalidValue))
        #expect(await nobody.outcome != .dropped(.invalidValue))
        await client.shutdown()
    }

    @Test("goes with calls that wait for initialize, and is shown to beforeSend")
    func waiting() async throws {
        let fixture = try AnalyticsFixture()
        let client = fixture.client
        try client.setDefaults(properties: ["release": 1])
        AnalyticsScope.with(userId: "u1", properties: ["email": "a@example.com", "plan": "pro"]) {
            client.track("Early")
            client.track("Hidden")
        }
        try client.setDefaults()

        var options = fixture.options()
        options.beforeSend = { call in
            var call = call
            if call.name == "Hidden" { call.scope = nil } else { call.scope?.properties = ["plan": "pro"] }
            return call
        }
        await fixture.start(options)
        _ = await client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events.map { $0["userId"] } == ["u1"])
        #expect(events.first?["properties"] == ["release": 1, "plan": "pro"])
        await client.shutdown()
    }

    @Test("ends with its body, also when that throws, and returns what the body does")
    func ends() async throws {
        struct Own: Error {}

        #expect(throws: Own.self) { try AnalyticsScope.with(userId: "u1") { throw Own() } }
        await #expect(throws: Own.self) {
            try await AnalyticsScope.with(userId: "u1") {
                await Task.yield()
                throw Own()
            }
        }
        #expect(AnalyticsScope.current == nil)
        #expect(AnalyticsScope.with(userId: "u1") { AnalyticsScope.current?.userId } == "u1")
    }

    @Test("refuses defaults that are too large or no JSON, and goes on with those before")
    func defaults() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let client = fixture.client
        try client.setDefaults(properties: ["a": 1])

        let large = #expect(throws: TrackerError.self) {
            try client.setDefaults(context: ["a": .string(String(repeating: "x", count: 32 * 1024))])
        }
        let wrong = #expect(throws: TrackerError.self) {
            try client.setDefaults(properties: ["n": JSONValue(Double.nan)])
        }
        client.track("A")
        _ = await client.flush(timeout: .seconds(60))

        #expect(large?.code == .invalidConfiguration && large?.message.contains("'context' is too large") == true)
        #expect(wrong?.message.contains("'properties.n' is NaN, which JSON does not have") == true)
        #expect(fixture.backend.events.last?["properties"] == ["a": 1])
        await client.shutdown()
    }
}
