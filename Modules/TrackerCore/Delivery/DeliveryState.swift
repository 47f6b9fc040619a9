import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Decides what is sent when, and what an answer changes: no clock, no lock, no I/O.
///
/// The engine asks ``readiness(at:isPaused:)``. If the answer is to look, it peeks, asks
/// ``intention(for:wantedThrough:at:)``, and does what that says. Each answer of the server goes through
/// ``finish(_:with:at:)``.
struct DeliveryState: Sendable {
    /// Names a request under way.
    struct Token: Hashable, Sendable {
        let number: Int
        /// The database that its records were read from.
        let database: DatabaseID?
        /// How many dialects had been used before it departed.
        fileprivate let era: Int
    }

    /// The progress of the client that opened the lane.
    enum Phase: Hashable, Sendable {
        /// The lane is being opened: nothing is looked at, and a flush waits.
        case opening
        /// The session for which `initialize` waits is being made. The first answer decides, without the breaker.
        case firstSession
        /// The client has no session and makes none: nothing is sent.
        case withoutSession
        /// Delivery has begun.
        case started
    }

    /// Whether something may be sent.
    enum Readiness: Hashable, Sendable {
        /// Look at this much of the queue's front, without what is under way.
        case look(Window)
        /// Nothing was due at the last look: check by the lane's counters whether that is still so.
        case recheck
        /// What was read ahead is to be sent, if this record still waits and the lane is as it was.
        case confirm(Record.ID)
        /// Make the session for which `initialize` waits, and nothing else.
        case firstSession
        /// Not before this instant.
        case wait(until: MonotonicInstant, StopReason)
        /// Not before the lane is open, a request under way is answered or a change is on disk.
        case busy
        /// Not before something is asked for.
        case stopped(StopReason)
    }

    /// The consequences of an answer.
    struct Settlement: Sendable {
        /// The changes of the lane.
        var changes: [LaneChange] = []
        /// Whether the changes must be on disk before anything else is sent.
        var awaitsCommit = false
        /// What has arrived.
        var delivered: Plan?
        /// What its request's body measured.
        var bytes = WireBytes(before: 0, after: 0)
        /// The events to report.
        var events: [DeliveryEvent] = []
        /// The session that was made. It is reported once the changes are on disk, if the lane still has it then.
        var sessionMade: SessionID?
        /// Whether requests have begun to fail with this answer, or have ceased to.
        var outage: Outage?
    }

    /// The beginning or the end of an outage.
    enum Outage: Hashable, Sendable {
        case began, ended
    }

    private(set) var breaker: CircuitBreaker
    private(set) var inFlight: [Token: Plan] = [:]
    private(set) var isHalted = false
    /// Whether the server has refused the client for good, and so its queue is dropped.
    private(set) var isDisabled = false
    private(set) var phase = Phase.opening
    /// Why the session for which `initialize` waits was not made, and for which generation it was to be.
    private var firstFailure: (generation: Generation, error: TrackerError)?
    /// The database that was looked at last.
    private(set) var database: DatabaseID?
    private var dialect: any Dialect
    private let maxConcurrentRequests: Int
    private let eventTTL: Duration?
    private var jitter: any RandomNumberGenerator & Sendable
    private var awaitedCommits = 0
    private var nextToken = 0
    /// The front of the queue as it was last read, as long as its records go out one after the other.
    private(set) var ahead: ReadAhead?
    /// Whether the last look has found that nothing is due.
    private var isHolding = false
    /// Whether the last request that was answered has failed.
    private var isFailing = false
    /// How often delivery has been resumed with another dialect.
    private var era = 0

    init(
        dialect: any Dialect, breaker: CircuitBreaker.Policy, maxConcurrentRequests: Int, eventTTL: Duration?,
        jitter: any RandomNumberGenerator & Sendable
    ) {
        self.dialect = dialect
        self.breaker = CircuitBreaker(breaker)
        self.maxConcurrentRequests = maxConcurrentRequests
        self.eventTTL = eventTTL
        self.jitter = jitter
    }

