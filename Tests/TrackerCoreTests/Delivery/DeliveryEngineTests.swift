import Dispatch
import Synchronization
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The delivery engine")
struct DeliveryEngineTests {
    private let loop = SteppedLoop()
    private let outbox: InterruptedOutbox
    private let engine: DeliveryEngine
    private let directory: TemporaryDirectory
    private let log = RecordingLog()
    private let hub = DiagnosticsHub()

    init() throws {
        directory = try TemporaryDirectory()
        outbox = InterruptedOutbox(.folder(directory.path("state")))
        engine = Self.engine(outbox, loop, log, hub)
    }

    private static func engine(
        _ outbox: InterruptedOutbox, _ loop: SteppedLoop, _ log: RecordingLog = RecordingLog(),
        _ hub: DiagnosticsHub = DiagnosticsHub(), dialect: (any Dialect)? = nil, haltRetry: Duration? = nil
    ) -> DeliveryEngine {
        let parts = DeliveryEngine.Parts(
            outbox: outbox, loop: loop, clock: SystemClock(), log: LevelledLog(log, of: "Client", isVerbose: false),
            diagnostics: hub)
        let endpoint = GroupDialect.arrays(
            endpoint: "https://in.example.com/e", apiKey: Secret("k"), timeout: .seconds(30))
        return DeliveryEngine(
            parts,
            delivery: DeliveryState(
                dialect: dialect ?? endpoint, breaker: DeliveryOptions(retryDelay: .seconds(1), jitter: 0).breaker,
                maxConcurrentRequests: 1, eventTTL: nil, haltRetry: haltRetry, jitter: NoJitter()))
    }

    /// Lets everything run that is due.
    private func settle() async {
        repeat { await outbox.settle() } while loop.step()
    }

    /// Queues an event and begins. Ends with `loop.kill()`: what waits on a loop holds on to its engine.
    private func queueOne() async {
        await outbox.open()
        await outbox.append("m1")
        engine.start()
    }

    @Test("sends nothing that was planned before somebody held everything back, and sends it after the release")
    func holdsBackPlans() async throws {
        await queueOne()
        outbox.whenPeeked { [engine] in engine.pause() }
        await settle()
        #expect(loop.requests.isEmpty)

        outbox.whenPeeked {}
        engine.release()
        await settle()
        #expect(loop.requests.count == 1)
        loop.kill()
    }

    @Test("is not woken for what is queued while a request is under way: its answer begins a look anyway")
    func sleepsWhileBusy() async throws {
        loop.answer { _ in nil }
        await queueOne()
        await settle()
        #expect(loop.requests.count == 1)

        await outbox.append("m2")
        for _ in 0..<3 { engine.kick() }
        #expect(!loop.step())

        loop.answer { _ in .status(200) }
        await settle()
        #expect(loop.requests.count == 2)
        // At rest it is woken again.
        await outbox.append("m3")
        engine.kick()
        #expect(loop.step())
        await settle()
        #expect(loop.requests.count == 3)
        loop.kill()
    }

    @Test("is not woken for what is queued while it waits for its next try, which begins a look anyway")
    func sleepsBeforeNextTry() async throws {
        loop.answer { _ in .status(503) }
        await queueOne()
        await settle()
        #expect(loop.requests.count == 1)

        await outbox.append("m2")
        for _ in 0..<3 { engine.kick() }
        #expect(!loop.step())

        loop.answer { _ in .status(200) }
        loop.advance(by: .seconds(60))
        await settle()
        #expect(loop.requests.count == 3)
        loop.kill()
    }

    @Test("sends nothing that was planned before a change that held everything back and is over by then")
    func forgetsPlansOfBefore() async throws {
        await queueOne()
        let record = try #require(try outbox.inner.peek(limit: 1, maxBytes: .max).records.first).id
        outbox.whenConfirmed { [engine, outbox] in
            outbox.whenConfirmed {}
            engine.pause()
            outbox.dropAndBlock(record)
            engine.release()
        }
        await settle()

        #expect(loop.requests.isEmpty)
        loop.kill()
    }

