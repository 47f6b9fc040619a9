import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Delivers one lane: performs on its loop what ``DeliveryState`` decides.
///
/// Every method may be called from any thread, and none waits: what is asked for is done on the loop, which alone works
/// with the engine's state. Other threads share three things with it, each behind a lock that nobody keeps while
/// something is planned, read or parsed: orders that hold from the moment they are given, what has been delivered and is
/// not recorded yet, and a snapshot for whoever asks how things stand.
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

    /// What the loop alone works with.
    struct State: Sendable {
        var delivery: DeliveryState
        var transfers: [DeliveryState.Token: TransferID] = [:]
        var flushes: [Flush] = []
        /// Told what became of the session for which `initialize` waits.
        var firstSession: (@Sendable (Result<Void, TrackerError>) -> Void)?
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

    /// What holds from the moment it is said: nothing departs against it.
    private struct Orders: Sendable {
        /// How often everything was to be kept back, and not released yet.
        var pauses = 0
        /// What to go on with.
        var dialect: (any Dialect)?
    }

    let parts: Parts
    let recorder: DeliveryRecorder
    /// Empty while the loop is at work.
    private let state: Mutex<State?>
    private let orders = Mutex(Orders())
    private let published: Mutex<Snapshot>
    /// Numbers the flushes.
    let flushCount = Atomic(0)
    private let isToldOfNetwork = Flag(false)
    private let halted = Flag(false)
    let hasEnded = Flag(false)
    /// Told of what happens; must not block.
    private let observer: @Sendable (DeliveryEvent) -> Void

    init(
        _ parts: Parts, delivery: DeliveryState, observer: @escaping @Sendable (DeliveryEvent) -> Void = { _ in }
    ) {
        self.parts = parts
        self.observer = observer
        recorder = DeliveryRecorder(parts.outbox)
        let state = State(delivery: delivery)
        published = Mutex(Snapshot(state))
        self.state = Mutex(state)
        parts.kicks.connect { [weak self] in self?.perform { $0.isInterested = true } }
    }

    // MARK: From any thread

    /// Begins to deliver; without effect after ``goWithoutSession()``.
    func start() {
        perform { state in
            state.delivery.start()
            state.isInterested = true
        }
    }

    /// Has the engine look at the lane; calls coalesce.
    func kick() { parts.kicks.kick() }

    /// Keeps everything back, and ends what is under way; that keeps its place in the queue.
    func pause() {
        orders.withLock { $0.pauses += 1 }
        // What has been delivered is counted so, whatever becomes of the queue now.
        recorder.record { [self] in lookOnceWritten() }
        perform { $0.recordAt = nil }
        abort()
    }

    /// Takes one ``pause()`` back.
    func release() {
        orders.withLock { $0.pauses = max(0, $0.pauses - 1) }
        perform { state in
            state.delivery.forgetAhead()
            state.isInterested = true
        }
    }

    /// Ends what is under way.
    func abort() {
        parts.loop.post { [self] in
            onLoop { state in for transfer in state.transfers.values { parts.loop.cancel(transfer) } }
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
        orders.withLock { orders in
            orders.dialect = dialect
            halted.set(false)
        }
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
        if let lane = result.lane ?? (try? parts.outbox.state()) { cancelSessions(before: lane.generation) }
    }

    /// Whether the server has refused what nothing can be delivered without.
    var isHalted: Bool { halted.value }

    /// How things stand, as of the last thing that anybody was told.
    var snapshot: Snapshot { published.withLock { $0 } }

    /// Ends: nothing more is sent, and what is under way is waited for until the deadline, then cancelled.
    ///
    /// The outbox stays open, and the lane's lock taken until it is closed: before that others would see records that
    /// are settled and not yet recorded so.
    ///
    /// - Parameter deadline: By the loop's clock; `nil` cancels at once.
    func close(by deadline: MonotonicInstant? = nil, completion: @escaping @Sendable () -> Void) {
        let ending = Ending(deadline: deadline ?? parts.loop.now, completion: completion)
        let isOpen = parts.loop.post { [self] in
            onLoop { state in
                // Who has ended already has told everybody.
                guard !state.isClosed else { return completion() }
                state.ending = state.ending ?? ending
                advance(&state)
            }
        }
        // A loop that is closed already runs nothing more.
        if !isOpen { completion() }
    }

    /// Changes the state on the loop and goes on from there.
    func perform(_ change: @escaping @Sendable (inout State) -> Void) {
        parts.loop.post { [self] in
            parts.kicks.lower()
            onLoop { state in
                change(&state)
                advance(&state)
            }
        }
    }

    // MARK: On the loop

    /// Works with the state, and publishes how things stand then. For the loop alone.
    ///
    /// The loop asks once at a time. Only a loop that is closed ends its requests while it is closed, by the engine that
    /// has ended: that changes nothing.
    func onLoop(_ work: (inout State) -> Void) {
        guard var state = state.withLock({ $0.take() }) else { return }
        work(&state)
        publish(state)
        self.state.withLock { $0 = state }
    }

    /// Lets everybody know how things stand, before anybody is told of something that has changed it.
    func publish(_ state: State) {
        let snapshot = Snapshot(state)
        published.withLock { $0 = snapshot }
    }

    /// Applies the orders that were given meanwhile.
    ///
    /// - Returns: Whether everything is to be kept back.
    @discardableResult
    func applyOrders(_ state: inout State) -> Bool {
        let (dialect, isPaused) = orders.withLock { orders in (orders.dialect.take(), orders.pauses > 0) }
        if let dialect {
            if state.delivery.halt != nil { parts.diagnostics.report(.lane("Delivery resumes.")) }
            state.delivery.resume(with: dialect)
        }
        return isPaused
    }

    /// Whether a plan may still depart that was made a moment ago.
    var mayDepart: Bool { orders.withLock { $0.pauses == 0 && $0.dialect == nil } }

    /// Lets everybody know whether delivery is halted, unless it has just been resumed.
    func publishHalt(_ state: State) {
        orders.withLock { halted.set(state.delivery.halt != nil && $0.dialect == nil) }
    }

    func observe(_ event: DeliveryEvent) { observer(event) }

    /// The instant by all clocks.
    var reading: ClockReading {
        ClockReading(now: parts.loop.now, wall: parts.clock.wall, uptime: parts.clock.uptime)
    }

    /// Has what was delivered recorded now, and not again when the time for it has come.
    func recordDelivered(_ state: inout State) {
        state.recordAt = nil
        recorder.record { [self] in lookOnceWritten() }
    }

    /// Looks again when all that was staged is written: a flush, or the release of the lane, may wait for that.
    func lookOnceWritten() {
        if recorder.isWritten { perform { _ in } }
    }
}