    /// Whether something may be sent at `now`.
    ///
    /// - Parameter isPaused: Whether everything is kept back for now.
    func readiness(at now: MonotonicInstant, isPaused: Bool = false) -> Readiness {
        if isHalted { return .stopped(.halted) }
        if phase == .withoutSession { return .stopped(.noSession) }
        if phase == .opening || isPaused || awaitedCommits > 0 || inFlight.values.contains(where: \.isExclusive) {
            return .busy
        }
        if phase == .firstSession { return .firstSession }
        guard inFlight.count < (breaker.isFlowing ? maxConcurrentRequests : 1) else { return .busy }
        switch breaker.admission(at: now) {
        case .wait(let until):
            if case .open = breaker.state { return .wait(until: until, .breakerOpen) }
            return .wait(until: until, .retryWait)
        case .probing: return .busy
        case .proceed:
            if let record = ahead?.first { return .confirm(record.id) }
            if isHolding { return .recheck }
            return .look(dialect.window)
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

    /// The records that are under way.
    var underWay: Set<Record.ID> { Set(inFlight.values.lazy.flatMap(\.records).map(\.id)) }

    /// Keeps what was read ahead if it still holds; otherwise forgets it.
    ///
    /// - Parameter found: The lane now, if the first of the records still waits.
    /// - Returns: Whether it holds.
    mutating func confirm(_ found: (lane: LaneState, version: LaneVersion?)?) -> Bool {
        guard let ahead, let found, found.lane.database == ahead.lane.database,
            found.lane.generation == ahead.lane.generation,
            found.lane.consent == ahead.lane.consent, found.lane.entry == ahead.lane.entry
        else {
            self.ahead = nil
            return false
        }
        self.ahead?.lane = found.lane
        self.ahead?.version = found.version
        return true
    }

    /// Forgets what was read ahead: another process may have had the lane since, or a change is under way.
    mutating func forgetAhead() {
        ahead = nil
        isHolding = false
    }

    /// What to do with what has just been read.
    mutating func intention(for peek: Peek, wantedThrough: Int64, at reading: ClockReading) -> Intention {
        database = peek.state.database
        let underWay = underWay
        let records = underWay.isEmpty ? peek.records : peek.records.filter { !underWay.contains($0.id) }
        let expired = eventTTL == nil ? [] : records.filter { isExpired($0, at: reading) }
        ahead = ReadAhead(peek, records)
        guard expired.isEmpty || peek.state.isAwaitingDisk else {
            ahead = nil
            return .drop(expired, .expired, "older than eventTTL")
        }
        return intention(wantedThrough: wantedThrough, at: reading)
    }

    /// What to do with what was read ahead.
    mutating func intention(wantedThrough: Int64, at reading: ClockReading) -> Intention {
        guard var rest = ahead.take() else { return .rest }
        guard !rest.lane.isAwaitingDisk else { return .blocked(.storage) }
        if let end = rest.lane.sessionExpiresAt, end <= reading.wall, rest.lane.entry.session != nil {
            return .change([.expire(rest.lane.generation)])
        }
        if let first = rest.first, isExpired(first, at: reading) {
            return .drop([first], .expired, "older than eventTTL")
        }
        let intention =
            rest.prepared.map { Intention.send($0) }
            ?? dialect.plan(view(rest, wantedThrough: wantedThrough, at: reading))
        guard case .send(let plan) = intention else {
            if case .hold = intention { isHolding = inFlight.isEmpty }
            return intention
        }
        if !inFlight.values.allSatisfy(plan.mayJoin) { return .rest }
        if let group = plan.group {
            guard rest.groups.contains(group) else {
                // Whether or not the disk takes it, the group goes out next.
                rest.groups.append(group)
                ahead = rest
                return .change([.group(group)])
            }
        } else if case .records = plan.purpose {
            rest.send(plan.records.count)
            ahead = rest
        }
        return intention
    }

    /// Makes the request that comes next, while the last is under way.
    mutating func prepare(at reading: ClockReading) {
        guard let ahead, ahead.first != nil, ahead.prepared == nil else { return }
        let plan = dialect.prepare(view(ahead, wantedThrough: 0, at: reading))
        self.ahead?.prepare(plan)
    }

    private func view(_ ahead: ReadAhead, wantedThrough: Int64, at reading: ClockReading) -> LaneView {
        LaneView(
            state: ahead.lane, records: ahead.records, entries: ahead.entries, now: reading.now, wall: reading.wall,
            wantedThrough: wantedThrough, groups: ahead.groups)
    }

    /// Adds a plan to those under way.
    mutating func depart(_ plan: Plan) -> Token {
        let token = Token(number: nextToken, database: database, era: era)
        nextToken += 1
        inFlight[token] = plan
        breaker.depart()
        return token
    }

    /// Removes a plan from those under way, and decides what its answer means.
    mutating func finish(_ token: Token, with answer: Answer, at reading: ClockReading) -> Settlement {
        guard let plan = inFlight.removeValue(forKey: token) else { return Settlement() }
        if case .failure(let error) = answer, error.kind == .cancelled || error.kind == .closed {
            breaker.abandon(at: reading.now)
            ahead = nil
            return Settlement()
        }
        let verdict = dialect.judge(answer, to: plan, at: reading.wall)
        if phase != .started, case .session(let generation) = plan.purpose {
            return settlement(ofFirst: verdict, for: plan, generation, answer)
        }
        if case .retry(let floor, let message) = verdict {
            breaker.fail(at: reading.now, floor: floor, using: &jitter)
            ahead = nil
            defer { isFailing = true }
            return Settlement(events: [.retried(plan, answer, message)], outage: isFailing ? nil : .began)
        }
        breaker.close()
        defer { isFailing = false }
        // An answer about former credentials does not count for the new ones.
        if verdict.isOfCredentials, token.era != era { return Settlement() }
        var settlement = settlement(of: verdict, for: plan, answer)
        settlement.outage = isFailing ? .ended : nil
        return settlement
    }

    /// Whether a session is to be made in a lane, even if nothing is queued there.
    func needsSession(_ lane: LaneState) -> Bool { dialect.needsSession(lane) }

    /// An awaited change is on disk, or held in memory since the disk refuses it.
    mutating func committed() { awaitedCommits = max(0, awaitedCommits - 1) }

    /// Counts a change that must be on disk before anything is sent.
    mutating func awaitCommit() { awaitedCommits += 1 }

    /// Ends a wait: the network is said to be back.
    mutating func cutShort(at now: MonotonicInstant) { breaker.cutShort(at: now) }

    /// Starts over with another dialect: it has other credentials, and the breaker is closed.
    mutating func resume(with dialect: any Dialect) {
        ahead = nil
        let old = self.dialect
        self.dialect = dialect
        self.dialect.follow(old)
        era += 1
        isHolding = false
        isHalted = false
        isDisabled = false
        breaker.startOver()
    }

    /// Forgets what it remembered about records that are gone.
    mutating func forget() {
        ahead = nil
        isHolding = false
        dialect.forget()
    }

    // MARK: Beginning

    /// Begins to deliver, unless the client has stopped waiting meanwhile.
    mutating func start() {
        if phase == .opening { phase = .started }
    }

    /// Begins with the session for which `initialize` waits, unless the client has stopped waiting meanwhile.
    mutating func makeFirstSession() {
        if phase == .opening { phase = .firstSession }
    }

    /// Sends nothing from now on: `initialize` has ended without a session.
    mutating func goWithoutSession() {
        if phase != .started { phase = .withoutSession }
    }

    /// What to do for the session for which `initialize` waits.
    mutating func firstStep(in lane: LaneState, at reading: ClockReading) -> FirstStep {
        database = lane.database
        // A reset or a decision that the disk has refused is written before anything is sent.
        guard !lane.isAwaitingDisk else { return .wait }
        if let end = lane.sessionExpiresAt, end <= reading.wall, lane.entry.session != nil {
            return .change([.expire(lane.generation)])
        }
        if !lane.needsSession { return conclude(.success(())) }
        // A failure counts only if no reset has ended its generation meanwhile.
        if let firstFailure, firstFailure.generation == lane.generation {
            return conclude(.failure(firstFailure.error))
        }
        firstFailure = nil
        let view = LaneView(
            state: lane, records: [], entries: [:], now: reading.now, wall: reading.wall, wantedThrough: 0)
        return switch dialect.plan(view) {
        case .send(let plan): .send(plan)
        case .change(let changes): .change(changes)
        case .drop, .hold, .rest, .blocked: .wait
        }
    }

    private mutating func conclude(_ result: Result<Void, TrackerError>) -> FirstStep {
        // The client decides what follows: it may have stopped waiting by now.
        phase = .opening
        firstFailure = nil
        return .conclude(result)
    }

    private mutating func settlement(
        ofFirst verdict: Verdict, for plan: Plan, _ generation: Generation, _ answer: Answer
    ) -> Settlement {
        if case .progress = verdict { return settlement(of: verdict, for: plan, answer) }
        firstFailure = (generation, .noSession(answer, from: plan.request.url))
        // If a reset is being written, the answer no longer counts.
        return Settlement(changes: [.barrier], awaitsCommit: true)
    }

    private func isExpired(_ record: Record, at reading: ClockReading) -> Bool {
        guard let eventTTL else { return false }
        // Within a run, ages go by the monotonic clock; over runs by the wall clock, which may have gone back.
        let age =
            record.acceptedAt.map { reading.uptime - $0 }
            ?? .milliseconds(reading.wall.milliseconds) - .milliseconds(record.occurredAt.milliseconds)
        return max(.zero, age) > eventTTL
    }

    private mutating func settlement(of verdict: Verdict, for plan: Plan, _ answer: Answer) -> Settlement {
        if case .delivered = verdict {} else { ahead = nil }
        switch verdict {
        case .delivered(let changes):
            if !changes.isEmpty { ahead = nil }
            let bytes = WireBytes(before: answer.response?.bodyBytes ?? 0, after: answer.response?.sentBytes ?? 0)
            return Settlement(changes: changes, awaitsCommit: !changes.isEmpty, delivered: plan, bytes: bytes)
        case .progress(let changes):
            var events: [DeliveryEvent] = []
            var made: SessionID?
            if case .session = plan.purpose, case .bindMade(_, let session)? = changes.first { made = session }
            if case .identify = plan.purpose, changes.isEmpty, let status = answer.status {
                events = [.unidentified(plan, AnswerTable.sentence(status, from: plan.request.url))]
            }
            return Settlement(
                changes: changes, awaitsCommit: !changes.isEmpty, events: events, sessionMade: made)
        case .discard(let reason, let message):
            return Settlement(
                changes: [.drop(plan.records.map(\.id), reason)], events: [.dropped(plan.records, reason, message)]
            )
        case .halt(let message):
            isHalted = true
            return Settlement(events: [.halted(message)])
        case .disable(let message):
            isHalted = true
            isDisabled = true
            return Settlement(changes: [.dropAll(.disabled)], events: [.disabled(message)])
        case .regroup, .retry:
            return Settlement()
        }
    }
}

extension Result where Success == HTTPResponse {
    /// The answer, if there is one.
    var response: HTTPResponse? { if case .success(let response) = self { response } else { nil } }

    /// Its status.
    var status: Int? { response?.status }
}
