import TrackerModels
import TrackerNetworking
import TrackerStorage

/// A round: what is done each time that something has happened, until nothing can be done now.
extension DeliveryState {
    /// Something that the engine has to do. What it finds comes back by the method that is named.
    enum Step: Sendable {
        /// Apply what was ordered meanwhile, and decide what comes next: ``plan(at:isPaused:)``.
        case plan
        /// Stage the deliveries that are collected.
        case record
        /// Try to take the lane: ``tookLane(_:)``.
        case takeLane
        /// Let another process have the lane: ``letGo(_:looksOnceMore:)``.
        case letGo(looksOnceMore: Bool)
        /// Read this much of the queue's front without what is under way: ``found(_:at:)``.
        case look(Window)
        /// Read the lane's counters: ``counted(_:at:)``.
        case count
        /// Find out whether a record still waits and the lane is as it was: ``confirmed(_:at:)``.
        case confirm(Record.ID, ReadVersion?)
        /// Find out whether there is work in a lane that another process has: ``glanced(_:at:)``.
        case glance
        /// Find out whether something was queued while the lane was let go: ``countedOnceMore(_:)``.
        case countOnceMore
        case work(Intention.Work)
        case report(DeliveryEvent)
        /// Answer the `initialize` that waits for its session.
        case conclude(Result<Void, TrackerError>)
    }

    /// What is still to be done in a round, and whether only an answer or a timer begins the next one.
    struct Round: Sendable {
        fileprivate var due: [Step] = []
        fileprivate var isOver = true
        /// Whether the lane was taken again since something was queued while it was let go.
        fileprivate var isLookingOnceMore = false
        /// Whether nothing can be sent before the answer to a request that is under way, or before a wait is over, with
        /// which a round begins.
        fileprivate(set) var isBusy = false
    }

    /// Why nothing is sent, and when to look again.
    struct Rest: Sendable {
        var reason: StopReason?
        /// The end of the dialect's hold, of the breaker's wait, or of the wait for another's lock.
        var until: MonotonicInstant?
    }

    /// The oldest record at the last look.
    enum Front: Hashable, Sendable {
        case unknown
        case empty
        case at(Int64)

        init(_ record: Record?) { self = record.map { .at($0.sequence) } ?? .empty }

        /// Whether everything up to a number has left the queue.
        func isPast(_ sequence: Int64) -> Bool {
            switch self {
            case .unknown: false
            case .empty: true
            case .at(let first): first > sequence
            }
        }
    }

    /// What a look at a record has found that was read ahead.
    enum Confirmation: Sendable {
        /// Nothing was written since it was read.
        case unchanged
        /// The lane, if the record still waits.
        case found(LaneState, ReadVersion?)
        case gone
    }

    /// How often a lane is tried that another process delivers, while this process waits for something in it.
    private static let patience = Duration.milliseconds(500)
    /// How often, while `initialize` waits for a session that another process may be making.
    private static let sessionPatience = Duration.milliseconds(50)
    /// How long a disk that cannot be read is left alone. Readers recover by themselves; the wait prevents a busy loop.
    private static let diskPatience = Duration.seconds(1)
    /// How many deliveries are recorded together at most, and how long the first of them waits for others.
    private static let recordGroup = 64
    private static let recordDelay = Duration.milliseconds(20)

    // MARK: What is asked

    /// Something was queued, asked for or begun here: the lane is looked at until it is empty.
    mutating func wake() { isInterested = true }

    /// Everything up to this number is due.
    mutating func makeDue(through sequence: Int64) { dueThrough = max(dueThrough, sequence) }

    /// In the background nothing is sent but for a flush.
    mutating func setInBackground(_ isInBackground: Bool) {
        self.isInBackground = isInBackground
        wake()
    }

    /// The deliveries that were collected are staged.
    mutating func recorded() { recordAt = nil }

    /// Sends nothing more. Requests under way may be answered until then; the first deadline counts.
    mutating func close(by deadline: MonotonicInstant) {
        closesBy = closesBy ?? deadline
        if halt != nil { isHaltShown = false }
    }

    /// Delivery has ended.
    ///
    /// - Returns: The flushes that were under way.
    mutating func end() -> [Flush] {
        isClosed = true
        defer { flushes = [] }
        return flushes
    }

    // MARK: A round

    /// Begins a round, unless delivery has ended.
    mutating func beginRound(at now: MonotonicInstant) {
        round = Round(isOver: isClosed)
        if let recordAt, recordAt <= now { round.due.append(.record) }
    }

    /// The next thing to do in this round; `nil` once nothing can be done now.
    mutating func next() -> Step? {
        if round.due.isEmpty { return round.isOver ? nil : .plan }
        return round.due.removeFirst()
    }

