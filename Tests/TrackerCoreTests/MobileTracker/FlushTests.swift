import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("Flushing and shutting down a session tracker")
struct FlushTests {
    @Test("a flush before initialize, and after shutdown, has nothing to send and says so at once")
    func withoutLane() async throws {
        let fixture = try SessionFixture()
        let report = FlushReport(delivered: 0, remaining: 0)

        #expect(await fixture.tracker.flush() == report)
        try await fixture.start()
        await fixture.tracker.shutdown()
        #expect(await fixture.tracker.flush() == report)
    }

    @Test("a report names no reason if nothing remains, whoever makes it", arguments: StopReason.allCases)
    func reason(_ reason: StopReason) {
        #expect(FlushReport(delivered: 1, remaining: 0, stoppedBy: reason).stoppedBy == nil)
        #expect(FlushReport(delivered: 1, remaining: 2, stoppedBy: reason).stoppedBy == reason)
    }

    @Test("a flush whose time is over while the folder is being opened counts the calls that wait in memory")
    func whileOpening() async throws {
        let faults = OutboxFaults()
        let fixture = try SessionFixture(faults: faults)
        faults.stall()
        fixture.tracker.initialize(brandId: "925", config: fixture.config()) { _ in }
        fixture.trackAndGoOn(["A", "B"])

        let report = try await withGuard("the flush") { await fixture.tracker.flush(timeout: .milliseconds(10)) }
        faults.goOn()
        try await fixture.start()
        await fixture.drain()

        #expect(report == FlushReport(delivered: 0, remaining: 2, stoppedBy: .timeout))
        #expect(fixture.names == ["A", "B"])
        await fixture.tracker.shutdown()
    }

