import TrackerModels
import TrackerStorage

extension ClientState {
    /// Something that the owner of the state has to do inside the critical section: its order is the order on disk, or
    /// the one in which callers see it.
    enum Ordered: Sendable {
        case stage(Call, Run)
        /// Stage a reset or a decision, in this form.
        case commit(LaneChange, PendingChange, Run)
        /// Stage a change of the list of persons to forget.
        case forget(PendingForget, Run)
        /// Run something once everything staged in the lane is on disk.
        case barrier(Run, @Sendable () -> Void)
        /// Make a run, and report it by ``begin(_:_:)`` or ``refuse(_:_:)``. Its queue takes over that
        /// of the run it replaces.
        case begin(Initialization<Model>, Settings, replacing: Run?)
        /// Drop every record of the lane, since the server has disabled the client.
        case dropAll(Run)
        /// Deliver the lane by the run's new settings, which may be as they were.
        case update(Run, isSame: Bool)
        /// Remember what an `initialize` has brought whose settings the run goes on with.
        case adopt(Initialization<Model>, Run)
        /// An `initialize` was refused: remember what it was given, and why.
        case reject(Initialization<Model>, TrackerError)
        /// The client does nothing from now on.
        case turnOff(Initialization<Model>.Off)
        /// The program's function that came with the run's `initialize` sees every call from now on.
        case settleFilter(Run)
        /// The function that came with an `initialize` that failed no longer does.
        case takeBackFilter
        /// The function of an `initialize` that is ignored now is forgotten.
        case withdrawFilter
    }

    /// Something that the owner of the state has to do after the critical section.
    enum Deferred: Sendable {
        /// A run has begun: limit the time of its `initialize`.
        case began(Run)
        /// Open the lane, and report it by ``opened(_:)`` or ``finished(_:_:)``.
        case open(Run)
        /// Get the lane that has opened ready, and report it by ``finished(_:_:)``.
        case prepare(Run)
        case start(Run)
        /// Go on delivering after a pause.
        case resume(Run)
        /// Let other processes send the records without a session: this process makes no session.
        case offerUnbound(Run)
        /// Close the lane, and report it by ``closed(_:)``.
        case close(Run)
        /// Send what can be sent before ``ClientState/deadline``, then close the lane as `close` does.
        case end(Run)
        case flush(PendingFlush, Run)
        /// Report a flush that cannot begin, with what waits.
        case report(PendingFlush, StopReason)
        case refuse(Call, Refusal)
        case answer([Waiter], TrackerError?)
        case announceOff(Initialization<Model>.Off)
        case log(LogLevel, String)
        case logFailure(TrackerError)
        case perform(@Sendable () -> Void)
    }

    // MARK: initialize

    mutating func initialize(_ initialization: Initialization<Model>) {
        if case .disabled(_, .server) = phase {
            return ignore(initialization, "The client is disabled: it must be reset before it is initialized again.")
        }
        do throws(TrackerError) {
            let settings = try initialization.settings.get()
            guard isRunning, let run else { return ordered.append(.begin(initialization, settings, replacing: run)) }
            switch try succession(to: run, settings, initialization) {
            case .updates: update(run, to: settings, initialization)
            case .ignored(let hasOthers) where !knowsOfHalt:
                let state = if case .opening = phase { "Initializing already" } else { "Already initialized" }
                ignore(initialization, hasOthers ? "\(state): the new arguments are ignored." : nil)
            case .ignored, .replaces: ordered.append(.begin(initialization, settings, replacing: run))
            }
        } catch {
            refuse(initialization, error)
        }
    }

    /// What becomes of a run in use. After a halt nothing of it holds, be it the key, the address or the brand.
    private func succession(
        to run: Run, _ settings: Settings, _ initialization: Initialization<Model>
    ) throws(TrackerError) -> Succession {
        if initialization.takesAll { return .updates }
        do throws(TrackerError) {
            return try settings.succession(to: run.settings)
        } catch {
            guard knowsOfHalt else { throw error }
            return .replaces
        }
    }

