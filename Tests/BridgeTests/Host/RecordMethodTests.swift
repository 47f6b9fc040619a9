import Foundation
import TestSupport
import Testing
import TrackerCore
import TrackerModels
import TrackerTesting

@testable import Bridge

@Suite("The methods of a host that records calls")
struct RecordMethodTests {
    private let folder: TemporaryDirectory
    private let client: BridgeClient

    init() throws {
        folder = try TemporaryDirectory()
        client = try BridgeClient(["--record", "--storage-dir", folder.path("state")])
    }

    @Test("show the calls of all clients, and whose they are, without a server or a file")
    func calls() async throws {
        client.start("track", ["PURCHASE", ["total": 149.99]])
        client.start("analytics.identify", ["user-1"])
        client.start("analytics.track", ["Order Completed", ["total": 149.99]])
        client.start("basic.track", [" "])

        let calls = try await client.call("record.calls")["calls"]?.arrayValue ?? []

        #expect(calls.map { $0["client"] } == ["tracker", "analytics", "analytics", "basic"])
        #expect(calls.map { $0["name"] } == ["PURCHASE", nil, "Order Completed", " "])
        #expect(calls[2]["userId"] == "user-1" && calls[2]["outcome"]?["status"] == "queued")
        #expect(calls[3]["outcome"] == ["status": "dropped", "reason": "INVALID_EVENT_NAME"])
        #expect(try await client.call("flush")["remaining"] == 0)
        let found = try await client.call("record.find", ["Order Completed", ["total": 149.99], ["userId": "user-1"]])
        #expect(found == ["calls": [calls[2]]])
        #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
    }

    @Test("let a flush end where the program is asked for credentials and does not answer")
    func withoutCredentials() async throws {
        try await client.call("host.subscribe", ["credentials"])
        client.start("init", ["925", ["apiUrl": "https://api.example.com"]])
        client.start("track", ["A"])

        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(try await client.call("record.find", ["A"])["calls"]?.arrayValue?.count == 1)
    }

    @Test("show each connection to one host its own calls alone, and whose they are")
    func connections() async throws {
        let lanes = OpenLanes()
        func session() -> HostSession {
            HostSession(
                settings: HostSettings(
                    appName: "record", storageDirectory: folder.path("state"), maxMessageBytes: 1 << 20,
                    isRecording: true),
                log: HostLog(descriptor: -1, least: nil), notify: { _ in }, lanes: lanes, stop: {})
        }
        let (first, second) = (session(), session())
        first.analytics.track("A")
        second.analytics.identify("user-1")
        second.analytics.track("B")

        #expect(await first.test?.calls.map(\.name) == ["A"])
        let calls = await second.test?.calls ?? []
        #expect(calls.map(\.userId) == ["user-1", "user-1"] && calls.last?.name == "B")
        #expect(lanes.count == 0)
    }

