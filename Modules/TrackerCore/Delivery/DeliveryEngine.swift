import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Delivers one lane: performs on its loop what ``DeliveryState`` decides.
///
/// Every method may be called from any thread, and none waits: the work is done on the loop, which alone uses the
/// engine's state. Other threads share with the loop, each behind a lock that is held only for a moment or as an atomic
/// value: orders, which hold from the moment they are given; deliveries that are not recorded yet; a snapshot of the
/// state; whether the engine has ended; and the requests to look, which coalesce.
final class DeliveryEngine: Sendable {
    struct Parts: Sendable {
        var outbox: any LaneOutbox
        var loop: any DeliveryLoop
        var clock: any TrackerClock
        var log: LevelledLog
        var diagnostics: DiagnosticsHub
        /// Takes the requests to look at the lane.
        var kicks = KickGate()
        /// Where to find what the server refuses, as a sentence; `nil` if it is not kept.
        var aboutRefused: String?
        var witness = ServerWitness.shared
        /// Called on the loop before the queue is read, and in a halt whenever the lane is woken, with whether to ask for
        /// credentials.
        var beforeLook: (@Sendable (MonotonicInstant, Bool) -> Void)?
        /// The number of the client that is asked for them.
        var leader: (@Sendable () -> Int)?
        /// Whether nothing is sent without a key. Where calls are only recorded, none is needed.
        var needsKey = true
    }

    /// The state that the loop alone uses: what is decided, and what belongs to it on the way.
    struct State: Sendable {
        var delivery: DeliveryState
        var transfers: [DeliveryState.Token: TransferID] = [:]
        /// By the numbers of the flushes.
        var reports: [Int: @Sendable (FlushReport) -> Void] = [:]
        /// Called with the result of the session for which `initialize` waits.
        var firstSession: (@Sendable (Result<Void, TrackerError>) -> Void)?
        /// Called when delivery has ended.
        var closing: (@Sendable () -> Void)?
        var timer: (id: TimerID, at: MonotonicInstant)?
        /// How many pauses there had been when the orders were last applied.
        var pauseCount = 0
        var lastError: (message: String, at: Timestamp)?
        /// Whether the log says where refused records are.
        var hasToldOfRefused = false
    }

    /// Orders that hold from the moment they are given: no request departs against them.
    private struct Orders: Sendable {
        /// How many pauses are not released yet.
        var pauses = 0
        /// How many there have been.
        var pauseCount = 0
        /// The dialect to continue with.
        var dialect: (any Dialect)?
    }

