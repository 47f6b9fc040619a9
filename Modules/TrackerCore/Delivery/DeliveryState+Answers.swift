import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryState {
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

    /// Removes a plan from those under way, and decides what its answer means.
    mutating func finish(_ token: Token, with answer: Answer, at reading: ClockReading) -> Settlement {
        guard let plan = inFlight.removeValue(forKey: token) else { return Settlement() }
        let settlement = settlement(of: answer, to: plan, token, at: reading)
        if settlement.awaitsCommit { awaitedCommits += settlement.changes.count }
        delivered += settlement.delivered?.records.count ?? 0
        return settlement
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
        if case .session(let generation) = plan.purpose, phase != .started, !isHalted {
            return settlement(ofFirst: verdict, for: plan, generation, answer)
        }
        if case .retry(let floor, let message) = verdict {
            breaker.fail(at: reading.now, floor: floor, using: &jitter)
            growth.interrupt()
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

    private mutating func settlement(
        ofFirst verdict: Verdict, for plan: Plan, _ generation: Generation, _ answer: Answer
    ) -> Settlement {
        if case .progress = verdict { return settlement(of: verdict, for: plan, answer) }
        firstFailure = (generation, .noSession(answer, from: plan.request.url))
        // If a reset is being written, the answer no longer counts.
        return Settlement(changes: [.barrier], awaitsCommit: true)
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
            phase = .halted
            return Settlement(events: [.halted(message)])
        case .disable(let message):
            phase = .disabled
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
