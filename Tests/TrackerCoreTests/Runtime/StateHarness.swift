import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// A client's state whose actions are written down instead of performed.
struct StateHarness<Policy: StubPolicy> {
    typealias State = ClientState<StubModel<Policy>, String>

    var state = State()
    /// What those were answered who asked for something.
    let answers = Recorder<String>()
    private var calls = 0
    let settings: StubSettings
    /// Every run so far, by its number.
    private var runs: [Int: State.Run] = [:]
    /// Whether the next run cannot be made.
    var cannotBegin = false
    /// The names of the actions of the last event.
    private(set) var actions: [String] = []

    /// What every event so far has come to.
    private(set) var history: [String] = []

    /// Forgets them.
    mutating func rest() { actions = [] }

    init() throws { settings = try StubSettings("a") }

    /// Has something happen, and writes down what follows.
    ///
    /// - Returns: The actions, and the phase they leave.
    @discardableResult
    mutating func handle(_ event: (inout State) -> Void) -> String {
        actions = []
        event(&state)
        while let action = state.next() {
            actions.append(describe(action))
            if case .begin(let initialization, let settings, _) = action { begin(initialization, settings) }
        }
        for action in state.takeDeferred() {
            actions.append(describe(action))
            switch action {
            case .perform(let body): body()
            case .answer(let waiters, let error):
                for waiter in waiters { waiter(error.map { .failure($0) } ?? .success(())) }
            case .refuse(let call, let refusal): call.stamp.caller.receive(.failure(refusal))
            case .report(let flush, let reason):
                flush.completion(FlushReport(delivered: 0, remaining: 1, stoppedBy: reason))
            default: break
            }
        }
        history.append((actions + [phase]).joined(separator: "; "))
        return history[history.count - 1]
    }

    private mutating func begin(_ initialization: Initialization<StubModel<Policy>>, _ settings: StubSettings) {
        guard !cannotBegin else {
            return state.refuse(initialization, TrackerError(.initializationFailed, "no transport"))
        }
        let number = state.runs + 1
        let run = State.Run(number: number, settings: settings, lane: "lane \(number)")
        runs[number] = run
        for _ in state.begin(run, initialization) { actions.append("first reset") }
    }

    // MARK: What is asked

    mutating func call() -> String {
        calls += 1
        let (number, answers) = (calls, answers)
        let stamp = CallStamp(
            messageID: .of("m\(number)"), occurredAt: Timestamp(milliseconds: 0), number: number,
            caller: Caller { outcome in answers.record("call \(number) \(outcome)") })
        let direct = state.directRun
        let result = handle {
            $0.submit(
                .call(
                    PendingCall(call: number, stamp: stamp)))
        }
        // The short way of a call must lead where the long one does.
        let isStaged = actions.first == "stage \(number) in \(runs.count)"
        #expect(direct.map(\.number) == (isStaged ? runs.count : nil))
        return result
    }

    mutating func initialize(_ settings: StubSettings? = nil) -> String {
        submit(.success(settings ?? self.settings))
    }

    mutating func initializeWrongly() -> String {
        submit(.failure(TrackerError(.invalidConfiguration, "wrong")))
    }

    mutating func turnOff() -> String {
        let answers = answers
        return handle {
            $0.submit(
                .turnOff(
                    .init(
                        switchedBy: .option, updateModel: { _ in },
                        completion: { _ in answers.record("turned off") })))
        }
    }

    private mutating func submit(_ settings: Result<StubSettings, TrackerError>) -> String {
        let answers = answers
        return handle {
            $0.submit(
                .initialize(
                    Initialization(settings: settings) { result in
                        switch result {
                        case .success: answers.record("initialized")
                        case .failure(let error): answers.record("not initialized: \(error.code.rawValue)")
                        }
                    }))
        }
    }

    mutating func reset(
        _ id: MessageID? = nil, all: Bool = true, repetition: CallRepetition? = nil
    ) -> String {
        let change = change(id, all: all, repetition: repetition)
        return handle { $0.submit(.change(change)) }
    }

    func change(
        _ id: MessageID? = nil, all: Bool = true, repetition: CallRepetition? = nil, own: String = "own"
    ) -> PendingChange {
        let answers = answers
        return PendingChange(
            change: .reset(all: all, messageID: id), messageID: id, repetition: repetition, ownID: .of(own)
        ) { outcome in
            let word = outcome == .kept ? "kept" : outcome.error == nil ? "done" : "failed"
            answers.record("reset \(word)")
        }
    }

