import TrackerModels
import TrackerStorage

/// The life of a client as a value: events in, actions out. It holds no clock and no lock, and does no I/O.
///
/// What is asked of the client comes in by ``submit(_:)``; what has happened to its lanes comes in by the methods of
/// `ClientState+Runs`. After each event, inside its critical section, the owner performs what ``next()`` returns until that
/// is `nil`; after the critical section it performs what ``takeDeferred()`` has returned.
///
/// The state never looks into a `Lane`.
struct ClientState<Model: ClientModel, Lane: Sendable>: Sendable {
    typealias Settings = Model.Settings
    typealias Call = PendingCall<Model.Call>
    typealias Waiter = @Sendable (Result<Void, TrackerError>) -> Void

    /// One lane in use. It is a class because every call passes it on and the settings are large.
    final class Run: Sendable {
        let number: Int
        let settings: Settings
        let lane: Lane

        init(number: Int, settings: Settings, lane: Lane) {
            self.number = number
            self.settings = settings
            self.lane = lane
        }
    }

    indirect enum Phase: Sendable {
        /// `initialize` was not called yet, or has failed.
        case idle
        /// The lane is being opened. Calls are staged in it already.
        case opening(Run)
        /// Calls are staged and delivered.
        case ready(Run)
        /// No session could be made. Calls are staged; nothing is sent until the next `initialize`.
        case withoutSession(Run)
        /// A reset that ends the run is being written to disk. All operations wait.
        case resetting(Run, from: Phase)
        /// Calls are refused. The run is the one whose lane is still there.
        case disabled(Run?, Fault)
        /// Calls are refused, since `shutdown` was called.
        case shutDown
    }

    /// Why a client is disabled.
    enum Fault: Hashable, Sendable {
        /// The settings were not valid, or the transport cannot start.
        case settings(String)
        /// The lane cannot be opened.
        case storage(String)
        /// The server refused the credentials.
        case server(String)
        /// The program or its environment says that nothing is to be tracked.
        case off(OffSwitch)

        var message: String {
            switch self {
            case .settings(let message), .storage(let message), .server(let message): message
            case .off(let switchedBy): switchedBy.phrase
            }
        }
    }

    /// A change that no lane has taken yet.
    struct EarlyChange: Sendable {
        private(set) var change: PendingChange
        /// The run in whose lane it was staged first, or will be.
        let run: Int
        /// Whose lane that is; `nil` if there was none yet: then it is for the next one.
        private let owner: String?

        init(change: PendingChange, run: Int, owner: String? = nil) {
            self.change = change
            self.run = run
            self.owner = owner
            // Its caller is answered without it, and may have the client.
            self.change.completion = { _ in }
        }

        func isFor(_ lane: LaneIdentity) -> Bool { owner.map { $0 == lane.owner } ?? true }

        /// Whether it does what another does, in the same lane.
        fileprivate func repeats(_ other: EarlyChange) -> Bool {
            guard owner == other.owner, run >= other.run else { return false }
            return switch (change.change, other.change.change) {
            case (.reset(let all, _), .reset(let otherAll, _)): all || !otherAll
            case (.consent(let consent, _), .consent(let otherConsent, _)): consent == otherConsent
            default: false
            }
        }
    }

    private static var mostEarly: Int { 100 }

    let policy = Model.policy
    var phase = Phase.idle
    var pending = PendingOperations<Model>()
    /// What is to be done inside the critical section, in its order.
    var ordered: [Ordered] = []
    /// What is to be done after it, in its order.
    var deferred: [Deferred] = []
    var runs = 0
    /// The latest run whose lane has opened.
    var opened = 0
    /// Runs that are closed before the one that follows them is opened; the first is being opened or closed.
    var leaving: [Run] = []
    /// The changes that no lane has taken, in order. Each new lane of their owner gets them, until one has opened.
    var early: [EarlyChange] = []
    /// The callers that wait for `initialize`.
    var waiters: [Waiter] = []
    /// The callers that wait until every lane is closed.
    var closers: [@Sendable () -> Void] = []
    /// The last reset that ended a run, if its caller gave it a key.
    var lastReset: (messageID: MessageID, outcome: ChangeOutcome)?
    /// Whether the program knows that delivery has halted, and has given nothing new since: the next `initialize` runs in
    /// full. It is not the lane's halt, which begins before the program is asked for credentials, and ends after
    /// `initialize` has returned.
    var knowsOfHalt = false
    /// The calls of `reset(all: true)` since the last `initialize`, which have it run in full.
    var endings: Set<MessageID> = []
    /// When the lanes must be closed, by the monotonic clock, once the client is shut down.
    var deadline = Duration.zero
    private var maxPendingCalls = Int.max
    private var maxPendingBytes = Int.max

