import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("Redirects that a session tracker does not follow")
struct RedirectTests {
    /// What answers an event, and what the log must name.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: LoopbackAnswer
        let target: String
    }

    @Test(
        "are told as a fault of the configuration, with where they lead, and keep the event",
        arguments: [
            Case(
                testDescription: "elsewhere", answer: .redirect(to: "http://localhost:9/moved?token=secret"),
                target: "http://localhost:9/moved"),
            Case(testDescription: "another scheme", answer: .redirect(to: "ftp://127.0.0.1/x"), target: "no http URL"),
            Case(testDescription: "in a circle", answer: .redirect(to: "/round"), target: "/round"),
            Case(testDescription: "without a target", answer: .status(302), target: "302"),
            Case(testDescription: "a choice", answer: .status(300), target: "300"),
        ])
    func named(_ given: Case) async throws {
        let fixture = try SessionFixture { $0.isCreation ? nil : given.answer }
        try await fixture.start(fixture.patientConfig)

        await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .retryWait))
        let lines = fixture.log.lines.all.filter { $0.hasPrefix("warning: Configuration error") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(given.target) == true, "\(lines)")
        #expect(!fixture.log.lines.all.contains { $0.contains("secret") })
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("never show a user or a session, which their paths name")
    func privately() async throws {
        let other = try LoopbackServer()
        let fixture = try SessionFixture { $0.isCreation ? nil : .redirect(to: other.url + $0.target) }
        try await fixture.start(fixture.patientConfig)
        let heard = Recorder<Diagnostic>()
        fixture.tracker.control.observe { heard.record($0) }

        await fixture.tracker.identify(userId: "user-sentinel", profileData: nil)
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.stoppedBy == .retryWait)
        let reported = heard.all.map { "\($0)" }
        let error = fixture.tracker.info("lastError", "message")?.stringValue ?? ""
        let told = fixture.log.lines.all + reported + [error]
        #expect(told.contains { $0.contains(other.url) })
        #expect(!told.contains { $0.contains("user-sentinel") || $0.contains("/S1") })
        #expect(other.connections == 0)
        await fixture.tracker.shutdown(timeout: .zero)
    }
}
