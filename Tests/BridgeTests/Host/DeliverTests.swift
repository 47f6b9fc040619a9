import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerCore
import TrackerModels

@testable import Bridge

@Suite("Clients without a caller")
struct DeliverTests {
    private let folder: TemporaryDirectory
    /// Holds something once the server no longer answers 503 to everything.
    private let isUp = Recorder<Bool>()

    init() throws { folder = try TemporaryDirectory() }

    private func backend(_ script: @escaping Backend.Script = { _ in nil }) throws -> Backend {
        try Backend { [isUp] request in isUp.all.isEmpty ? .status(503) : script(request) }
    }

    private func file(_ calls: JSONObject) throws -> String {
        let path = folder.path("clients.json")
        try Data(JSONValue.object(calls).description.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// The calls that set the clients up.
    private func calls(_ backend: Backend, only name: String? = nil) -> JSONObject {
        let delivery: JSONObject = [
            "storageDirectory": .string(folder.path("state")), "retryDelayMs": 10, "cooldownMs": 20,
            "maxCooldownMs": 40,
        ]
        var analytics: JSONObject = ["writeKey": "wk", "ingestionHost": .string(backend.server.url)]
        analytics.merge(delivery)
        let calls: JSONObject = [
            "init": ["925", backend.config(folder)], "analytics.initialize": [.object(analytics)],
            "basic.initialize": ["key", .string(backend.server.url + "/events"), nil, .object(delivery)],
        ]
        return JSONObject(calls.filter { name == nil || $0.key == name }.map { ($0.key, $0.value) })
    }

    /// Leaves events on disk, and has the server come back.
    ///
    /// - Returns: The file with the clients.
    private func leave(_ events: [(method: String, name: String)], _ calls: JSONObject) async throws -> String {
        let path = try file(calls)
        let client = try BridgeClient(["--shutdown-timeout", "1s", "--config", path])
        for (method, name) in events {
            let status = try await client.call(method, [.string(name)])["status"]
            #expect(status == "queued" || status == "pending")
        }
        try await client.finish()
        isUp.record(true)
        return path
    }

    private struct Delivery {
        let ending: Program.Ending
        let output: String
        let log: [String]

        var report: JSONValue { (try? JSONText(validating: output)).map { JSONValue($0) } ?? .null }

        subscript(client: String) -> JSONValue? {
            report["clients"]?.arrayValue?.first { $0["client"] == .string(client) }
        }
    }

    private func finish(_ host: HostProcess) async throws -> Delivery {
        let output = try await onThread { String(decoding: host.output.reader.readAll(), as: UTF8.self) }
        return Delivery(ending: try await host.end(), output: output, log: host.log.all)
    }

    private func deliver(_ arguments: [String]) async throws -> Delivery {
        try await finish(try HostProcess(HostProcess.patience + ["--deliver"] + arguments))
    }

    @Test("write no log into their files where the standard descriptors are closed")
    func closedDescriptors() async throws {
        let backend = try backend()
        let path = try await leave([("track", "A")], calls(backend, only: "init"))

        let host = try HostProcess(
            [
                "-c", #"exec "$0" "$@" <&- >&- 2>&-"#, HostProcess.path, "--deliver", "--config", path, "--log-level",
                "debug",
            ],
            path: "/bin/sh")

        #expect(try await host.end() == .code(0))
        #expect(backend.server.requests.contains { $0.text.contains("\"A\"") })
        let state = folder.path("state")
        let files = try FileManager.default.contentsOfDirectory(atPath: state)
        #expect(files.contains("writer.lock"))
        for file in files where file.hasSuffix(".lock") {
            #expect(try Data(contentsOf: URL(fileURLWithPath: state + "/" + file)).isEmpty, "\(file)")
        }
    }

    @Test("deliver what waits, report it and end with 0")
    func all() async throws {
        let backend = try backend()
        let path = try await leave(
            [("track", "E1"), ("track", "E2"), ("track", "E3"), ("analytics.track", "A"), ("basic.track", "B")],
            calls(backend))

        let delivery = try await deliver(["--config", path, "--metrics-file", folder.path("m.prom")])

        #expect(delivery.ending == .code(0))
        #expect(delivery.report["remaining"] == 0)
        #expect(delivery.report["clients"]?.arrayValue?.map { $0["client"] } == ["tracker", "analytics", "basic"])
        #expect(delivery["tracker"] == ["client": "tracker", "delivered": 3, "remaining": 0, "dropped": [:]])
        #expect(delivery["analytics"]?["delivered"] == 1 && delivery["basic"]?["delivered"] == 1)
        #expect(backend.eventNames == ["E1", "E2", "E3"])
        let sample = MetricsSample(try String(contentsOfFile: folder.path("m.prom"), encoding: .utf8))
        #expect(sample["delivered_records_total", "tracker"] == 3)
        #expect(sample["recovered_records_total", "tracker"] == 3)
    }

    @Test("say in the last line what waits in the folder for clients that the file does not have")
    func otherLanes() async throws {
        let backend = try backend()
        _ = try await leave(
            [("analytics.track", "A1"), ("analytics.track", "A2"), ("basic.track", "B")], calls(backend))
        let path = try file(calls(backend, only: "basic.initialize"))

        let host = try HostProcess(HostProcess.patience + ["--deliver", "--config", path, "--log-level", "error"])
        let lines = try await host.logged("They are kept. To deliver them, put a client")
        let delivery = try await finish(host)

        #expect(delivery.ending == .code(0) && delivery["basic"]?["delivered"] == 1)
        let words = "BridgeHost: 2 other events wait in the state folder, of queues that no client of --config has: "
        #expect(lines.last?.hasPrefix("\(words)2 for \(backend.server.url). ") == true, "\(lines)")
    }

    @Test("end with 0 if nothing waits")
    func nothing() async throws {
        let path = try file(calls(try backend(), only: "basic.initialize"))

        let delivery = try await deliver(["--config", path])

        #expect(delivery.ending == .code(0))
        #expect(delivery["basic"] == ["client": "basic", "delivered": 0, "remaining": 0, "dropped": [:]])
    }

    @Test("deliver when the server is back, over failed requests and an open breaker")
    func outage() async throws {
        let failures = Mutex(0)
        let backend = try backend { request in
            let count = failures.withLock { count in
                count += 1
                return count
            }
            return count <= 6 ? .status(503) : nil
        }
        let path = try await leave([("basic.track", "B")], calls(backend, only: "basic.initialize"))

        let delivery = try await deliver(["--config", path])

        #expect(delivery.ending == .code(0))
        #expect(delivery["basic"]?["delivered"] == 1)
        #expect(failures.withLock(\.self) == 7)
    }

    @Test("end with 1 when the time is over, with what remains and why")
    func timeout() async throws {
        let backend = try backend { _ in .status(503, retryAfter: "3600") }
        let path = try await leave([("basic.track", "B")], calls(backend, only: "basic.initialize"))

        let delivery = try await deliver(["--config", path, "--timeout", "10"])

        #expect(delivery.ending == .code(1))
        #expect(delivery.report["remaining"] == 1)
        #expect(delivery["basic"]?["stoppedBy"] == "retryWait")
        #expect(delivery["basic"]?["lastError"]?["message"]?.stringValue?.contains("503") == true)
    }

    @Test("end with 2 if the server refuses the key, and keep what waits")
    func halted() async throws {
        let backend = try backend { _ in .status(401) }
        let path = try await leave([("basic.track", "B")], calls(backend, only: "basic.initialize"))

        let delivery = try await deliver(["--config", path])

        #expect(delivery.ending == .code(2))
        #expect(delivery["basic"]?["stoppedBy"] == "halted" && delivery["basic"]?["remaining"] == 1)
        #expect(delivery["basic"]?["halted"]?["reason"]?.stringValue?.contains("401") == true)
    }

    @Test("end with 2, too, if the server has refused the key before, and the client was disabled")
    func disabledBefore() async throws {
        isUp.record(true)
        let backend = try backend { _ in .status(401) }
        let session = HostSession(
            settings: HostSettings(
                appName: "deliver", storageDirectory: folder.path("state"), maxMessageBytes: 1 << 20),
            log: HostLog(descriptor: -1, least: nil), notify: { _ in }, stop: {})
        var options = InitOptions(writeKey: "wk", ingestionHost: backend.server.url, whenRefused: .disable)
        options.delivery.storageDirectory = folder.path("state")
        session.analytics.initialize(with: options)
        session.analytics.track("A")
        _ = await session.analytics.flush(timeout: .seconds(60))
        #expect(session.analytics.debugInfo()["lifecycle"] == "disabled")

        let delivery = try await onThread { DeliverCommand().run(session, within: .seconds(60)) }

        #expect(delivery.exitCode == 2)
        let client = delivery.report["clients"]?.arrayValue?.first
        #expect(client?["dropped"] == ["disabled": 1] && client?["disabledBecause"] != nil)
        await withCheckedContinuation { done in session.shutdown(by: .now + .seconds(60)) { done.resume() } }
    }

    @Test("have a session made that is missing, over failed requests, though nothing waits")
    func session() async throws {
        let requests = Mutex(0)
        let backend = try backend { _ in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            return count <= 2 ? .status(503) : nil
        }
        isUp.record(true)
        let path = try file(calls(backend, only: "init"))

        let delivery = try await deliver(["--config", path])

        #expect(delivery.ending == .code(0))
        #expect(requests.withLock(\.self) == 3)
    }

    @Test(
        "end with 2 if the server refuses to make a session, and with 1 if it makes none in time, though nothing waits",
        arguments: [(401, 2), (503, 1)] as [(Int, Int32)])
    func noSession(status: Int, code: Int32) async throws {
        let backend = try backend { _ in .status(status, retryAfter: "3600") }
        isUp.record(true)
        let path = try file(calls(backend, only: "init"))

        let delivery = try await deliver(["--config", path, "--timeout", status == 401 ? "60" : "10"])

        #expect(delivery.ending == .code(code))
        #expect(delivery.report["remaining"] == 0)
        #expect((delivery["tracker"]?["halted"] != nil) == (status == 401))
        #expect(delivery["tracker"]?["lastError"]?["message"]?.stringValue?.contains("\(status)") == true)
    }

    @Test("end with 1 if a client is turned off, and say who did it", arguments: [true, false])
    func disabled(inFile: Bool) async throws {
        let backend = try backend()
        var calls = calls(backend)
        let path = try await leave([("track", "E"), ("analytics.track", "A")], calls)
        if inFile {
            calls["init"] = ["925", backend.config(folder, ["enabled": false])]
            _ = try file(calls)
        }

        let host = try HostProcess(
            HostProcess.patience + ["--deliver", "--config", path],
            environment: inFile ? [:] : ["MOBILE_TRACKER_ENABLED": "false"])
        let reason = inFile ? "enabled is false" : "MOBILE_TRACKER_ENABLED is false in the environment"
        try await host.logged("The client tracker of --config is turned off, since \(reason).")
        let delivery = try await finish(host)

        #expect(delivery.ending == .code(1))
        #expect(delivery.report["remaining"] == .null)
        let tracker: JSONValue = [
            "client": "tracker", "delivered": 0, "remaining": nil, "disabledBecause": .string(reason),
        ]
        #expect(delivery["tracker"] == tracker)
        #expect(delivery["analytics"]?["delivered"] == (inFile ? 1 : 0))
        #expect(delivery["analytics"]?["remaining"] == (inFile ? 0 : JSONValue.null))
    }

    @Test("end with 1 at a signal, with a report")
    func signal() async throws {
        let asked = Recorder<Bool>()
        let backend = try backend { _ in
            asked.record(true)
            return .status(503, retryAfter: "3600")
        }
        let path = try await leave([("basic.track", "B")], calls(backend, only: "basic.initialize"))

        let host = try HostProcess(
            HostProcess.patience + ["--deliver", "--config", path, "--timeout", "86400"])
        try await asked.values(atLeast: 1)
        // Before its clients are set up, a signal ends it without a report.
        try await host.logged("Delivery fails")
        host.signal(SIGTERM)
        let delivery = try await finish(host)

        #expect(delivery.ending == .code(1))
        #expect(delivery.report["remaining"] == 1)
    }

    @Test("say what the server has refused for good, and end with 0: nothing remains")
    func refused() async throws {
        let backend = try backend { _ in .status(422) }
        let path = try await leave([("basic.track", "B")], calls(backend, only: "basic.initialize"))

        let delivery = try await deliver(["--config", path])

        #expect(delivery.ending == .code(0))
        #expect(delivery["basic"]?["delivered"] == 0)
        #expect(delivery["basic"]?["dropped"] == ["rejected(422)": 1])
    }

    @Test(
        "end with 78 and say what is wrong, whatever it is, and touch nothing",
        arguments: [
            (["init": ["x", [:]]], "init: Brand ID must be a number"),
            (["init": ["925", ["apiUrl": "nowhere", "xApiKey": "k"]]], "apiUrl"),
            (["init": ["925", ["apiUri": "https://a.example"]]], "apiUri"),
            (["analytics.initialize": [["writeKey": "k"]]], "ingestionHost"),
            (["basic.initialize": ["key"]], "basic.initialize: 'endpoint' is required"),
            (["basic.initialize": [1]], "json: basic.initialize: 'apiKey' must be a string"),
            (["inti": []], "Did you mean 'init'?"),
        ] as [(JSONObject, String)])
    func faults(calls: JSONObject, message: String) async throws {
        let path = try file(calls)

        for arguments in [["--deliver", "--config", path], ["--config", path]] {
            let host = try HostProcess(arguments + ["--storage-dir", folder.path("state")])
            let delivery = try await finish(host)

            #expect(delivery.ending == .code(78))
            #expect(delivery.output == "")
            let lines = try await host.logged("BridgeHost: --config \(path): ")
            #expect(lines.last?.contains(message) == true, "\(lines)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
        }
    }

    @Test("end with 1 if the state folder cannot be opened: another start may succeed")
    func noFolder() async throws {
        let state = folder.path("state")
        try Data().write(to: URL(fileURLWithPath: state))
        let path = try file(calls(try backend(), only: "basic.initialize"))

        for arguments in [["--deliver", "--config", path], ["--config", path]] {
            let host = try HostProcess(arguments)

            #expect(try await finish(host).ending == .code(1))
            try await host.logged("json: basic.initialize: Cannot make \(state)")
        }
    }

    @Test("deliver as soon as a host starts, and serve its caller, who need not initialise them")
    func serving() async throws {
        let arrived = Recorder<String>()
        let backend = try backend { request in
            if let name = request.json["event_name"]?.stringValue { arrived.record(name) }
            return nil
        }
        let path = try await leave([("track", "E1")], calls(backend))

        let client = try BridgeClient(["--config", path])
        #expect(try await arrived.values(atLeast: 1) == ["E1"])
        #expect(try await client.call("track", ["E2"])["status"] == "queued")
        #expect(try await client.call("basic.track", ["B"])["status"] == "queued")
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(try await client.finish() == .code(0))

        #expect(arrived.all == ["E1", "E2"])
    }
}
