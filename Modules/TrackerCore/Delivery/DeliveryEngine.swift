import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Delivers one lane: performs on its loop what ``DeliveryState`` decides.
///
/// Every method may be called from any thread. Nothing waits: what is asked for is done on the loop.
final class DeliveryEngine: Sendable {
    /// What the engine works with.
    struct Parts: Sendable {
        var outbox: any Outbox
        var loop: any DeliveryLoop
        var clock: any TrackerClock
        var log: LevelledLog
        var diagnostics: DiagnosticsHub
        /// Whoever asks for a look asks here.
        var kicks = KickGate()
    }

    struct State: Sendable {
        var delivery: DeliveryState
        var transfers: [DeliveryState.Token: TransferID] = [:]
        var flushes: [Flush] = []
        /// Told what became of the session for which `initialize` waits.
        var firstSession: (@Sendable (Result<Void, TrackerError>) -> Void)?
        var nextFlush = 0
        /// Records up to this number are due, whoever wants them.
        var dueThrough: Int64 = 0
        var timer: (id: TimerID, at: MonotonicInstant)?
        /// When the dialect's hold ends, the wait of the breaker or the next look at another's lock.
        var wakeAt: MonotonicInstant?
        /// When what was delivered is recorded at the latest.
        var recordAt: MonotonicInstant?
        /// Whether this process was the last that was seen to deliver the lane; `nil` if none was.
        var isDeliverer: Bool?
        /// Why the last round ended.
        var rest: StopReason?
        var isLocked = false
        /// How many records this engine has delivered.
        var sent = 0
        var growth = QueueGrowth()
        /// How many changes of the engine's are not on disk yet.
        var unsettled = 0
        /// Whether the lane is to be let go of once they are.
        var isLeaving = false
        var isElsewhere = false
        /// Whether something was queued, flushed or begun here since the lane was last empty.
        var isInterested = false
        var isClosed = false
        /// Whether nothing wakes it but what is asked of it: no timer for what would be due later.
        var isResting = false
        /// Set once the engine is to end: nothing more is sent, and what is under way has until then.
        var ending: Ending?
        var lastError: (message: String, at: Timestamp)?
        /// The sequence of the oldest record at the last look; `nil` if there was none.
        var front: Int64?
    }

    /// The end of an engine that waits for the requests under way.
    struct Ending: Sendable {
        let deadline: MonotonicInstant
        let completion: @Sendable () -> Void
    }

    let parts: Parts
    let state: Mutex<State>
    private let isToldOfNetwork = Flag(false)
    /// Whether delivery is halted, for those who must not wait for a decision that is being made.
    let halted = Flag(false)
    /// Told of sessions made and of halts; set once, before `start`.
    private let observer: @Sendable (DeliveryEvent) -> Void

    init(
        _ parts: Parts, delivery: DeliveryState, observer: @escaping @Sendable (DeliveryEvent) -> Void = { _ in }
    ) {
        self.parts = parts
        self.observer = observer
        state = Mutex(State(delivery: delivery))
        parts.kicks.connect { [weak self] in self?.perform { $0.isInterested = true } }
    }

    /// Begins to deliver; without effect after ``goWithoutSession()``.
    func start() {
        perform { state in
            state.delivery.start()
            state.isInterested = true
        }
    }

    /// Has the engine look at the lane; calls coalesce.
    func kick() { parts.kicks.kick() }

    /// Keeps everything back, and ends what is under way; it is not put back but for its place in the queue.
    func pause() {
        // What has been delivered is counted so, whatever becomes of the queue now.
        recordDelivered()
        state.withLock { $0.delivery.pause() }
        perform { _ in }
        abort()
    }

    /// Takes one `hold` back.
    func release() {
        perform { state in
            state.delivery.release()
            state.isInterested = true
        }
    }

    /// Ends what is under way.
    func abort() {
        parts.loop.post { [self] in
            for transfer in state.withLock({ Array($0.transfers.values) }) { parts.loop.cancel(transfer) }
        }
    }

    /// Ends a wait, once: the network is said to be back; calls coalesce. The next request takes a new
    /// connection: the old one may be dead without anybody having noticed.
    func networkDidChange() {
        guard isToldOfNetwork.raise() else { return }
        parts.loop.renewConnections()
        perform { [parts, isToldOfNetwork] state in
            isToldOfNetwork.set(false)
            state.delivery.cutShort(at: parts.loop.now)
            state.isInterested = true
        }
    }

