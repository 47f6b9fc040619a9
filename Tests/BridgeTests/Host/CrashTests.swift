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
        #expect(report.taken == report.names)
    }

    /// Writes past any buffer, so that a long run shows its progress.
    private func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
