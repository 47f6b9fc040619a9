import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Everything that decides when what is sent and what an answer changes: no clock, no lock, no I/O.
///
/// The engine asks ``readiness(at:)``; if it is told to look it peeks, asks ``intention(for:at:)``, and does what that
/// says. Each answer goes through ``settle(_:with:at:)``.
struct DeliveryState: Sendable {
    /// Names a request under way.
    struct Token: Hashable, Sendable {
        let number: Int
        /// How often delivery had been resumed when it departed.
        fileprivate let era: Int
    }

    /// How far the client has come that opened the lane.
    enum Phase: Hashable, Sendable {
        /// The lane is being opened: nothing is looked at, and a flush waits.
        case opening
        /// The session is made for which `initialize` waits. The first answer decides; the breaker has no part in it.
        case firstSession
        /// The client has no session and makes none: nothing is sent.
        case withoutSession
        /// Delivery has begun.
        case started
    }

    /// Whether something may be sent.
    enum Readiness: Hashable, Sendable {
        /// Look at this much of the queue's front, besides what is under way.
        case look(Window)
        /// What was read ahead is to be sent, if this record still waits and the lane is as it was.
        case confirm(Record.ID)
        /// Only the session is to be made for which `initialize` waits.
        case firstSession
        /// Not before this instant.
        case wait(until: MonotonicInstant, StopReason)
        /// Not before the lane is open, a request under way is answered or a change is on disk.
        case busy
        /// Not before somebody does something.
        case stopped(StopReason)
    }

    /// What an answer comes to.
    struct Settlement: Sendable {
        /// What the lane must be told.
        var changes: [LaneChange] = []
        /// Whether the changes must be on disk before anything else is sent.
        var awaitsCommit = false
        /// What somebody may want to know.
        var events: [DeliveryEvent] = []
        /// The session that was made: told once the changes are on disk, if the lane still has it then.
        var sessionMade: SessionID?
        /// Whether requests have begun to fail with this answer, or have ceased to.
        var outage: Outage?
    }

    /// Where an outage stands.
    enum Outage: Hashable, Sendable {
        case began, ended
    }

    /// What has been delivered and is to be recorded, together with others.
    private struct Unrecorded: Sendable {
        var records: [Record.ID: Int] = [:]
        var bytes = WireBytes(before: 0, after: 0)
    }

    private(set) var breaker: CircuitBreaker
    private(set) var inFlight: [Token: Plan] = [:]
    private(set) var halt: Halt?
    private(set) var phase = Phase.opening
    /// Why the session for which `initialize` waits was not made, and for which generation it was to be.
    private var firstFailure: (generation: Generation, error: TrackerError)?
    private var dialect: any Dialect
    private let maxConcurrentRequests: Int
    private let eventTTL: Duration?
    private var jitter: any RandomNumberGenerator & Sendable
    private var holds = 0
    private var awaitedCommits = 0
    private var nextToken = 0
    /// What has been delivered since the last record of that was staged.
    private var unrecorded = Unrecorded()
    /// The front of the queue as it was last read, without what has been sent since.
    private var ahead: Peek?
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
    func readiness(at now: MonotonicInstant) -> Readiness {
        if halt != nil { return .stopped(.halted) }
        if phase == .withoutSession { return .stopped(.noSession) }
        if phase == .opening || holds > 0 || awaitedCommits > 0 || inFlight.values.contains(where: \.isExclusive) {
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
            if let record = ahead?.records.first { return .confirm(record.id) }
            let seen = dialect.window.widened(by: inFlight.values.flatMap(\.records))
            return .look(seen.widened(records: unrecorded.records.count, bytes: unrecorded.records.values.reduce(0, +)))
        }
    }

    /// What has been read, without what is delivered and only not recorded yet.
    func visible(_ peek: Peek) -> Peek {
        guard !unrecorded.records.isEmpty else { return peek }
        var peek = peek
        peek.records.removeAll { unrecorded.records[$0.id] != nil }
        return peek
    }

    /// What was read ahead, if it still holds; else it is forgotten.
    ///
    /// - Parameter lane: The lane now, if the first of the records still waits.
    mutating func confirmed(_ lane: LaneState?) -> Peek? {
        defer { ahead = nil }
        guard var peek = ahead, let lane, lane.generation == peek.state.generation,
            lane.consent == peek.state.consent, lane.entry == peek.state.entry
        else { return nil }
        peek.state = lane
        return peek
    }