    @Test("at rest it tries the lane of another process for a flush alone")
    func restsWhileTaken() async throws {
        let other = await otherProcess()
        #expect(other.acquireDelivery())
        engine.setInBackground(true)
        await queueOne()
        await settle()
        #expect(loop.nextTimer == nil)

        engine.flush(timeout: .seconds(60)) { _ in }
        await settle()
        #expect(loop.nextTimer == loop.now.advanced(by: .milliseconds(500)))

        other.releaseDelivery()
        loop.advance(by: .milliseconds(500))
        await settle()
        #expect(loop.requests.count == 1)
        loop.kill()
    }

    @Test("tells a flush that comes while it closes")
    func flushWhileClosing() async throws {
        await queueOne()
        let reports = Recorder<FlushReport>()
        engine.flush(timeout: .seconds(60)) { [engine] report in
            reports.record(report)
            engine.flush(timeout: .seconds(60)) { reports.record($0) }
        }
        await settle()

        engine.close { reports.record(FlushReport(delivered: 0, remaining: 0)) }
        await settle()

        #expect(reports.all.map(\.stoppedBy) == [.timeout, .notInitialized, nil])
        #expect(reports.all.first?.remaining == 1)
        loop.kill()
    }

    @Test("a flush waits while the lane is being opened, and ends at once where the client goes without a session")
    func flushWhileOpening() async throws {
        let reports = Recorder<FlushReport>()
        engine.flush(timeout: .seconds(60)) { reports.record($0) }
        await outbox.open()
        await settle()
        #expect(reports.all.isEmpty)
        await outbox.append("m1")

        engine.goWithoutSession()
        await settle()
        #expect(reports.all == [FlushReport(delivered: 0, remaining: 0)])
        engine.flush(timeout: .seconds(60)) { reports.record($0) }
        await settle()
        #expect(reports.all.last == FlushReport(delivered: 0, remaining: 1, stoppedBy: .noSession))
        #expect(loop.requests.isEmpty)
        loop.kill()
    }

    @Test("a flush that began while the lane was being opened sends what was queued at its call")
    func flushBeforeStart() async throws {
        await outbox.open()
        await outbox.append("m1")
        loop.answer { _ in .status(200) }
        let reports = Recorder<FlushReport>()
        engine.flush(timeout: .seconds(60)) { reports.record($0) }
        await settle()
        #expect(reports.all.isEmpty)

        engine.start()
        await settle()

        #expect(reports.all == [FlushReport(delivered: 1, remaining: 0)])
        loop.kill()
    }

    @Test("has no timer left once a flush has ended")
    func flushLeavesNoTimer() async throws {
        await queueOne()
        loop.answer { _ in .status(200) }
        let reports = Recorder<FlushReport>()

        engine.flush(timeout: .seconds(60)) { reports.record($0) }
        await settle()

        #expect(reports.all == [FlushReport(delivered: 1, remaining: 0)])
        #expect(loop.nextTimer == nil)
        loop.kill()
    }

    @Test("calls networkDidChange together that come at once, and cuts one wait short")
    func coalesces() async throws {
        await queueOne()
        loop.answer { _ in .status(503) }
        await settle()
        #expect(loop.requests.count == 1)

        for _ in 0..<100 { engine.networkDidChange() }
        await settle()

        #expect(loop.requests.count == 2)
        #expect(loop.nextTimer == .seconds(2))
        loop.kill()
    }

    /// The lane as another process has it.
    private func otherProcess() async -> InterruptedOutbox {
        let other = InterruptedOutbox(.folder(directory.path("state")))
        await other.open()
        return other
    }