    mutating func flush() -> String {
        let answers = answers
        let flush = PendingFlush(deadline: .seconds(1)) { answers.record("flushed \($0.stoppedBy?.rawValue ?? "")") }
        return handle { $0.submit(.flush(flush)) }
    }

    mutating func after() -> String {
        let answers = answers
        return handle { $0.submit(.after { answers.record("after") }) }
    }

    mutating func shutDown() -> String {
        let answers = answers
        return handle { $0.shutDown(by: .seconds(1)) { answers.record("shut down") } }
    }

    // MARK: What happens to the run in use, or to the first that is being left

    private var number: Int { state.run?.number ?? state.leaving.first?.number ?? state.runs }

    mutating func opened() -> String {
        let number = number
        return handle { $0.opened(number) }
    }

    mutating func finished(_ error: TrackerError? = nil) -> String {
        let number = number
        return handle { $0.finished(number, error.map { .failure($0) } ?? .success(())) }
    }

    mutating func closed() -> String {
        let number = state.leaving.first?.number ?? number
        return handle { $0.closed(number) }
    }

    mutating func disabled() -> String {
        let number = number
        return handle { $0.disabled(number, "refused") }
    }

    /// - Parameter number: The run that was reset; `nil`: the one in use.
    mutating func resetEnded(
        _ result: ChangeResult, in number: Int? = nil, repetition: CallRepetition? = nil
    ) -> String {
        guard let run = runs[number ?? self.number] else { return phase }
        let change = change(repetition: repetition)
        return handle { $0.resetEnded(run, change, result) }
    }

    // MARK: In words

    /// The phase, with the number of its run.
    var phase: String {
        switch state.phase {
        case .idle: "idle"
        case .opening(let run): "opening \(run.number)"
        case .ready(let run): "ready \(run.number)"
        case .withoutSession(let run): "without session \(run.number)"
        case .resetting(let run, _): "resetting \(run.number)"
        case .disabled(let run, let fault): "disabled \(run.map { "\($0.number) " } ?? "")by \(word(fault))"
        case .shutDown: "shut down"
        }
    }

    private func word(_ fault: State.Fault) -> String {
        switch fault {
        case .settings: "settings"
        case .off: "program"
        case .storage: "storage"
        case .server: "server"
        }
    }

    private func describe(_ action: State.Ordered) -> String {
        switch action {
        case .stage(let call, let run): "stage \(call.call) in \(run.number)"
        case .commit(_, _, let run): "commit in \(run.number)"
        case .forget(_, let run): "forget in \(run.number)"
        case .barrier(let run, _): "barrier in \(run.number)"
        case .begin(_, _, let old): old.map { "begin after \($0.number)" } ?? "begin"
        case .dropAll(let run): "drop all in \(run.number)"
        case .update(let run, _): "update \(run.number)"
        case .adopt(_, let run): "adopt for \(run.number)"
        case .reject(_, let error): "reject \(error.code.rawValue)"
        case .turnOff: "turn off"
        case .settleFilter(let run): "settle filter of \(run.number)"
        case .takeBackFilter: "take back filter"
        case .withdrawFilter: "withdraw filter"
        }
    }

    private func describe(_ action: State.Deferred) -> String {
        switch action {
        case .began(let run): "began \(run.number)"
        case .open(let run): "open \(run.number)"
        case .prepare(let run): "prepare \(run.number)"
        case .start(let run): "start \(run.number)"
        case .resume(let run): "resume \(run.number)"
        case .offerUnbound(let run): "offer \(run.number)"
        case .close(let run): "close \(run.number)"
        case .end(let run): "end \(run.number)"
        case .flush(_, let run): "flush \(run.number)"
        case .report(_, let reason): "report flush \(reason)"
        case .refuse(let call, let refusal): "refuse \(call.call) \(refusal.reason.rawValue)"
        case .answer(_, let error): error.map { "answer \($0.code.rawValue)" } ?? "answer"
        case .announceOff: "off"
        case .log, .logFailure: "log"
        case .perform: "perform"
        }
    }
}
