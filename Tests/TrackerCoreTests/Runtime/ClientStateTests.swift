import Testing
import TrackerModels

@testable import TrackerCore

/// Every event in every phase, by calling the state: what it has done, and the phase it leaves.
@Suite("The state of a client")
struct ClientStateTests {
    /// How a state gets into a phase.
    enum Start {
        case idle, opening, ready, withoutSession, resetting, disabled, shutDown
    }

    /// One event.
    enum Event: CaseIterable {
        case call, initialize, initializeWrongly, reset, flush, after, opened, finished, failed, disabled, closed,
            shutDown
    }

    @Test("a client that refuses early calls and moves its queue")
    func refusing() throws {
        let table = try table(Refusing.self, from: [.idle, .opening, .ready, .disabled, .shutDown])

        #expect(table == Self.refusing)
    }

    @Test("a client that holds early calls, and that a reset ends")
    func holding() throws {
        let table = try table(Holding.self, from: [.idle, .opening, .ready, .resetting, .disabled, .shutDown])

        #expect(table == Self.holding)
    }

    @Test("a client that stays open over a reset, and holds calls on disk without a session")
    func staying() throws {
        let table = try table(Staying.self, from: [.idle, .opening, .ready, .withoutSession, .shutDown])

        #expect(table == Self.staying)
    }

