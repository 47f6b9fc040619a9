import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Decides what is sent when, who delivers the lane, when a flush is over and what an answer changes: no clock, no lock,
/// no I/O.
///
/// Whatever happens comes in by a method. Then the engine performs what ``next()`` returns, and brings back what it has found,
/// until that is `nil`: one *round*. Each answer of the server goes through ``finish(_:with:at:)``.
struct DeliveryState: Sendable {
    /// Names a request under way.
    struct Token: Hashable, Sendable {
        let number: Int
        /// The database that its records were read from.
        let database: DatabaseID?
        /// How many dialects had been used before it departed.
        let era: Int
    }

    /// How much of the lane is to be sent, as its clients want it.
    enum Extent: Hashable, Sendable {
        /// Not known yet, since the lane is being opened: nothing is looked at, and a flush waits.
        case undecided
        /// The session for which `initialize` waits, and nothing behind it. The first answer decides.
        case session
        /// Nothing: there is no session, and none is to be made.
        case nothing
        case everything
    }

    /// Whether something may be sent.
    enum Readiness: Hashable, Sendable {
        /// Look at this much of the queue's front, without what is under way.
        case look(Window)
        /// Nothing was due at the last look: check by the lane's counters whether that is still so.
        case recheck
        /// What was read ahead is to be sent, if this record still waits and the lane is as it was.
        case confirm(Record.ID)
        case wait(until: MonotonicInstant, StopReason)
        /// Not before the lane is open, a request under way is answered or a change is on disk.
        case busy
        /// Not before something is asked for.
        case stopped(StopReason)
    }

    /// What the options say of delivery.
    struct Policy: Sendable {
        let maxConcurrentRequests: Int
        let eventTTL: Duration?
        /// How long a halt lasts before a request finds out whether the server is well again; `nil`: until other
        /// credentials are given.
        let haltRetry: Duration?

        /// The end of a halt that begins now; `nil`: there is none.
        func nextTry(after now: MonotonicInstant) -> MonotonicInstant? { haltRetry.map { now.advanced(by: $0) } }

        func hasExpired(_ record: Record, at reading: ClockReading) -> Bool {
            eventTTL.map { record.age(at: reading) > $0 } ?? false
        }
    }

    var breaker: CircuitBreaker
    var inFlight: [Token: Plan] = [:]
    var extent = Extent.undecided
    /// Why the session for which `initialize` waits was not made, and for which generation it was to be.
    var sessionFailure: (generation: Generation, error: TrackerError)?
    /// The server has refused the key or the address: the queue is kept, and one request after the other finds out whether it
    /// is well again.
    var halt: Halt? {
        didSet { if halt?.since != oldValue?.since || halt?.nextTry != oldValue?.nextTry { isHaltShown = false } }
    }
    /// Whether the lane shows the halt, or that there is none, to those who only see the folder.
    var isHaltShown = true
    /// Whether the server has refused the client for good, and the queue is dropped.
    var isDisabled = false
    var credentials = CurrentCredentials()
    /// The database that was looked at last.
    private(set) var database: DatabaseID?
    var dialect: any Dialect
    let policy: Policy
    var jitter: any RandomNumberGenerator & Sendable
    /// How many changes must be on disk before anything is sent.
    var awaitedCommits = 0
    private var nextToken = 0
    /// The front of the queue as it was last read, as long as its records go out one after the other.
    var ahead: ReadAhead?
    /// Whether the last look has found that nothing is due.
    private var isHolding = false
    /// Whether the last request that was answered has failed.
    var isFailing = false
    /// Which record may be the one that stops the lane.
    var suspicion: Suspicion
    /// Whether the engine finds out if the server answers other lanes.
    private var isAskingOthers = false
    var nextProbe = NextProbe()
    /// How often records were sent that wait still.
    var attempts: [Record.ID: Int] = [:]

    // What a round is about; see `DeliveryState+Rounds`.