    /// Decides what comes next.
    ///
    /// - Parameter isPaused: Whether everything is kept back for now.
    mutating func plan(at now: MonotonicInstant, isPaused: Bool) {
        guard closesBy == nil else { return rest() }
        if let lack = credentials.lack, !isPaused { halt(lack.reason, since: lack.since, at: now) }
        // What a flush is about is known once it has begun: what is sent before would not count as its own.
        if isInBackground, !flushes.contains(where: { $0.scope != nil }) { return leave() }
        switch readiness(at: now, isPaused: isPaused) {
        case .busy:
            round.isBusy = !inFlight.isEmpty
            rest()
        case .stopped(let reason): leave(reason)
        // A process that cannot reach the server must not keep the lane from one that can.
        case .wait(let until, let reason):
            // Each look finds out in a halt whether there is another key.
            round.isBusy = reason != .halted && !isInBackground
            leave(reason, until: until)
        case .recheck: round.due.append(.count)
        case .look where possession != .held, .confirm where possession != .held: round.due.append(.takeLane)
        // Deliveries are staged first: a look leaves out what is staged as delivered.
        case .look(let window): round.due += [.record, .look(window)]
        case .confirm(let record): round.due.append(.confirm(record, ahead?.peek.version))
        }
    }

    /// Halts for want of a key, once delivery begins; `initialize` fails if it waits for a session.
    private mutating func halt(_ reason: String, since: Timestamp, at now: MonotonicInstant) {
        switch extent {
        case .session:
            conclude(.failure(TrackerError(noSession: "\(reason).", .inBackground, cause: .network(reason))))
        case .everything where !isHalted:
            halt = Halt(reason: reason, since: since, nextTry: policy.nextTry(after: now))
            round.due.append(.report(.halted(reason, nextTry: policy.haltRetry, asks: false)))
        case .undecided, .nothing, .everything: break
        }
    }

    private mutating func rest(_ reason: StopReason? = nil, until: MonotonicInstant? = nil) {
        round.isOver = true
        rest = Rest(reason: reason, until: isInBackground ? nil : until)
    }

    /// Ends the round, and lets others have the lane.
    private mutating func leave(_ reason: StopReason? = nil, until: MonotonicInstant? = nil) {
        letGo()
        rest(reason, until: until)
    }

    /// Lets others have the lane, unless something is under way.
    private mutating func letGo(looksOnceMore: Bool = false) {
        round.due.append(.record)
        guard possession == .held, inFlight.isEmpty else { return }
        possession = .released
        round.due.append(.letGo(looksOnceMore: looksOnceMore))
    }

    // MARK: What the engine has found

    /// The lane was taken, or another process has it.
    mutating func tookLane(_ isTaken: Bool) {
        switch (possession, isTaken) {
        case (.elsewhere, true): round.due.append(.report(.deliversHere(true)))
        case (.released, false), (.held, false): round.due.append(.report(.deliversHere(false)))
        case (.untried, _), (.released, true), (.held, true), (.elsewhere, false): break
        }
        possession = isTaken ? .held : .elsewhere
        // Another process may have changed everything. What to do is decided anew.
        if isTaken { return forgetAhead() }
        // A lane without work is not looked at again, so that every process that has it open may sleep.
        guard isInterested || !flushes.isEmpty else {
            front = .empty
            return rest()
        }
        round.due.append(.glance)
    }

    /// A lane that another process delivers was read.
    ///
    /// - Parameter peek: Its first record; `nil` if the disk cannot be read.
    mutating func glanced(_ peek: Peek?, at now: MonotonicInstant) {
        if extent == .session {
            if let peek, !peek.state.needsSession { return conclude(.success(())) }
            return rest(until: now.advanced(by: Self.sessionPatience))
        }
        front = peek.map { Front($0.records.first) } ?? .unknown
        guard peek.map({ !$0.records.isEmpty || dialect.needsSession($0.state) }) ?? true else {
            isInterested = false
            return rest()
        }
        rest(.otherProcess, until: now.advanced(by: Self.patience))
        // In the background, only a flush has it try again.
        if !flushes.isEmpty { rest.until = now.advanced(by: Self.patience) }
    }

    /// The queue's front was read.
    mutating func found(_ peek: Peek, at reading: ClockReading) {
        if let (generation, error) = sessionFailure.take() {
            // It counts only if no reset has ended its generation meanwhile.
            let isCurrent = generation == peek.state.generation && peek.state.needsSession
            if isCurrent, !peek.state.isAwaitingDisk { return conclude(.failure(error)) }
        }
        let intention = intention(for: peek, wantedThrough: wantedThrough, at: reading)
        act(on: intention, peek.records.first, peek.state.queuedRecords, at: reading.now)
    }

