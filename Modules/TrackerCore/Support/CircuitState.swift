import TrackerModels

/// The state of a circuit breaker, which keeps requests back after several failures.
public enum CircuitState: String, Hashable, Sendable, CaseIterable {
    /// Requests are sent.
    case closed
    /// One request is under way, and its answer decides whether the breaker closes or opens again.
    case halfOpen
    /// Nothing is sent until the cooldown has passed.
    case open
}
