import Synchronization
import Testing
// As a program does: neither the values' module nor what is not public.
import TrackerCore

@Suite("A stand-in for a client, in a program's own tests")
struct StandInTests {
    /// Takes calls down, and answers each with an outcome of its own.
    private final class Tracker: MobileTrackerInterface {
        let calls = Mutex<[TrackerCall]>([])
        let outcome: TrackOutcome

        init(_ outcome: TrackOutcome) { self.outcome = outcome }

        func enqueue(_ call: TrackerCall, messageId _: CallerKey?) -> CallReceipt {
            calls.withLock { $0.append(call) }
            return CallReceipt(outcome)
        }

        func initialize(brandId _: String, config _: TrackerConfig?) async throws(TrackerError) {}
        func reset(all _: Bool, messageId _: CallerKey?) -> CallReceipt { CallReceipt(outcome) }
        func setConsent(_: Consent, messageId _: CallerKey?) async -> TrackOutcome { outcome }
        func flush(timeout _: Duration) async -> FlushReport { FlushReport(delivered: 1, remaining: 0) }
        func shutdown(timeout _: Duration) async {}
        func networkDidChange() {}
        func crossDomainURL(for url: String) -> String { url }
        func debugInfo() -> JSONObject { [:] }
        var isTrackingAllowed: Bool { true }
        var sessionId: String? { nil }
        var deviceId: String? { nil }
        var sessionEmail: String? { nil }
        var brandId: String? { nil }
    }

    /// A part of a program that takes a tracker.
    private func checkOut(with tracker: any MobileTrackerInterface) async -> [TrackOutcome] {
        let outcomes = [
            await tracker.track(eventName: "PURCHASE", attributes: ["total": 149.99]),
            await tracker.identify(userId: 17),
            await tracker.screen(name: "Home"),
            await tracker.setConsent(.granted),
            await tracker.reset(all: true).outcome,
            await tracker.resetAndWait(messageId: "m1"),
        ]
        _ = await tracker.flush()
        await tracker.shutdown()
        return outcomes
    }

    @Test("sees every call of the program in one place, and gives receipts with outcomes")
    func tracker() async {
        let tracker = Tracker(.dropped(.disabled))

        #expect(await checkOut(with: tracker) == Array(repeating: .dropped(.disabled), count: 6))
        let expected: [TrackerCall] = [.track("PURCHASE", ["total": 149.99]), .identify("17"), .screen("Home")]
        #expect(tracker.calls.withLock { $0 } == expected)
    }

    @Test("may be a real tracker: it conforms")
    func real() async {
        let outcomes = await checkOut(with: MobileTracker())

        #expect(outcomes.prefix(3) == Array(repeating: .dropped(.notInitialized), count: 3)[...])
    }

    @Test("may give a receipt whose outcome comes later; the first one counts")
    func receipt() async {
        let receipt = CallReceipt()
        async let outcome = receipt.outcome

        receipt.resolve(.dropped(.queueFull))
        receipt.resolve(.dropped(.storage))

        #expect(await outcome == .dropped(.queueFull))
    }
}
