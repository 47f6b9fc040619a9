import TestSupport
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
        let faults = try await Self.run(script, seed)
        guard !faults.isEmpty else { return }
        let (shortest, left) = try await Shrinking.shrunk(script, faults) { try await Self.run($0, seed) }
        Issue.record("seed \(seed): \(left.prefix(3)) after \(shortest.map(\.description).joined(separator: " "))")
    }

    private static func script(_ seed: UInt64) -> [SessionModel.Move] {
        var random = SeededGenerator(seed: seed)
        return (0..<random.number(5...30)).map { _ in
            let step: SessionModel.Step =
                switch random.number(0...11) {
                case 0...3: .track
                case 4: random.pick([.identify, .email, .link])
                case 5: random.pick([.reset, .reset, .resetAll])
                case 6...7: .answer
                default: random.pick(SessionModel.Step.allCases)
                }
            return SessionModel.Move(step: step, seed: random.next())
        }
    }

    /// Plays a script, and gives what went wrong.
    private static func run(_ script: [SessionModel.Move], _ seed: UInt64) async throws -> [String] {
        let world = try SessionModel(seed: seed)
        await world.start()
        for move in script { await world.perform(move) }
        await world.finish()
        return world.ledger.faults
    }
}