    let parts: Parts
    let recorder: DeliveryRecorder
    /// Empty while the loop is at work.
    private let state: Mutex<State?>
    private let orders = Mutex(Orders())
    private let published: Mutex<Snapshot>
    let flushCount = Atomic(0)
    /// Whether a change of the network waits for the loop.
    private let isRenewing = Flag(false)
    let hasEnded = Flag(false)
    /// Called with every event; must not block.
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
        parts.kicks.connect { [weak self] in self?.perform { $0.delivery.wake() } }
    }

    // MARK: From any thread

    /// - Parameter again: Whether also after ``goWithoutSession()``, which otherwise holds.
    func start(again: Bool = false) {
        perform { $0.delivery.start(again: again) }
    }

    /// Has the engine look at the lane; calls coalesce.
    func kick() { parts.kicks.kick() }

    /// Sends nothing from now on; what is not delivered stays in the queue.
    ///
    /// - Parameter isCancelling: Whether the requests under way are cancelled.
    func pause(cancelling isCancelling: Bool = true) {
        orders.withLock { orders in
            orders.pauses += 1
            orders.pauseCount += 1
        }
        guard isCancelling else { return }
        // The deliveries so far are recorded, even if the queue is erased next.
        recorder.record { [self] in lookOnceWritten() }
        perform { $0.delivery.recorded() }
        abort()
    }

    /// Ends one ``pause(cancelling:)``.
    ///
    /// - Parameter lack: Why there is no key to send anything with, if so: delivery halts.
    func release(withoutKey lack: String? = nil) {
        guard let lack else {
            endPause()
            return perform(Self.lookAnew)
        }
        perform { [self] state in
            state.delivery.lackKey(lack, at: reading)
            endPause()
            Self.lookAnew(&state)
        }
    }

    private func endPause() { orders.withLock { $0.pauses = max(0, $0.pauses - 1) } }

    private static func lookAnew(_ state: inout State) {
        state.delivery.forgetAhead()
        state.delivery.wake()
    }

    func abort() {
        parts.loop.post { [self] in
            onLoop { state in for transfer in state.transfers.values { parts.loop.cancel(transfer) } }
        }
    }

    /// Runs `body` once the requests are cancelled that a ``pause(cancelling:)`` has found under way.
    func onceCancelled(_ body: @escaping @Sendable () -> Void) {
        // The loop takes the cancellations after what orders them, and before what is posted then.
        let isOpen = parts.loop.post { [parts] in if !parts.loop.post(body) { body() } }
        if !isOpen { body() }
    }

    /// Ends the current wait, since the network is said to be back; calls coalesce. The next request opens a new
    /// connection: the old one may be dead without a sign of it.
    func networkDidChange() {
        guard isRenewing.raise() else { return }
        parts.loop.renewConnections()
        perform { [isRenewing] _ in isRenewing.set(false) }
        cutShort()
    }

    /// - Parameter isSparing: Whether one that the server has asked for goes on.
    func cutShort(sparingServer isSparing: Bool = false) {
        perform { [parts] state in
            state.delivery.breaker.cutShort(at: parts.loop.now, sparingServer: isSparing)
            state.delivery.wake()
        }
    }

    /// Marks everything queued as due.
    func makeDue(through sequence: Int64) {
        perform { $0.delivery.makeDue(through: sequence) }
    }

    /// In the background nothing is sent but for a flush.
    func setInBackground(_ isInBackground: Bool) {
        perform { $0.delivery.setInBackground(isInBackground) }
    }

    /// Starts over with another dialect; everything accepted after this is sent by it.
    func resume(with dialect: any Dialect) {
        orders.withLock { $0.dialect = dialect }
        perform { $0.delivery.wake() }
    }

    /// Forgets records that are gone, and cancels the session of a generation that has ended.
    ///
    /// - Parameter result: The result of the reset or the denial.
    func forget(after result: ChangeResult) {
        perform { state in
            state.delivery.forget()
            state.delivery.wake()
        }
        // If the disk refused the change, it holds in memory, and the lane's state includes it.
        if let lane = result.lane ?? (try? parts.outbox.state()) { cancelSessions(before: lane.generation) }
    }

    /// The state as it was when the engine last published it.
    var snapshot: Snapshot { published.withLock { $0 } }

    /// Ends: no new request is sent. Those under way are waited for until the deadline, then cancelled.
    ///
    /// The lane's lock stays taken until the outbox is closed: before that, other processes would see records whose
    /// delivery is not recorded yet.
    ///
    /// - Parameter deadline: By the loop's clock; `nil` cancels at once.
    func close(by deadline: MonotonicInstant? = nil, completion: @escaping @Sendable () -> Void) {
        let isOpen = parts.loop.post { [self] in
            onLoop { state in
                // The engine has ended already, and has reported all flushes.
                guard !state.delivery.isClosed else { return completion() }
                state.delivery.close(by: deadline ?? parts.loop.now)
                state.closing = state.closing ?? completion
                advance(&state)
            }
        }
        // A closed loop runs nothing more.
        if !isOpen { completion() }
    }

    /// Changes the state on the loop and goes on from there.
    func perform(_ change: @escaping @Sendable (inout State) -> Void) {
        parts.loop.post { [self] in
            let isKicked = parts.kicks.lower()
            onLoop { state in
                if isKicked { state.delivery.wake() }
                change(&state)
                advance(&state)
            }
        }
    }

    // MARK: On the loop

    /// Uses the state, then publishes it. For the loop alone.
    ///
    /// Calls do not nest but in one case: the engine's end closes the loop, which cancels its requests. Those calls
    /// find no state, and do nothing.
    func onLoop(_ work: (inout State) -> Void) {
        guard var state = state.withLock({ $0.take() }) else { return }
        work(&state)
        publish(state)
        self.state.withLock { $0 = state }
    }

    /// Publishes the state; to be called before anything is reported that has changed it.
    func publish(_ state: State) {
        let snapshot = Snapshot(state)
        published.withLock { $0 = snapshot }
    }

    /// Applies the orders that were given meanwhile.
    ///
    /// - Returns: Whether the engine is paused.
    @discardableResult
    func applyOrders(_ state: inout State) -> Bool {
        let (dialect, isPaused, count) = orders.withLock { orders in
            (orders.dialect.take(), orders.pauses > 0, orders.pauseCount)
        }
        state.pauseCount = count
        if let leader = parts.leader { state.delivery.credentials.leader = leader() }
        if let dialect {
            let wasHalted = state.delivery.isHalted
            state.delivery.resume(with: dialect)
            if wasHalted { report(.resumed, &state, at: reading) }
        }
        return isPaused
    }

    /// Whether a plan that was just made may still depart: no order has been given since ``applyOrders(_:)``. A pause
    /// counts even if it was released meanwhile, since the plan is older than the reset or the denial within it.
    func mayDepart(_ state: State) -> Bool {
        orders.withLock { $0.pauses == 0 && $0.pauseCount == state.pauseCount && $0.dialect == nil }
    }

    func observe(_ event: DeliveryEvent) { observer(event) }

    var reading: ClockReading {
        ClockReading(now: parts.loop.now, wall: parts.clock.wall)
    }

    /// Records the deliveries now, and clears the time to do so.
    func recordDelivered(_ state: inout State) {
        state.delivery.recorded()
        recorder.record { [self] in lookOnceWritten() }
    }

    /// Looks again once every staged change is written. A flush may wait for that, and so may other processes: the lane
    /// is theirs from then on, and what they have queued meanwhile is found.
    func lookOnceWritten() {
        if recorder.isWritten { perform { _ in } }
    }
}
