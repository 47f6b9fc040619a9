import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("The methods that forget a person")
struct ForgetMethodTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend { _ in .status(503) }
    }

    private func start() async throws -> BridgeClient {
        let client = try BridgeClient()
        let (url, state) = (JSONValue.string(backend.server.url), JSONValue.string(folder.path("state")))
        try await client.call(
            "analytics.initialize", [["writeKey": "wk", "ingestionHost": url, "storageDirectory": state]])
        return client
    }

    @Test("report what was erased, and drop what comes later until it is taken back")
    func forgets() async throws {
        let client = try await start()
        try await client.call("analytics.track", ["A", nil, ["userId": "SECRET-USER"]])
        try await client.call("analytics.track", ["B", nil, ["anonymousId": "SECRET-VISITOR"]])
        try await client.call("analytics.track", ["C", nil, ["userId": "other"]])

        let report = try await client.call(
            "analytics.forget", ["userId": "SECRET-USER", "anonymousId": "SECRET-VISITOR"])

        #expect(report == ["erased": 2, "deliveredOfAnyone": 0])
        let dropped = try await client.call("analytics.track", ["D", nil, ["userId": "SECRET-USER"]])
        #expect(dropped == ["status": "dropped", "reason": "FORGOTTEN"])
        let info = try await client.call("analytics.getDebugInfo")
        #expect(info["queueLength"] == 1 && info["account"]?["dropped"]?["forgotten"] == 2)
        #expect(try await client.call("analytics.unforget", ["SECRET-USER"]) == [:])
        #expect(try await client.call("analytics.track", ["E", nil, ["userId": "SECRET-USER"]])["status"] == "queued")
        #expect(try await client.call("analytics.forget", ["SECRET-USER"])["erased"] == 1)
        try await client.finish()
        for secret in ["SECRET-USER", "SECRET-VISITOR"] {
            let found = try Program.output(of: "grep", ["-rlaF", "-e", secret, folder.path("state")])
            #expect(String(decoding: found.bytes, as: UTF8.self) == "")
        }
    }

    @Test("take a number as an id, and say what is wrong with what names nobody")
    func faults() async throws {
        let client = try await start()
        let wrong: [(JSONValue, String)] = [
            ([], "Name a person, by 'userId' or by 'anonymousId'."),
            ([nil, nil], "Name a person, by 'userId' or by 'anonymousId'."),
            ([" "], "'userId' is blank."),
            (
                ["userId": "u", "anonymousId": .string(String(repeating: "x", count: 1025))],
                "'anonymousId' has more than 1,024 bytes."
            ),
        ]
        for (params, sentence) in wrong {
            for method in ["analytics.forget", "analytics.unforget"] {
                let error = try #require(try await client.start(method, params).failure)
                #expect(error.code == "INVALID_VALUE")
                #expect(error.message == sentence)
            }
        }
        #expect(try await client.start("analytics.forget", [["userId": "u"]]).failure?.code == "INVALID_PARAMS")
        #expect(try await client.call("analytics.forget", [42]) == ["erased": 0, "deliveredOfAnyone": 0])
        #expect(try await client.call("analytics.track", ["A", nil, ["userId": "42"]])["reason"] == "FORGOTTEN")
        try await client.finish()
    }

    @Test("need a client that is initialised")
    func notInitialized() async throws {
        let client = try BridgeClient()

        #expect(try await client.start("analytics.forget", ["u"]).failure?.code == "NOT_INITIALIZED")
        try await client.call("analytics.initialize", [["enabled": false]])
        #expect(try await client.call("analytics.forget", ["u"]) == ["erased": 0, "deliveredOfAnyone": 0])
        try await client.finish()
    }
}