    init() {
        if case .holds(let calls, let bytes) = policy.beforeInitialize {
            (maxPendingCalls, maxPendingBytes) = (calls, bytes)
        }
    }

    /// The run that calls go to, if there is one.
    var run: Run? {
        switch phase {
        case .idle, .shutDown: nil
        case .opening(let run), .ready(let run), .withoutSession(let run), .resetting(let run, _): run
        case .disabled(let run, _): run
        }
    }

    /// The run whose queue holds what waits.
    var queue: Run? {
        // The server's refusal has dropped its queue.
        if case .disabled(_, .server) = phase { nil } else { run }
    }

    /// Whether what is queued goes to the run that an `initialize` begins now.
    var movesQueue: Bool {
        switch policy.movesQueue {
        case .never: false
        case .afterHalt: knowsOfHalt
        case .always: true
        }
    }

    var isIdle: Bool { if case .idle = phase { true } else { false } }

    /// Whether a reset of everything has ended the brand of the run in use, which goes on until the next `initialize`.
    var isBrandEnded: Bool { !endings.isEmpty }

    /// Whether events are taken and delivered, or will be once `initialize` is done; not of a brand that has ended.
    var isRunning: Bool {
        switch phase {
        case .opening, .ready: !isBrandEnded
        case .idle, .withoutSession, .resetting, .disabled, .shutDown: false
        }
    }

    /// Why every call is refused now; `nil` if calls are staged or wait.
    var refusal: Refusal? {
        switch phase {
        case .opening, .ready, .withoutSession, .resetting: nil
        case .idle: if case .refuses = policy.beforeInitialize { .notInitialized } else { nil }
        case .disabled(_, .storage): Refusal(.storage)
        case .disabled(_, .off(let switchedBy)): switchedBy.refusal
        case .disabled: Refusal(.disabled)
        case .shutDown: .notInitialized
        }
    }

    /// The run in which a call that is made now is staged at once, if there is one and nothing waits before the call.
    ///
    /// ``submit(_:)`` and ``next()`` would have the same result.
    var directRun: Run? { pending.isEmpty && ordered.isEmpty && refusal == nil && admitsCalls ? run : nil }

    private var admitsCalls: Bool {
        switch phase {
        case .resetting, .idle: false
        case .opening, .ready, .withoutSession, .disabled, .shutDown: true
        }
    }

    /// Whether a call that is made now would wait although `initialize` was not called.
    var wouldKeepCallWaiting: Bool {
        switch phase {
        case .idle, .resetting: pending.leavesIdle(true)
        case .opening, .ready, .withoutSession, .disabled, .shutDown: pending.leavesIdle(false)
        }
    }

    /// Takes an operation. It waits for its turn if the client cannot perform it now.
    mutating func submit(_ operation: Operation<Model>) {
        if pending.isEmpty, ordered.isEmpty, admits(operation) { return take(operation) }
        pending.append(operation)
        while pending.calls > maxPendingCalls || pending.bytes > maxPendingBytes && pending.calls > 1,
            let oldest = pending.popOldestCall()
        {
            deferred.append(.refuse(oldest, .queueFull))
        }
    }

    /// The next thing to do inside the critical section.
    mutating func next() -> Ordered? {
        while ordered.isEmpty, let operation = nextOperation() { take(operation) }
        return ordered.isEmpty ? nil : ordered.removeFirst()
    }

    /// What to do after the critical section, once ``next()`` is `nil`.
    mutating func takeDeferred() -> [Deferred] {
        defer { deferred = [] }
        return deferred
    }

    private mutating func nextOperation() -> Operation<Model>? {
        guard let first = pending.first else { return nil }
        if admits(first) { return pending.popFirst() }
        // Calls wait for an `initialize`, which may stand behind them.
        if case .idle = phase { return pending.popFirstOther() }
        return nil
    }

