import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// Logs an event, and reports it to listeners.
    func report(_ event: DeliveryEvent, _ state: inout State, at reading: ClockReading) {
        switch event {
        case .retried(let plan, let answer, let message):
            let subject = plan.records.first.map { " (message \($0.messageID.text))" } ?? ""
            state.lastError = (message + subject, reading.wall)
            if answer.isLostRedirect {
                parts.log.log(.warning, "Configuration error: \(message)\(subject); it stays queued.")
            } else {
                parts.log.verbose(.info) { "Error tracking event: \(message)\(subject); it stays queued." }
            }
            parts.diagnostics.report(.retried(status: answer.status, message: message))
        case .dropped(let records, let reason, let message):
            state.lastError = (message, reading.wall)
            for record in records {
                parts.log.log(
                    .error, "Error tracking event: \(record.messageID.text) was dropped, \(reason): \(message)")
            }
            if reason.isRefusal, !state.hasToldOfRefused, let sentence = parts.aboutRefused {
                state.hasToldOfRefused = true
                parts.log.log(.warning, sentence)
            }
        case .unidentified(let plan, let message):
            let subject = plan.records.first.map { " (message \($0.messageID.text))" } ?? ""
            parts.log.log(
                .warning, "The user was not identified: \(message)\(subject); the profile is sent all the same.")
        case .deliversHere(let isHere):
            parts.diagnostics.report(.lane("\(isHere ? "This" : "Another") process delivers the lane now."))
        case .grows(let warning): parts.log.log(.warning, warning.message)
        case .resumed:
            parts.log.verbose(.info) { "The server takes the requests again: delivery goes on." }
            parts.diagnostics.report(.deliveryResumes)
        case .sessionMade, .sessionChanged, .unauthorized, .idle: break
        case .halted(let message, _, _), .disabled(let message):
            state.lastError = (message, reading.wall)
            parts.diagnostics.report(.lane(message))
        }
        observe(event)
    }

    /// Reports the lane's session after a change. It runs on the outbox's queue, so that a later reset is reported
    /// later.
    ///
    /// - Parameter session: The session that was made, if one was. A reset may have ended it already.
    func announce(made session: SessionID?, after result: ChangeResult) {
        // If the disk refused the change, it holds in memory, and the lane's state includes it.
        guard let lane = result.lane ?? (try? parts.outbox.state()) else { return }
        if let session, session == lane.entry.session {
            parts.log.verbose(.info) { "Session created." }
            observe(.sessionMade(session))
        } else {
            observe(.sessionChanged(lane.entry.session))
        }
    }

    /// Logs that requests have begun to fail, and that they fail no longer.
    func report(_ settlement: DeliveryState.Settlement, _ state: State, at reading: ClockReading) {
        switch settlement.outage {
        case .began:
            // A redirect that leads nowhere is logged each time, with its target.
            guard case .retried(let plan, let answer, let message)? = settlement.events.first, !answer.isLostRedirect
            else { return }
            let sentence =
                switch answer {
                // The transport's own messages are whole sentences, and name the host.
                case .failure: message
                // What cannot be read is the answer of a host that the message does not name.
                case .success(let response) where (200..<300).contains(response.status):
                    "\(plan.server): \(message)."
                case .success: "\(message)."
                }
            parts.log.log(
                .warning,
                "Delivery fails: \(sentence) What is queued is kept; the next try is in \(waitText(state, at: reading.now))."
            )
        case .ended: parts.log.verbose(.info) { "Delivery works again." }
        case nil: break
        }
    }

    /// Reports a change of the breaker.
    func reportBreaker(from before: CircuitBreaker.State, _ state: State, at now: MonotonicInstant) {
        let (old, new) = (before.circuit, state.delivery.breaker.state.circuit)
        guard old != new else { return }
        parts.diagnostics.report(.breaker(new))
        guard old == .closed, new == .open else {
            return parts.log.verbose(.info) { "Circuit breaker: \(new.rawValue)" }
        }
        parts.log.log(
            .warning,
            "The circuit breaker is open after repeated failures. What is queued is kept; the next try is in "
                + "\(waitText(state, at: now)). Last error: \(state.lastError?.message ?? "")")
    }

    /// How long the breaker waits, or the halt if it does so for longer, to a tenth of a second.
    private func waitText(_ state: State, at now: MonotonicInstant) -> String {
        let until = [state.delivery.breaker.until, state.delivery.halt?.nextTry].compactMap(\.self).max()
        let tenths = Int((max(.zero, until.map { now.duration(to: $0) } ?? .zero) / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// What a record is called in a log: an event by its name, anything else by its call or route.
    static func name(of record: Record) -> String {
        let keys = record.route == .endpoint ? ["name", "type"] : ["event_name", "event", "type"]
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

extension DeliveryEngine {
    /// The state of the engine as other threads may read it.
    struct Snapshot: Sendable {
        var circuit: CircuitState
        /// Until when the breaker keeps everything back, if it does.
        var circuitUntil: MonotonicInstant?
        var requestsInFlight: Int
        var isElsewhere: Bool
        var isDelivering: Bool
        var lastError: (message: String, at: Timestamp)?
        var halt: DeliveryState.Halt?

        init(_ state: State) {
            circuit = state.delivery.breaker.state.circuit
            circuitUntil = state.delivery.breaker.until
            requestsInFlight = state.delivery.inFlight.count
            isElsewhere = state.delivery.possession == .elsewhere
            isDelivering = state.delivery.possession == .held
            lastError = state.lastError
            halt = state.delivery.halt
        }
    }

    /// How long the breaker keeps everything back.
    var circuitRemaining: Duration {
        let now = parts.loop.now
        return max(.zero, snapshot.circuitUntil.map { now.duration(to: $0) } ?? .zero)
    }
}
