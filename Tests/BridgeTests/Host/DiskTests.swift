import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("A host on a disk that takes no writes", .enabled(if: MountNamespace.isAvailable))
struct DiskTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
        try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: true)
    }

    @Test("full: refuses calls and says so once, holds a reset, names the disk in a flush, and recovers")
    func isFull() async throws {
        let (isDown, isUp) = (Switch(), Switch())
        let backend = try Backend { request in
            request.path == "/v2/tracking-session-data" && isDown.isOn && !isUp.isOn ? .status(503) : nil
        }
        let client = try await mounted("size=600k")
        try await client.call("init", ["925", patientConfig(backend)])
        try await client.call("track", ["BEFORE"])
        #expect(try await client.call("flush")["remaining"] == 0)
        isDown.turnOn()
        try await client.call("track", ["HELD"])
        #expect(try await client.call("flush")["stoppedBy"] == "retryWait")
        let ballast = seen(by: client, "ballast")
        try fill(ballast)
        #expect(throws: (any Error).self, "The disk is not full") { try Data(count: 512).write(to: more(client)) }

        let queued = try await fillUp(client)
        #expect(try await client.call("track", ["NO", ["text": .string(long)]])["reason"] == "STORAGE_ERROR")
        let failure = try #require(await client.start("reset").failure)
        #expect(failure.code == "STORAGE_ERROR" && failure.data["retryable"] == true)
        try await client.call("networkDidChange")
        let stopped = try await client.call("flush", [10_000])
        #expect(try await client.call("getDebugInfo")["storage"] == "awaitingDisk")
        #expect(stopped == ["delivered": 0, "remaining": .init(queued), "stoppedBy": "storage"])

        try FileManager.default.removeItem(atPath: ballast)
        isUp.turnOn()
        #expect(try await client.call("track", ["AFTER"])["status"] == "pending")
        try await client.call("networkDidChange")
        #expect(try await client.call("flush", [60_000])["remaining"] == 0)

        let lines = try await client.host.logged("The disk can be written again")
        #expect(lines.filter { $0.contains("The disk refuses to be written") }.count == 1)
        #expect(backend.eventNames.last == "AFTER")
        #expect(backend.server.requests.last?.json["session_id"] == "session-2")
        #expect(try await isBalanced(client))
        #expect(try await client.finish() == .code(0))
    }

    @Test("read-only from the start: initialises, keeps its session in memory, refuses calls, and recovers")
    func isReadOnly() async throws {
        let client = try await mounted("size=4m", then: "mount -o remount,bind,ro \(disk)")
        #expect(throws: (any Error).self, "The disk is not read-only") { try Data(count: 1).write(to: more(client)) }
        try await refusesEverything(client)

        try enter(client, "mount -o remount,bind,rw \(disk)")
        try await takesEverything(client)
    }

    @Test("of another user: initialises, keeps its session in memory, refuses calls, and recovers")
    func isForeign() async throws {
        try setMode(Stranger.mayLook)
        let client = try BridgeClient(
            HostProcess(Stranger.command + [HostProcess.path], path: "/usr/bin/env"))
        try await client.call("host.info")
        #expect(throws: ChildProcess.Failure.self, "The folder can be written") {
            try ChildProcess.run("env", Stranger.command + ["touch", "\(disk)/x"], in: "/")
        }
        try await refusesEverything(client)

        try setMode(0o777)
        try await takesEverything(client)
    }

    @Test("full while events wait: sends each once, says so, and records it as soon as it can")
    func delivers() async throws {
        let isUp = Switch()
        let backend = try Backend { $0.path == "/v2/tracking-session" || isUp.isOn ? nil : .status(503) }
        let client = try await mounted("size=600k")
        try await client.call("init", ["925", patientConfig(backend)])
        for name in ["A", "B", "C"] { try await client.call("track", [.string(name)]) }
        #expect(try await client.call("flush")["stoppedBy"] == "retryWait")
        let failed = backend.eventNames.count
        let ballast = seen(by: client, "ballast")
        try fill(ballast)
        let queued = try await fillUp(client)
        #expect(
            try await client.call("flush") == ["delivered": 0, "remaining": .init(queued), "stoppedBy": "retryWait"])

        isUp.turnOn()
        try await client.call("networkDidChange")
        // What was sent between the two calls is not the flush's.
        let report = try await client.call("flush", [60_000])
        #expect(report["remaining"] == 0 && report["stoppedBy"] == nil)
        #expect(try #require(report["delivered"]?.intValue) >= queued - 3)
        #expect(try await client.call("flush", [60_000]) == ["delivered": 0, "remaining": 0])
        #expect(backend.eventNames.dropFirst(failed).count == queued)
        #expect(backend.eventNames.dropFirst(failed).prefix(3) == ["A", "B", "C"])

        try FileManager.default.removeItem(atPath: ballast)
        #expect(try await client.call("track", ["D"])["status"] == "queued")
        #expect(try await client.call("flush", [60_000])["remaining"] == 0)
        #expect(backend.eventNames.dropFirst(failed).count == queued + 1)
        #expect(try await isBalanced(client))
        #expect(try await client.finish() == .code(0))
    }

    @Test("full or read-only: ends in its time", arguments: ["size=64k", "size=4m"])
    func ends(options: String) async throws {
        let client = try await mounted(
            options, then: options == "size=4m" ? "mount -o remount,bind,ro \(disk)" : "true")
        if options == "size=64k" {
            let ballast = seen(by: client, "ballast")
            try fill(ballast)
        }
        try await client.call("init", ["925", config])
        #expect(try await client.call("track", ["A"])["reason"] == "STORAGE_ERROR")
        client.start("setConsent", ["denied"])

        #expect(try await client.call("host.shutdown") == [:])
        #expect(try await client.host.end() == .code(0))
    }

    // MARK: What is done and seen

    private var disk: String { folder.path("disk") }

    private var config: JSONValue {
        backend.config(folder, ["storageDirectory": .string(folder.path("disk")), "requestTimeoutMs": 60_000])
    }

    /// A configuration under which a request that failed is not sent again by itself.
    private func patientConfig(_ backend: Backend) -> JSONValue {
        let wait: JSONValue = 3_600_000
        return backend.config(
            folder,
            [
                "storageDirectory": .string(disk), "retryDelayMs": wait, "cooldownMs": wait, "maxCooldownMs": wait,
                "compression": "none",
            ])
    }

    private var long: String { String(repeating: "x", count: 9000) }

    /// Nothing can be queued, yet the session is there.
    private func refusesEverything(_ client: BridgeClient) async throws {
        #expect(try await client.call("init", ["925", config]) == [:])
        for name in ["A", "B"] {
            #expect(
                try await client.call("track", [.string(name)]) == ["status": "dropped", "reason": "STORAGE_ERROR"])
        }
        #expect(try await client.call("getSessionId") == ["sessionId": "session-1"])
        #expect(try await client.call("flush", [10_000])["delivered"] == 0)
        let complaints = try await client.host.logged("be written").filter { $0.contains("be written") }
        #expect(complaints.count == 1, "\(complaints)")
        let info = try await client.call("getDebugInfo")
        #expect(info["refused"]?["STORAGE_ERROR"] == 2)
        #expect(info["storage"] != "ok")
        #expect(backend.eventNames == [])
    }

    /// What was made in memory is kept, and what comes now is delivered.
    private func takesEverything(_ client: BridgeClient) async throws {
        #expect(try await client.call("track", ["C"])["status"] == "queued")
        #expect(try await client.call("flush", [60_000])["remaining"] == 0)

        #expect(backend.eventNames == ["C"])
        #expect(backend.server.requests.last?.json["session_id"] == "session-1")
        #expect(try await client.call("getSessionId") == ["sessionId": "session-1"])
        #expect(try await isBalanced(client))
        #expect(try await client.finish() == .code(0))
    }

    private func isBalanced(_ client: BridgeClient) async throws -> Bool {
        let account = try #require(try await client.call("getDebugInfo")["account"])
        let dropped = account["dropped"]?.objectValue?.values.compactMap(\.intValue).reduce(0, +) ?? 0
        let term = { (name: String) in account[name]?.intValue ?? 0 }
        return term("accepted") + term("recovered") + term("requeued") == term("delivered") + term("queued") + dropped
    }

    /// Tracks until the disk takes no more.
    ///
    /// - Returns: How many events wait then.
    private func fillUp(_ client: BridgeClient) async throws -> Int {
        for number in 1...1000 {
            let outcome = try await client.call("track", ["FILL\(number)", ["text": .string(long)]])
            guard outcome["status"] != "queued" else { continue }
            #expect(outcome == ["status": "dropped", "reason": "STORAGE_ERROR"])
            return try #require(try await client.call("getDebugInfo")["queueLength"]?.intValue.map { Int($0) })
        }
        Issue.record("The disk does not fill up")
        return 0
    }

    // MARK: Disks

    /// A host that sees a small disk of its own at the folder.
    private func mounted(_ options: String, then command: String = "true") async throws -> BridgeClient {
        let script = "mount -t tmpfs -o \(options),mode=700 tmpfs \(disk) && \(command) && exec \"$0\" \"$@\""
        let host = try HostProcess(
            MountNamespace.making + ["sh", "-c", script, HostProcess.path, "--shutdown-timeout", "8s"],
            path: "/usr/bin/unshare")
        let client = BridgeClient(host)
        // Once it answers it is on its disk.
        try await client.call("host.info")
        return client
    }

    /// A file on the disk of a host.
    private func seen(by client: BridgeClient, _ name: String) -> String {
        "/proc/\(client.host.pid)/root\(disk)/\(name)"
    }

    private func more(_ client: BridgeClient) -> URL { URL(fileURLWithPath: seen(by: client, "more")) }

    private func enter(_ client: BridgeClient, _ command: String) throws {
        try ChildProcess.run(
            "nsenter", ["-t", "\(client.host.pid)"] + MountNamespace.entering + ["sh", "-c", command], in: folder.path)
    }

    private func setMode(_ mode: Int) throws {
        for path in [folder.path, disk] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
    }

    private func fill(_ path: String) throws {
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        for size in [65_536, 4096, 512] {
            while (try? file.write(contentsOf: Data(count: size))) != nil {}
        }
    }
}
