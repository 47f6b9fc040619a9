import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerPlatform
import TrackerStorage

/// Runs one client: performs what ``ClientState`` decides.
///
/// Every method may be called from any thread, and none waits for the disk or the network. A call has its place in the
/// order when `enqueue` returns: it is staged inside the critical section that decides about it. No callback, log line
/// or continuation runs inside it.
final class ClientRuntime<Model: ClientModel>: Sendable {
    typealias State = ClientState<Model, OpenLane>
    typealias Run = State.Run

    struct Contents {
        var state = State()
        var model: Model
        var refused: [RefusalReason: Int] = [:]
        /// The counters of the last run, once a reset has ended it.
        var lastAccount: Account?
        /// The figures of the last run, once a shutdown has ended it.
        var lastMetrics: QueueMetrics?
        /// Why the client could not be initialised.
        var lastError: (message: String, at: Timestamp)?
        /// Whether informative and debug messages are logged whatever the settings say.
        var isVerbose = false
        /// Whether delivery was halted and no run has begun to deliver since.
        var isResuming = false
        /// Ends `initialize` when its time is over.
        var openingTimer: TimerID?
        /// Ends the flushes that wait for their turn when the time of the first is over.
        var flushAlarm: (alarm: Alarm, deadline: Duration)?
        var credentials = CredentialsSource()
    }

    let dependencies: Dependencies
    let log: LevelledLog
    let hub = DiagnosticsHub()
    let reporter: ClientReporter
    let filter = CallFilter()
    /// What runs with `persistence` memory hand on to each other.
    let memory = MemoryDatabase()
    let contents: Mutex<Contents>
    let lastCall = Atomic(0)

    init(_ dependencies: Dependencies, model: Model) {
        self.dependencies = dependencies
        log = LevelledLog(dependencies.log, of: Model.name, isVerbose: false)
        reporter = ClientReporter(log: log, hub: hub, full: FullQueue())
        contents = Mutex(Contents(model: model))
    }

    /// Answers every caller that waits, and closes the lane. What is on disk stays there and is not sent.
    deinit {
        let (run, operations, waiters) = contents.withLock { contents in
            var operations: [Operation<Model>] = []
            while let operation = contents.state.pending.popFirst() { operations.append(operation) }
            contents.flushAlarm?.alarm.cancel()
            contents.credentials.call?.cancel()
            return (contents.state.run, operations, contents.state.waiters)
        }
        for operation in operations { operation.abandon() }
        for waiter in waiters { waiter(.failure(.clientIsGone)) }
        run?.lane.close {}
    }

    var run: Run? { contents.withLock { $0.state.run } }

    var lane: OpenLane? { run?.lane }

    // MARK: Operations besides calls

    /// Initialises the client, unless it is already.
    ///
    /// - Parameters:
    ///   - enabled: Whether the program wants anything to be tracked; `nil`: as the environment says.
    ///   - updateModel: Applied to the model unless the settings are ignored.
    ///   - settings: What it was given, checked; what it was not given may come from the environment. Not asked of a
    ///     client that is not enabled.
    ///   - completion: Called once: whether the client is set up. Must not block.
    ///   - destination: Where messages go from now on; `nil`: where they went before.
    /// - Returns: Why it was refused at once; the completion has been called with it.
    @discardableResult
    func initialize(
        enabled: Bool? = nil, log destination: (any TrackerLog)? = nil,
        updateModel: @escaping @Sendable (inout Model) -> Void = { _ in },
        _ settings: (inout EnvironmentOptions) throws(TrackerError) -> Model.Settings,
        whenIgnored: @escaping @Sendable () -> Void = {},
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) -> TrackerError? {
        let takesAll = dependencies.recorder?.takeInitialization() == true
        if let destination { log.send(to: destination) }
        var environment = EnvironmentOptions(dependencies.environment)
        environment.isProgramAsked = contents.withLock { $0.credentials.notify != nil }
        let checked = Result { () throws(TrackerError) -> Model.Settings? in
            let isEnabled = if let enabled { enabled } else { try environment.isEnabled() ?? true }
            return isEnabled ? try environment.naming(settings) : nil
        }
        let operation: Operation<Model> =
            switch checked {
            case .success(nil):
                .turnOff(
                    Initialization<Model>.Off(
                        switchedBy: enabled == nil ? .environment : .option, updateModel: updateModel,
                        completion: completion))
            case .success(let settings?):
                .initialize(
                    Initialization(
                        settings: .success(settings), takesAll: takesAll, updateModel: updateModel,
                        whenIgnored: whenIgnored, completion: completion))
            case .failure(let error):
                .initialize(
                    Initialization(settings: .failure(error), updateModel: updateModel, completion: completion))
            }
        return handle { $0.state.submit(operation) }
    }

