import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// What one phase alone does not show: chains of runs, changes that wait for a lane, and the end.
@Suite("The state of a client, over several events")
struct ClientStateSequenceTests {
    @Test("a run that is replaced while it opens is closed before the next one is opened")
    func replacedWhileOpening() throws {
        var harness = try StateHarness<Refusing>()
        _ = harness.initialize()
        #expect(try harness.initialize(StubSettings("b", .replaces)) == "begin after 1; began 2; opening 2")
        #expect(harness.call() == "stage 1 in 2; opening 2")
        #expect(try harness.initialize(StubSettings("c", .replaces)) == "begin after 2; began 3; opening 3")

        #expect(harness.handle { $0.opened(1) } == "close 1; opening 3")
        #expect(harness.handle { $0.closed(1) } == "open 2; opening 3")
        #expect(harness.handle { $0.opened(2) } == "close 2; opening 3")
        #expect(harness.handle { $0.closed(2) } == "open 3; opening 3")
        #expect(harness.handle { $0.opened(3) } == "prepare 3; opening 3")
        #expect(harness.finished() == "settle filter of 3; start 3; answer; ready 3")
        #expect(harness.answers.all == ["initialized", "initialized", "initialized"])
    }

    @Test("a run that cannot be opened is closed as well, and the next one opened")
    func replacedFails() throws {
        var harness = try StateHarness<Refusing>()
        _ = harness.initialize()
        _ = try harness.initialize(StubSettings("b", .replaces))

        let broken = TrackerError(.storage, "broken")
        #expect(harness.handle { $0.finished(1, .failure(broken)) } == "close 1; opening 2")
        #expect(harness.handle { $0.closed(1) } == "open 2; opening 2")
    }

    @Test("other settings for the same lane change the run where it is")
    func updates() throws {
        var harness = try StateHarness<Refusing>()
        _ = harness.initialize()
        #expect(try harness.initialize(StubSettings("a", .updates)) == "adopt for 1; update 1; opening 1")
        _ = harness.opened()
        _ = harness.finished()
        #expect(try harness.initialize(StubSettings("a", .updates)) == "adopt for 1; update 1; answer; ready 1")
    }

    @Test("initialize runs in full after delivery was halted, and after a reset that forgets the brand")
    func runsAnew() throws {
        var halted = try StateHarness<Staying>()
        _ = halted.initialize()
        _ = halted.opened()
        _ = halted.finished()
        #expect(halted.initialize() == "answer; ready 1")
        halted.handle { $0.halted(1) }
        #expect(halted.state.lifecycle == .halted)
        #expect(halted.initialize() == "begin after 1; began 2; close 1; opening 2")

        var ended = try StateHarness<Staying>()
        _ = ended.initialize()
        _ = ended.opened()
        _ = ended.finished()
        _ = ended.reset(all: false)
        #expect(try ended.initialize(StubSettings("foreign")) == "reject INIT_ERROR; log; answer INIT_ERROR; ready 1")
        _ = ended.reset(all: true)
        #expect(try ended.initialize(StubSettings("foreign")) == "begin after 1; began 2; close 1; opening 2")
    }

    @Test("a reset that had taken effect before does not make initialize run in full")
    func repeatedResetAll() throws {
        var harness = try StateHarness<Staying>()
        _ = harness.initialize()
        _ = harness.opened()
        _ = harness.finished()

        let (repeated, new) = (harness.change(.of("r"), own: "1"), harness.change(own: "2"))
        for change in [repeated, new] { harness.handle { $0.submit(.change(change)) } }
        #expect(!harness.state.isRunning)
        harness.handle { $0.takeBack(repeated) }
        #expect(!harness.state.isRunning)
        harness.handle { $0.takeBack(new) }

        #expect(harness.initialize() == "answer; ready 1")
    }

    @Test("a reset that a process makes once more ends the brand, whatever became of it")
    func resetAllOnceMore() throws {
        var harness = try StateHarness<Staying>()
        _ = harness.initialize()
        _ = harness.opened()
        _ = harness.finished()

        let unanswered = harness.change(.of("r"), repetition: .unanswered)
        harness.handle { $0.submit(.change(unanswered)) }
        harness.handle { $0.takeBack(unanswered) }
        #expect(try harness.initialize(StubSettings("b")) == "begin after 1; began 2; close 1; opening 2")
        _ = harness.opened()
        _ = harness.finished()

        #expect(harness.reset(.of("s"), repetition: .answered) == "perform; ready 2")
        #expect(try harness.initialize(StubSettings("c")).hasPrefix("begin after 2; began 3"))
    }

