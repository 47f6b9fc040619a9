import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

/// Clients on one folder and identity, each with its own database connection, locks and thread, as processes have.
@Suite("Analytics clients that share a state folder")
struct AnalyticsSharedLaneTests {
    /// A client with an event that waits for an interval which never passes, and another client on its folder.
    private func begin() async throws -> (first: ClockedAnalytics, other: AnalyticsFixture) {
        let first = try ClockedAnalytics()
        await first.client.initializeAndWait(with: first.fixture.options(interval: 10))
        try await first.track("A")
        #expect(try first.loop.pending == [.seconds(10)])
        let other = first.fixture.restarted()
        await other.start()
        return (first, other)
    }

    @Test("a flush in one sends what another has queued and keeps for its interval")
    func flush() async throws {
        let (first, other) = try await begin()
        _ = await other.client.track("B").outcome

        let report = try await withGuard("the flush") { await other.client.flush(timeout: .seconds(60)) }
        #expect(report.remaining == 0 && report.stoppedBy == nil)
        #expect(other.names == ["A", "B"])
        try await first.track("C")
        try first.loop.advance(by: .seconds(10))
        try await first.server.requests(atLeast: 2)
        #expect(await first.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(first.fixture.names == ["A", "B", "C"])
        #expect(first.client.isBalanced && other.client.isBalanced)
        await other.client.shutdown()
        await first.client.shutdown()
    }

    @Test("a full batch in one takes along what another keeps for its interval")
    func fullBatch() async throws {
        let (first, other) = try await begin()

        for number in 1..<20 { other.client.track("B\(number)") }
        try await first.server.requests(atLeast: 1)
        #expect(await other.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(first.fixture.names == ["A"] + (1..<20).map { "B\($0)" })
        await other.client.shutdown()
        await first.client.shutdown()
    }

    @Test("the shutdown of one sends what another has queued and keeps for its interval")
    func shutdown() async throws {
        let (first, other) = try await begin()

        await other.client.shutdown(timeout: .seconds(60))

        #expect(first.fixture.names == ["A"])
        await first.client.shutdown()
    }
}