    /// One line for each phase and event: the actions, and the phase they leave.
    private func table<Policy: StubPolicy>(_: Policy.Type, from starts: [Start]) throws -> String {
        var lines: [String] = []
        for start in starts {
            for event in Event.allCases {
                var harness = try StateHarness<Policy>()
                try enter(start, &harness)
                lines.append("\(start), \(event): \(send(event, &harness))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private func enter<Policy>(_ start: Start, _ harness: inout StateHarness<Policy>) throws {
        guard start != .idle else { return }
        _ = harness.initialize()
        if start == .opening { return }
        _ = harness.opened()
        switch start {
        case .idle, .opening: break
        case .withoutSession: _ = harness.finished(TrackerError(.sessionCreationFailed, "none"))
        case .disabled:
            _ = harness.finished()
            _ = harness.disabled()
        case .ready, .resetting, .shutDown:
            _ = harness.finished()
            if start == .resetting { _ = harness.reset() }
            if start == .shutDown { _ = harness.shutDown() }
        }
    }

    private func send<Policy>(_ event: Event, _ harness: inout StateHarness<Policy>) -> String {
        switch event {
        case .call: harness.call()
        case .initialize: harness.initialize()
        case .initializeWrongly: harness.initializeWrongly()
        case .reset: harness.reset()
        case .flush: harness.flush()
        case .after: harness.after()
        case .opened: harness.opened()
        case .finished: harness.finished()
        case .failed: harness.finished(TrackerError(.storage, "broken"))
        case .disabled: harness.disabled()
        case .closed: harness.closed()
        case .shutDown: harness.shutDown()
        }
    }
}

/// What is expected. Run 1 is the one in use; a reset or an `initialize` that does nothing at once waits.
extension ClientStateTests {
    private static let refusing = """
        idle, call: refuse 1 NOT_INITIALIZED; idle
        idle, initialize: begin; began 1; open 1; opening 1
        idle, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; idle
        idle, reset: perform; idle
        idle, flush: report flush notInitialized; idle
        idle, after: perform; idle
        idle, opened: idle
        idle, finished: idle
        idle, failed: idle
        idle, disabled: idle
        idle, closed: idle
        idle, shutDown: perform; shut down
        opening, call: stage 1 in 1; opening 1
        opening, initialize: opening 1
        opening, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; opening 1
        opening, reset: commit in 1; opening 1
        opening, flush: flush 1; opening 1
        opening, after: barrier in 1; opening 1
        opening, opened: prepare 1; opening 1
        opening, finished: settle filter of 1; start 1; answer; ready 1
        opening, failed: log; answer STORAGE_ERROR; disabled 1 by storage
        opening, disabled: drop all in 1; log; answer; disabled 1 by server
        opening, closed: opening 1
        opening, shutDown: answer INIT_ERROR; shut down
        ready, call: stage 1 in 1; ready 1
        ready, initialize: answer; ready 1
        ready, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; ready 1
        ready, reset: commit in 1; ready 1
        ready, flush: flush 1; ready 1
        ready, after: barrier in 1; ready 1
        ready, opened: ready 1
        ready, finished: ready 1
        ready, failed: ready 1
        ready, disabled: drop all in 1; log; disabled 1 by server
        ready, closed: ready 1
        ready, shutDown: end 1; shut down
        disabled, call: refuse 1 DISABLED; disabled 1 by server
        disabled, initialize: log; answer; disabled 1 by server
        disabled, initializeWrongly: log; answer; disabled 1 by server
        disabled, reset: commit in 1; disabled 1 by server
        disabled, flush: report flush notInitialized; disabled 1 by server
        disabled, after: barrier in 1; disabled 1 by server
        disabled, opened: disabled 1 by server
        disabled, finished: disabled 1 by server
        disabled, failed: disabled 1 by server
        disabled, disabled: drop all in 1; log; disabled 1 by server
        disabled, closed: disabled 1 by server
        disabled, shutDown: end 1; shut down
        shutDown, call: refuse 1 NOT_INITIALIZED; shut down
        shutDown, initialize: begin; began 2; opening 2
        shutDown, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; shut down
        shutDown, reset: perform; shut down
        shutDown, flush: report flush notInitialized; shut down
        shutDown, after: perform; shut down
        shutDown, opened: shut down
        shutDown, finished: shut down
        shutDown, failed: shut down
        shutDown, disabled: shut down
        shutDown, closed: perform; shut down
        shutDown, shutDown: shut down
        """

    private static let holding = """
        idle, call: idle
        idle, initialize: begin; began 1; open 1; opening 1
        idle, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; disabled by settings
        idle, reset: perform; idle
        idle, flush: report flush notInitialized; idle
        idle, after: perform; idle
        idle, opened: idle
        idle, finished: idle
        idle, failed: idle
        idle, disabled: idle
        idle, closed: idle
        idle, shutDown: perform; shut down
        opening, call: stage 1 in 1; opening 1
        opening, initialize: opening 1
        opening, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; opening 1
        opening, reset: opening 1
        opening, flush: flush 1; opening 1
        opening, after: barrier in 1; opening 1
        opening, opened: prepare 1; opening 1
        opening, finished: settle filter of 1; start 1; answer; ready 1
        opening, failed: log; close 1; answer STORAGE_ERROR; disabled by storage
        opening, disabled: drop all in 1; log; answer; disabled 1 by server
        opening, closed: opening 1
        opening, shutDown: answer INIT_ERROR; shut down
        ready, call: stage 1 in 1; ready 1
        ready, initialize: answer; ready 1
        ready, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; ready 1
        ready, reset: commit in 1; resetting 1
        ready, flush: flush 1; ready 1
        ready, after: barrier in 1; ready 1
        ready, opened: ready 1
        ready, finished: ready 1
        ready, failed: ready 1
        ready, disabled: drop all in 1; log; disabled 1 by server
        ready, closed: ready 1
        ready, shutDown: end 1; shut down
        resetting, call: resetting 1
        resetting, initialize: resetting 1
        resetting, initializeWrongly: resetting 1
        resetting, reset: resetting 1
        resetting, flush: resetting 1
        resetting, after: resetting 1
        resetting, opened: resetting 1
        resetting, finished: resetting 1
        resetting, failed: resetting 1
        resetting, disabled: resetting 1
        resetting, closed: resetting 1
        resetting, shutDown: shut down
        disabled, call: refuse 1 DISABLED; disabled 1 by server
        disabled, initialize: log; answer; disabled 1 by server
        disabled, initializeWrongly: log; answer; disabled 1 by server
        disabled, reset: commit in 1; resetting 1
        disabled, flush: report flush notInitialized; disabled 1 by server
        disabled, after: barrier in 1; disabled 1 by server
        disabled, opened: disabled 1 by server
        disabled, finished: disabled 1 by server
        disabled, failed: disabled 1 by server
        disabled, disabled: drop all in 1; log; disabled 1 by server
        disabled, closed: disabled 1 by server
        disabled, shutDown: end 1; shut down
        shutDown, call: refuse 1 NOT_INITIALIZED; shut down
        shutDown, initialize: begin; began 2; opening 2
        shutDown, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; disabled by settings
        shutDown, reset: perform; shut down
        shutDown, flush: report flush notInitialized; shut down
        shutDown, after: perform; shut down
        shutDown, opened: shut down
        shutDown, finished: shut down
        shutDown, failed: shut down
        shutDown, disabled: shut down
        shutDown, closed: perform; shut down
        shutDown, shutDown: shut down
        """

    private static let staying = """
        idle, call: refuse 1 NOT_INITIALIZED; idle
        idle, initialize: begin; began 1; open 1; opening 1
        idle, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; idle
        idle, reset: perform; idle
        idle, flush: report flush notInitialized; idle
        idle, after: perform; idle
        idle, opened: idle
        idle, finished: idle
        idle, failed: idle
        idle, disabled: idle
        idle, closed: idle
        idle, shutDown: perform; shut down
        opening, call: stage 1 in 1; opening 1
        opening, initialize: opening 1
        opening, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; opening 1
        opening, reset: commit in 1; opening 1
        opening, flush: flush 1; opening 1
        opening, after: barrier in 1; opening 1
        opening, opened: prepare 1; opening 1
        opening, finished: settle filter of 1; start 1; answer; ready 1
        opening, failed: log; close 1; answer STORAGE_ERROR; idle
        opening, disabled: drop all in 1; log; answer; disabled 1 by server
        opening, closed: opening 1
        opening, shutDown: answer SESSION_CREATION_FAILED; shut down
        ready, call: stage 1 in 1; ready 1
        ready, initialize: answer; ready 1
        ready, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; ready 1
        ready, reset: commit in 1; ready 1
        ready, flush: flush 1; ready 1
        ready, after: barrier in 1; ready 1
        ready, opened: ready 1
        ready, finished: ready 1
        ready, failed: ready 1
        ready, disabled: drop all in 1; log; disabled 1 by server
        ready, closed: ready 1
        ready, shutDown: end 1; shut down
        withoutSession, call: stage 1 in 1; without session 1
        withoutSession, initialize: begin after 1; began 2; close 1; opening 2
        withoutSession, initializeWrongly: reject INVALID_CONFIGURATION; close 1; log; answer INVALID_CONFIGURATION; idle
        withoutSession, reset: commit in 1; without session 1
        withoutSession, flush: flush 1; without session 1
        withoutSession, after: barrier in 1; without session 1
        withoutSession, opened: without session 1
        withoutSession, finished: without session 1
        withoutSession, failed: without session 1
        withoutSession, disabled: without session 1
        withoutSession, closed: without session 1
        withoutSession, shutDown: end 1; shut down
        shutDown, call: refuse 1 NOT_INITIALIZED; shut down
        shutDown, initialize: begin; began 2; opening 2
        shutDown, initializeWrongly: reject INVALID_CONFIGURATION; log; answer INVALID_CONFIGURATION; shut down
        shutDown, reset: perform; shut down
        shutDown, flush: report flush notInitialized; shut down
        shutDown, after: perform; shut down
        shutDown, opened: shut down
        shutDown, finished: shut down
        shutDown, failed: shut down
        shutDown, disabled: shut down
        shutDown, closed: perform; shut down
        shutDown, shutDown: shut down
        """
}
