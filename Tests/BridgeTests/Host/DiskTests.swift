import Foundation
import TestSupport
import Testing
import TrackerModels

/// Whether a process may mount a disk of its own, which takes the superuser.
private let canMount =
    geteuid() == 0 && ["unshare", "nsenter", "setpriv"].allSatisfy(ChildProcess.exists)

@Suite("A host on a disk that takes no writes", .enabled(if: canMount))
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
        let client = try await mounted("size=600k")
        try await client.call("init", ["925", config])
        try await client.call("track", ["BEFORE"])
        #expect(try await client.call("flush")["remaining"] == 0)
        let ballast = seen(by: client, "ballast")
        try fill(ballast)
        #expect(throws: (any Error).self, "The disk is not full") { try Data(count: 512).write(to: more(client)) }

        let refused = try await fillUp(client)
        #expect(refused == ["status": "dropped", "reason": "STORAGE_ERROR"])
        #expect(try await client.call("track", ["NO", ["text": .string(long)]])["reason"] == "STORAGE_ERROR")
        let failure = try #require(await client.start("reset").failure)
        #expect(failure.code == "STORAGE_ERROR" && failure.data["retryable"] == true)
        let stopped = try await client.call("flush", [10_000])
        #expect(stopped["stoppedBy"] == "storage")
        let sent = backend.server.requests.count
        #expect(client.host.log.all.filter { $0.contains("The disk refuses to be written") }.count == 1)

        try FileManager.default.removeItem(atPath: ballast)
        #expect(try await client.call("track", ["AFTER"])["status"] == "pending")
        #expect(try await client.call("flush", [60_000])["remaining"] == 0)

        #expect(client.host.log.all.contains { $0.contains("The disk can be written again") })
        #expect(backend.eventNames.last == "AFTER")
        #expect(backend.server.requests.count > sent)
        #expect(backend.server.requests.last?.json["session_id"] == "session-2")
        #expect(try await isBalanced(client))
        #expect(try await client.finish() == .code(0))
    }

    @Test("read-only from the start: initialises, keeps its session in memory, refuses calls, and recovers")
    func isReadOnly() async throws {
        let client = try await mounted("size=4m", then: "mount -o remount,ro \(disk)")
        #expect(throws: (any Error).self, "The disk is not read-only") { try Data(count: 1).write(to: more(client)) }
        try await refusesEverything(client)

        try enter(client, "mount -o remount,rw \(disk)")
        try await takesEverything(client)
    }

    @Test("of another user: initialises, keeps its session in memory, refuses calls, and recovers")
    func isForeign() async throws {
        try setMode(0o755)
        let client = try BridgeClient(
            HostProcess(
                ["--reuid=65534", "--regid=65534", "--clear-groups", HostProcess.path], path: "/usr/bin/setpriv"))
        try await client.call("host.info")
        #expect(throws: ChildProcess.Failure.self, "The folder can be written") {
            try ChildProcess.run(
                "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "touch", "\(disk)/x"], in: "/")
        }
        try await refusesEverything(client)

        try setMode(0o777)
        try await takesEverything(client)
    }

    @Test("full or read-only: ends in its time", arguments: ["size=64k", "size=4m"])
    func ends(options: String) async throws {
        let client = try await mounted(options, then: options == "size=4m" ? "mount -o remount,ro \(disk)" : "true")
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
        let complaints = client.host.log.all.filter {
            $0.contains("cannot be written") || $0.contains("refuses to be written")
        }
        #expect((1...2).contains(complaints.count), "\(complaints)")
        #expect(try await client.call("getDebugInfo")["refused"]?["STORAGE_ERROR"] == 2)
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
        return term("accepted") + term("recovered") == term("delivered") + term("queued") + dropped
    }

    /// Tracks until the disk takes no more.
    private func fillUp(_ client: BridgeClient) async throws -> JSONValue {
        for number in 1...1000 {
            let outcome = try await client.call("track", ["FILL\(number)", ["text": .string(long)]])
            guard outcome["status"] == "queued" else { return outcome }
        }
        return "The disk does not fill up"
    }

    // MARK: Disks

    /// A host that sees a small disk of its own at the folder.
    private func mounted(_ options: String, then command: String = "true") async throws -> BridgeClient {
        let script = "mount -t tmpfs -o \(options),mode=700 tmpfs \(disk) && \(command) && exec \"$0\""
        let host = try HostProcess(["-m", "sh", "-c", script, HostProcess.path], path: "/usr/bin/unshare")
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
            "nsenter", ["-t", "\(client.host.pid)", "-m", "sh", "-c", command], in: folder.path)
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