    private func admits(_ operation: Operation<Model>) -> Bool {
        switch (phase, operation) {
        case (.resetting, _): false
        case (.opening, .change): !policy.resetEndsRun
        case (.idle, .call): refusal != nil
        case (.idle, _), (.opening, _), (.ready, _), (.withoutSession, _), (.disabled, _), (.shutDown, _): true
        }
    }

    private mutating func take(_ operation: Operation<Model>) {
        switch operation {
        case .call(let call):
            if let run, refusal == nil {
                ordered.append(.stage(call, run))
            } else {
                deferred.append(.refuse(call, refusal ?? .notInitialized))
            }
        case .initialize(let initialization): initialize(initialization)
        case .turnOff(let off): turnOff(off)
        case .change(let change): take(change)
        case .flush(let flush): take(flush)
        case .forget(let forget): take(forget)
        case .after(let body):
            if let run { ordered.append(.barrier(run, body)) } else { deferred.append(.perform(body)) }
        }
    }

    private mutating func take(_ flush: PendingFlush) {
        switch phase {
        case .opening(let run), .ready(let run), .withoutSession(let run), .resetting(let run, _):
            deferred.append(.flush(flush, run))
        case .disabled(_?, .storage): deferred.append(.report(flush, .storage))
        case .idle, .disabled, .shutDown: deferred.append(.report(flush, .notInitialized))
        }
    }

    private mutating func take(_ forget: PendingForget) {
        if case .disabled(_, .off) = phase { return deferred.append(.perform { forget.completion(.isOff) }) }
        guard let run else { return deferred.append(.perform { forget.completion(.notInitialized) }) }
        ordered.append(.forget(forget, run))
    }

    // MARK: Resets and decisions

    private mutating func take(_ change: PendingChange) {
        if change.repetition == .answered { return endAgain(change) }
        guard policy.resetEndsRun else {
            guard let run else { return keep(change) }
            if change.change.endsBrand { endings.insert(change.ownID) }
            // If the lane does not open, its changes are lost: keep this one for the next lane as well.
            let isEarly = run.number > opened
            if isEarly { keepEarly(EarlyChange(change: change, run: run.number, owner: run.settings.lane.owner)) }
            return ordered.append(.commit(isEarly ? change.keyed : change.change, change, run))
        }
        switch phase {
        case .ready(let run), .withoutSession(let run), .disabled(let run?, _):
            phase = .resetting(run, from: phase)
            ordered.append(.commit(change.change, change, run))
        case .idle, .disabled, .opening, .resetting, .shutDown:
            if let outcome = earlierOutcome(of: change) {
                return deferred.append(.perform { change.completion(outcome) })
            }
            switch phase {
            case .shutDown, .disabled(_, .off): break
            case .idle, .opening, .ready, .withoutSession, .resetting, .disabled:
                phase = .idle
                for call in pending.popLeadingCalls() { deferred.append(.refuse(call, .notInitialized)) }
            }
            keep(change)
        }
    }

    /// The outbox has found that a reset with this key took effect before: it does nothing this time.
    mutating func takeBack(_ change: PendingChange) {
        if change.repetition == nil { endings.remove(change.ownID) }
    }

    private mutating func endAgain(_ change: PendingChange) {
        if policy.resetEndsRun, let run {
            phase = .resetting(run, from: phase)
            return end(run, change, .kept)
        }
        if run != nil, change.change.endsBrand { endings.insert(change.ownID) }
        deferred.append(.perform { change.completion(.kept) })
    }

    /// What became of the reset with this key, if it is kept for the next run or was the last one.
    private func earlierOutcome(of change: PendingChange) -> ChangeOutcome? {
        guard let id = change.messageID else { return nil }
        if early.contains(where: { $0.change.messageID == id }) { return .kept }
        return id == lastReset?.messageID ? lastReset?.outcome : nil
    }

    private mutating func keep(_ change: PendingChange) {
        keepEarly(EarlyChange(change: change, run: runs + 1))
        deferred.append(.perform { change.completion(.kept) })
    }

    /// Past a hundred, one goes for which another does the same later: a program may make them for ever before it initialises.
    private mutating func keepEarly(_ change: EarlyChange) {
        early.append(change)
        guard early.count > Self.mostEarly else { return }
        let place = early.indices.first { place in early[(place + 1)...].contains { $0.repeats(early[place]) } }
        if let place { early.remove(at: place) }
    }