    /// Stages a reset or a decision, or has it wait for its turn.
    ///
    /// - Parameters:
    ///   - messageID: The key that its caller chose.
    ///   - repetition: Set on a reset that was made in a process which died.
    ///   - updateModel: Applied to the model at once.
    ///   - completion: Called once it is on disk, or with the reason why it is not. Must not block.
    func submit(
        _ change: LaneChange, messageID: MessageID?, repetition: CallRepetition? = nil,
        updateModel: (inout Model) -> Void = { _ in }, completion: @escaping @Sendable (ChangeOutcome) -> Void
    ) {
        let ownID = dependencies.ids.messageID()
        handle { contents in
            updateModel(&contents.model)
            let pending = PendingChange(
                change: change, messageID: messageID, repetition: repetition, ownID: ownID, completion: completion)
            contents.state.submit(.change(pending))
        }
    }

    /// Stages a change of the list of persons to forget, or has it wait for its turn.
    func submit(_ forget: PendingForget) { handle { $0.state.submit(.forget(forget)) } }

    /// Makes a reset or a decision under a key that may not be valid, and returns a receipt for it.
    ///
    /// - Parameter change: Makes it under the caller's key, if there is one, and answers by the completion.
    func receipt(
        _ name: String, _ key: CallerKey?,
        _ change: (MessageID?, @escaping @Sendable (ChangeOutcome) -> Void) -> Void
    ) -> CallReceipt {
        let receipt = CallReceipt()
        guard let messageID = key.map(\.messageID) ?? dependencies.ids.messageID() else {
            receipt.resolve(refuse(name, .messageID).outcome)
            return receipt
        }
        change(key?.messageID) { outcome in
            switch outcome {
            case .kept: receipt.resolve(.pending(messageID))
            case .taken: receipt.resolve(outcome.error == nil ? .queued(messageID) : .dropped(.storage))
            }
        }
        return receipt
    }

    /// Runs `body` once every call accepted before has taken effect. It does not wait for the network.
    ///
    /// - Parameter body: Run once, immediately if there is nothing to wait for. Must not block.
    func afterEarlierCalls(_ body: @escaping @Sendable () -> Void) { handle { $0.state.submit(.after(body)) } }

    /// Sends what is queued now.
    ///
    /// - Parameters:
    ///   - cutoff: Ends the flush before its time.
    ///   - completion: Called once, in the time given. Must not block.
    func flush(
        timeout: Duration, cutoff: FlushCutoff?, completion: @escaping @Sendable (FlushReport) -> Void
    ) {
        let flush = PendingFlush(
            deadline: dependencies.clock.uptime + timeout, lastCall: lastCall.load(ordering: .relaxed), cutoff: cutoff,
            completion: completion)
        // A flush that waits for its turn ends when its time is over, too.
        cutoff?.setEnd { [weak self] in self?.report(flush, .timeout) }
        handle { $0.state.submit(.flush(flush)) }
        limitWaitingFlushes()
    }

    /// Reports a flush that has not begun, with what waits.
    func report(_ flush: PendingFlush, _ reason: StopReason) {
        guard flush.hasBegun.raise() else { return }
        let (calls, queue) = contents.withLock { contents in
            let calls = contents.state.pending.allCalls.count { $0.stamp.number <= flush.lastCall }
            return (calls, contents.state.queue)
        }
        let remaining = calls + (queue?.lane.outbox.waitingRecords ?? 0)
        flush.completion(FlushReport(delivered: 0, remaining: remaining, stoppedBy: reason))
    }