    var possession = Possession.untried
    var round = Round()
    /// Why the last round ended, and when to look again.
    var rest = Rest()
    var front = Front.empty
    /// Whether something was queued, flushed or begun here since the lane was last empty.
    var isInterested = false
    /// Whether it sends nothing, and sets no timers, but for a flush.
    var isInBackground = false
    /// Records up to this number are due.
    var dueThrough: Int64 = 0
    /// The flushes under way, in the order of their calls.
    var flushes: [Flush] = []
    /// The latest time to record the deliveries.
    var recordAt: MonotonicInstant?
    /// How many records have been delivered.
    var delivered = 0
    var growth = QueueGrowth()
    /// Until when requests under way may be answered, once delivery is to end.
    var closesBy: MonotonicInstant?
    var isClosed = false

    init(
        dialect: any Dialect, breaker: CircuitBreaker.Policy, maxConcurrentRequests: Int, eventTTL: Duration?,
        haltRetry: Duration? = nil, poisonAfter: Duration? = nil, jitter: any RandomNumberGenerator & Sendable
    ) {
        self.dialect = dialect
        self.breaker = CircuitBreaker(breaker)
        policy = Policy(maxConcurrentRequests: maxConcurrentRequests, eventTTL: eventTTL, haltRetry: haltRetry)
        suspicion = Suspicion(after: poisonAfter)
        self.jitter = jitter
    }

    /// Whether something may be sent at `now`.
    ///
    /// - Parameter isPaused: Whether everything is kept back for now.
    func readiness(at now: MonotonicInstant, isPaused: Bool = false) -> Readiness {
        switch extent {
        case .undecided: return .busy
        case .nothing: return .stopped(.noSession)
        case .session, .everything: break
        }
        if isDisabled { return .stopped(.halted) }
        if let halt {
            // The answer for which it pauses may end the halt.
            if isPaused { return .busy }
            guard let next = halt.nextTry else { return .stopped(.halted) }
            if now < next { return .wait(until: next, .halted) }
        }
        if isPaused || awaitedCommits > 0 || inFlight.values.contains(where: goesAlone) { return .busy }
        guard inFlight.count < (breaker.isFlowing && !isHalted ? policy.maxConcurrentRequests : 1) else { return .busy }
        switch breaker.admission(at: now) {
        case .wait(let until):
            if case .open = breaker.state { return .wait(until: until, .breakerOpen) }
            return .wait(until: until, .retryWait)
        case .probing: return .busy
        case .proceed:
            if let record = ahead?.first { return .confirm(record.id) }
            if isHolding { return .recheck }
            return .look(extent == .session ? .nothing : dialect.window)
        }
    }

    /// Until when nothing is due, as the lane's counters tell; `nil` if the front must be looked at.
    mutating func stillHolds(_ lane: LaneState, wantedThrough: Int64, at now: MonotonicInstant) -> MonotonicInstant? {
        isHolding = false
        guard !lane.isAwaitingDisk, lane.queuedRecords > 0,
            let until = dialect.stillHolds(lane, wantedThrough: wantedThrough, at: now)
        else { return nil }
        isHolding = true
        return until
    }

    /// Whether nothing may be under way beside a request: it must not be, or it has failed before. The answers to others
    /// would end the wait after its next failure.
    private func goesAlone(_ plan: Plan) -> Bool {
        plan.isExclusive || !attempts.isEmpty && plan.records.contains { attempts[$0.id] != nil }
    }

    var underWay: Set<Record.ID> { Set(inFlight.values.lazy.flatMap(\.records).map(\.id)) }

    /// Keeps what was read ahead if it still holds; otherwise forgets it.
    ///
    /// - Parameter found: The lane now, if the first of the records still waits.
    /// - Returns: Whether it holds.
    mutating func confirm(_ found: (lane: LaneState, version: ReadVersion?)?) -> Bool {
        guard let last = ahead?.peek.state, let found, found.lane.database == last.database,
            found.lane.generation == last.generation,
            found.lane.consent == last.consent, found.lane.entry == last.entry,
            found.lane.forgets == last.forgets
        else {
            ahead = nil
            return false
        }
        ahead?.peek.state = found.lane
        ahead?.peek.version = found.version
        return true
    }

