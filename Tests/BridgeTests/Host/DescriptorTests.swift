import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("A log to standard error")
struct StandardErrorTests {
    @Test("does not end a program when its reader has gone")
    func readerGone() throws {
        let folder = try TemporaryDirectory()
        let errors = try ProgramPipe()
        errors.reader.close()
        let example = URL(fileURLWithPath: HostProcess.path).deletingLastPathComponent().appending(
            path: "CommandLineExample")
        // Nobody listens at that port, which is worth a warning. The tests ignore the signal; their children do not.
        let program = try Program(
            "env", ["--default-signal=PIPE", example.path],
            environment: ProcessInfo.processInfo.environment.merging([
                "XDG_STATE_HOME": folder.path, "MOBILE_TRACKER_API_URL": "http://127.0.0.1:9",
            ]) { $1 }, errors: .descriptor(errors.writer.number))
        errors.writer.close()

        #expect(program.wait() == .code(0))
    }
}

@Suite("A host at its limit of file descriptors")
struct DescriptorTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
    }

    /// Limits how many descriptors a program may have from now on. Those that are open stay open.
    private func allow(_ count: Int, _ client: BridgeClient) throws {
        try ChildProcess.run("prlimit", ["--pid", "\(client.host.pid)", "--nofile=\(count):1024"], in: "/")
    }

    @Test("starts and answers every call, however few it may have", arguments: 10...24)
    func starts(count: Int) async throws {
        let host = try HostProcess(
            ["-c", "ulimit -n \(count); exec \"$0\" \"$@\"", HostProcess.path] + HostProcess.deadline, path: "/bin/sh")
        let client = BridgeClient(host)

        let calls = [
            client.start("init", ["925", backend.config(folder)]), client.start("track", ["A"]), client.start("reset"),
            client.start("setConsent", ["denied"]), client.start("flush", [500]),
            client.start("analytics.initialize", [["writeKey": "wk", "ingestionHost": .string(backend.server.url)]]),
            client.start("analytics.track", ["B"]),
        ]
        for call in calls { #expect(try await call.failure?.code != "GONE") }
        host.input.writer.close()

        #expect(try await host.end() == .code(0))
    }

    @Test("answers a reset, a denial and an initialize without one, and goes on when there are some again")
    func recovers() async throws {
        let client = try BridgeClient(HostProcess.deadline)
        let analytics: JSONValue = [
            [
                "writeKey": "wk", "ingestionHost": .string(backend.server.url),
                "storageDirectory": .string(folder.path("batch")),
            ]
        ]
        try await client.call("init", ["925", backend.config(folder)])
        try await client.call("track", ["A"])
        try allow(3, client)

        let reset = client.start("reset")
        let denial = client.start("setConsent", ["denied"])
        let refused = try await client.start("analytics.initialize", analytics).failure
        for call in [reset, denial] { #expect([nil, "STORAGE_ERROR"].contains(try await call.failure?.code)) }
        #expect(try await client.call("track", ["B"])["reason"] == "TRACKING_NOT_ALLOWED")

        try allow(1024, client)
        try await client.call("setConsent", ["granted"])
        let ready = try await client.start("analytics.initialize", analytics).failure
        let tracked = try await client.call("analytics.track", ["C"])
        client.host.input.writer.close()

        #expect(refused?.code == "INIT_ERROR" && refused?.data["retryable"] == true)
        #expect(refused?.message.contains("ulimit -n") == true)
        #expect(ready == nil)
        #expect(tracked["status"] == "queued")
        #expect(try await client.host.end() == .code(0))
    }

    @Test("so does a program with a Swift client, if Swift's own threads have begun")
    func native() async throws {
        let probe = URL(fileURLWithPath: HostProcess.path).deletingLastPathComponent().appending(path: "FaultsProbe")
        let client = BridgeClient(try HostProcess(["--storage-dir", folder.path("state")], path: probe.path))
        let arguments: JSONValue = [
            "brandId": "925", "config": backend.config(folder, ["initTimeoutMs": 60_000, "requestTimeoutMs": 60_000]),
        ]
        try await client.call("init", arguments)
        try await client.call("track", ["eventName": "A"])
        try await client.call("flush", ["timeoutMs": 60_000])
        // Fewer than are open: it can open none.
        try allow(3, client)

        let reset = try await client.start("reset").failure
        let denial = try await client.start("setConsent", ["consent": "denied"]).failure
        let refused = try await client.call("track", ["eventName": "B"])
        try await client.call("host.shutdown")
        let unavailable = try await client.start("init", arguments).failure

        try allow(1024, client)
        try await client.call("init", arguments)
        try await client.call("setConsent", ["consent": "granted"])
        let tracked = try await client.call("track", ["eventName": "C"])
        try await client.call("flush", ["timeoutMs": 60_000])

        for failure in [reset, denial] { #expect([nil, "STORAGE_ERROR"].contains(failure?.message)) }
        #expect(refused["reason"] == "TRACKING_NOT_ALLOWED")
        #expect(unavailable?.message.contains("ulimit -n") == true)
        #expect(tracked["status"] != "dropped")
        #expect(backend.distinctEventNames == ["A", "C"])
        #expect(try await client.finish() == .code(0))
    }
}