    @Test("goes on looking at a lane that another process has taken in the moment of its release")
    func takenAtRelease() async throws {
        await queueOne()
        let other = await otherProcess()
        let reported = Recorder<Diagnostic>()
        hub.observe { if case .lane = $0 { reported.record($0) } }
        loop.answer { _ in .status(200) }
        // The other queues something, takes the lane, and dies before it has sent anything.
        let isFirst = Flag(false)
        outbox.whenReleased {
            guard isFirst.raise() else { return }
            other.appendAndBlock("m2")
            #expect(other.acquireDelivery())
        }
        await settle()
        #expect(loop.requests.count == 1)
        #expect(loop.nextTimer == .seconds(0.5))

        other.releaseDelivery()
        loop.advance(by: .milliseconds(500))
        await settle()

        #expect(loop.requests.count == 2)
        #expect(
            reported.all == [
                .lane("Another process delivers the lane now."), .lane("This process delivers the lane now."),
            ])
        loop.kill()
    }

    @Test("makes a session with nothing queued once another process, which makes none, releases the lane")
    func sessionAfterRelease() async throws {
        await outbox.open()
        let other = await otherProcess()
        #expect(other.acquireDelivery())
        let engine = Self.engine(outbox, loop, dialect: try SessionDialect.sample())
        engine.start()
        await settle()
        #expect(loop.requests.isEmpty)
        #expect(loop.nextTimer == .seconds(0.5))

        other.releaseDelivery()
        loop.advance(by: .milliseconds(500))

        // The session's device is answered once its backup is written, which `settle` does not wait for.
        try await withGuard(seconds: 40, "the request for the session") {
            while loop.requests.isEmpty {
                await settle()
                await Task.yield()
            }
        }
        loop.kill()
    }

    @Test("leaves the lane to another process while a failed request waits for its next try", arguments: [1, 3])
    func releasesInWait(failures: Int) async throws {
        await queueOne()
        let other = await otherProcess()
        loop.answer { _ in .status(503) }
        await settle()
        for _ in 1..<failures {
            loop.advance(by: .seconds(60))
            await settle()
        }

        #expect(loop.requests.count == failures)
        #expect(other.acquireDelivery())
        loop.kill()
    }

    @Test("ends once the request under way is answered, sends nothing after it, and holds the lane until then")
    func endsAfterAnswer() async throws {
        await queueOne()
        let other = await otherProcess()
        await settle()
        await outbox.append("m2")
        let isClosed = Flag(false)
        engine.close(by: .seconds(1)) { isClosed.set(true) }
        await settle()
        #expect(!isClosed.value)
        #expect(loop.nextTimer == .seconds(1))

        loop.answer { _ in .status(200) }
        await settle()

        #expect(isClosed.value)
        #expect(loop.requests.count == 1)
        #expect(try outbox.state().queuedRecords == 1)
        #expect(!other.acquireDelivery())
        loop.kill()
    }

    @Test("cancels the request under way once the time for its end is over")
    func endsInTime() async throws {
        await queueOne()
        await settle()
        let isClosed = Flag(false)
        engine.close(by: .seconds(1)) { isClosed.set(true) }
        await settle()
        #expect(loop.onTheWire.count == 1)

        loop.advance(by: .seconds(1))
        await settle()

        #expect(isClosed.value)
        #expect(loop.onTheWire.isEmpty)
        #expect(try outbox.state().queuedRecords == 1)
    }

    private var keys: [String?] { loop.requests.map { $0.headers["Idempotency-Key"] } }

    @Test("sends the same group first, under the same key, where an engine was killed while it waited for the answer")
    func repeatsGroup() async throws {
        await queueOne()
        await settle()
        for number in 2...5 { await outbox.append("m\(number)") }
        #expect(keys == ["m1:m1:1"])
        loop.kill()
        outbox.releaseDelivery()

        let next = await otherProcess()
        let nextLoop = SteppedLoop()
        nextLoop.answer { _ in .status(200) }
        let nextEngine = Self.engine(next, nextLoop)
        nextEngine.start()
        repeat { await next.settle() } while nextLoop.step()

        #expect(nextLoop.requests.map { $0.headers["Idempotency-Key"] } == ["m1:m1:1", "m2:m5:4"])
        nextLoop.kill()
    }

    @Test("has the smaller group on disk too before it goes out after a 413")
    func recordsHalvedGroup() async throws {
        await outbox.open()
        for number in 1...4 { await outbox.append("m\(number)") }
        loop.answer { $0.headers["Idempotency-Key"] == "m1:m4:4" ? .status(413) : nil }
        engine.start()
        await settle()

        #expect(keys == ["m1:m4:4", "m1:m2:2"])
        let groups = try outbox.inner.peek(limit: 4, maxBytes: .max).groups
        #expect(groups.map(\.count) == [2])
        #expect(groups.first.map { $0.last.number - $0.first.number } == 1)
        loop.kill()
    }

    @Test("forgets a group that has lost a record meanwhile")
    func forgetsBrokenGroup() async throws {
        await outbox.open()
        for number in 1...3 { await outbox.append("m\(number)") }
        engine.start()
        await settle()
        let middle = try outbox.inner.peek(limit: 3, maxBytes: .max).records[1].id
        loop.kill()
        outbox.releaseDelivery()

        let next = await otherProcess()
        await next.drop(middle)
        await next.append("m4")
        let nextLoop = SteppedLoop()
        let nextEngine = Self.engine(next, nextLoop)
        nextEngine.start()
        repeat { await next.settle() } while nextLoop.step()

        #expect(nextLoop.requests.map { $0.headers["Idempotency-Key"] } == ["m1:m4:3"])
        nextLoop.kill()
    }

    @Test("records what was delivered with the next group, and at rest, and leaves no timer")
    func recordsTogether() async throws {
        await queueOne()
        await settle()
        await outbox.append("m2")
        await outbox.append("m3")
        loop.answer { $0.headers["Idempotency-Key"] == "m1:m1:1" ? .status(200) : nil }
        await settle()
        #expect(keys == ["m1:m1:1", "m2:m3:2"])
        // The next group is on disk, and with it what was delivered before.
        #expect(try outbox.inner.state().queuedRecords == 2)
        loop.answer { _ in .status(200) }

        await settle()
        #expect(try outbox.inner.state().queuedRecords == 0)
        #expect(loop.nextTimer == nil)
        loop.kill()
    }

    @Test("logs an outage once, with host, cause and what comes next, and the opening of the breaker")
    func logsOutage() async throws {
        await queueOne()
        loop.answer { _ in .status(503) }
        for _ in 0..<4 {
            await settle()
            loop.advance(by: .seconds(10))
        }
        #expect(loop.requests.count == 4)
        #expect(
            log.lines.all == [
                "warning: Delivery fails: in.example.com answered 503. What is queued is kept; the next try is in 1.0 s.",
                "warning: The circuit breaker is open after repeated failures. What is queued is kept; the next try is "
                    + "in 10.0 s. Last error: in.example.com answered 503 (message m1)",
            ])

        loop.answer { _ in .status(200) }
        loop.advance(by: .seconds(60))
        await settle()
        loop.answer { _ in .status(500) }
        await outbox.append("m2")
        engine.kick()
        await settle()

        #expect(log.lines.all.count == 3)
        #expect(log.lines.all.last?.hasPrefix("warning: Delivery fails: in.example.com answered 500.") == true)
        loop.kill()
    }

    @Test("names the next try of a halt where the attempt to end it fails for another reason")
    func logsWaitOfHalt() async throws {
        let engine = Self.engine(outbox, loop, log, hub, haltRetry: .seconds(300))
        await outbox.open()
        await outbox.append("m1")
        engine.start()
        loop.answer { _ in .status(401) }
        await settle()

        loop.answer { _ in .status(503) }
        loop.advance(by: .seconds(300))
        await settle()

        let lines = log.lines.all.filter { $0.contains("answered 503") }
        #expect(lines.count == 1 && lines[0].hasSuffix("the next try is in 300.0 s."), "\(lines)")
        loop.kill()
    }

    @Test("logs a transport's sentences as they are")
    func logsSentence() async throws {
        await queueOne()
        let message = "No way to in.example.com. Check it."
        loop.answer { _ in .failure(TransportError(.connect, host: "in.example.com", message: message)) }

        await settle()

        #expect(
            log.lines.all.first
                == "warning: Delivery fails: \(message) What is queued is kept; the next try is in 1.0 s.")
        loop.kill()
    }

    @Test("leaves the reason out where nothing remains, also if there was no time at all")
    func emptyFlush() async throws {
        await outbox.open()
        engine.start()
        let reports = Recorder<FlushReport>()
        engine.flush(timeout: .zero) { reports.record($0) }
        await settle()

        #expect(reports.all == [FlushReport(delivered: 0, remaining: 0)])
        loop.kill()
    }
}