    @Test("one that was answered leaves alone what is not set up again")
    func answeredResetAlone() throws {
        var harness = try StateHarness<Staying>()
        #expect(harness.reset(.of("r"), repetition: .answered) == "perform; idle")
        #expect(!harness.initialize().contains("first reset"))
    }

    @Test("each new lane gets a change that no lane has taken, until one has opened")
    func earlyChanges() throws {
        var harness = try StateHarness<Staying>()
        _ = harness.reset()
        #expect(harness.initialize() == "begin; first reset; began 1; open 1; opening 1")
        _ = harness.reset()
        _ = harness.finished(TrackerError(.storage, "broken"))
        _ = harness.closed()
        #expect(harness.initialize() == "begin; first reset; first reset; began 2; open 2; opening 2")
        _ = harness.opened()
        _ = harness.finished()
        _ = harness.shutDown()
        _ = harness.closed()

        #expect(harness.initialize() == "begin; began 3; open 3; opening 3")
        #expect(harness.answers.all.prefix(1) == ["reset kept"])
    }

    @Test("the lane of another owner gets none that was made for one, which is kept for the next lane of its own")
    func earlyChangesOfOwner() throws {
        var harness = try StateHarness<Staying>()
        _ = harness.initialize()
        _ = harness.reset()

        #expect(!harness.initialize(try StubSettings("b")).contains("first reset"))
        _ = harness.handle { $0.finished(1, .failure(TrackerError(.storage, "broken"))) }
        _ = harness.closed()
        _ = harness.opened()
        _ = harness.finished()
        _ = harness.shutDown()
        _ = harness.closed()

        #expect(harness.initialize() == "begin; first reset; began 3; open 3; opening 3")
    }

    @Test("a reset ends the run: what comes after it waits, and goes to the next one")
    func resetEndsRun() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        _ = harness.opened()
        _ = harness.finished()