    /// Nothing is to be tracked: the lane is closed, and calls are refused until the next `initialize`.
    mutating func turnOff(_ off: Initialization<Model>.Off) {
        if let run { leave(run, isBeingOpened: isBeingOpened) }
        phase = .disabled(nil, .off(off.switchedBy))
        knowsOfHalt = false
        ordered.append(.turnOff(off))
        deferred.append(.announceOff(off))
        answerWaiters(
            TrackerError(
                .initializationFailed, "The client was turned off while it initialized: \(off.switchedBy.phrase)"))
        deferred.append(.answer([off.completion], nil))
    }

    private mutating func ignore(_ initialization: Initialization<Model>, _ warning: String?) {
        if let warning { deferred.append(.log(.warning, warning)) }
        var ignored = initialization
        ignored.completion = {
            initialization.whenIgnored()
            initialization.completion($0)
        }
        answer(ignored)
    }

    /// Answers once the client is set up.
    private mutating func answer(_ initialization: Initialization<Model>) {
        if case .opening = phase { return waiters.append(initialization.completion) }
        deferred.append(.answer([initialization.completion], nil))
    }

    private mutating func update(_ run: Run, to settings: Settings, _ initialization: Initialization<Model>) {
        let isSame = !knowsOfHalt && settings.sends(like: run.settings)
        let run = Run(number: run.number, settings: settings, lane: run.lane)
        if case .opening = phase { phase = .opening(run) } else { phase = .ready(run) }
        knowsOfHalt = false
        ordered += [.adopt(initialization, run), .update(run, isSame: isSame)]
        answer(initialization)
    }

    /// Goes on with other credentials, if there is a run that is delivered or will be.
    ///
    /// - Returns: Whether there is.
    mutating func renew(with change: (inout Settings) -> Void) -> Bool {
        guard let run else { return false }
        var settings = run.settings
        change(&settings)
        let renewed = Run(number: run.number, settings: settings, lane: run.lane)
        let isSame = !knowsOfHalt && settings.sends(like: run.settings)
        switch phase {
        case .opening: phase = .opening(renewed)
        case .ready: phase = .ready(renewed)
        case .idle, .withoutSession, .resetting, .disabled, .shutDown: return false
        }
        knowsOfHalt = false
        ordered.append(.update(renewed, isSame: isSame))
        return true
    }

    /// An `initialize` has failed before there was a lane to open.
    mutating func refuse(_ initialization: Initialization<Model>, _ error: TrackerError) {
        switch policy.afterFailure {
        case .keeps: break
        case .isIdle:
            // A lane that only keeps calls is closed: the calls wait on disk.
            if !isRunning, let run {
                leave(run, isBeingOpened: isBeingOpened)
                phase = .idle
                answerReplaced()
            }
        case .isDisabled where isRunning: break
        case .isDisabled:
            if let run { leave(run, isBeingOpened: isBeingOpened) }
            phase = .disabled(nil, .settings(error.message))
        }
        ordered.append(.reject(initialization, error))
        deferred += [.logFailure(error), .answer([initialization.completion], error)]
    }

    /// A run was made for an `initialize`.
    ///
    /// - Returns: The changes that its lane gets first.
    mutating func begin(_ run: Run, _ initialization: Initialization<Model>) -> [PendingChange] {
        let old = self.run
        let isBeingOpened = isBeingOpened
        runs = run.number
        knowsOfHalt = false
        if !endings.isEmpty { answerReplaced() }
        endings = []
        waiters.append(initialization.completion)
        deferred.append(.began(run))
        bound(by: run.settings.limits)
        phase = .opening(run)
        if let old {
            leave(old, isBeingOpened: isBeingOpened)
        } else if leaving.isEmpty {
            deferred.append(.open(run))
        }
        return early.filter { $0.isFor(run.settings.lane) }.map(\.change)
    }

    /// Answers those who wait for an `initialize` whose brand a reset has ended, since a later call takes its place: what
    /// becomes of that one says nothing of theirs.
    private mutating func answerReplaced() {
        answerWaiters(
            TrackerError(
                .initializationFailed,
                "A reset of everything and another initialization came before this one was done: the later one counts.")
        )
    }

