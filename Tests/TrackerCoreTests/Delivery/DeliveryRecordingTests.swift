import Synchronization
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The recording of deliveries")
struct DeliveryRecordingTests {
    private let loop = SteppedLoop()
    private let outbox = SQLiteOutbox(
        OutboxConfiguration(
            location: .memory(MemoryDatabase()),
            lane: LaneIdentity(kind: .session, owner: "925", origin: "https://api.example.com/base"),
            keyPrefix: "__GT_925_", initialConsent: .granted, bindsSessions: true,
            wallClock: { SystemClock().wall }, observer: { _ in }))
    private let engine: DeliveryEngine

    init() throws {
        let parts = DeliveryEngine.Parts(
            outbox: outbox, loop: loop, clock: SystemClock(),
            log: LevelledLog(RecordingLog(), of: "Client", isVerbose: false), diagnostics: DiagnosticsHub())
        engine = DeliveryEngine(
            parts,
            delivery: DeliveryState(
                dialect: try SessionDialect.sample(),
                breaker: DeliveryOptions(retryDelay: .seconds(1), jitter: 0).breaker,
                maxConcurrentRequests: 1, eventTTL: nil, jitter: NoJitter()))
    }

    /// Has a change written.
    private func write(_ change: LaneChange) async {
        await withCheckedContinuation { continuation in outbox.stage(change) { _ in continuation.resume() } }
    }

    /// Lets everything run that is due.
    private func settle() async {
        repeat { await write(.barrier) } while loop.step()
    }

    /// Delivers so many events, and leaves one more on the wire.
    private func deliver(_ count: Int) async throws {
        await withCheckedContinuation { continuation in outbox.open { _ in continuation.resume() } }
        await write(.bind(Generation(1), try #require(SessionID("S1"))))
        for number in 1...count + 1 {
            await write(
                .append(
                    Draft(
                        CallStamp(messageID: .of("m\(number)"), occurredAt: Timestamp(milliseconds: 0)),
                        Draft.Content(.event, .complete(.of(#"{"event_name":"E"}"#))))))
        }
        loop.answer { $0.headers["Idempotency-Key"] == "m\(count + 1)" ? nil : .status(200) }
        engine.start()
        await settle()
        #expect(loop.onTheWire.map { $0.headers["Idempotency-Key"] } == ["m\(count + 1)"])
    }

    @Test("comes after 20 ms, while the next request is on the wire")
    func afterTime() async throws {
        try await deliver(2)
        #expect(try outbox.state().queuedRecords == 3)
        #expect(loop.nextTimer == .seconds(0.02))

        loop.advance(by: .milliseconds(20))
        await settle()

        #expect(try outbox.state().queuedRecords == 1)
        #expect(loop.nextTimer == nil)
        loop.kill()
    }

    @Test("comes after 64 deliveries, before any time has passed")
    func afterCount() async throws {
        try await deliver(64)

        #expect(try outbox.state().queuedRecords == 1)
        #expect(loop.nextTimer == nil)
        loop.kill()
    }

    @Test("how delivery stands can be asked while the loop is at work")
    func asksWithoutWaiting() async throws {
        try await deliver(1)
        loop.answer { _ in .status(401) }
        engine.onLoop { _ in #expect(engine.snapshot.requestsInFlight == 1) }
        await settle()

        engine.onLoop { _ in #expect(engine.snapshot.requestsInFlight == 0) }
        loop.kill()
    }
}
