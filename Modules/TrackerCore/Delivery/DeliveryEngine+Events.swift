import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// Logs an event, and tells whoever listens.
    func report(_ event: DeliveryEvent, at moment: ClockReading) {
        switch event {
        case .delivered(let plan, _):
            for record in plan.records { parts.log.verbose(.debug) { "Event tracked: \(Self.name(of: record))" } }
        case .retried(let plan, let answer, let message):
            state.withLock { $0.growth.interrupt() }
            let subject = plan.records.first.map { " (message \($0.messageID.text))" } ?? ""
            state.withLock { $0.lastError = (message + subject, moment.wall) }
            if answer.isLostRedirect {
                parts.log.log(.warning, "Configuration error: \(message)\(subject); it stays queued.")
            } else {
                parts.log.verbose(.info) { "Error tracking event: \(message)\(subject); it stays queued." }
            }
            parts.diagnostics.report(.retried(status: answer.status, message: message))
        case .dropped(let records, let reason, let message):
            state.withLock { $0.lastError = (message, moment.wall) }
            for record in records {
                parts.log.log(
                    .error, "Error tracking event: \(record.messageID.text) was dropped, \(reason): \(message)")
            }
        case .unidentified(let plan, let message):
            let subject = plan.records.first.map { " (message \($0.messageID.text))" } ?? ""
            parts.log.log(
                .warning, "The user was not identified: \(message)\(subject); the profile is sent all the same.")
        case .sessionMade:
            parts.log.verbose(.info) { "Session created." }
        case .sessionChanged, .idle: break
        case .halted(let halt), .disabled(let halt):
            state.withLock { $0.lastError = (halt.message, moment.wall) }
            parts.diagnostics.report(.lane(halt.message))
        }
        observe(event)
    }

    /// Tells of the session that the lane has after a change; on the outbox's queue, so that a later reset is told of
    /// later.
    ///
    /// - Parameter session: The one that was made, if one was; the user may have left it by now.
    func announce(made session: SessionID?, after result: ChangeResult) {
        // A disk that refuses it keeps it in memory, where the lane's state shows it.
        let lane: LaneState? = if case .done(let lane) = result { lane } else { try? parts.outbox.state() }
        guard let lane else { return }
        if let session, session == lane.entry.session {
            report(.sessionMade(session), at: moment)
        } else {
            report(.sessionChanged(lane.entry.session), at: moment)
        }
    }

    /// Warns if the queue keeps growing while deliveries succeed.
    func noteGrowth(_ peek: Peek, at now: MonotonicInstant) {
        let warning = state.withLock { state in
            // What is delivered and not yet recorded is no longer seen at the front, but counts in the lane.
            let queued = peek.records.isEmpty ? 0 : peek.state.queuedRecords
            return state.growth.note(queued: queued, delivered: state.sent, at: now)
        }
        if let warning { parts.log.log(.warning, warning.message) }
    }

    /// Logs that requests have begun to fail, and that they fail no longer.
    func report(_ settlement: DeliveryState.Settlement, at moment: ClockReading) {
        switch settlement.outage {
        case .began:
            // A redirect that leads nowhere is logged each time, with its target.
            guard case .retried(let plan, let answer, let message)? = settlement.events.first, !answer.isLostRedirect
            else { return }
            let host = AnswerTable.host(of: plan.request.url)
            let cause = message.contains(host) ? message : "\(host): \(message)"
            parts.log.log(
                .warning,
                "Delivery fails: \(cause). What is queued is kept; the next try is in \(waitText(at: moment.now)).")
        case .ended: parts.log.verbose(.info) { "Delivery works again." }
        case nil: break
        }
    }

    /// Tells of a change of the breaker.
    func reportBreaker(
        from before: CircuitBreaker.State, to after: CircuitBreaker.State, at now: MonotonicInstant
    ) {
        let (old, new) = (before.circuit, after.circuit)
        guard old != new else { return }
        parts.diagnostics.report(.breaker(new))
        guard old == .closed, new == .open else {
            return parts.log.verbose(.info) { "Circuit breaker: \(new.rawValue)" }
        }
        let cause = state.withLock { $0.lastError?.message } ?? ""
        parts.log.log(
            .warning,
            "The circuit breaker is open after repeated failures. What is queued is kept; the next try is in "
                + "\(waitText(at: now)). Last error: \(cause)")
    }

    /// How long the breaker waits, to a tenth of a second.
    private func waitText(at now: MonotonicInstant) -> String {
        let until: MonotonicInstant? = state.withLock { state in
            switch state.delivery.breaker.state {
            case .closed(_, let until): until
            case .open(_, let until): until
            case .halfOpen: nil
            }
        }
        let tenths = Int((max(.zero, until.map { now.duration(to: $0) } ?? .zero) / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// What a record is called in a log: an event by its name, anything else by its kind or route.
    static func name(of record: Record) -> String {
        let keys = record.route == .endpoint ? ["name", "type"] : ["event_name", "event"]
        return keys.lazy.compactMap { record.body.value(forKey: $0)?.stringValue }.first ?? "\(record.route)"
    }
}

extension Answer {
    /// Whether it leads to where a request must not or cannot go.
    fileprivate var isLostRedirect: Bool {
        switch self {
        case .success(let response): (300..<400).contains(response.status)
        case .failure(let error): error.kind == .redirectRefused || error.kind == .tooManyRedirects
        }
    }
}

extension CircuitBreaker.State {
    /// The state as the outside sees it.
    var circuit: CircuitState {
        switch self {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }
}