    /// Whether the lane of the run in use is being opened, or waits for that.
    private var isBeingOpened: Bool {
        switch phase {
        case .opening(let run), .withoutSession(let run): run.number > opened
        case .idle, .ready, .resetting, .disabled, .shutDown: false
        }
    }

    /// Closes a run; another one is opened only after that. One that is being opened is closed then: what is staged in it
    /// is written first.
    private mutating func leave(_ run: Run, isBeingOpened: Bool = false) {
        leaving.append(run)
        if !isBeingOpened { deferred.append(.close(run)) }
    }

    // MARK: What happens to a run

    func isOpening(_ number: Int) -> Bool { if case .opening(let run) = phase { run.number == number } else { false } }

    mutating func opened(_ number: Int) {
        guard number > opened else { return }
        opened = number
        let lane = (leaving.first { $0.number == number } ?? run)?.settings.lane
        early.removeAll { $0.run <= number && lane.map($0.isFor) ?? true }
        if let first = leaving.first, first.number == number {
            // After a shutdown, the last lane may still send.
            let isLast = if case .shutDown = phase { leaving.count == 1 } else { false }
            deferred.append(isLast ? .end(first) : .close(first))
        } else if case .opening(let run) = phase, run.number == number {
            deferred.append(.prepare(run))
        }
    }

    /// The lane of a run is ready, or cannot be.
    mutating func finished(_ number: Int, _ result: Result<Void, TrackerError>) {
        guard case .opening(let run) = phase, run.number == number else {
            guard case .failure(let error) = result, number > opened else { return }
            if let first = leaving.first, first.number == number { return deferred.append(.close(first)) }
            // The time for `initialize` was over before the lane turned out to be unusable.
            if case .withoutSession(let run) = phase, run.number == number { fail(run, error) }
            return
        }
        switch result {
        case .success:
            phase = .ready(run)
            ordered.append(.settleFilter(run))
            deferred.append(.start(run))
            answerWaiters(nil)
        case .failure(let error):
            deferred.append(.logFailure(error))
            fail(run, error)
            answerWaiters(error)
        }
    }

    private mutating func fail(_ run: Run, _ error: TrackerError) {
        guard error.code != .sessionCreationFailed else {
            phase = .withoutSession(run)
            ordered.append(.takeBackFilter)
            return deferred.append(.offerUnbound(run))
        }
        switch policy.afterFailure {
        case .keeps: return phase = .disabled(run, .storage(error.message))
        case .isIdle: phase = .idle
        case .isDisabled: phase = .disabled(nil, .storage(error.message))
        }
        leave(run)
    }

    mutating func halted(_ number: Int) {
        if run?.number == number { knowsOfHalt = true }
    }

    /// Delivery of a run has begun again with other credentials.
    mutating func resumed(_ number: Int) {
        if run?.number == number { knowsOfHalt = false }
    }

    /// The server has refused the credentials of a run for good.
    mutating func disabled(_ number: Int, _ message: String) {
        switch phase {
        case .opening(let run), .ready(let run), .disabled(let run?, _):
            guard run.number == number else { return }
            phase = .disabled(run, .server(message))
            ordered.append(.dropAll(run))
            deferred.append(
                .log(
                    .error,
                    "\(message). The client is disabled, its queue cleared, and calls are dropped. Correct it, then "
                        + "restart the program, or reset the client and initialize it again."))
            answerWaiters(nil)
        case .idle, .withoutSession, .resetting, .disabled, .shutDown: break
        }
    }

    mutating func closed(_ number: Int) {
        guard let index = leaving.firstIndex(where: { $0.number == number }) else { return }
        leaving.remove(at: index)
        if case .resetting(let run, _) = phase, run.number == number { phase = .idle }
        guard index == 0 else { return }
        if let next = leaving.first {
            if next.number > opened { deferred.append(.open(next)) }
        } else {
            closeClosers()
            if isBeingOpened, let run { deferred.append(.open(run)) }
        }
    }
}
