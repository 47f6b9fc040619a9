import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("A host after one that was killed, whose log somebody has taken")
struct LostLogTests {
    enum Harm: CaseIterable {
        case removed, cut
    }

    @Test("counts what was in it as lost, says so, and gives no number twice", arguments: Harm.allCases)
    func counts(harm: Harm) async throws {
        let folder = try TemporaryDirectory()
        let isUp = Switch()
        let backend = try Backend { request in
            request.path == "/v2/tracking-session-data" && !isUp.isOn ? .status(503) : nil
        }
        let config = backend.config(folder)
        let first = try BridgeClient()
        try await first.call("init", ["925", config])
        for number in 1...20 { #expect(try await first.call("track", [.string("E\(number)")])["status"] == "queued") }
        first.host.signal(SIGKILL)
        #expect(try await first.host.end() == .signal(SIGKILL))
        let log = folder.path("state/tracker.sqlite3-wal")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
        switch harm {
        case .removed: try FileManager.default.removeItem(atPath: log)
        case .cut: try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: log))
        }

        let second = try BridgeClient()
        try await second.call("init", ["925", config])
        let account = try #require(try await second.call("getDebugInfo")["account"])
        let lost = try #require(account["dropped"]?["lost"]?.intValue)
        #expect(harm == .removed ? lost == 20 : (1..<20).contains(lost))
        #expect(account["recovered"] == 20 && account["queued"] == .init(20 - lost))
        let lines = try await second.host.logged("removed, replaced or cut short")
        #expect(lines.contains { $0.contains("\(lost) event(s) that waited are lost") })
        isUp.turnOn()
        try await second.call("track", ["NEXT"])
        try await second.call("networkDidChange")
        #expect(try await second.call("flush", [60_000])["remaining"] == 0)

        let last = try #require(backend.server.requests.last)
        let names = (0..<20 - lost).map { "E\($0 + 1)" } + ["NEXT"]
        #expect(Array(backend.eventNames.suffix(names.count)) == names)
        #expect(try #require(last.header("X-Sequence").flatMap { Int($0) }) > 20)
        #expect(try await second.finish() == .code(0))
    }
}
