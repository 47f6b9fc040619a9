import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A session tracker under generated scripts")
struct SessionGeneratedTests {
    @Test(
        "what was accepted arrives in order, in its own session, or is accounted for, whatever fails or ends when",
        arguments: Seeds.cases(1000, of: "Generated sessions"))
    func scripts(seed: UInt64) async throws {
        let script = Self.script(seed)
        var faults = try await Self.run(script, seed)
        guard !faults.isEmpty else { return }

        // The shortest beginning of the script that fails tells the most.
        var shortest = script
        for length in 1..<script.count {
            let found = try await Self.run(Array(script.prefix(length)), seed)
            guard !found.isEmpty else { continue }
            (shortest, faults) = (Array(script.prefix(length)), found)
            break
        }
        Issue.record("seed \(seed): \(faults.prefix(3)) after \(shortest.map(\.rawValue).joined(separator: " "))")
    }

    private static func script(_ seed: UInt64) -> [SessionWorld.Step] {
        var random = SeededGenerator(seed: seed)
        return (0..<random.number(5...30)).map { _ in
            switch random.number(0...9) {
            case 0...4: .track
            case 5...6: .answer
            default: random.pick(SessionWorld.Step.allCases)
            }
        }
    }

    /// Plays a script, and gives what went wrong.
    private static func run(_ script: [SessionWorld.Step], _ seed: UInt64) async throws -> [String] {
        let world = try SessionWorld(seed: seed)
        await world.start()
        for step in script { await world.perform(step) }
        await world.finish()
        return world.ledger.faults
    }
}