    /// Marks everything queued as due.
    func makeDue(through sequence: Int64) {
        perform { $0.dueThrough = max($0.dueThrough, sequence) }
    }

    /// Sets no timers from now on, or sets them again: in the background nothing is sent but what somebody asks for.
    func setResting(_ isResting: Bool) {
        perform { state in
            state.isResting = isResting
            state.isInterested = true
        }
    }

    /// Starts over with another dialect, in which all is said that is accepted after this.
    func resume(with dialect: any Dialect) {
        let wasHalted = state.withLock { state in
            let wasHalted = state.delivery.halt != nil
            state.delivery.resume(with: dialect)
            halted.set(false)
            return wasHalted
        }
        if wasHalted { parts.diagnostics.report(.lane("Delivery resumes.")) }
        perform { $0.isInterested = true }
    }

    /// Forgets what was known of records that are gone, and calls off the session of a generation that has ended.
    ///
    /// - Parameter result: What the reset or the denial came to.
    func forget(after result: ChangeResult) {
        perform { state in
            state.delivery.forget()
            state.isInterested = true
        }
        // What the disk refuses holds in memory, where the lane's state shows it.
        let lane: LaneState? = if case .done(let lane) = result { lane } else { try? parts.outbox.state() }
        if let lane { cancelSessions(before: lane.generation) }
    }

    /// Has the dialect take note of something.
    func tell(_ change: @escaping @Sendable (inout any Dialect) -> Void) {
        perform { $0.delivery.tell(change) }
    }

    /// Whether the server has refused what nothing can be delivered without.
    var isHalted: Bool { halted.value }

    /// Ends: nothing more is sent, and what is under way is waited for until the deadline, then cancelled.
    ///
    /// The outbox stays open, and the lane's lock taken until it is closed: before that others would see records that
    /// are settled and not yet recorded so.
    ///
    /// - Parameter deadline: By the loop's clock; `nil` cancels at once.
    func close(by deadline: MonotonicInstant? = nil, completion: @escaping @Sendable () -> Void) {
        let ending = Ending(deadline: deadline ?? parts.loop.now, completion: completion)
        let isOpen = parts.loop.post { [self] in
            state.withLock { $0.ending = $0.ending ?? ending }
            advance()
        }
        // A loop that is closed already runs nothing more.
        if !isOpen { end(ending) }
    }

    /// Changes the state on the loop and goes on from there.
    func perform(_ change: @escaping @Sendable (inout State) -> Void) {
        parts.loop.post { [self] in
            parts.kicks.lower()
            state.withLock { change(&$0) }
            advance()
        }
    }

    // MARK: On the loop

    /// Does whatever can be done now, and arms the timer for the rest.
    func advance() {
        let now = parts.loop.now
        if state.withLock({ $0.recordAt.map { $0 <= now } ?? false }) { recordDelivered() }
        while !state.withLock({ $0.isClosed }), step() {}
        updateFlushes()
        if let ending = dueEnding() { return end(ending) }
        arm()
    }

    /// The end, if nothing is under way any more or its time has come.
    private func dueEnding() -> Ending? {
        let now = parts.loop.now
        return state.withLock { state in
            guard let ending = state.ending, !state.isClosed else { return nil }
            return state.delivery.inFlight.isEmpty || ending.deadline <= now ? ending : nil
        }
    }

    private func end(_ ending: Ending) {
        let (flushes, transfers) = state.withLock { state in
            state.isClosed = true
            state.firstSession = nil
            defer { state.flushes = [] }
            return (state.flushes, Array(state.transfers.values))
        }
        recordDelivered()
        for flush in flushes { report(flush, .timeout) }
        for transfer in transfers { parts.loop.cancel(transfer) }
        observe(.idle)
        parts.loop.close()
        ending.completion()
    }

