import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A disk that stalls under a client")
struct StalledClientTests {
    /// Ten kilobytes: a queue of a mebibyte holds some hundred such events.
    private static let properties = Properties(["text": .string(String(repeating: "a", count: 10_000))])

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
        fixture.tracker.enqueue(.track("B"), caller: Caller { outcomes.record($0.outcome) })
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
        try await fixture.start(fixture.config { $0.delivery.maxQueuedBytes = 1 << 20 })
        await fixture.drain()
        let lock = try lock(fixture.directory)

        let receipts = (1...150).map { fixture.tracker.enqueue(.track("E\($0)", Self.properties)) }
        let last = await receipts[149].outcome
        lock.unlock()
        var outcomes: [TrackOutcome] = []
        for receipt in receipts { outcomes.append(await receipt.outcome) }
        await fixture.drain()
        let taken = outcomes.count { $0.isQueued }

        #expect(last == .dropped(.queueFull))
        #expect((90...110).contains(taken))
        #expect(outcomes.dropFirst(taken).allSatisfy { $0 == last })
        #expect(fixture.tracker.info("refused", "QUEUE_FULL")?.intValue == Int64(150 - taken))
        #expect(fixture.names == (1...taken).map { "E\($0)" })
        #expect(fixture.tracker.isBalanced)
        #expect(
            fixture.log.lines.all.filter { $0.contains("queue") } == [
                "warning: Event queue full - dropping event: E\(taken + 1)",
                "warning: The queue was full: \(150 - taken) events were dropped in all.",
            ])
        await fixture.tracker.shutdown()
    }

    @Test("past the queue's bytes an analytics client drops its oldest calls, and says so once; their user stays")
    func dropsOldest() async throws {
        let first = try AnalyticsFixture()
        await first.start()
        await first.client.shutdown()
        let lock = try lock(first.directory)
        let fixture = first.restarted()
        fixture.client.initialize(with: fixture.options { $0.maxQueuedBytes = 1 << 20 })

        let user = fixture.client.identify("ann")
        let receipts = (1...150).map { fixture.client.track("E\($0)", properties: Self.properties) }
        let early = [await user.outcome, await receipts[0].outcome]
        lock.unlock()
        var outcomes: [TrackOutcome] = []
        for receipt in receipts { outcomes.append(await receipt.outcome) }
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        let dropped = outcomes.count { $0 == .dropped(.queueFull) }

        #expect(early == [.dropped(.queueFull), .dropped(.queueFull)])
        #expect((40...60).contains(dropped))
        #expect(outcomes.dropFirst(dropped).allSatisfy { $0.isQueued })
        #expect(fixture.names == (dropped + 1...150).map { "E\($0)" })
        #expect(fixture.backend.events.allSatisfy { $0["userId"] == "ann" })
        #expect(fixture.client.info("refused", "QUEUE_FULL")?.intValue == Int64(dropped + 1))
        #expect(fixture.client.info("account", "accepted")?.intValue == Int64(150 - dropped))
        #expect(fixture.client.info("account", "delivered")?.intValue == Int64(150 - dropped))
        #expect(fixture.client.isBalanced)
        #expect(
            fixture.log.lines.all.filter { $0.contains("queue") } == [
                "warning: Event queue full - dropping event: identify",
                "warning: The queue was full: \(dropped + 1) events were dropped in all.",
            ])
        await fixture.client.shutdown()
    }

    @Test("a loop that awaits an outcome now and then, and a flush before the queue is full, loses no call")
    func loopThatWaits() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options { $0.maxQueuedBytes = 1 << 20 })

        for number in 1...300 {
            let receipt = fixture.client.track("E\(number)", properties: Self.properties)
            if number % 10 == 0 { #expect(await receipt.outcome.isQueued) }
            if number % 50 == 0 { #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0) }
        }

        #expect(fixture.names == (1...300).map { "E\($0)" })
        #expect(fixture.client.info("refused") == .object([:]))
        #expect(fixture.client.info("account", "dropped") == .object([:]))
        await fixture.client.shutdown()
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
