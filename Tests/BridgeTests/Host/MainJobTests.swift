import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("The host, from the first call to the last event")
struct MainJobTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
    }

    @Test("makes a session, queues, delivers and ends", arguments: BridgeClient.Framing.allCases)
    func delivers(framing: BridgeClient.Framing) async throws {
        let client = try BridgeClient(framing: framing)

        #expect(try await client.call("init", ["925", backend.config(folder)]) == [:])
        let outcome = try await client.call("track", ["PURCHASE", ["total": 149.99], ["flow_id": "checkout_v2"]])
        let report = try await client.call("flush", [60_000])

        #expect(outcome["status"] == "queued")
        #expect(report["remaining"] == 0)
        let event = try #require(backend.server.requests.last)
        #expect(event.path == "/v2/tracking-session-data")
        #expect(
            event.text
                == #"{"brand_id":925,"session_id":"session-1","event_name":"PURCHASE","#
                + #""data":{"total":149.99,"flow_id":"checkout_v2"}}"#)
        #expect(event.header("Idempotency-Key") == outcome["messageId"]?.stringValue)
        #expect(try await client.call("host.shutdown") == [:])
        #expect(try await client.host.end() == .code(0))
    }

    @Test("keeps the calls after an init that is not awaited, and delivers them")
    func holdsDuringInit() async throws {
        let gate = try Gate()
        let backend = try Backend { request in
            guard request.path == "/v2/tracking-session" else { return nil }
            return .gated(gate, .status(200, body: #"{"data":{"id":"late"}}"#))
        }
        let client = try BridgeClient()

        let start = client.start("init", ["925", backend.config(folder)])
        let first = try await client.call("track", ["FIRST"])
        let second = try await client.call("track", ["SECOND"])

        #expect(first["status"] == "pending" && second["status"] == "pending")
        #expect(!start.isThere)
        gate.open()
        #expect(try await start.value == [:])
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(backend.eventNames == ["FIRST", "SECOND"])
    }

    @Test("keeps on disk what cannot be sent, and delivers it in its next life")
    func survives() async throws {
        let backend = try Backend { request in
            request.number == 1 ? .status(503) : nil
        }
        let config = backend.config(folder, ["retryDelayMs": 60_000, "cooldownMs": 60_000, "maxCooldownMs": 60_000])
        let first = try BridgeClient()
        try await first.call("init", ["925", config])
        try await first.call("track", ["KEPT"])
        #expect(try await first.call("flush")["stoppedBy"] == "retryWait")
        #expect(try await first.finish() == .code(0))

        let second = try BridgeClient()
        try await second.call("init", ["925", config])
        _ = try await backend.server.requests(atLeast: 3)
        #expect(try await second.call("flush")["remaining"] == 0)

        #expect(Set(backend.eventNames) == ["KEPT"])
        #expect(backend.server.requests.filter { $0.path == "/v2/tracking-session" }.count == 1)
    }

    @Test("takes the state folder from the command line where a config names none")
    func defaultFolder() async throws {
        let client = try BridgeClient(["--storage-dir", folder.path("fallback")])
        var config = try #require(backend.config(folder).objectValue)
        config["storageDirectory"] = nil

        try await client.call("init", ["925", .object(config)])
        try await client.call("track", ["ONE"])

        #expect(FileManager.default.fileExists(atPath: folder.path("fallback")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
    }
}
