import Synchronization
import TrackerModels
import TrackerNetworking

extension DeliveryEngine {
    /// What is told of the engine to whoever asks.
    struct Snapshot: Sendable {
        var circuit: CircuitState
        var circuitRemaining: Duration
        var requestsInFlight: Int
        var halt: Halt?
        var isElsewhere: Bool
        var isDelivering: Bool
        var lastError: (message: String, at: Timestamp)?
    }

    /// How things stand.
    var snapshot: Snapshot {
        let now = parts.loop.now
        return state.withLock { state in
            let (circuit, until): (CircuitState, MonotonicInstant?) =
                switch state.delivery.breaker.state {
                case .closed(_, let until): (.closed, until)
                case .open(_, let until): (.open, until)
                case .halfOpen: (.halfOpen, nil)
                }
            let remaining = until.map { max(.zero, now.duration(to: $0)) } ?? .zero
            return Snapshot(
                circuit: circuit, circuitRemaining: remaining, requestsInFlight: state.delivery.inFlight.count,
                halt: state.delivery.halt, isElsewhere: state.isElsewhere, isDelivering: state.isLocked,
                lastError: state.lastError
            )
        }
    }
}