    /// Forgets what was read ahead: the lane has been another's since, or a change is under way.
    mutating func forgetAhead() { ahead = nil }

    /// How many delivered records are not recorded yet.
    var unrecordedCount: Int { unrecorded.records.count }

    /// What has been delivered since this was last called, to be recorded.
    mutating func takeUnrecorded() -> LaneChange? {
        guard !unrecorded.records.isEmpty else { return nil }
        defer { unrecorded = Unrecorded() }
        return .delivered(unrecorded.records.keys.sorted(), bytes: unrecorded.bytes)
    }

    /// What to do with what is at the front.
    mutating func intention(for peek: Peek, wantedThrough: Int64, at moment: ClockReading) -> Intention {
        ahead = nil
        guard !peek.state.isAwaitingDisk else { return .blocked(.storage) }
        if let end = peek.state.sessionExpiresAt, end <= moment.wall, peek.state.entry.session != nil {
            return .change([.expire(peek.state.generation)])
        }
        let underWay = Set(inFlight.values.flatMap { $0.records.map(\.id) })
        let records = underWay.isEmpty ? peek.records : peek.records.filter { !underWay.contains($0.id) }
        let expired = records.filter { isExpired($0, at: moment) }
        guard expired.isEmpty else {
            return .drop(expired.map(\.id), .expired, "older than eventTTL")
        }
        let view = LaneView(
            state: peek.state, records: records, entries: peek.entries, now: moment.now, wall: moment.wall,
            wantedThrough: wantedThrough, groups: peek.groups
        )
        let intention = dialect.plan(view)
        guard case .send(let plan) = intention else { return intention }
        if !inFlight.values.allSatisfy(plan.mayJoin) { return .rest }
        var rest = peek
        rest.records = records
        if let group = plan.group {
            guard peek.groups.contains(group) else {
                // Whether or not the disk takes it, the group goes out next.
                rest.groups.append(group)
                ahead = rest
                return .change([.group(group)])
            }
        } else if case .records = plan.purpose {
            let sent = plan.records.map(\.id)
            rest.records.removeAll { sent.contains($0.id) }
            ahead = rest
        }
        return intention
    }

    /// Notes that a plan is under way.
    mutating func depart(_ plan: Plan) -> Token {
        let token = Token(number: nextToken, era: era)
        nextToken += 1
        inFlight[token] = plan
        breaker.depart()
        return token
    }

    /// Takes an answer.
    mutating func settle(_ token: Token, with answer: Answer, at moment: ClockReading) -> Settlement {
        guard let plan = inFlight.removeValue(forKey: token) else { return Settlement() }
        if case .failure(let error) = answer, error.kind == .cancelled || error.kind == .closed {
            breaker.abandon(at: moment.now)
            ahead = nil
            return Settlement()
        }
        let verdict = dialect.judge(answer, to: plan, at: moment.wall)
        if phase != .started, case .session(let generation) = plan.purpose {
            return settlement(ofFirst: verdict, for: plan, generation, answer)
        }
        if case .retry(let floor, let message) = verdict {
            breaker.fail(at: moment.now, floor: floor, using: &jitter)
            ahead = nil
            defer { isFailing = true }
            return Settlement(events: [.retried(plan, answer, message)], outage: isFailing ? nil : .began)
        }
        breaker.close()
        defer { isFailing = false }
        // What the server says of credentials that have been changed since says nothing of the new ones.
        if verdict.isOfCredentials, token.era != era { return Settlement() }
        var settlement = settlement(of: verdict, for: plan, answer)
        settlement.outage = isFailing ? .ended : nil
        return settlement
    }

    /// Changes that were awaited are on disk, or are held in memory as long as the disk refuses them.
    mutating func committed() { awaitedCommits = max(0, awaitedCommits - 1) }

    /// Counts a change that must be on disk before anything is sent.
    mutating func awaitCommit() { awaitedCommits += 1 }

    /// Whether a plan may still depart that was made a moment ago.
    var mayDepart: Bool { holds == 0 }

    /// Keeps everything back until `release` has been called as often.
    mutating func pause() {
        holds += 1
        ahead = nil
    }

    /// Takes one `hold` back.
    mutating func release() { holds = max(0, holds - 1) }

