import TestSupport
import Testing
import TrackerModels

@Suite("Analytics calls over the bridge that say whom they are about")
struct AnalyticsCallTests {
    private let folder: TemporaryDirectory
    private let backend: Backend
    private let client: BridgeClient

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
        client = try BridgeClient()
    }

    private func initialize() async throws {
        try await client.call(
            "analytics.initialize",
            [
                [
                    "writeKey": "key-12345678", "ingestionHost": .string(backend.server.url),
                    "storageDirectory": .string(folder.path("state")), "flushIntervalSeconds": 86_400,
                ]
            ])
    }

    private var events: [JSONValue] { backend.server.requests.flatMap { $0.json["batch"]?.arrayValue ?? [] } }

    @Test("reach each event, a thousand users interleaved, in their order")
    func thousandUsers() async throws {
        try await initialize()

        var answers: [Answer] = []
        for step in 0..<3 {
            for user in 0..<1000 {
                let options: JSONValue = ["userId": .string("u\(user)"), "context": ["n": JSONValue(user)]]
                answers.append(client.start("analytics.track", [.string("Step \(step)"), [:], options]))
            }
        }
        for answer in answers { #expect(try await answer.value["status"] == "queued") }
        #expect(try await client.call("analytics.flush", [60_000])["remaining"] == 0)

        #expect(
            events.map { $0["userId"]?.stringValue } == (0..<3).flatMap { _ in (0..<1000).map { "u\($0)" } })
        #expect(
            events.map { $0["event"]?.stringValue }
                == (0..<3).flatMap { step in (0..<1000).map { _ in "Step \(step)" } })
        #expect(events.enumerated().allSatisfy { $1["context"]?["n"] == JSONValue($0 % 1000) })
        #expect(events.allSatisfy { $0["anonymousId"] == nil })
        #expect(try await client.call("analytics.getDebugInfo")["userId"] == .null)
    }

    @Test(
        "take values as deep as a call may have them, for each API",
        arguments: ["metaRouter", "segment", "postHog", "amplitude", "mixpanel", "otlp"])
    func deepValues(api: String) async throws {
        try await client.call(
            "analytics.initialize",
            [
                [
                    "writeKey": "key-12345678", "ingestionHost": .string(backend.server.url), "api": .string(api),
                    "storageDirectory": .string(folder.path("state")), "flushIntervalSeconds": 86_400,
                ]
            ])
        for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
            let value = String(repeating: opening, count: 127) + #""deepest""# + String(repeating: closing, count: 127)
            #expect(
                try await client.start("analytics.track", text: #"["Deep",{"p":\#(value)}]"#).value["status"]
                    == "queued")
        }

        #expect(try await client.call("analytics.flush", [60_000]) == ["delivered": 2, "remaining": 0])

        let text = backend.server.requests.map(\.text).joined()
        #expect(text.split(separator: "deepest").count == 3)
    }

    @Test("take the time in any zone, and the key beside it")
    func timestamp() async throws {
        try await initialize()

        let params: JSONValue = [
            "event": "A", "messageId": "m-1",
            "options": ["anonymousId": "a1", "timestamp": "2020-09-13T14:26:40+02:00", "context": .null],
        ]
        #expect(try await client.call("analytics.track", params) == ["status": "queued", "messageId": "m-1"])
        _ = try await client.call("analytics.flush", [60_000])

        let event = try #require(events.first)
        #expect(event["timestamp"] == "2020-09-13T12:26:40.000Z" && event["messageId"] == "m-1")
        #expect(event["anonymousId"] == "a1" && event["userId"] == nil)
    }

    @Test(
        "are dropped if an option is not valid, and the log names it",
        arguments: [
            (["userId": 7.5], "'options.userId' must be a string or a whole number"),
            (["userId": nil], "'options.userId' is given and has no value"),
            (["anonymousId": nil, "userId": "u1"], "'options.anonymousId' is given and has no value"),
            (["groupId": nil], "'options.groupId' is given and has no value"),
            (["anonymousId": " "], "'options.anonymousId' is blank"),
            (["groupId": .string(String(repeating: "g", count: 1025))], "'options.groupId' has more than 1,024 bytes"),
            (["timestamp": "yesterday"], "'options.timestamp' must be a date and time with its zone"),
            (["timestamp": 1_600_000_000_000], "'options.timestamp' must be a date and time with its zone"),
            (["context": "x"], "'options.context' must be an object"),
            (["userid": "u1"], "'options.userid' is not known; did you mean 'userId'?"),
        ] as [(JSONValue, String)])
    func faults(options: JSONValue, words: String) async throws {
        try await initialize()
        try await client.call("host.subscribe", ["log"])

        let outcome = try await client.call("analytics.track", ["A", [:], options])

        #expect(outcome["reason"] == "INVALID_VALUE" && outcome["fault"]?["reason"] != nil, "\(outcome)")
        let logged = try await client.others.values(atLeast: 1)
        #expect(logged.contains { $0["params"]?["message"]?.stringValue?.contains(words) == true }, "\(logged)")
        #expect(
            try await client.call("analytics.getDebugInfo")["refused"] == ["INVALID_VALUE": 1])
    }

    @Test("take whole numbers for ids, and their digits are sent")
    func numbers() async throws {
        try await initialize()

        let huge = JSONValue.number(JSONNumber(UInt64.max))
        try await client.call("analytics.track", ["A", [:], ["userId": 7, "anonymousId": huge, "groupId": -1]])
        try await client.call("analytics.group", [8, nil, ["userId": 7]])
        try await client.call("analytics.alias", [9, ["userId": "9", "anonymousId": 7]])
        try await client.call("analytics.identify", [10])
        _ = try await client.call("analytics.flush", [60_000])

        #expect(events.map { $0["userId"] } == ["7", "7", "9", "10"])
        #expect(events[0]["anonymousId"] == "18446744073709551615" && events[0]["groupId"] == "-1")
        #expect(events[1]["groupId"] == "8" && events[2]["anonymousId"] == "7")
    }

    @Test("take no options where they are no event, and none that is no object")
    func invalidParams() async throws {
        try await initialize()

        for (method, params) in [
            ("analytics.setAdvertisingId", ["ad", ["userId": "u1"]]), ("analytics.track", ["A", [:], "u1"]),
        ] as [(String, JSONValue)] {
            let failure = try await client.start(method, params).failure
            #expect(failure?.code == "INVALID_PARAMS", "\(method)")
        }
    }
}