    /// Forgets what was read ahead: another process may have had the lane since, or a change is under way.
    mutating func forgetAhead() {
        ahead = nil
        isHolding = false
    }

    /// What to do with what has just been read, without what is under way.
    mutating func intention(for peek: Peek, wantedThrough: Int64, at reading: ClockReading) -> Intention {
        database = peek.state.database
        forgetFailures(before: peek.records.first)
        let expired = policy.eventTTL == nil ? [] : peek.records.filter { policy.hasExpired($0, at: reading) }
        ahead = ReadAhead(peek)
        guard expired.isEmpty || peek.state.isAwaitingDisk else {
            ahead = nil
            return .drop(expired, .expired, "older than eventTTL")
        }
        return intention(wantedThrough: wantedThrough, at: reading)
    }

    /// Forgets the failures of records that have left the queue in other ways than by an answer.
    ///
    /// - Parameter first: The oldest record that waits and is not under way.
    private mutating func forgetFailures(before first: Record?) {
        guard !attempts.isEmpty, let first else { return }
        let oldest = underWay.reduce(first.id, min)
        attempts = attempts.filter { $0.key >= oldest }
        suspicion.forget(before: oldest)
    }

    /// What to do with what was read ahead.
    mutating func intention(wantedThrough: Int64, at reading: ClockReading) -> Intention {
        guard var rest = ahead.take() else { return .rest }
        guard !rest.peek.state.isAwaitingDisk else { return .blocked(.storage) }
        if let end = rest.peek.state.sessionExpiresAt, end <= reading.wall, rest.peek.state.entry.session != nil {
            return .change([.expire(rest.peek.state.generation)])
        }
        if let first = rest.first, policy.hasExpired(first, at: reading) {
            return .drop([first], .expired, "older than eventTTL")
        }
        if let next = next(behind: rest) { return intention(next, rest, wantedThrough: wantedThrough, at: reading) }
        let intention =
            rest.prepared.map { Intention.send($0) }
            ?? dialect.plan(rest.peek, wantedThrough: wantedThrough, at: reading)
        guard case .work(.send(let plan)) = intention else {
            if case .hold = intention { isHolding = inFlight.isEmpty }
            return intention
        }
        if !inFlight.isEmpty, goesAlone(plan) || !inFlight.values.allSatisfy(plan.mayJoin) { return .rest }
        if let group = plan.group {
            guard rest.peek.groups.contains(group) else {
                // Whether or not the disk takes it, the group goes out next.
                rest.peek.groups.append(group)
                ahead = rest
                return .change([.group(group)])
            }
        } else if case .records = plan.purpose {
            rest.send(plan.records.count)
            ahead = rest
        }
        return intention
    }

    /// What is to be tried instead of the front, which may be what makes the server fail: the first event behind it, of the
    /// same session if there is one, or the last record of its group. Of another group that has gone out all go, as its
    /// key names them: its answer may have been lost.
    private mutating func next(behind rest: ReadAhead) -> ArraySlice<Record>? {
        guard let first = rest.first, suspicion.probesNext(to: first.id), inFlight.isEmpty, !isHalted else {
            return nil
        }
        let candidates = rest.peek.records.dropFirst()
        let group = rest.peek.groups.first { $0.first == first.id && $0.count > 1 }
        let others = rest.peek.groups.filter { $0.count > 1 && $0.first > first.id }
        func members(from record: Record) -> ArraySlice<Record> {
            let last = others.first { $0.first == record.id }?.last ?? record.id
            return candidates.drop { $0.id < record.id }.prefix { $0.id <= last }
        }
        // Its own group takes the place of the front's on disk: it stays the one that was chosen.
        if let chosen = nextProbe.record, let next = candidates.first(where: { $0.id == chosen }) {
            return members(from: next)
        }
        let behind = candidates.filter { record in
            (group.map { record.id >= $0.last } ?? true)
                && !others.contains { $0.first < record.id && record.id <= $0.last }
        }
        let ofSession = behind.filter { $0.generation == first.generation }
        let choice = ofSession.isEmpty ? behind : ofSession
        // A profile goes before its turn only where no event is there to be tried.
        let events = choice.filter { !$0.route.isBarrier }
        return nextProbe.choose(from: events.isEmpty ? choice : events).map(members)
    }

