import TestSupport
import Testing
import TrackerCore
import TrackerModels

@Suite("The bridge and the native API", .serialized)
struct ParityTests {
    /// A log whose messages do not matter.
    private struct Silence: TrackerLog {
        func log(_ level: LogLevel, _ message: String) {}
    }

    private func compare(_ steps: [ParityStep]) async throws {
        async let native = ParityRun { MobileTracker(log: Silence()) }.play(steps)
        async let bridged = ParityRun { try BridgedTracker() }.play(steps)
        let (expected, seen) = try await (native, bridged)

        for (expected, seen) in zip(expected.lines, seen.lines) where expected != seen {
            Issue.record("natively: \(expected)\nbridged:  \(seen)")
        }
        #expect(expected.lines.count == seen.lines.count, "\(expected)\n\nbridged:\n\(seen)")
    }

    @Test("do and say the same in every scenario", arguments: ParityScenario.all)
    func written(scenario: ParityScenario) async throws {
        try await compare(scenario.steps)
    }

    private static let seed = Seeds.base(of: "ParityTests")

    @Test("do and say the same in scenarios made by chance", arguments: 0..<200)
    func generated(number: Int) async throws {
        try await compare(ParityScenario.generate(seed: Self.seed + UInt64(number)))
    }
}
