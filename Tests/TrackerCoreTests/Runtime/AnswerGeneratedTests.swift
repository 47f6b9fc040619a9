import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("Each client under generated answers of its server")
struct AnswerGeneratedTests {
    /// How many scripts each client plays.
    private static let count = ProcessInfo.processInfo.environment["SIMULATIONS"].flatMap { Int($0) } ?? 100

    @Test(
        "what was queued is delivered, among the refused or in the account, once the server is well",
        arguments: Seeds.cases(count, of: "Generated answers"))
    func scripts(seed: UInt64) async throws {
        let client = AnswerModel.Client.allCases[Int(seed % 3)]
        let script = Self.script(seed)
        let faults = try await Self.run(client, script, seed)
        guard !faults.isEmpty else { return }
        let (shortest, left) = try await Shrinking.shrunk(script, faults) { try await Self.run(client, $0, seed) }
        Issue.record("\(client), seed \(seed): \(left.prefix(3)) after \(shortest)")
    }

    private static func script(_ seed: UInt64) -> [AnswerModel.Move] {
        var random = SeededGenerator(seed: seed)
        return (0..<random.number(8...40)).map { _ in
            let step: AnswerModel.Step =
                switch random.number(0...9) {
                case 0...3: .track
                case 4: .wait
                case 5: .mood
                default: random.pick(AnswerModel.Step.allCases)
                }
            return AnswerModel.Move(step: step, seed: random.next())
        }
    }

    /// Plays a script, and gives what went wrong.
    private static func run(
        _ client: AnswerModel.Client, _ script: [AnswerModel.Move], _ seed: UInt64
    ) async throws -> [String] {
        let model = try AnswerModel(client, seed: seed)
        await model.start()
        for move in script { await model.perform(move) }
        return await model.finish()
    }
}
