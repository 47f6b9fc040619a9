import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore
@testable import TrackerStorage

@Suite("Resetting an analytics client")
struct AnalyticsResetTests {
    @Test("drops the queue and a batch under way, counts both, and puts nothing back")
    func dropsBatchInFlight() async throws {
        let gate = try Gate()
        let fixture = try AnalyticsFixture { _ in .gated(gate, .status(200)) }
        await fixture.start(fixture.options(flushAt: 2))
        fixture.client.track("A")
        fixture.client.track("B")
        try await fixture.backend.server.requests(atLeast: 1)
        _ = await fixture.client.track("C").outcome

        await fixture.client.resetAndWait()
        gate.open()
        fixture.backend.answer { _ in .status(200) }

        #expect(fixture.client.info("account", "dropped", "reset") == 3)
        #expect(fixture.client.isBalanced)
        await fixture.start()
        fixture.client.track("D")
        _ = await fixture.client.flush(timeout: .seconds(60))
        #expect(fixture.backend.server.requests.dropFirst().flatMap(\.events).map { $0["event"] } == ["D"])
    }

    @Test("holds every call after it until the next initialize")
    func holds() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }

        fixture.client.initialize(with: fixture.options())
        let before = fixture.client.track("Before")
        fixture.client.reset()
        fixture.client.track("Between")
        fixture.client.identify("u2")
        fixture.backend.answer { _ in .status(200) }
        fixture.client.initialize(with: fixture.options())
        fixture.client.track("After")
        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report == FlushReport(delivered: 3, remaining: 0))
        #expect(await before.outcome.messageID != nil)
        let delivered = fixture.backend.events.suffix(3)
        #expect(delivered.map { $0["event"] } == ["Between", nil, "After"])
        #expect(delivered.map { $0["userId"] } == [nil, "u2", "u2"])
        #expect(Set(delivered.map { $0["anonymousId"]?.stringValue }).count == 1)
    }

    @Test("what is held is bounded by maxQueueEvents, and the oldest goes")
    func heldCallsAreBounded() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(maxQueueEvents: 5))
        await fixture.client.resetAndWait()

        let receipts = (0..<8).map { fixture.client.track("E\($0)") }
        await fixture.start(fixture.options(maxQueueEvents: 5))
        _ = await fixture.client.flush(timeout: .seconds(60))

        var outcomes: [TrackOutcome] = []
        for receipt in receipts { outcomes.append(await receipt.outcome) }
        #expect(outcomes.prefix(3) == [.dropped(.queueFull), .dropped(.queueFull), .dropped(.queueFull)])
        #expect(fixture.names == ["E3", "E4", "E5", "E6", "E7"])
        #expect(fixture.client.info("refused", "QUEUE_FULL") == 3)
    }

    @Test("a caller who does not want to be held is refused until initialize, in the order of the calls")
    func notHeld() async throws {
        let fixture = try AnalyticsFixture()
        let outcomes = Recorder<String>()
        let accept = { (name: String) in
            let caller = Caller {
                outcomes.record("\(name) \($0.outcome.messageID == nil ? "\($0.outcome)" : "queued")")
            }
            fixture.client.enqueue(
                .track(event: name, properties: nil), messageID: nil, waitsWhileIdle: false, caller: caller)
        }

        accept("Idle")
        fixture.client.initialize(with: fixture.options())
        accept("Initializing")
        fixture.client.reset()
        accept("Reset")
        fixture.client.initialize(with: fixture.options())
        accept("Again")

        let all = try await outcomes.values(atLeast: 4)
        #expect(
            Set(all) == [
                "Idle dropped(TrackerModels.RefusalReason.notInitialized)", "Initializing queued",
                "Reset dropped(TrackerModels.RefusalReason.notInitialized)", "Again queued",
            ])
    }

    @Test("is pending while it is kept in memory alone, also the second time")
    func keptInMemory() async throws {
        let fixture = try AnalyticsFixture()

        for _ in 1...2 { #expect(await fixture.client.reset(messageId: "r1").outcome == .pending(.of("r1"))) }
        await fixture.start()
        let applied = await fixture.client.reset(messageId: "r2").outcome
        await fixture.client.shutdown()
        let late = await fixture.client.reset(messageId: "r3").outcome

        #expect(applied == .queued(.of("r2")))
        #expect(late == .pending(.of("r3")))
        #expect(await fixture.client.reset(messageId: "").outcome == .dropped(.invalidValue))
    }

    @Test("what is asked for after it finds everything gone, without being waited for")
    func afterEarlierCalls() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        let seen = Recorder<String>()
        let look = { (name: String) in
            fixture.client.control.afterEarlierCalls {
                seen.record("\(name) \(fixture.client.info("lifecycle")?.stringValue ?? "")")
            }
        }

        look("before")
        fixture.client.initialize(with: fixture.options())
        fixture.client.identify("u1")
        look("identified")
        fixture.client.reset()
        look("reset")

        let all = try await seen.values(atLeast: 3)
        #expect(all.first == "before idle")
        #expect(all.last == "reset idle")
        #expect(all[1].hasPrefix("identified"))
    }

    @Test("a second reset under the same id drops nothing")
    func resetOnce() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start()
        fixture.client.reset(messageId: "r1")
        await fixture.start()
        _ = await fixture.client.track("Kept").outcome
        fixture.client.reset(messageId: "r1")
        fixture.backend.answer { _ in .status(200) }
        await fixture.start()
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.names.last == "Kept")
        #expect(fixture.client.info("account", "delivered") == 1)
    }

    @Test("a second reset under the same id leaves the client as it is, and what it holds", arguments: [true, false])
    func repeatedReset(isReady: Bool) async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start()
        await withCheckedContinuation { done in fixture.client.reset(messageID: .of("r1")) { _ in done.resume() } }
        if isReady { await fixture.start() }

        let before = fixture.client.track("Before")
        await withCheckedContinuation { done in fixture.client.reset(messageID: .of("r1")) { _ in done.resume() } }
        #expect(fixture.client.info("lifecycle") == (isReady ? "ready" : "idle"))
        let after = fixture.client.track("After")
        fixture.backend.answer { _ in .status(200) }
        await fixture.start()
        fixture.client.networkDidChange()
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(await before.outcome.isQueued)
        #expect(await after.outcome.isQueued)
        #expect(fixture.client.info("queueLength") == 0)
        #expect(fixture.names.suffix(2) == ["Before", "After"])
        await fixture.client.shutdown()
    }

    @Test("a second one that waits at a shutdown is answered behind the first, when both are on disk")
    func secondAtShutdown() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let database = fixture.directory.path("state/tracker.sqlite3")
        let lock = try LockedFile(fixture.directory.path("state/writer.lock"))
        let generations = Recorder<Int64?>()
        for _ in 1...2 {
            fixture.client.reset(messageID: nil) { _ in
                generations.record(
                    try? Connection(database, .readWrite).number("SELECT max(generation) FROM lane"))
            }
        }

        await fixture.client.shutdown(timeout: .milliseconds(100))
        #expect(generations.all.isEmpty)
        lock.unlock()
        let found = try await generations.values(atLeast: 2)

        #expect(found.count == 2 && zip(found, [2, 3]).allSatisfy { ($0 ?? 0) >= $1 }, "\(found)")
    }

    @Test("is still written when the client is shut down before it came to it")
    func resetThenShutdown() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start()
        _ = await fixture.client.identify("u1").outcome
        await fixture.client.shutdown(timeout: .zero)

        let next = fixture.restarted()
        next.client.initialize(with: fixture.options())
        next.client.reset()
        await next.client.shutdown(timeout: .seconds(60))
        let last = fixture.restarted()
        await last.start()

        #expect(last.client.info("userId") == .null)
        #expect(last.client.info("queueLength") == 0)
    }
}
