import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("Credentials over the bridge")
struct CredentialsBridgeTests {
    private static let key = "secret-key-of-new-2222"

    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend { request in
            let isKnown = request.header("X-API-Key") == Self.key || request.text.contains(Self.key)
            guard isKnown else { return .status(401) }
            return .status(200, body: #"{"data":{"id":"S1"}}"#)
        }
    }

    /// What each client is initialised with, and the beginning of its methods' names.
    private func clients(_ key: JSONValue) -> [(initialize: String, params: JSONValue, prefix: String)] {
        let options: JSONObject = ["storageDirectory": .string(folder.path("state")), "retryDelayMs": 10]
        func with(_ more: JSONObject) -> JSONValue {
            var all = options
            all.merge(more)
            return .object(all)
        }
        let url = JSONValue.string(backend.server.url)
        return [
            ("init", ["925", with(["apiUrl": url, "xApiKey": key, "sessionCreation": "inBackground"])], ""),
            ("analytics.initialize", [with(["ingestionHost": url, "writeKey": key, "flushAt": 1])], "analytics."),
            ("basic.initialize", [key, url, .null, with([:])], "basic."),
        ]
    }

    @Test("that are set end the halt of each client at once, by position or by name, and are logged nowhere")
    func halted() async throws {
        let client = try BridgeClient()
        try await client.call("host.subscribe", ["log"])
        for (initialize, params, prefix) in clients("secret-key-of-old-1111") {
            try await client.call(initialize, params)
            try await client.call(prefix + "track", ["A"])
            #expect(try await client.call(prefix + "flush", [60_000])["stoppedBy"] == "halted")

            let credentials: JSONValue =
                prefix.isEmpty ? [.string(Self.key), ["X-Tenant": "shop"]] : ["key": .string(Self.key)]
            #expect(try await client.call(prefix + "setCredentials", credentials) == [:])

            #expect(try await client.call(prefix + "flush", [60_000])["remaining"] == 0)
            let info = try await client.call(prefix + "getDebugInfo")
            #expect(info["lifecycle"] == "ready" && !"\(info)".contains("secret"))
        }
        #expect(backend.server.requests.contains { $0.header("X-Tenant") == "shop" })
        #expect(!client.others.all.isEmpty && !"\(client.others.all)".contains("secret"))
        for params in [[" "], [], [.null, ["Host": "a"]]] as [JSONValue] {
            #expect(try await client.start("setCredentials", params).failure?.code == "INVALID_CONFIGURATION")
        }
    }

    @Test("are asked for when a client is initialised without a key and after a 401, once a client has subscribed")
    func asks() async throws {
        let client = try BridgeClient()
        for (initialize, params, _) in clients(.null) {
            #expect(try await client.start(initialize, params).failure != nil)
        }
        try await client.call("host.subscribe", ["credentials"])
        for (number, (initialize, params, prefix)) in clients(.null).enumerated() {
            try await client.call(initialize, params)
            try await client.call(prefix + "track", ["A"])
            let name = prefix.isEmpty ? "tracker" : String(prefix.dropLast())
            let first = try await client.others.values(atLeast: 2 * number + 1)[2 * number]
            #expect(first["method"] == "credentials" && first["params"] == ["client": .string(name)])

            // The first answer is refused too, and the host asks once more.
            try await client.call(prefix + "setCredentials", ["other-key"])
            let second = try await client.others.values(atLeast: 2 * number + 2)[2 * number + 1]
            #expect(second["params"]?["client"] == .string(name))
            #expect(second["params"]?["message"]?.stringValue?.contains("answered 401") == true)
            try await client.call(prefix + "setCredentials", [.string(Self.key)])
            #expect(try await client.call(prefix + "flush", [60_000])["remaining"] == 0)
        }
    }
}