    @Test("show the calls that were made before, and none that was made after")
    func questionsInOrder() async throws {
        try await client.call("init", ["925", ["apiUrl": "http://127.0.0.1:9", "xApiKey": "key-12345678"]])
        let tracks = Array(repeating: #"{"jsonrpc":"2.0","method":"track","params":["A"]}"#, count: 30)

        // They come in one message, so that no question is answered before the next call is there.
        let calls = (1...10).map { id in
            #"{"jsonrpc":"2.0","id":\#(id),"method":"record.calls"},"# + tracks.joined(separator: ",")
        }
        client.send("[\(calls.joined(separator: ","))]")

        let answers = try await client.others.values(atLeast: 1)[0].arrayValue ?? []
        #expect(answers.compactMap { $0["result"]?["calls"]?.arrayValue?.count } == (0..<10).map { $0 * 30 })
    }

    @Test("say what is wrong with the calls that came")
    func expects() async throws {
        client.start("track", ["PURCHASE", ["total": 99]])

        let met = try await client.call("record.expect", ["name": "PURCHASE", "count": 1])
        #expect(met["failure"] == .null && met["calls"]?.arrayValue?.count == 1)
        let missed = try await client.call("record.expect", ["PURCHASE", ["total": 149.99]])
        #expect(missed["calls"] == [])
        #expect(missed["failure"]?.stringValue?.hasSuffix("  properties.total is 99; expected 149.99.") == true)
        #expect(try await client.start("record.expect", []).failure?.code == "INVALID_PARAMS")
        let misspelled = try await client.start("record.expect", ["PURCHASE", [:], ["userID": "user-1"], 0]).failure
        #expect(misspelled?.code == "INVALID_PARAMS" && misspelled?.message.contains("'userId'") == true)
    }

    @Test("show the properties of a scope and of the defaults as they are sent")
    func scopes() async throws {
        client.start("analytics.setDefaults", [["shop": "CH"]])
        client.start(
            "analytics.track", ["event": "A", "properties": ["total": 1], "scope": [["properties": ["page": 2]]]])

        let found = try await client.call("record.expect", ["A", ["total": 1, "page": 2, "shop": "CH"]])

        #expect(found["failure"] == .null)
        let absent = try await client.call("record.expect", ["name": "A", "properties": ["page": 2], "count": 0])
        #expect(absent["failure"] != .null)
    }

    @Test("take ids as calls do, and refuse what no call can have: a test that expects no call would pass with it")
    func expectedMembers() async throws {
        client.start("analytics.track", ["event": "A", "options": ["userId": 7]])

        #expect(try await client.call("record.expect", ["A", [:], ["userId": 7]])["failure"] == .null)
        #expect(try await client.call("record.expect", ["A", [:], ["userId": 7], 0])["failure"] != .null)
        let wrong: [(JSONValue, String)] = [
            (["userId": nil], "'call.userId' must be a string or a whole number"),
            (["groupId": 1.5], "'call.groupId' must be a string or a whole number"),
            (["method": "analytics.track"], "'call.method' must be 'alias' or 'continueSession' or 'group'"),
            (["client": "Analytics"], "'call.client' must be 'tracker' or 'analytics' or 'basic'"),
            (["outcome": ["status": "dropped", "reason": "FULL"]], "'call.outcome.reason' must be 'NOT_INITIALIZED'"),
            (["outcome": "queued"], "'call.outcome.status' must be 'queued' or 'pending' or 'dropped'"),
        ]
        for (members, sentence) in wrong {
            let failure = try await client.start("record.expect", ["A", [:], members, 0]).failure
            #expect(failure?.code == "INVALID_PARAMS" && failure?.message.contains(sentence) == true, "\(members)")
        }
    }

    @Test("play a refusal, until they are told otherwise")
    func fails() async throws {
        try await client.call("record.fail", ["STORAGE_ERROR"])
        #expect(try await client.call("track", ["A"])["reason"] == "STORAGE_ERROR")
        try await client.call("record.clear")
        #expect(try await client.call("track", ["A"])["status"] == "queued")
        #expect(try await client.call("record.calls")["calls"]?.arrayValue?.count == 1)
        #expect(try await client.start("record.fail", ["FULL"]).failure?.code == "INVALID_PARAMS")
    }

    @Test("end the clients and keep their calls")
    func shutsDown() async throws {
        client.start("track", ["Before"])
        client.start("analytics.track", ["Before"])
        #expect(try await client.call("record.shutdown") == [:])

        #expect(try await client.call("track", ["After"])["reason"] == "NOT_INITIALIZED")
        #expect(try await client.call("analytics.track", ["After"])["reason"] == "NOT_INITIALIZED")

        #expect(try await client.call("record.find", ["Before"])["calls"]?.arrayValue?.count == 2)
        #expect(try await client.call("record.expect", ["name": "Before", "count": 0])["failure"] != .null)
    }

    @Test(
        "are in no other host", arguments: ["record.calls", "record.clear", "record.fail", "record.shutdown"])
    func absent(_ method: String) async throws {
        let other = try BridgeClient(["--storage-dir", folder.path("other")])

        let failure = try await other.start(method, []).failure

        try await other.finish()
        #expect(failure?.number == -32601 && failure?.message.contains("--record") == true)
    }
}