    @Test("cancelling the task that waits ends a flush with the numbers of that moment", arguments: [false, true])
    func cancelled(isEarly: Bool) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .gated(gate, .status(200)) : nil }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)
        let loop = try await fixture.loop()
        let before = loop.settings.all.count

        let task = Task {
            if isEarly { while !Task.isCancelled { await Task.yield() } }
            return await fixture.tracker.flush(timeout: .seconds(3600))
        }
        if !isEarly { try await loop.settings.values(atLeast: before + 1) }
        task.cancel()
        let report = try await withGuard("the report") { await task.value }
        gate.open()
        await fixture.drain()

        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .timeout))
        #expect(fixture.names == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test("a flush while initialize waits for its session does not wait with it, and one after that sends")
    func duringInitialize() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }
        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        #expect(await fixture.tracker.track(eventName: "A").isPending)

        let early = await fixture.tracker.flush(timeout: .seconds(60))
        gate.open()
        try await starting
        let late = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(early == FlushReport(delivered: 0, remaining: 1, stoppedBy: .notInitialized))
        #expect(late.remaining == 0 && late.stoppedBy == nil)
        #expect(fixture.names == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test("a flush that another process's delivery outlasts names it; one that does not counts what that delivered")
    func otherProcess() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isEvent ? .gated(gate, .status(200)) : nil }
        let other = fixture.restarted()
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)
        try await other.start()
        await other.tracker.track(eventName: "B")

        let stopped = await other.tracker.flush(timeout: .seconds(0.2))
        gate.open()
        let done = await other.tracker.flush(timeout: .seconds(60))

        #expect(stopped == FlushReport(delivered: 0, remaining: 2, stoppedBy: .otherProcess))
        #expect(done.remaining == 0 && done.stoppedBy == nil)
        #expect(fixture.names == ["A", "B"])
        await other.tracker.shutdown()
        await fixture.tracker.shutdown()
    }

    @Test("a flush of what another process has delivered ends, though that goes on with other events")
    func otherGoesOn() async throws {
        let (first, second) = (try Gate(), try Gate())
        let fixture = try SessionFixture { request in
            switch request.json["event_name"] {
            case "A": .gated(first, .status(200))
            case "C": .gated(second, .status(200))
            default: nil
            }
        }
        let other = fixture.restarted()
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)
        try await other.start()
        await other.tracker.track(eventName: "B")
        let reports = Recorder<FlushReport>()
        other.tracker.control.flush(timeout: .seconds(600)) { reports.record($0) }
        // Once this is done the flush knows what it is about.
        let outbox = try #require(other.tracker.lane?.outbox)
        await withCheckedContinuation { done in outbox.stage(.barrier) { _ in done.resume() } }
        await fixture.tracker.track(eventName: "C")

        first.open()
        let report = try await reports.values(atLeast: 1)[0]
        #expect(report.remaining == 0 && report.stoppedBy == nil)
        #expect(fixture.tracker.info("account", "delivered") == 2)

        second.open()
        await fixture.drain()
        #expect(fixture.names == ["A", "B", "C"])
        await other.tracker.shutdown()
        await fixture.tracker.shutdown()
    }

    @Test("a flush ends in its time though the disk stalls at its end, and what was sent counts")
    func stalledAtTheEnd() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .gated(gate, .status(200)) : nil }
        try await fixture.start()
        let loop = try await fixture.loop()
        var deliveries = fixture.tracker.diagnostics.withDeliveries.makeAsyncIterator()
        await fixture.tracker.track(eventName: "A", messageId: "a")
        try await fixture.backend.server.requests(atLeast: 2)
        let reports = Recorder<FlushReport>()
        fixture.tracker.control.flush(timeout: .seconds(60)) { reports.record($0) }
        // Once this is done the flush knows what it is about, and later calls are not in it.
        let outbox = try #require(fixture.tracker.lane?.outbox)
        await withCheckedContinuation { done in outbox.stage(.barrier) { _ in done.resume() } }
        await loop.turn()
        await fixture.tracker.track(eventName: "B")

        let lock = try LockedFile(fixture.directory.path("state/writer.lock"))
        gate.open()
        while let diagnostic = await deliveries.next(), diagnostic != .delivered([.of("a")]) {}
        await loop.turn()
        #expect(reports.all.isEmpty)
        loop.advance(by: .seconds(60))
        let report = try await reports.values(atLeast: 1)[0]
        lock.unlock()

        #expect(report == FlushReport(delivered: 1, remaining: 0, stoppedBy: nil))
        await fixture.drain()
        #expect(fixture.names == ["A", "B"])
        await fixture.tracker.shutdown()
    }

    @Test("shutdown sends what it can, is safe to call twice, and later calls are refused")
    func shutdown() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        fixture.trackAndGoOn((0..<20).map { "E\($0)" })

        async let first: Void = fixture.tracker.shutdown(timeout: .seconds(60))
        async let second: Void = fixture.tracker.shutdown(timeout: .seconds(60))
        _ = await (first, second)

        #expect(fixture.names == (0..<20).map { "E\($0)" })
        #expect(await fixture.tracker.track(eventName: "Late") == .dropped(.notInitialized))
        #expect(fixture.tracker.info("lifecycle") == "shutDown")
        #expect(fixture.tracker.info("refused", "NOT_INITIALIZED") == 1)
    }

    @Test("shutdown ends within its time when the server never answers, and what it holds waits on disk")
    func shutdownInTime() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .nothing(then: .stall) : nil }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")

        try await withGuard("the end") { await fixture.tracker.shutdown(timeout: .milliseconds(100)) }
        fixture.answer()
        let next = fixture.restarted()
        try await next.start()
        await next.drain()

        #expect(fixture.names.last == "A")
        #expect(Set(fixture.events.map { $0.header("Idempotency-Key") }).count == 1)
        #expect(next.creations.count == 1)
        await next.tracker.shutdown()
    }

    @Test("shutdown sends what it can in a task that was cancelled")
    func shutdownWhenCancelled() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        fixture.trackAndGoOn(["A", "B"])

        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await fixture.tracker.shutdown(timeout: .seconds(60))
        }
        task.cancel()
        await task.value

        #expect(fixture.names == ["A", "B"])
    }

    @Test("shutdown ends an initialize that is under way, and answers its caller")
    func shutdownWhileInitializing() async throws {
        let fixture = try SessionFixture { $0.isCreation ? .nothing(then: .stall) : nil }

        async let failure = fixture.failure(fixture.config())
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.tracker.shutdown(timeout: .milliseconds(100))

        #expect(await failure?.code == .sessionCreationFailed)
        try await fixture.backend.server.closings(atLeast: 1)
    }
}
