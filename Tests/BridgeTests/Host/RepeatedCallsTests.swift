import Foundation
import TestSupport
import Testing
import TrackerModels

/// What a client does after its host was killed: it makes again, under their ids, the calls that were not answered.
@Suite("Calls that are made again after a kill")
struct RepeatedCallsTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
    }

    private var options: JSONValue {
        [
            "writeKey": "wk", "ingestionHost": .string(backend.server.url),
            "storageDirectory": .string(folder.path("state")),
        ]
    }

    private func user(of event: String) -> JSONValue? {
        backend.server.requests.flatMap { $0.json["batch"]?.arrayValue ?? [] }.last { $0["event"] == .string(event) }
    }

    private func call(_ method: String, _ params: JSONObject, _ id: String) -> (String, JSONValue) {
        var params = params
        params["messageId"] = .string(id)
        return (method, .object(params))
    }

    /// Makes calls, kills the host once they are on disk, and makes them again with another.
    private func kill(after calls: [(String, JSONValue)]) async throws -> BridgeClient {
        let first = try BridgeClient()
        try await first.call("analytics.initialize", [options])
        for (method, params) in calls { try await first.call(method, params) }
        first.host.signal(SIGKILL)
        _ = try await first.host.end()
        let second = try BridgeClient()
        second.start("analytics.initialize", [options])
        for (method, params) in calls { second.start(method, params) }
        return second
    }

    @Test("do not bring back a user whom a reset has removed")
    func reset() async throws {
        let client = try await kill(after: [
            call("analytics.identify", ["userId": "ALICE"], "m1"), call("analytics.reset", [:], "m2"),
        ])
        client.start("analytics.initialize", [options])
        try await client.call("analytics.track", ["After"])
        try await client.call("analytics.flush", [60_000])

        let event = try #require(user(of: "After"))
        #expect(event["userId"] == nil)
        #expect(try await client.finish() == .code(0))
    }

    @Test("end once more what a reset has ended, if the client says so")
    func endOnceMore() async throws {
        let client = try await kill(after: [call("analytics.reset", [:], "r")])
        // A call behind a reset that has no answer is refused.
        try await client.call("analytics.getDebugInfo")
        try await client.call("analytics.track", ["Kept"])
        let (method, params) = call("analytics.reset", ["repeats": "unanswered"], "r")
        try await client.call(method, params)
        let outcome = try await client.call("analytics.track", ["After"])

        #expect(outcome["reason"] == "NOT_INITIALIZED")
        try await client.call("analytics.initialize", [options])
        try await client.call("analytics.flush", [60_000])
        #expect(user(of: "Kept") != nil)
        let failure = await #expect(throws: BridgeFailure.self) {
            try await client.call("analytics.reset", ["repeats": "maybe"])
        }
        #expect(failure?.message == "analytics.reset: 'repeats' must be 'unanswered' or 'answered'")
        #expect(try await client.finish() == .code(0))
    }

    @Test("name the user of a basic tracker and make no event, if the client says that it has had an answer")
    func nameOnceMore() async throws {
        let client = try BridgeClient()
        try await client.call(
            "basic.initialize",
            [
                "key-12345678", .string("\(backend.server.url)/events"), "1.0",
                ["storageDirectory": .string(folder.path("state"))],
            ])
        let answered: JSONObject = ["userId": "bob", "traits": ["plan": "pro"], "repeats": "answered"]
        let (method, params) = call("basic.identify", answered, "m1")
        #expect(try await client.call(method, params) == ["status": "queued", "messageId": "m1"])
        let blank = try await client.call("basic.identify", ["userId": " ", "repeats": "answered"])
        #expect(blank["reason"] == "INVALID_USER_ID")
        try await client.call("basic.track", ["A"])
        try await client.call("basic.flush", [60_000])

        let events = backend.server.requests.flatMap { $0.json.arrayValue ?? [] }
        #expect(events.map { $0["name"] } == ["A"])
        #expect(events.first?["userId"] == "bob")
        #expect(events.first?["traits"] == ["plan": "pro"])
        #expect(try await client.finish() == .code(0))
    }

    @Test("change nothing that came after them")
    func order() async throws {
        let bob = call("analytics.identify", ["userId": "BOB"], "b")
        let first = call("analytics.setAdvertisingId", ["advertisingId": "ad-1"], "s")
        let client = try await kill(after: [
            bob, first, call("analytics.identify", ["userId": "CAROL"], "c"),
            call("analytics.setAdvertisingId", ["advertisingId": "ad-2"], "t"),
        ])
        try await client.call(bob.0, bob.1)
        try await client.call(first.0, first.1)
        try await client.call("analytics.track", ["After"])
        try await client.call("analytics.flush", [60_000])

        let event = try #require(user(of: "After"))
        #expect(event["userId"] == "CAROL")
        #expect(event["context"]?["device"]?["advertisingId"] == "ad-2")
        #expect(try await client.finish() == .code(0))
    }
}