        #expect(harness.reset() == "commit in 1; resetting 1")
        #expect(harness.call() == "resetting 1")
        #expect(harness.initialize() == "resetting 1")
        #expect(harness.flush() == "resetting 1")
        #expect(harness.resetEnded(ChangeResult(.done, .sample())) == "close 1; resetting 1")
        #expect(harness.closed() == "begin; stage 1 in 2; perform; began 2; open 2; flush 2; opening 2")
        #expect(harness.answers.all == ["initialized", "reset done"])
    }

    @Test("a reset that a process makes once more ends the run, whatever became of it")
    func resetOnceMore() throws {
        for repetition in CallRepetition.allCases {
            var harness = try StateHarness<Holding>()
            _ = harness.initialize()
            _ = harness.opened()
            _ = harness.finished()

            let taken = harness.reset(.of("r"), repetition: repetition)
            #expect(taken == (repetition == .answered ? "close 1; resetting 1" : "commit in 1; resetting 1"))
            if repetition == .unanswered {
                let ended = harness.resetEnded(ChangeResult(.repeated, .sample()), repetition: repetition)
                #expect(ended == "close 1; resetting 1")
            }
            #expect(harness.closed() == "perform; idle")
        }
    }

    @Test("a hundred resets before the first run are kept, and past that none that a later one repeats")
    func boundsEarlyResets() throws {
        var harness = try StateHarness<Refusing>()

        for number in 1...1000 { _ = harness.reset(.of("r\(number)"), all: number == 1) }

        let kept = harness.state.early.map(\.change.messageID)
        #expect(kept.count == 100 && kept.last == .of("r1000"))
        #expect(kept.first == .of("r1"), "No later one ends the brand")
    }

    @Test("a reset that had taken effect before leaves the client as it was", arguments: [true, false])
    func repeatedReset(isDisabled: Bool) throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        _ = harness.opened()
        _ = harness.finished()
        if isDisabled { _ = harness.disabled() }

        _ = harness.reset(.of("r"))
        _ = harness.call()
        let after = harness.resetEnded(ChangeResult(.repeated, .sample()))

        #expect(
            after
                == (isDisabled
                    ? "withdraw filter; resume 1; perform; refuse 1 DISABLED; disabled 1 by server"
                    : "withdraw filter; stage 1 in 1; resume 1; perform; ready 1"))
    }

    @Test("a reset while the lane opens waits for it, and drops no call that comes after it")
    func resetWhileOpening() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        #expect(harness.call() == "stage 1 in 1; opening 1")
        #expect(harness.reset() == "opening 1")
        #expect(harness.call() == "opening 1")
        #expect(harness.state.wouldKeepCallWaiting)
        _ = harness.opened()

        #expect(harness.finished() == "settle filter of 1; commit in 1; start 1; answer; resetting 1")
    }

    @Test("holds as many calls as it may, and refuses the oldest")
    func bounds() throws {
        var harness = try StateHarness<Holding>()
        for _ in 0..<3 { _ = harness.call() }

        #expect(harness.call() == "refuse 1 QUEUE_FULL; idle")
        #expect(harness.initialize() == "begin; stage 2 in 1; stage 3 in 1; stage 4 in 1; began 1; open 1; opening 1")
    }

    @Test("a reset in an idle client refuses the calls before it, and a second one under its key none")
    func resetWhileIdle() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.call()
        #expect(harness.reset(.of("r")) == "refuse 1 NOT_INITIALIZED; perform; idle")
        _ = harness.call()
        #expect(harness.reset(.of("r")) == "perform; idle")
        #expect(harness.initialize() == "begin; first reset; stage 2 in 1; began 1; open 1; opening 1")
    }

    @Test("a shutdown while the lane opens has what is staged written first")
    func shutDownWhileOpening() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        _ = harness.call()
        #expect(harness.shutDown() == "answer INIT_ERROR; shut down")
        #expect(harness.shutDown() == "shut down")

        #expect(harness.opened() == "end 1; shut down")
        #expect(harness.closed() == "perform; perform; shut down")
        #expect(harness.answers.all == ["not initialized: INIT_ERROR", "shut down", "shut down"])
    }

    @Test("a reset that was answered before its process died is not written at a shutdown either")
    func answeredResetAtShutDown() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        #expect(harness.reset(.of("r"), repetition: .answered) == "opening 1")

        #expect(harness.shutDown() == "answer INIT_ERROR; perform; shut down")
        #expect(harness.answers.all.contains("reset kept"))
    }

    @Test("a second reset that waits at a shutdown is written behind the first, and answered only then")
    func secondResetAtShutDown() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        _ = harness.opened()
        _ = harness.finished()
        #expect(harness.reset() == "commit in 1; resetting 1")
        #expect(harness.reset() == "resetting 1")

        #expect(harness.shutDown() == "commit in 1; shut down")
        #expect(harness.answers.all == ["initialized"])
        #expect(harness.resetEnded(ChangeResult(.done, .sample()), in: 1) == "close 1; shut down")
        #expect(harness.resetEnded(ChangeResult(.done, .sample()), in: 1) == "close 1; shut down")
        #expect(harness.handle { $0.closed(1) } == "perform; perform; perform; shut down")
        #expect(harness.answers.all == ["initialized", "reset done", "reset done", "shut down"])
    }

    @Test("a run that is begun after a shutdown waits for the old lane to be closed")
    func initializeAfterShutDown() throws {
        var harness = try StateHarness<Holding>()
        _ = harness.initialize()
        _ = harness.opened()
        _ = harness.finished()
        _ = harness.shutDown()

        #expect(harness.initialize() == "begin; began 2; opening 2")
        #expect(harness.call() == "stage 1 in 2; opening 2")
        #expect(harness.handle { $0.closed(1) } == "perform; open 2; opening 2")
    }

    @Test("a run that cannot be made leaves a client by its policy")
    func cannotBegin() throws {
        var refusing = try StateHarness<Refusing>()
        refusing.cannotBegin = true
        #expect(refusing.initialize() == "begin; reject INIT_ERROR; log; answer INIT_ERROR; idle")

        var holding = try StateHarness<Holding>()
        holding.cannotBegin = true
        _ = holding.call()
        #expect(
            holding.initialize()
                == "begin; reject INIT_ERROR; log; answer INIT_ERROR; refuse 1 DISABLED; disabled by settings")
    }

    @Test(
        "whatever happens, every call has one answer or one place, one lane is open at a time, and all who wait are answered",
        arguments: Seeds.cases(1000, of: "client states"))
    func scripts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        switch generator.number(0...2) {
        case 0: try ScriptedState<Refusing>(seed: seed).play(&generator)
        case 1: try ScriptedState<Holding>(seed: seed).play(&generator)
        default: try ScriptedState<Staying>(seed: seed).play(&generator)
        }
    }
}
