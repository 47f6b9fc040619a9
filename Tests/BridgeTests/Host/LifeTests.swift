import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("The life of a host")
struct LifeTests {
    /// What makes a host end.
    enum Cause: CaseIterable, Sendable {
        case endOfInput, terminate, interrupt, shutdown

        func bring(about client: BridgeClient) {
            switch self {
            case .endOfInput: client.host.input.writer.close()
            case .terminate: client.host.signal(SIGTERM)
            case .interrupt: client.host.signal(SIGINT)
            case .shutdown: client.start("host.shutdown")
            }
        }
    }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test("ends with code 0, whatever ends it", arguments: Cause.allCases, BridgeClient.Framing.allCases)
    func ends(cause: Cause, framing: BridgeClient.Framing) async throws {
        let client = try BridgeClient(framing: framing)
        try await client.call("host.info")

        cause.bring(about: client)

        #expect(try await client.host.end() == .code(0))
    }

    @Test("answers what was read, then ends; what is not sent waits on disk", arguments: Cause.allCases)
    func answersFirst(cause: Cause) async throws {
        let backend = try Backend { $0.path == "/v2/tracking-session" ? nil : .status(503) }
        let client = try BridgeClient()
        let config = backend.config(folder)
        try await client.call("init", ["925", config])

        let answers = (1...200).map { client.start("track", ["E\($0)"]) }
        // The last answer shows that all was read: a signal overtakes what is still in the pipe.
        _ = try await answers[199].value
        cause.bring(about: client)

        for answer in answers { #expect(try await answer.value["status"] == "queued") }
        #expect(try await client.host.end() == .code(0))
        let next = try BridgeClient()
        try await next.call("init", ["925", config])
        #expect(try await next.call("getDebugInfo")["queueLength"] == 200)
    }

    @Test("sends what can be sent before it ends", arguments: Cause.allCases)
    func flushes(cause: Cause) async throws {
        let gate = try Gate()
        let backend = try Backend { $0.number == 1 ? .gated(gate, .status(200)) : nil }
        let client = try BridgeClient()
        try await client.call("init", ["925", backend.config(folder)])
        for number in 1...20 { try await client.call("track", ["E\(number)"]) }

        cause.bring(about: client)
        gate.open()

        #expect(try await client.host.end() == .code(0))
        #expect(backend.distinctEventNames == (1...20).map { "E\($0)" })
    }

    @Test("cuts an init short that the backend leaves hanging", arguments: Cause.allCases)
    func cutsInitShort(cause: Cause) async throws {
        let backend = try Backend { _ in .nothing(then: .stall) }
        let client = try BridgeClient(HostProcess.deadline)
        let start = client.start("init", ["925", backend.config(folder)])
        let held = try await client.call("track", ["HELD"])
        _ = try await backend.server.requests(atLeast: 1)

        cause.bring(about: client)

        let failure = try #require(await start.failure)
        #expect(failure.number == 1003 && failure.data["cause"] == "shutdown" && failure.data["retryable"] == true)
        #expect(held["status"] == "pending")
        #expect(try await client.host.end() == .code(0))
    }

    @Test("waits for an init that comes to its end in time")
    func lastInit() async throws {
        let gate = try Gate()
        let backend = try Backend { request in
            guard request.path == "/v2/tracking-session" else { return nil }
            return .gated(gate, .status(200, body: #"{"data":{"id":"s"}}"#))
        }
        let client = try BridgeClient()
        let start = client.start("init", ["925", backend.config(folder)])
        client.start("track", ["LAST"])
        _ = try await backend.server.requests(atLeast: 1)

        client.host.input.writer.close()
        gate.open()

        #expect(try await start.value == [:])
        #expect(try await client.host.end() == .code(0))
        #expect(backend.distinctEventNames == ["LAST"])
    }

    @Test("ends within the time for it when the backend hangs")
    func boundedEnd() async throws {
        let backend = try Backend { $0.path == "/v2/tracking-session" ? nil : .nothing(then: .stall) }
        let client = try BridgeClient(["--shutdown-timeout", "300"])
        try await client.call("init", ["925", backend.config(folder)])
        try await client.call("track", ["STUCK"])
        _ = try await backend.server.requests(atLeast: 2)

        #expect(try await client.finish() == .code(0))
    }

    @Test("ends when its parent is killed")
    func orphaned() async throws {
        let program = """
            import subprocess, sys
            host = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE)
            print(host.pid, flush=True)
            host.wait()
            """
        let parent = try HostProcess(["-c", program, HostProcess.path], path: "/usr/bin/python3")
        #expect(try await onThread { parent.output.reader.read() }.isEmpty == false)

        parent.signal(SIGKILL)

        #expect(try await parent.end() == .signal(SIGKILL))
        // The host has the same output: it ends when the host does.
        _ = try await withGuard("the orphan's end") { try await onThread { parent.output.reader.readAll() } }
    }

    @Test("a client that closes its side without reading does no harm")
    func closedOutput() async throws {
        let host = try HostProcess()
        let call = Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#.utf8 + [0x0A])

        host.output.reader.close()
        for _ in 1...100 { host.input.writer.write(call) }
        host.input.writer.close()

        #expect(try await host.end() == .code(0))
    }
}