    /// Whether what was read ahead may be sent.
    mutating func confirmed(_ confirmation: Confirmation, at reading: ClockReading) {
        switch confirmation {
        case .unchanged: break
        case .found(let lane, let version): if !confirm((lane, version)) { return }
        case .gone: return forgetAhead()
        }
        // No second reference to the records, which `intention` takes the first ones from.
        guard let (first, queued) = ahead.map({ ($0.first, $0.peek.state.queuedRecords) }) else { return }
        let intention = intention(wantedThrough: wantedThrough, at: reading)
        act(on: intention, first, queued, at: reading.now)
    }

    /// The lane was counted, since nothing was due at the last look.
    mutating func counted(_ lane: LaneState, at now: MonotonicInstant) {
        if let until = stillHolds(lane, wantedThrough: wantedThrough, at: now) { leave(until: until) }
    }

    /// The lane was let go.
    ///
    /// - Parameters:
    ///   - isFree: Whether another process may have it now. If not, something is still to be written, and the lane is
    ///     looked at again once it is.
    ///   - looksOnceMore: Whether to look for what was queued just now, by a process that found the lane taken.
    mutating func letGo(_ isFree: Bool, looksOnceMore: Bool) {
        guard isFree, looksOnceMore else { return }
        round.due.append(.countOnceMore)
    }

    /// The lane was counted after it was let go.
    ///
    /// - Parameter queued: How many records wait.
    mutating func countedOnceMore(_ queued: Int) {
        guard queued > 0 else { return }
        // If another process has taken it, this one keeps trying: that process may die before it sends anything.
        isInterested = true
        round.isLookingOnceMore = true
        round.isOver = false
    }

    /// The disk could not be read.
    mutating func failed(_ error: StorageError, at now: MonotonicInstant) {
        if extent == .session { return conclude(.failure(TrackerError(.storage, error.message))) }
        // Another process may be able to read it.
        leave(.storage, until: now.advanced(by: Self.diskPatience))
    }

    // MARK: What follows

    /// Does what the dialect wants, or makes the session for which `initialize` waits.
    private mutating func act(on intention: Intention, _ first: Record?, _ queued: Int, at now: MonotonicInstant) {
        front = Front(first)
        let isEmpty = first == nil && inFlight.isEmpty
        if let warning = growth.warning(queued: isEmpty ? 0 : queued, delivered: delivered, at: now) {
            round.due.append(.report(.grows(warning)))
        }
        if extent == .session { return makeSession(by: intention, at: now) }
        switch intention {
        case .work(let work): take(work)
        // Nothing is due here yet. Another process may deliver meanwhile, for a flush of its own.
        case .hold(let until): leave(until: until)
        case .blocked(let reason): leave(reason)
        case .rest where isEmpty: restInEmptyLane()
        case .rest: rest()
        }
    }

    private mutating func makeSession(by intention: Intention, at now: MonotonicInstant) {
        switch intention {
        // A reset or a decision that the disk has refused is written before anything is sent.
        case .blocked(.storage): leave(until: now.advanced(by: Self.sessionPatience))
        case .work(.drop), .hold, .rest, .blocked: conclude(.success(()))
        case .work(let work): take(work)
        }
    }

    private mutating func take(_ work: Intention.Work) {
        round.due.append(.work(work))
        guard case .change(let changes) = work else { return }
        awaitedCommits += changes.count
        rest()
    }

    private mutating func restInEmptyLane() {
        // Queued records may be delivered already and not recorded yet: then there is nothing to do.
        if round.isLookingOnceMore { return leave() }
        isInterested = false
        round.due.append(.report(.idle))
        letGo(looksOnceMore: true)
        rest()
    }

    private mutating func conclude(_ result: Result<Void, TrackerError>) {
        // The client decides what follows: it may have stopped waiting by now.
        extent = .undecided
        sessionFailure = nil
        round.due.append(.conclude(result))
        rest()
    }

    // MARK: When

    /// The highest sequence number that a flush or the schedule wants sent now.
    private var wantedThrough: Int64 { flushes.reduce(dueThrough) { max($0, $1.scope?.through ?? 0) } }

    /// When to begin the next round if nothing happens before.
    var wakesAt: MonotonicInstant? {
        guard !isClosed else { return nil }
        let earliest = [rest.until, recordAt, closesBy].lazy.compactMap { $0 }.min()
        return flushes.reduce(earliest) { min($0 ?? $1.deadline, $1.deadline) }
    }

    /// Whether delivery ends now: nothing is under way any more, or the time for that is over.
    func ends(at now: MonotonicInstant) -> Bool {
        guard let closesBy, !isClosed else { return false }
        return inFlight.isEmpty || closesBy <= now
    }

    /// Deliveries wait to be recorded.
    ///
    /// - Parameter count: How many.
    /// - Returns: Whether to record them now.
    mutating func collected(_ count: Int, at now: MonotonicInstant) -> Bool {
        recordAt = recordAt ?? now.advanced(by: Self.recordDelay)
        return count >= Self.recordGroup
    }
}
