import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A disk that stalls under a client")
struct StalledClientTests {
    private func lock(_ directory: TemporaryDirectory) throws -> LockedFile {
        try LockedFile(directory.path("state/writer.lock"))
    }

    @Test("a session tracker shuts down in its time; a call that the disk had not taken is answered once it goes on")
    func session() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()
        let lock = try lock(fixture.directory)

        let outcomes = Recorder<TrackOutcome>()
        fixture.tracker.enqueue(.track("B")) { outcomes.record($0) }
        try await withGuard("the end") { await fixture.tracker.shutdown(timeout: .milliseconds(200)) }
        lock.unlock()
        let told = try await outcomes.values(atLeast: 1)[0]
        let next = fixture.restarted()
        try await next.start()
        await next.drain()

        #expect(next.names == (told.isQueued ? ["A", "B"] : ["A"]))
        #expect(next.tracker.isBalanced)
        await next.tracker.shutdown()
    }

    @Test("past the queue's bytes a call is refused at once, and counted; what was taken before is not lost")
    func bounded() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.delivery.maxQueuedBytes = 2 << 20 })
        let text: JSONObject = ["text": .string(String(repeating: "a", count: 100_000))]
        let lock = try lock(fixture.directory)

        let outcomes = Recorder<TrackOutcome>()
        for number in 1...30 {
            fixture.tracker.enqueue(.track("E\(number)", Properties(text))) {
                outcomes.record($0)
            }
        }
        let refused = try await outcomes.values(atLeast: 9)
        lock.unlock()
        let all = try await outcomes.values(atLeast: 30)
        await fixture.drain()

        #expect(refused == Array(repeating: .dropped(.storage), count: 9))
        #expect(all.count { $0 == .dropped(.storage) } == 9)
        #expect(fixture.tracker.info("refused", "STORAGE_ERROR") == 9)
        #expect(fixture.names == (1...20).map { "E\($0)" })
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("an analytics client shuts down in its time; a call that the disk had not taken is answered once it goes on")
    func analytics() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        fixture.client.track("A")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        let lock = try lock(fixture.directory)

        let receipt = fixture.client.track("B")
        try await withGuard("the end") { await fixture.client.shutdown(timeout: .milliseconds(200)) }
        lock.unlock()
        let told = try await withGuard("the outcome") { await receipt.outcome }
        let next = fixture.restarted()
        await next.start()
        #expect(await next.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(next.names == (told.isQueued ? ["A", "B"] : ["A"]))
        #expect(next.client.isBalanced)
        await next.client.shutdown()
    }

    @Test("a basic tracker shuts down in its time; a call that the disk had not taken is answered once it goes on")
    func basic() async throws {
        let fixture = try BasicFixture()
        try fixture.start()
        fixture.tracker.track(event: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        let lock = try lock(fixture.directory)

        let receipt = fixture.tracker.track(event: "B")
        try await withGuard("the end") { await fixture.tracker.shutdown(timeout: .milliseconds(200)) }
        lock.unlock()
        let told = try await withGuard("the outcome") { await receipt.outcome }
        let next = fixture.restarted()
        try next.start()
        #expect(await next.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.backend.events.map { $0["name"] } == (told.isQueued ? ["A", "B"] : ["A"]))
        await next.tracker.shutdown()
    }

    @Test("a flush that it keeps from beginning ends in its time, and says what is queued")
    func flush() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig)
        await fixture.tracker.track(eventName: "A")
        try await fixture.drainToWait()
        let lock = try lock(fixture.directory)

        let report = try await withGuard("the flush") { await fixture.tracker.flush(timeout: .milliseconds(100)) }
        lock.unlock()

        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .timeout))
        fixture.answer()
        await fixture.drain()
        #expect(fixture.names.last == "A")
        await fixture.tracker.shutdown()
    }
}