    /// Sets the alarm for the flushes that wait for their turn. No loop could time them: the one of a lane that is being
    /// closed has ended. One alarm serves them all, since each takes a thread.
    func limitWaitingFlushes() {
        contents.withLock { contents in
            let next = contents.state.pending.waitingFlushes.lazy.map(\.deadline).min()
            guard contents.flushAlarm?.deadline != next else { return }
            contents.flushAlarm?.alarm.cancel()
            contents.flushAlarm = next.map { deadline in
                let alarm = Alarm(after: max(.zero, deadline - dependencies.clock.uptime)) { [weak self] in
                    self?.endLateFlushes()
                }
                return (alarm, deadline)
            }
        }
    }

    private func endLateFlushes() {
        let waiting = contents.withLock { contents in
            contents.flushAlarm = nil
            return contents.state.pending.waitingFlushes
        }
        for flush in waiting where flush.deadline <= dependencies.clock.uptime { report(flush, .timeout) }
        limitWaitingFlushes()
    }

    /// Cuts a wait for the next attempt short, once.
    func networkDidChange() { lane?.engine.networkDidChange() }

    /// Sends what can be sent within the time, then closes everything and ends the diagnostics.
    ///
    /// - Parameter completion: Called when every lock is free, at the latest when the time has passed: the disk may
    ///   stall.
    func shutDown(within timeout: Duration, completion: @escaping @Sendable () -> Void) {
        // A recorder initialises it no more.
        _ = dependencies.recorder?.takeInitialization()
        let opening = hub.opening
        let hasEnded = Flag(false)
        let end = { @Sendable [hub] in
            guard hasEnded.raise() else { return }
            hub.close(opening)
            completion()
        }
        let deadline = dependencies.clock.uptime + timeout
        let alarm = Mutex<Alarm?>(nil)
        handle { contents in
            contents.state.shutDown(by: deadline) {
                alarm.withLock { $0.take() }?.cancel()
                end()
            }
            contents.model.forget()
            contents.credentials.call?.cancel()
            contents.credentials.kept = nil
        }
        log.endRefusals()
        // It takes a thread. A client that has no lane of its own has ended already.
        guard !hasEnded.value else { return }
        alarm.withLock { $0 = Alarm(after: timeout, end) }
        if hasEnded.value { alarm.withLock { $0.take() }?.cancel() }
    }

    func enableDebugLogging() {
        contents.withLock { $0.isVerbose = true }
        log.setVerbose(true)
        lane?.updateVerbosity()
    }

    @discardableResult
    func update<Result: Sendable>(_ change: (inout Model) -> Result) -> Result {
        contents.withLock { change(&$0.model) }
    }

    // MARK: What happens to a lane

    /// Changes the state, and performs what follows.
    ///
    /// - Returns: Why an `initialize` was refused meanwhile.
    @discardableResult
    func handle(_ event: (inout Contents) -> Void) -> TrackerError? {
        var rejection: TrackerError?
        let actions = contents.withLock { contents in
            let wasIdle = contents.state.isIdle
            event(&contents)
            while let action = contents.state.next() {
                if case .reject(_, let error) = action { rejection = error }
                perform(action, &contents)
            }
            // The program's function ends with the run that brought it.
            if !wasIdle, contents.state.isIdle { filter.settle(nil) }
            return contents.state.takeDeferred()
        }
        for action in actions { perform(action) }
        return rejection
    }

    /// Takes an event of a run's engine: reports it, and changes the state.
    func observe(_ event: DeliveryEvent, in number: Int) {
        reporter.report(event)
        follow { $0.observed(event) }
        switch event {
        case .unauthorized: if isLeading(number), !renewKey(of: number) { ask(number) }
        case .halted(let message, let nextTry, let asks):
            // The key may have been replaced since it was read.
            let isLeading = isLeading(number)
            if isLeading, renewKey(of: number) || asks && ask(number, after: (message, nextTry)) { return }
            halt(number, (message, nextTry))
        case .disabled(let message): handle { $0.state.disabled(number, message) }
        case .resumed: handle { $0.state.resumed(number) }
        case .retried, .dropped, .unidentified, .sessionMade, .sessionChanged, .deliversHere, .grows, .idle: break
        }
    }

    private func isLeading(_ number: Int) -> Bool {
        guard let run, run.number == number else { return false }
        return run.lane.isLeading
    }

    /// Takes an event of a run's outbox: has the engine look once the disk works again.
    func observe(_ event: OutboxEvent, in number: Int) {
        if event.saysThatDiskWorks, let run, run.number == number { run.lane.engine.kick() }
    }
}