    /// Tries a record behind the front.
    private mutating func intention(
        _ next: ArraySlice<Record>, _ rest: ReadAhead, wantedThrough: Int64, at reading: ClockReading
    ) -> Intention {
        var front = rest.peek
        front.records = Array(next)
        let intention = dialect.plan(front, wantedThrough: max(wantedThrough, next.last?.sequence ?? 0), at: reading)
        guard case .work(.send(let plan)) = intention else { return intention }
        if let group = plan.group, !rest.peek.groups.contains(group) {
            ahead = rest
            ahead?.peek.groups.append(group)
            return .change([.group(group)])
        }
        nextProbe.depart(as: nextToken)
        return intention
    }

    /// Makes the request that comes next, while the last is under way.
    mutating func prepare() {
        guard let ahead, ahead.first != nil, ahead.prepared == nil else { return }
        let plan = dialect.prepare(ahead.peek)
        self.ahead?.prepare(plan)
    }

    /// Adds a plan to those under way.
    mutating func depart(_ plan: Plan) -> Token {
        let token = Token(number: nextToken, database: database, era: credentials.era)
        nextToken += 1
        inFlight[token] = plan
        breaker.depart()
        halt?.trial = token.number
        return token
    }

    /// Begins or ends to ask other lanes whether the server answers them.
    ///
    /// - Returns: Whether they are asked from now on; `nil`: as before.
    mutating func takeAsking() -> Bool? {
        guard (suspicion.doubtedServer != nil) != isAskingOthers else { return nil }
        isAskingOthers.toggle()
        return isAskingOthers
    }

    /// An awaited change is on disk, or held in memory since the disk refuses it.
    mutating func committed() { awaitedCommits = max(0, awaitedCommits - 1) }

    /// Starts over with another dialect: it has other credentials, and the breaker is closed.
    mutating func resume(with dialect: any Dialect) {
        forgetAhead()
        let memory = self.dialect.memory
        self.dialect = dialect
        self.dialect.follow(memory)
        credentials.replace(lackingKey: dialect.lacksKey)
        sessionFailure = nil
        halt = nil
        isDisabled = false
        breaker.startOver()
    }

    /// Forgets what it remembered of records that a reset has removed. What is known by records' numbers is forgotten once
    /// a look does not find them.
    mutating func forget() {
        forgetAhead()
        dialect.forget()
        // The reset has removed what is stored of a halt.
        isHaltShown = halt == nil
    }

    // MARK: Beginning

    /// Begins to deliver, unless the client has stopped waiting meanwhile.
    ///
    /// - Parameter again: Whether also after ``goWithoutSession()``: another client begins.
    mutating func start(again: Bool = false) {
        if extent == .undecided || again && extent == .nothing { extent = .everything }
        wake()
    }

    /// Begins with the session for which `initialize` waits, unless the client has stopped waiting meanwhile.
    ///
    /// - Parameter again: Whether also after ``goWithoutSession()``: another client waits.
    mutating func makeFirstSession(again: Bool = false) {
        if extent == .undecided || again && extent == .nothing { extent = .session }
        wake()
    }

    /// Sends nothing from now on: `initialize` has ended without a session.
    mutating func goWithoutSession() {
        if extent != .everything { (extent, sessionFailure) = (.nothing, nil) }
    }
}

extension Record {
    /// How long ago its call was made. Within a run, ages go by the monotonic clock; over runs by the wall clock, which may
    /// have gone back.
    func age(at reading: ClockReading) -> Duration {
        let age =
            acceptedAt.map { reading.now.uptime - $0 }
            ?? .milliseconds(reading.wall.milliseconds) - .milliseconds(occurredAt.milliseconds)
        return max(.zero, age)
    }
}
