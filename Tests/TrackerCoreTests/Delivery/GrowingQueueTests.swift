import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("QueueGrowth: a tracker whose queue grows")
struct GrowingQueueTests {
    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture(isClocked: true)
    }

    private var warnings: [String] { fixture.log.lines.all.filter { $0.contains("The queue grows") } }

    /// Lets time pass in which thirty events come in and one is delivered every ten seconds, then delivers all.
    ///
    /// - Returns: How many warnings there were after each ten seconds.
    private func grow(rounds: Int) async throws -> [Int] {
        let loop = try await fixture.loop()
        let gates = try (0...rounds).map { _ in try Gate() }
        let held = Recorder<Int>()
        fixture.answer { request in
            guard request.isEvent else { return nil }
            held.record(request.number)
            let turn = held.all.count - 1
            return gates.indices.contains(turn) ? .gated(gates[turn], .status(200)) : nil
        }
        var counts: [Int] = []
        for round in 0..<rounds {
            for number in 0..<30 { await fixture.tracker.track(eventName: "E\(number)") }
            try await held.values(atLeast: round + 1)
            loop.advance(by: .seconds(10))
            gates[round].open()
            try await held.values(atLeast: round + 2)
            counts.append(warnings.count)
        }
        gates[rounds].open()
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)
        return counts
    }

    @Test("warns after a minute, once, with both rates, and again only after the queue was empty")
    func warns() async throws {
        try await fixture.start()

        let first = try await grow(rounds: 14)
        let second = try await grow(rounds: 7)

        #expect(first == Array(repeating: 0, count: 5) + Array(repeating: 1, count: 9))
        #expect(second == Array(repeating: 1, count: 5) + Array(repeating: 2, count: 2))
        for warning in warnings {
            for part in ["warning: ", " events a second come in, 0.1 are delivered", "maxConcurrentRequests"] {
                #expect(warning.contains(part), "\(warning)")
            }
        }
        await fixture.tracker.shutdown()
    }
}