    /// Ends a wait: the network is said to be back.
    mutating func cutShort(at now: MonotonicInstant) { breaker.cutShort(at: now) }

    /// Starts over with another dialect: other credentials, a fresh try.
    mutating func resume(with dialect: any Dialect) {
        ahead = nil
        let old = self.dialect
        self.dialect = dialect
        self.dialect.follow(old)
        era += 1
        halt = nil
        breaker.close()
    }

    /// Forgets what was known of records that are gone.
    mutating func forget() {
        ahead = nil
        dialect.forget()
    }

    /// Has the dialect take note of something its client wants.
    mutating func tell(_ change: (inout any Dialect) -> Void) {
        ahead = nil
        change(&dialect)
    }

    // MARK: Beginning

    /// Begins to deliver, unless the client has given up meanwhile.
    mutating func start() {
        if phase == .opening { phase = .started }
    }

    /// Begins with the session for which `initialize` waits, unless the client has given up meanwhile.
    mutating func makeFirstSession() {
        if phase == .opening { phase = .firstSession }
    }

    /// Sends nothing, since the client has not come so far as to begin.
    mutating func goWithoutSession() {
        if phase != .started { phase = .withoutSession }
    }

    /// What to do for the session for which `initialize` waits.
    mutating func firstStep(in lane: LaneState, at moment: ClockReading) -> FirstStep {
        // A reset or a decision that the disk has refused is written before anything is sent.
        guard !lane.isAwaitingDisk else { return .wait }
        if let end = lane.sessionExpiresAt, end <= moment.wall, lane.entry.session != nil {
            return .change([.expire(lane.generation)])
        }
        if lane.isSettled { return conclude(.success(())) }
        // A failure counts only if no reset has ended its generation meanwhile.
        if let firstFailure, firstFailure.generation == lane.generation {
            return conclude(.failure(firstFailure.error))
        }
        firstFailure = nil
        let view = LaneView(
            state: lane, records: [], entries: [:], now: moment.now, wall: moment.wall, wantedThrough: 0)
        return switch dialect.plan(view) {
        case .send(let plan): .send(plan)
        case .change(let changes): .change(changes)
        case .drop, .hold, .rest, .blocked: .wait
        }
    }

    private mutating func conclude(_ result: Result<Void, TrackerError>) -> FirstStep {
        // The client decides what follows: it may have given up by now.
        phase = .opening
        firstFailure = nil
        return .conclude(result)
    }

    private mutating func settlement(
        ofFirst verdict: Verdict, for plan: Plan, _ generation: Generation, _ answer: Answer
    ) -> Settlement {
        if case .progress = verdict { return settlement(of: verdict, for: plan, answer) }
        firstFailure = (generation, .noSession(answer, from: plan.request.url))
        // A reset that is on its way to the disk makes the answer void.
        return Settlement(changes: [.barrier], awaitsCommit: true)
    }

    private func isExpired(_ record: Record, at moment: ClockReading) -> Bool {
        guard let eventTTL else { return false }
        // Within a run by the monotonic clock; over runs by the wall clock, which may have gone back.
        let age =
            record.acceptedAt.map { moment.uptime - $0 }
            ?? .milliseconds(moment.wall.milliseconds) - .milliseconds(record.occurredAt.milliseconds)
        return max(.zero, age) > eventTTL
    }

    private mutating func settlement(of verdict: Verdict, for plan: Plan, _ answer: Answer) -> Settlement {
        if case .delivered = verdict {} else { ahead = nil }
        switch verdict {
        case .delivered(let changes):
            let bytes = WireBytes(before: answer.response?.bodyBytes ?? 0, after: answer.response?.sentBytes ?? 0)
            for record in plan.records { unrecorded.records[record.id] = record.body.byteCount }
            unrecorded.bytes.before += bytes.before
            unrecorded.bytes.after += bytes.after
            guard !changes.isEmpty else { return Settlement(events: [.delivered(plan, bytes)]) }
            ahead = nil
            let delivered = [takeUnrecorded()].compactMap { $0 }
            return Settlement(changes: changes + delivered, awaitsCommit: true, events: [.delivered(plan, bytes)])
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
        case .halt(let halt):
            self.halt = halt
            return Settlement(events: [.halted(halt)])
        case .disable(let halt):
            self.halt = halt
            return Settlement(changes: [.dropAll(.disabled)], events: [.disabled(halt)])
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
