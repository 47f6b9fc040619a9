import TrackerModels
import TrackerNetworking

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

        init(_ state: State) {
            let breaker = state.delivery.breaker.state
            circuit = breaker.circuit
            circuitUntil = breaker.until
            requestsInFlight = state.delivery.inFlight.count
            isElsewhere = state.isElsewhere
            isDelivering = state.isLocked
            lastError = state.lastError
        }
    }

    /// How long the breaker keeps everything back.
    var circuitRemaining: Duration {
        let now = parts.loop.now
        return max(.zero, snapshot.circuitUntil.map { now.duration(to: $0) } ?? .zero)
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

    /// Until when nothing flows, if there is such an instant.
    var until: MonotonicInstant? {
        switch self {
        case .closed(_, let until): until
        case .open(_, let until): until
        case .halfOpen: nil
        }
    }
}
