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
    private let outbox = InterruptedOutbox()
    private let engine: DeliveryEngine

    init() throws {
        let parts = DeliveryEngine.Parts(
            outbox: outbox, loop: loop, clock: SystemClock(), log: LevelledLog(RecordingLog(), isVerbose: false),
            diagnostics: DiagnosticsHub())
        let dialect = EndpointDialect(endpoint: "https://in.example.com/e", apiKey: Secret("k"), timeout: .seconds(30))
        engine = DeliveryEngine(
            parts,
            delivery: DeliveryState(
                dialect: dialect, breaker: CircuitBreaker.Policy(jitter: 0), maxConcurrentRequests: 1, eventTTL: nil,
                jitter: NoJitter()))
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
        outbox.whenPeeked { [engine] in engine.hold() }
        await settle()
        #expect(loop.requests.isEmpty)

        outbox.whenPeeked {}
        engine.release()
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
}

/// An outbox in memory, with something that happens whenever it has been looked at.
private final class InterruptedOutbox: WrappingOutbox {
    private struct Interruption { var work: @Sendable () -> Void = {} }

    let inner = SQLiteOutbox(
        OutboxConfiguration(
            location: .memory, lane: LaneIdentity(kind: .endpoint, owner: "k", origin: "https://in.example.com/e"),
            keyPrefix: "k_", initialConsent: .granted, bindsSessions: false,
            wallClock: { Timestamp(milliseconds: 0) }, observer: { _ in }))
    private let interruption = Mutex(Interruption())

    /// Has this done after each look from now on.
    func whenPeeked(_ work: @escaping @Sendable () -> Void) { interruption.withLock { $0.work = work } }

    func open() async {
        await withCheckedContinuation { continuation in inner.open { _ in continuation.resume() } }
    }

    func append(_ id: String) async {
        let draft = Draft(
            messageID: .of(id), route: .endpoint, body: .complete(.of("{}")), occurredAt: Timestamp(milliseconds: 0),
            acceptedAt: .zero)
        await withCheckedContinuation { continuation in inner.stage(.append(draft)) { _ in continuation.resume() } }
    }

    func peek(limit: Int, maxBytes: Int) throws(StorageError) -> Peek {
        let peek = try inner.peek(limit: limit, maxBytes: maxBytes)
        interruption.withLock { $0.work }()
        return peek
    }
}