/// An outbox in which something happens whenever it has been looked at, or its lane has been released.
private final class InterruptedOutbox: WrappingOutbox {
    private struct Interruptions {
        var peek: @Sendable () -> Void = {}
        var confirmation: @Sendable () -> Void = {}
        var release: @Sendable () -> Void = {}
    }

    let inner: SQLiteOutbox
    private let interruptions = Mutex(Interruptions())

    init(_ location: OutboxConfiguration.Location = .memory(MemoryDatabase())) {
        inner = SQLiteOutbox(
            OutboxConfiguration(
                location: location, lane: LaneIdentity(kind: .endpoint, owner: "k", origin: "https://in.example.com/e"),
                keyPrefix: "k_", initialConsent: .granted, bindsSessions: false,
                wallClock: { Timestamp(milliseconds: 0) }, observer: { _ in }))
    }

    /// Has this done after each look from now on.
    func whenPeeked(_ work: @escaping @Sendable () -> Void) { interruptions.withLock { $0.peek = work } }

    /// Has this done after each look at whether what was read ahead still holds.
    func whenConfirmed(_ work: @escaping @Sendable () -> Void) { interruptions.withLock { $0.confirmation = work } }

    /// Has this done after each release of the lane from now on.
    func whenReleased(_ work: @escaping @Sendable () -> Void) { interruptions.withLock { $0.release = work } }

