import JSONRPC
import TestSupport
import Testing
import TrackerModels

@testable import Bridge

@Suite("The methods of the host itself")
struct HostMethodTests {
    @Test("host.info names what the host is and every method")
    func info() async throws {
        let info = try await BridgeClient(["--max-message-bytes", "4096"]).call("host.info")

        #expect(info["name"] == "BridgeHost")
        #expect(info["version"] == .string(ProductVersion.current))
        #expect(info["protocolVersion"] == 1)
        #expect(info["maxMessageBytes"] == 4096)
        #expect(info["methods"] == .array(BridgedMethod.all.map { .string($0.method.name) }))
    }

    @Test("a client gets no notifications that it did not ask for")
    func silence() async throws {
        let client = try BridgeClient()

        try await client.call("track", ["DROPPED"])
        try await client.finish()

        #expect(client.others.all.isEmpty)
    }

    @Test(
        "host.subscribe brings log messages, in every form",
        arguments: [["log"], [["log"]], ["topics": ["log"]]] as [JSONValue])
    func log(params: JSONValue) async throws {
        let client = try BridgeClient(["--log-level", "error"])

        #expect(try await client.call("host.subscribe", params) == [:])
        try await client.call("track", ["DROPPED"])

        let received = try await client.others.values(atLeast: 1)
        #expect(received.count == 1)
        #expect(received[0]["jsonrpc"] == "2.0" && received[0]["method"] == "log" && received[0]["id"] == nil)
        #expect(received[0]["params"]?["level"] == "warning")
        #expect(received[0]["params"]?["message"] == "Not initialized. Call init() first.")
        #expect(received[0]["params"]?["at"]?.stringValue?.hasSuffix("Z") == true)
    }

    @Test("a thousand calls before init are one line and a count on stderr")
    func refusals() async throws {
        let client = try BridgeClient()

        for _ in 1...1_000 { client.start("track", ["EARLY"]) }
        try await client.call("basic.track", ["EARLY"])
        try await client.finish()

        #expect(
            try await client.host.logged("1000 calls").sorted() == [
                "[MobileTracker] warning: 1000 calls were dropped: NOT_INITIALIZED",
                "[MobileTracker] warning: Not initialized. Call init() first.",
                "[MobileTracker] warning: basic: Not initialized. Call basic.initialize() first.",
            ])
    }

    @Test("with --log-format json each line has the fields of a notification, and those of what an answer says as well")
    func logAsData() async throws {
        let folder = try TemporaryDirectory()
        let client = try BridgeClient(["--log-format", "json"])

        try await client.call("host.subscribe", ["log"])
        try await client.call("track", ["EARLY"])
        try await client.call("updateLocation", [91, 0, 0])
        try await client.call("track", ["eventName": "A", "messageId": ""])
        await #expect(throws: BridgeFailure.self) {
            try await client.call("init", ["925", ["storageDirectory": .string(folder.path("state"))]])
        }
        try await client.finish()

        let entries = try client.host.log.all.map { JSONValue(try JSONText(validating: $0)) }
        try #require(entries.count == 4, "\(entries)")
        // The last one, the count of the calls before `init`, comes at the end.
        #expect(entries.prefix(3) == client.others.all.prefix(3).map { $0["params"] ?? .null }[...])
        #expect(
            entries.map { $0["reason"] ?? $0["code"] } == [
                "NOT_INITIALIZED", "INVALID_VALUE", "INVALID_CONFIGURATION", "NOT_INITIALIZED",
            ])
        #expect(entries[0]["call"] == "EARLY" && entries[0]["fault"] == nil)
        #expect(entries[1]["call"] == "track" && entries[1]["level"] == "warning")
        #expect(entries[1]["fault"] == ["reason": "messageID", "option": "messageId"])
    }

    @Test("the count of the calls that a full queue refused is told as what their outcomes say")
    func countOfRefusals() async throws {
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let client = try BridgeClient(["--log-format", "json"])

        try await client.call("init", ["925", backend.config(folder, ["consent": "pending", "maxPendingEvents": 1])])
        try await client.call("track", ["HELD"])
        for _ in 1...3 { #expect(try await client.call("track", ["NO"])["reason"] == "QUEUE_FULL") }
        try await client.call("setConsent", ["granted"])
        #expect(try await client.call("flush")["remaining"] == 0)
        try await client.finish()

        let entries = try client.host.log.all.map { JSONValue(try JSONText(validating: $0)) }
        #expect(backend.eventNames == ["HELD"])
        #expect(entries.filter { $0["reason"] == "QUEUE_FULL" }.count == 2)
        #expect(!entries.contains { $0["reason"] == nil && $0["message"]?.stringValue?.contains("queue") == true })
    }

    @Test(
        "host.subscribe brings what happens to events and to the session, by the names of what arrives",
        arguments: ["diagnostic", "diagnostics"])
    func diagnostics(topic: String) async throws {
        let folder = try TemporaryDirectory()
        let backend = try Backend { $0.path == "/v2/tracking-session-data" ? .status(422) : nil }
        let client = try BridgeClient()

        try await client.call("host.subscribe", [.string(topic), "session"])
        try await client.call("track", ["EARLY"])
        try await client.call("init", ["925", backend.config(folder)])
        try await client.call("track", ["eventName": "BAD", "messageId": "m1"])
        try await client.call("flush")
        try await client.call("reset")
        _ = try await backend.server.requests(atLeast: 3)

        let received = try await client.others.values(atLeast: 5)
        func params(_ method: String) -> [JSONValue] {
            received.filter { $0["method"] == .string(method) }.compactMap { $0["params"] }
        }
        #expect(
            params("diagnostic").contains(
                ["client": "tracker", "kind": "refused", "reason": "NOT_INITIALIZED", "call": "EARLY"]))
        #expect(
            params("diagnostic").contains(
                ["client": "tracker", "kind": "dropped", "reason": "rejected", "status": 422, "messageId": "m1"]))
        #expect(
            params("session").prefix(3) == [
                ["sessionId": "session-1"], ["sessionId": nil], ["sessionId": "session-2"],
            ])
    }

    @Test("host.shutdown answers, and calls after it are not read")
    func shutdown() async throws {
        let client = try BridgeClient()

        let shutdown = client.start("host.shutdown")

        #expect(try await shutdown.value == [:])
        #expect(try await client.host.end() == .code(0))
    }
}