    /// Does one thing; false if there is nothing to do now.
    private func step() -> Bool {
        let moment = moment
        let (readiness, isEnding) = state.withLock { state in
            state.wakeAt = nil
            return (state.delivery.readiness(at: moment.now), state.ending != nil)
        }
        if isEnding { return pause(nil) }
        switch readiness {
        case .busy:
            return pause(nil)
        case .stopped(let reason):
            letGo()
            return pause(reason)
        case .wait(let until, let reason):
            // A process that cannot reach the server must not keep the lane from one that can.
            letGo()
            return pause(reason, until: until)
        case .firstSession:
            return takeFirstStep(at: moment)
        case .look(let window):
            guard takeLane(at: moment.now) else { return false }
            do {
                let peek = try parts.outbox.peek(limit: window.records, maxBytes: window.bytes)
                return act(on: state.withLock { $0.delivery.visible(peek) }, at: moment)
            } catch {
                return diskFailed(error, at: moment)
            }
        case .confirm(let record):
            guard takeLane(at: moment.now) else { return false }
            do {
                let lane = try parts.outbox.state(ifQueued: record)
                // What does not hold any more is read anew.
                guard let peek = state.withLock({ $0.delivery.confirmed(lane) }) else { return true }
                return act(on: peek, at: moment)
            } catch {
                return diskFailed(error, at: moment)
            }
        }
    }

    private func act(on peek: Peek, at moment: ClockReading) -> Bool {
        noteGrowth(peek, at: moment.now)
        let intention = state.withLock { state in
            state.front = peek.records.first?.sequence
            let wanted = max(state.dueThrough, state.flushes.compactMap(\.through).max() ?? 0)
            return state.delivery.intention(for: peek, wantedThrough: wanted, at: moment)
        }
        switch intention {
        case .send(let plan):
            send(plan)
            return true
        case .change(let changes):
            commit(changes, awaited: true)
            return pause(nil)
        case .drop(let records, let reason, let message):
            report(.dropped(peek.records.filter { records.contains($0.id) }, reason, message), at: moment)
            commit([.drop(records, reason)], awaited: false)
            return true
        case .hold(let until):
            // Nothing is due here yet: another process may deliver meanwhile, if somebody flushes there.
            letGo()
            return pause(nil, until: until)
        case .blocked(let reason):
            letGo()
            return pause(reason)
        case .rest:
            return rest(peek)
        }
    }

    /// The lane is empty, or what is left is under way.
    private func rest(_ peek: Peek) -> Bool {
        let isEmpty = state.withLock { state in
            guard peek.records.isEmpty, state.delivery.inFlight.isEmpty else { return false }
            state.isInterested = false
            return true
        }
        guard isEmpty, state.withLock({ $0.isLocked }) else { return pause(nil) }
        observe(.idle)
        guard letGo() else { return pause(nil) }
        // Another process may have queued something just now and found the lane taken: look once more.
        guard let lane = try? parts.outbox.state(), lane.queuedRecords > 0 else { return pause(nil) }
        return retakeLane()
    }

    /// Takes the lane that has just been released, since there is something in it again.
    private func retakeLane() -> Bool {
        state.withLock { $0.isInterested = true }
        // Where another process has it by now, it is tried again: that process may die before it has sent anything.
        guard takeLane(at: parts.loop.now) else { return false }
        // What is queued may be held back in memory, as delivered but not yet recorded: then there is nothing to do.
        guard let peek = try? parts.outbox.peek(limit: 1, maxBytes: .max), !peek.records.isEmpty else {
            letGo()
            return pause(nil)
        }
        return true
    }

    func send(_ plan: Plan) {
        // Somebody may have held everything back since the plan was made: then it is made anew after the release.
        let token = state.withLock { state -> DeliveryState.Token? in
            guard state.delivery.mayDepart else {
                state.delivery.forgetAhead()
                return nil
            }
            return state.delivery.depart(plan)
        }
        guard let token else { return }
        let transfer = parts.loop.submit(plan.request) { [self] answer in
            state.withLock { $0.transfers[token] = nil }
            settle(token, answer)
        }
        state.withLock { state in
            if state.delivery.inFlight[token] != nil { state.transfers[token] = transfer }
        }
    }

    private func diskFailed(_ error: StorageError, at moment: ClockReading) -> Bool {
        state.withLock { $0.lastError = (error.message, moment.wall) }
        // Readers recover by themselves; a second keeps a broken disk from being asked in a loop.
        return pause(.storage, until: moment.now.advanced(by: .seconds(1)))
    }

    func pause(_ reason: StopReason?, until: MonotonicInstant? = nil) -> Bool {
        state.withLock { state in
            state.rest = reason
            state.wakeAt = state.isResting ? nil : until
        }
        return false
    }

    var moment: ClockReading {
        ClockReading(now: parts.loop.now, wall: parts.clock.wall, uptime: parts.clock.uptime)
    }

    func observe(_ event: DeliveryEvent) { observer(event) }
}