    /// A reset that ends its run is on disk, or holds in memory since the disk refuses it.
    mutating func resetEnded(_ run: Run, _ change: PendingChange, _ result: ChangeResult) {
        if result.effect == .repeated, change.repetition == nil, case .resetting(_, let last) = phase {
            phase = last
            ordered.append(.withdrawFilter)
            return deferred += [.resume(run), .perform { change.completion(.taken(result)) }]
        }
        // What an open lane could not write stays with its folder and brand.
        if case .failed = result.effect, run.number > opened {
            keepEarly(EarlyChange(change: change, run: runs + 1))
        }
        end(run, change, .taken(result))
    }

    private mutating func end(_ run: Run, _ change: PendingChange, _ outcome: ChangeOutcome) {
        lastReset = change.messageID.map { ($0, outcome) }
        closers.insert({ change.completion(outcome) }, at: 0)
        if case .resetting = phase { leaving.append(run) }
        if isLeaving(run) { deferred.append(.close(run)) } else { closeClosers() }
    }

    private func isLeaving(_ run: Run) -> Bool { leaving.contains { $0.number == run.number } }

    // MARK: The end

    /// Shuts the client down. Waiting operations are abandoned; only resets still take effect, on disk.
    ///
    /// - Parameters:
    ///   - deadline: When the lanes must be closed, by the monotonic clock.
    ///   - closer: Called when they are.
    mutating func shutDown(by deadline: Duration, _ closer: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        closers.append(closer)
        let error = TrackerError(policy.shutdownCode, "The client was shut down while it initialized", cause: .shutdown)
        answerWaiters(error)
        abandonPending(error)
        let last = phase
        phase = .shutDown
        switch last {
        case .idle, .disabled(nil, _), .shutDown: break
        // The reset under way continues, and then closes the lane.
        case .resetting(let run, _): if !isLeaving(run) { leaving.append(run) }
        case .opening(let run) where run.number > opened, .withoutSession(let run) where run.number > opened:
            // The lane is closed after it has opened, so that its staged calls are written.
            leaving.append(run)
        case .opening(let run), .ready(let run), .withoutSession(let run), .disabled(let run?, _):
            leaving.append(run)
            deferred.append(.end(run))
        }
        if leaving.isEmpty { closeClosers() }
    }

    private mutating func abandonPending(_ error: TrackerError) {
        while let operation = pending.popFirst() {
            switch operation {
            case .call(let call): deferred.append(.refuse(call, .notInitialized))
            case .initialize(let initialization): deferred.append(.answer([initialization.completion], error))
            case .turnOff(let off): deferred.append(.answer([off.completion], nil))
            case .flush(let flush): deferred.append(.report(flush, .notInitialized))
            case .forget(let forget): deferred.append(.perform { forget.completion(.notInitialized) })
            case .after(let body): deferred.append(.perform(body))
            case .change(let change) where change.repetition == .answered:
                deferred.append(.perform { change.completion(.kept) })
            case .change(let change):
                switch phase {
                // Behind a reset that is being written, it is written too before the lane is closed.
                case .opening(let run), .resetting(let run, _): ordered.append(.commit(change.change, change, run))
                case .idle, .ready, .withoutSession, .disabled, .shutDown: keep(change)
                }
            }
        }
    }

    mutating func answerWaiters(_ error: TrackerError?) {
        if !waiters.isEmpty { deferred.append(.answer(waiters, error)) }
        waiters = []
    }

    mutating func closeClosers() {
        for closer in closers { deferred.append(.perform(closer)) }
        closers = []
    }

    var fault: Fault? { if case .disabled(_, let fault) = phase { fault } else { nil } }

    var lifecycle: Lifecycle {
        switch phase {
        case .idle: .idle
        case .opening: .initializing
        case .ready: knowsOfHalt ? .halted : .ready
        case .withoutSession: .withoutSession
        case .resetting: .resetting
        case .disabled: .disabled
        case .shutDown: .shutDown
        }
    }

    /// Keeps as many calls as a run's queue.
    mutating func bound(by limits: OutboxLimits) {
        (maxPendingCalls, maxPendingBytes) = (limits.maxRecords, limits.maxBytes)
    }
}

/// Where a client stands, as its debug information says.
enum Lifecycle: String, Sendable {
    case idle, initializing, ready, halted, withoutSession, resetting, disabled, shutDown
}

extension LaneChange {
    /// Whether it is a reset that forgets the brand too.
    fileprivate var endsBrand: Bool { if case .reset(all: true, _) = self { true } else { false } }
}
