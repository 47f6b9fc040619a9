import TestSupport
import Testing
import TrackerNetworking

@testable import TrackerCore

/// A client whose timers run when the test says, and whose calendar a test sets.
struct ClockedAnalytics {
    let fixture: AnalyticsFixture
    let client: AnalyticsClient
    let clock = ShiftedClock()
    private let loops: Recorder<ClockedLoop>

    init(_ rule: @escaping Backend.Rule = { _ in .status(200) }) throws {
        let loops = Recorder<ClockedLoop>()
        let fixture = try AnalyticsFixture(rule)
        var dependencies = Dependencies.system(log: fixture.log)
        dependencies.clock = clock
        dependencies.jitter = NoJitter()
        dependencies.makeLoop = { (configuration) throws(TransportError) in
            let loop = try ClockedLoop(configuration)
            loops.record(loop)
            return loop
        }
        self.fixture = fixture
        self.loops = loops
        client = AnalyticsClient(dependencies: dependencies)
    }

    var loop: ClockedLoop {
        get throws { try #require(loops.all.last) }
    }

    func track(_ names: String...) async throws {
        for name in names { _ = await client.track(name).outcome }
        // The engine looks after the last call of their transaction is answered.
        await withCheckedContinuation { told in client.control.afterEarlierCalls { told.resume() } }
        try await loop.turn()
    }

    var server: LoopbackServer { fixture.backend.server }
}
