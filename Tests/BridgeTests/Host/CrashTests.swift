import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("A host that is killed")
struct CrashTests {
    /// How often: `make kills` says it in the environment.
    private static let given = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) }

    @Test("loses nothing that it acknowledged, keeps the order, and takes what is sent again once")
    func killed() async throws {
        let seed = Seeds.base(of: "CrashTests")
        let kills = max(1, Self.given ?? 50)
        var run = try KillRun(seed: seed)

        for number in 1...kills {
            #expect(try await run.kill() == .signal(SIGKILL))
            if Self.given != nil, number % 50 == 0 { say("\(number) of \(kills) kills") }
        }
        let report = try await run.finish()

        if Self.given != nil { say("\(kills) kills\n\(report)") }
        #expect(report.remaining == 0)
        #expect(report.dropped == [:])
        #expect(report.lost == [])
        #expect(report.outOfOrder == [])
        #expect(report.underOtherKeys == [])
        #expect(report.mostRepeats <= 64)
        #expect(report.taken == report.names)
    }

    @Test("sends a batch that was on the wire again as the same batch, under the same key, though more wait by then")
    func killedInBatch() async throws {
        let folder = try TemporaryDirectory()
        let stalled = Once()
        let backend = try Backend { $0.path == "/v1/batch" && stalled.claim() ? .nothing(then: .stall) : nil }
        let options: JSONValue = .object([
            "writeKey": "key-12345678", "ingestionHost": .string(backend.server.url), "flushAt": 1,
            "storageDirectory": .string(folder.path("state")),
        ])
        let first = try BridgeClient()
        try await first.call("analytics.initialize", [options])
        try await first.call("analytics.track", ["E1"])
        _ = try await backend.server.requests(atLeast: 1)
        for number in 2...5 { try await first.call("analytics.track", [.string("E\(number)")]) }
        first.host.signal(SIGKILL)
        #expect(try await first.host.end() == .signal(SIGKILL))

        let second = try BridgeClient()
        try await second.call("analytics.initialize", [options])
        #expect(try await second.call("analytics.flush", [60_000])["remaining"] == 0)

        let requests = backend.server.requests
        let names = requests.map { request in
            (request.json["batch"]?.arrayValue ?? []).map { $0["event"]?.stringValue ?? "" }
        }
        #expect(names == [["E1"], ["E1"], ["E2", "E3", "E4", "E5"]])
        #expect(requests[1].header("Idempotency-Key") == requests[0].header("Idempotency-Key"))
        #expect(try await second.finish() == .code(0))
    }

    /// Writes past any buffer, so that a long run shows its progress.
    private func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
