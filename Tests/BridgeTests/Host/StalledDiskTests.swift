import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("A disk that stalls")
struct StalledDiskTests {
    private let folder: TemporaryDirectory
    private let backend: Backend

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
    }

    /// Holds the writers' lock: every other writer waits as long as it is held.
    private func stall() throws -> LockedFile { try LockedFile(folder.path("state/writer.lock")) }

    /// A file with a client, whose state folder is there.
    private func configuration() async throws -> String {
        let first = try BridgeClient()
        let config = backend.config(folder)
        try await first.call("init", ["925", config])
        let path = folder.path("clients.json")
        try Data(JSONValue.object(["init": ["925", config]]).description.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    @Test("keeps no host alive: what it has not taken is answered with an error", arguments: LifeTests.Cause.allCases)
    func stalls(cause: LifeTests.Cause) async throws {
        let client = try BridgeClient(HostProcess.deadline)
        try await client.call("init", ["925", backend.config(folder)])
        let lock = try stall()

        let calls = [
            client.start("track", ["A"]), client.start("reset"), client.start("setConsent", ["granted"]),
            client.start("track", ["B"]), client.start("getSessionId"),
        ]
        // Answered by the host alone, this shows that everything before it was read.
        try await client.call("host.info")
        cause.bring(about: client)

        for call in calls {
            let failure = try #require(await call.failure)
            #expect(failure.number == 1009 && failure.code == "STORAGE_ERROR")
            #expect(failure.data["retryable"] == true)
        }
        #expect(try await client.host.end() == .code(0))
        lock.unlock()
    }

    @Test(
        "keeps no host alive whose calls wait for a query", arguments: [LifeTests.Cause.endOfInput, .shutdown])
    func waitingCalls(cause: LifeTests.Cause) async throws {
        let client = try BridgeClient(HostProcess.deadline)
        try await client.call("init", ["925", backend.config(folder)])
        let lock = try stall()

        let calls = [
            client.start("track", ["A"]), client.start("isTrackingAllowed"), client.start("setConsent", ["denied"]),
            client.start("track", ["B"]),
        ]
        cause.bring(about: client)

        for call in calls { #expect(try await call.failure?.number == 1009) }
        #expect(try await client.host.end() == .code(0))
        lock.unlock()
    }

    @Test(
        "keeps no host alive that starts the clients of a file",
        arguments: [([], 0), (["--deliver"], 1)] as [([String], Int32)])
    func starting(arguments: [String], exitCode: Int32) async throws {
        let path = try await configuration()
        let lock = try stall()

        let host = try HostProcess(arguments + ["--config", path, "--metrics-file", folder.path("none/m.prom")])
        // It says so before it starts the clients.
        try await host.logged("The metrics file")
        host.signal(SIGTERM)

        #expect(try await host.end() == .code(exitCode))
        lock.unlock()
    }

    @Test("keeps --deliver from beginning, and not past its time")
    func deliver() async throws {
        let path = try await configuration()
        let lock = try stall()

        let host = try HostProcess(["--deliver", "--config", path, "--timeout", "100ms", "--shutdown-timeout", "100ms"])

        try await host.logged("--deliver has not begun: the clients of --config are not set up after 0.2 seconds")
        #expect(try await host.end() == .code(1))
        lock.unlock()
    }

    @Test("keeps nothing waiting once it goes on")
    func recovers() async throws {
        let client = try BridgeClient()
        try await client.call("init", ["925", backend.config(folder)])
        let lock = try stall()

        let track = client.start("track", ["A"])
        try await client.call("host.info")
        #expect(!track.isThere)
        lock.unlock()

        #expect(try await track.value["status"] == "queued")
    }

    @Test("a full pipeline of calls ends with its input all the same")
    func endOfInput() async throws {
        let client = try BridgeClient(HostProcess.deadline)
        try await client.call("init", ["925", backend.config(folder)])
        let lock = try stall()

        // More than the host takes before it pauses.
        let calls = (1...4_500).map { client.start("track", ["E\($0)"]) }
        client.host.input.writer.close()

        #expect(try await client.host.end() == .code(0))
        var numbers: Set<Int?> = []
        for call in calls { numbers.insert(try await call.failure?.number) }
        // What was never read, or not answered in time, has no answer: 0.
        #expect(numbers == [1009, 0] || numbers == [1009])
        lock.unlock()
    }
}