    @discardableResult
    func releaseDelivery() -> Bool {
        let isFree = inner.releaseDelivery()
        if isFree { interruptions.withLock { $0.release }() }
        return isFree
    }

    func open() async {
        await withCheckedContinuation { continuation in inner.open { _ in continuation.resume() } }
    }

    func append(_ id: String) async {
        await withCheckedContinuation { continuation in append(id) { continuation.resume() } }
    }

    /// Appends a record, and comes back once it is on disk.
    func appendAndBlock(_ id: String) {
        let isDone = DispatchGroup()
        isDone.enter()
        append(id) { isDone.leave() }
        isDone.wait()
    }

    /// Drops a record, and comes back once that is on disk.
    func dropAndBlock(_ record: Record.ID) {
        let isDone = DispatchGroup()
        isDone.enter()
        inner.stage(.drop([record], .reset)) { _ in isDone.leave() }
        isDone.wait()
    }

    func drop(_ record: Record.ID) async {
        await withCheckedContinuation { continuation in
            inner.stage(.drop([record], .expired)) { _ in continuation.resume() }
        }
    }

    private func append(_ id: String, completion: @escaping @Sendable () -> Void) {
        let stamp = CallStamp(messageID: .of(id), occurredAt: Timestamp(milliseconds: 0))
        let draft = Draft(stamp, Draft.Content(.endpoint, .complete(.of("{}"))))
        inner.stage(.append(draft)) { _ in completion() }
    }

    func state(ifQueued record: Record.ID) throws(StorageError) -> (lane: LaneState, version: ReadVersion?)? {
        let found = try inner.state(ifQueued: record)
        interruptions.withLock { $0.confirmation }()
        return found
    }

    func peek(limit: Int, maxBytes: Int, excluding: Set<Record.ID>) throws(StorageError) -> Peek {
        let peek = try inner.peek(limit: limit, maxBytes: maxBytes, excluding: excluding)
        interruptions.withLock { $0.peek }()
        return peek
    }
}
