import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The log of dropped calls")
struct RefusalLogTests {
    @Test(
        "has one message and a count for a reason that holds for all calls",
        arguments: [.notInitialized, .trackingNotAllowed, .disabled] as [RefusalReason])
    func counts(_ reason: RefusalReason) {
        let recording = RecordingLog()
        let log = LevelledLog(recording, of: "Client", isVerbose: false)

        func line(_ call: String) -> String {
            "warning: \(Refusal(reason).message(of: call, initializer: "initialize()"))"
        }

        for number in 1...1_000 { log.logRefusal(.warning, "A\(number)", Refusal(reason)) }
        #expect(recording.lines.all == [line("A1")])

        log.endRefusals()
        log.endRefusals()
        log.logRefusal(.warning, "A1001", Refusal(reason))

        #expect(
            recording.lines.all == [
                line("A1"), "warning: 1000 calls were dropped: \(reason.rawValue)", line("A1001"),
            ])
    }

    /// A program's own log.
    private struct OwnLog: TrackerLog {
        let lines = Recorder<String>()

        func log(_ level: LogLevel, _ message: String) { lines.record("\(level.rawValue): \(message)") }
    }

    @Test("names the client that speaks in each message to a program's own log")
    func names() async {
        let log = OwnLog()

        await MobileTracker(log: log).track(eventName: "A")
        _ = await AnalyticsClient(log: log).track(" ").outcome
        _ = await AnalyticsClient(log: log).screen("").outcome
        _ = await AnalyticsClient(log: log).page("").outcome
        _ = await BasicTracker(log: log).track(event: "A").outcome

        #expect(
            log.lines.all == [
                "warning: MobileTracker: Not initialized. Call initialize() first.",
                "warning: AnalyticsClient: track was dropped: INVALID_EVENT_NAME. Its name is empty.",
                "warning: AnalyticsClient: screen was dropped: INVALID_EVENT_NAME. Its name is empty.",
                "warning: AnalyticsClient: page was dropped: INVALID_EVENT_NAME. Its name is empty.",
                "warning: BasicTracker: Not initialized. Call initialize() first.",
            ])
    }

    @Test("has a message for each wrong argument")
    func arguments() {
        let recording = RecordingLog()
        let log = LevelledLog(recording, of: "Client", isVerbose: false)

        for _ in 1...3 { log.logRefusal(.warning, "track", Refusal(.invalidEventName)) }
        log.endRefusals()

        #expect(
            recording.lines.all
                == Array(repeating: "warning: track was dropped: INVALID_EVENT_NAME. Its name is empty.", count: 3))
    }

    @Test("of a session tracker has a count at initialize")
    func tracker() async throws {
        let fixture = try SessionFixture()

        for number in 1...10 { _ = await fixture.tracker.track(eventName: "E\(number)") }
        try await fixture.start()
        _ = await fixture.tracker.track(eventName: "TAKEN")

        let lines = fixture.log.lines.all.filter { $0.hasPrefix("warning") }
        #expect(
            lines == [
                "warning: Not initialized. Call initialize() first.",
                "warning: 10 calls were dropped: NOT_INITIALIZED",
            ])
    }

    @Test("of a basic tracker has a count at initialize and at shutdown")
    func basic() async throws {
        let fixture = try BasicFixture()
        let log = fixture.log.lines
        func drop(_ count: Int) async {
            for number in 1...count {
                await withCheckedContinuation { continuation in
                    fixture.tracker.enqueue(
                        .track(event: "E\(number)", properties: nil), caller: Caller { _ in continuation.resume() })
                }
            }
        }

        await drop(10)
        try fixture.start()
        await drop(1)
        await fixture.tracker.shutdown()
        await drop(2)
        await fixture.tracker.shutdown()

        #expect(
            log.all.filter { $0.hasPrefix("warning") } == [
                "warning: Not initialized. Call initialize() first.",
                "warning: 10 calls were dropped: NOT_INITIALIZED",
                "warning: Not initialized. Call initialize() first.",
                "warning: 2 calls were dropped: NOT_INITIALIZED",
            ])
    }
}
