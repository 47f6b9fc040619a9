import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("Options that all clients of the host have")
struct ClientOptionTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
    }

    /// What each client is initialised with, and one call to it.
    private func clients(_ options: JSONValue) -> [(initialize: String, params: JSONValue, track: String)] {
        [
            ("init", ["925", options], "track"), ("analytics.initialize", [options], "analytics.track"),
            ("basic.initialize", [.null, .null, .null, options], "basic.track"),
        ]
    }

    @Test("enabled: false stores and sends nothing, and needs nothing else")
    func off() async throws {
        let client = try BridgeClient(["--storage-dir", folder.path("state")])

        for (initialize, params, track) in clients(["enabled": false]) {
            #expect(try await client.call(initialize, params) == [:])
            #expect(
                try await client.call(track, ["A"])
                    == ["status": "dropped", "reason": "DISABLED", "fault": ["reason": "offByOption"]])
        }
        for method in ["getDebugInfo", "analytics.getDebugInfo", "basic.getDebugInfo"] {
            let info = try await client.call(method)
            #expect(info["lifecycle"] == "disabled" && info["disabledBecause"] == "enabled is false", "\(method)")
        }
        #expect(try await client.finish() == .code(0))
        #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
        #expect(backend.server.requests.isEmpty)
    }

    @Test("a pattern of a plan that repeats nothing keeps the host from nothing")
    func emptyPattern() async throws {
        let path = folder.path("plan.json")
        let plan = #"{"events":{"A":{"data":{"properties":{"v":{"pattern":"(?:(?:){99999}){99999}"}}}}}}"#
        try Data(plan.utf8).write(to: URL(filePath: path))
        let client = try BridgeClient()
        let config = backend.config(folder, ["plan": ["file": .string(path), "onBroken": "drop"]])

        #expect(try await client.call("init", ["925", config]) == [:])
        #expect(try await client.call("track", ["A", ["v": "x"]])["status"] == "queued")
        #expect(try await client.finish() == .code(0))
    }

    @Test("NO_PROXY is about the proxy of the environment, not about the option")
    func proxyOfOption() async throws {
        let proxy = try LoopbackRelay(to: .proxy())
        let client = try BridgeClient(environment: ["NO_PROXY": "*", "no_proxy": "*"])

        let options: JSONValue = ["storageDirectory": .string(folder.path("state")), "proxy": .string(proxy.url)]
        try await client.call("basic.initialize", ["key", .string(backend.server.url + "/events"), nil, options])
        try await client.call("basic.track", ["A"])
        #expect(try await client.call("basic.flush", [60_000])["remaining"] == 0)

        #expect(proxy.accepted.all.count == 1 && !backend.server.requests.isEmpty)
    }

    @Test("the environment gives what the params leave out; the command line and the params win")
    func environment() async throws {
        let environment = [
            "MOBILE_TRACKER_API_URL": backend.server.url, "MOBILE_TRACKER_KEY": "key-of-environment",
            "MOBILE_TRACKER_STORAGE_DIR": folder.path("environment"),
        ]
        let first = try BridgeClient(environment: environment)
        try await first.call("init", ["925"])
        try await first.call("track", ["A"])
        #expect(try await first.call("flush", [60_000])["remaining"] == 0)
        #expect(try await first.finish() == .code(0))
        #expect(FileManager.default.fileExists(atPath: folder.path("environment")))
        #expect(backend.server.requests.last?.header("X-API-Key") == "key-of-environment")

        let second = try BridgeClient(["--storage-dir", folder.path("line")], environment: environment)
        try await second.call("init", ["925", ["xApiKey": "own-key-1"]])
        try await second.call("track", ["B"])
        #expect(try await second.call("flush", [60_000])["remaining"] == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("line")))
        #expect(backend.server.requests.last?.header("X-API-Key") == "own-key-1")

        let file = folder.path("key")
        try "key-of-file\n".write(toFile: file, atomically: true, encoding: .utf8)
        let third = try BridgeClient(["--storage-dir", folder.path("line")], environment: environment)
        try await third.call("init", ["925", ["keyFile": .string(file), "headers": ["X-Tenant": "shop"]]])
        try await third.call("track", ["C"])
        #expect(try await third.call("flush", [60_000])["remaining"] == 0)
        #expect(backend.server.requests.last?.header("X-API-Key") == "key-of-file")
        #expect(backend.server.requests.last?.header("X-Tenant") == "shop")
        #expect(backend.distinctEventNames == ["A", "B", "C"])
    }

    @Test("a variable that is not valid is named in the error, with the code of the option")
    func faults() async throws {
        let client = try BridgeClient(
            ["--storage-dir", folder.path("state")], environment: ["MOBILE_TRACKER_API_URL": "ftp://x"])
        for ((initialize, _, _), (params, code)) in zip(
            clients([:]),
            [
                (["925", ["xApiKey": "k"]], "INVALID_CONFIGURATION"), ([["writeKey": "k"]], "INVALID_CONFIGURATION"),
                (["k"], "INVALID_ENDPOINT"),
            ] as [(JSONValue, String)])
        {
            let failure = try await client.start(initialize, params).failure
            #expect(failure?.code == code)
            #expect(failure?.message.contains("MOBILE_TRACKER_API_URL") == true, "\(failure?.message ?? "")")
        }
    }

    @Test("deliveries are told of only once they are asked for, each by its message id")
    func delivered() async throws {
        let client = try BridgeClient()
        try await client.call("init", ["925", backend.config(folder)])
        try await client.call("host.subscribe", ["diagnostic"])
        try await client.call("track", ["UNHEARD"])
        #expect(try await client.call("flush", [60_000])["remaining"] == 0)

        try await client.call("host.subscribe", ["delivered"])
        try await client.call("track", .object(["eventName": "A", "messageId": "m-1"]))
        try await client.call("track", .object(["eventName": "B", "messageId": "m-2"]))
        #expect(try await client.call("flush", [60_000])["remaining"] == 0)

        let delivered = try await client.others.values(atLeast: 2)
        #expect(
            delivered.map { $0["params"] }
                == ["m-1", "m-2"].map { id in
                    ["client": "tracker", "kind": "delivered", "messageId": .string(id)]
                })
        #expect(delivered.allSatisfy { $0["method"] == "diagnostic" })
    }
}
