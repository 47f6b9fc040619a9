import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryState {
    /// The consequences of an answer.
    struct Settlement: Sendable {
        var changes: [LaneChange] = []
        /// Whether the changes must be on disk before anything else is sent.
        var awaitsCommit = false
        var delivered: Plan?
        /// What its request's body measured.
        var bytes = WireBytes(before: 0, after: 0)
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

    /// Removes a plan from those under way, and decides what its answer means.
    mutating func finish(_ token: Token, with answer: Answer, at reading: ClockReading) -> Settlement {
        guard let plan = inFlight.removeValue(forKey: token) else { return Settlement() }
        let settlement = settlement(of: answer, to: plan, token, at: reading)
        count(plan, settlement)
        if settlement.awaitsCommit { awaitedCommits += settlement.changes.count }
        if let records = settlement.delivered?.records {
            delivered += records.count
            countBesideFlushes(records)
        }
        return settlement
    }

    /// Counts how often the records of a plan were sent, unless they leave the queue.
    private mutating func count(_ plan: Plan, _ settlement: Settlement) {
        if attempts.isEmpty, settlement.delivered?.records.count == plan.records.count { return }
        var left = Set(settlement.delivered?.records.map(\.id) ?? [])
        for case .drop(let records, _, _) in settlement.changes { left.formUnion(records) }
        for record in plan.records {
            attempts[record.id] = left.contains(record.id) ? nil : attempts[record.id, default: 0] + 1
        }
    }

    /// What is kept of an answer that refuses records for good.
    private func rejection(of answer: Answer, to plan: Plan, refusing records: [Record]) -> Rejection {
        let earlier = records.reduce(0) { max($0, attempts[$1.id] ?? 0) }
        return Rejection(
            status: answer.status, body: plan.masked(answer.response?.body ?? []), attempts: earlier + 1,
            session: plan.session)
    }

    private mutating func settlement(
        of answer: Answer, to plan: Plan, _ token: Token, at reading: ClockReading
    ) -> Settlement {
        if case .failure(let error) = answer, error.kind == .cancelled || error.kind == .closed {
            breaker.abandon(at: reading.now)
            ahead = nil
            return Settlement()
        }
        let verdict = dialect.judge(answer, to: plan, at: reading.wall)
        let next = nextProbe.take(token.number)
        let isNext = next != nil
        let isTrial = halt.map { $0.trial == token.number } ?? false
        if case .session(let generation) = plan.purpose, extent != .everything {
            // An answer about former credentials does not count for the new ones.
            if verdict.isOfCredentials, token.era != credentials.era { return Settlement() }
            return settlement(ofFirst: verdict, for: plan, generation, answer, at: reading)
        }
        if case .retry(let floor, let message) = verdict {
            let consequence = suspicion.failed(
                plan.records, isNext: isNext, isProbe: breaker.isProbing, status: answer.status, server: plan.server,
                at: reading.now)
            if let next { nextProbe.fail(next) }
            if consequence == .setAside { return setAside(plan, answer, message) }
            if consequence == .split { dialect.split(plan.records) }
            breaker.fail(at: reading.now, floor: floor, opensAtOnce: suspicion.opensAtOnce, using: &jitter)
            growth.interrupt()
            ahead = nil
            if isTrial { halt(again: reading.now) }
            defer { isFailing = true }
            return Settlement(events: [.retried(plan, answer, message)], outage: isFailing ? nil : .began)
        }
        if case .refused(_, _, .again(let pause), _) = verdict, pause > .zero {
            breaker.fail(at: reading.now, floor: pause, opensAtOnce: suspicion.opensAtOnce, using: &jitter)
        } else {
            breaker.close()
        }
        // A server that refuses the key has not looked at the record behind.
        if !isNext || !verdict.isOfCredentials { suspicion.answered(plan.records, isNext: isNext) }
        defer { isFailing = false }
        if !verdict.isOfCredentials, token.era == credentials.era { credentials.accepted() }
        // An answer about former credentials does not count for the new ones: its records are at the front again.
        if verdict.isOfCredentials, token.era != credentials.era {
            ahead = nil
            return Settlement()
        }
        var settlement = settlement(of: verdict, for: plan, answer, at: reading)
        if isTrial, !verdict.isOfCredentials {
            halt = nil
            settlement.events.append(.resumed)
        }
        settlement.outage = isFailing ? .ended : nil
        return settlement
    }

    private mutating func settlement(
        ofFirst verdict: Verdict, for plan: Plan, _ generation: Generation, _ answer: Answer, at reading: ClockReading
    ) -> Settlement {
        if case .progress = verdict { return settlement(of: verdict, for: plan, answer, at: reading) }
        if extent == .session { sessionFailure = (generation, .noSession(answer, from: plan.request.url)) }
        // If a reset is being written, the answer no longer counts.
        let asks =
            if case .halt(_, let isKeyRefused) = verdict { credentials.asks(isKeyRefused: isKeyRefused) } else { false }
        return Settlement(changes: [.barrier], awaitsCommit: true, events: asks ? [.unauthorized] : [])
    }

    /// Takes the record out of the queue that alone makes the server fail. What is behind it goes on at once.
    private mutating func setAside(_ plan: Plan, _ answer: Answer, _ message: String) -> Settlement {
        breaker.close()
        dialect.split(plan.records)
        ahead = nil
        return Settlement(
            changes: [
                .drop(plan.records.map(\.id), .poison, rejection(of: answer, to: plan, refusing: plan.records))
            ],
            events: [
                .dropped(
                    plan.records, .poison, "\(message) to it, again and again, while the server takes other requests")
            ])
    }

    private mutating func settlement(
        of verdict: Verdict, for plan: Plan, _ answer: Answer, at reading: ClockReading
    ) -> Settlement {
        if case .delivered = verdict {} else { ahead = nil }
        switch verdict {
        case .delivered(let changes):
            if !changes.isEmpty { ahead = nil }
            let bytes = WireBytes(before: answer.response?.bodyBytes ?? 0, after: answer.response?.sentBytes ?? 0)
            return Settlement(changes: changes, awaitsCommit: !changes.isEmpty, delivered: plan, bytes: bytes)
        case .progress(let wanted):
            let changes = wanted.map { change in
                guard case .unbind(let generation, let session, let record, nil) = change else { return change }
                return .unbind(
                    generation, session, refused: record, rejection(of: answer, to: plan, refusing: plan.records))
            }
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
                changes: [
                    .drop(plan.records.map(\.id), reason, rejection(of: answer, to: plan, refusing: plan.records))
                ],
                events: [.dropped(plan.records, reason, message)]
            )
        case .refused(let records, let reason, let others, let message):
            var settlement = Settlement(
                changes: [.drop(records.map(\.id), reason, rejection(of: answer, to: plan, refusing: records))],
                events: [.dropped(records, reason, message)])
            let rest = plan.records.filter { !records.contains($0) }
            if others == .delivered, !rest.isEmpty {
                settlement.delivered = plan
                settlement.delivered?.records = rest
                settlement.bytes = WireBytes(
                    before: answer.response?.bodyBytes ?? 0, after: answer.response?.sentBytes ?? 0)
            }
            return settlement
        case .halt(let message, let isKeyRefused):
            guard halt == nil else {
                halt(again: reading.now)
                return Settlement()
            }
            halt = Halt(
                reason: message, status: answer.status, since: reading.wall, nextTry: policy.nextTry(after: reading.now)
            )
            let asks = credentials.asks(isKeyRefused: isKeyRefused)
            return Settlement(events: [.halted(message, nextTry: policy.haltRetry, asks: asks)])
        case .disable(let message):
            (halt, isDisabled) = (nil, true)
            return Settlement(changes: [.dropAll(.disabled)], events: [.disabled(message)])
        case .regroup, .retry:
            return Settlement()
        }
    }
}

extension Result where Success == HTTPResponse {
    var response: HTTPResponse? { if case .success(let response) = self { response } else { nil } }

    var status: Int? { response?.status }
}
