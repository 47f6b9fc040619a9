package import TrackerModels

/// Decides when the next request may be sent, from the results of the last ones.
///
/// While closed, the n-th failure in a row waits `retryDelay` × 2^(n−1). At `failureThreshold` it opens for `cooldown`;
/// each probe that fails doubles that, up to `maxCooldown`. Any answer that is no failure closes it and starts over.
///
/// A time that a server has asked for is waited for in any case: the answer to another request does not shorten it.
package struct CircuitBreaker: Sendable {
    package struct Policy: Hashable, Sendable {
        var retryDelay: Duration
        var failureThreshold: Int
        var cooldown: Duration
        var maxCooldown: Duration
        var jitter: Double
    }

    package enum State: Hashable, Sendable {
        /// Requests flow; after a failure, from `until` on.
        case closed(failures: Int, until: MonotonicInstant?)
        /// Nothing flows before `until`.
        case open(trips: Int, until: MonotonicInstant)
        /// One probe is under way.
        case halfOpen(trips: Int)
    }

    /// The answer to a request for leave.
    enum Admission: Hashable, Sendable {
        case proceed
        case wait(until: MonotonicInstant)
        /// Not before the probe has been answered.
        case probing
    }

    let policy: Policy
    package private(set) var state: State
    /// The end of the longest wait that a server has asked for; `nil` if none has.
    private var asked: MonotonicInstant?

    /// Makes a breaker that stands where another stood.
    package init(_ policy: Policy, state: State = .closed(failures: 0, until: nil)) {
        self.policy = policy
        self.state = state
    }

    /// Whether more than one request may be under way.
    var isFlowing: Bool {
        if case .closed(0, _) = state { true } else { false }
    }

    /// Whether a probe is under way.
    var isProbing: Bool { if case .halfOpen = state { true } else { false } }

    /// What leave would be given at `now`, without taking it.
    func admission(at now: MonotonicInstant) -> Admission {
        if case .halfOpen = state { return .probing }
        guard let until, now < until else { return .proceed }
        return .wait(until: until)
    }

    /// Until when nothing flows, if there is such an instant. It may have passed.
    var until: MonotonicInstant? {
        switch state {
        case .closed(_, let until): [until, asked].lazy.compactMap { $0 }.max()
        case .open(_, let until): max(until, asked ?? until)
        case .halfOpen: nil
        }
    }

    /// Takes leave to send one request at `now`; `admission(at:)` must have given it.
    package mutating func depart() {
        if case .open(let trips, _) = state { state = .halfOpen(trips: trips) }
    }

    /// The request was answered, and not by a failure.
    package mutating func close() { state = .closed(failures: 0, until: nil) }

    /// Forgets all that was answered: the next requests have other credentials.
    mutating func startOver() {
        close()
        asked = nil
    }

    /// - Parameters:
    ///   - now: When the request failed.
    ///   - floor: The least wait, such as the server's `Retry-After`. Neither jitter nor another answer shortens it.
    ///   - opensAtOnce: Whether the first failure opens it.
    ///   - generator: The source of jitter.
    package mutating func fail(
        at now: MonotonicInstant, floor: Duration, opensAtOnce: Bool = false,
        using generator: inout some RandomNumberGenerator
    ) {
        if floor > .zero {
            let end = now.advanced(by: floor)
            asked = max(asked ?? end, end)
        }
        switch state {
        case .closed(let failures, _) where !opensAtOnce && failures + 1 < policy.failureThreshold:
            let wait = jittered(doubled(policy.retryDelay, times: failures, cap: policy.maxCooldown), using: &generator)
            state = .closed(failures: failures + 1, until: now.advanced(by: max(wait, floor)))
        case .closed:
            trip(1, at: now, floor: floor, using: &generator)
        case .open(let trips, _):
            // A request that departed before the breaker opened: only its floor counts.
            state = .open(trips: trips, until: max(openUntil ?? now, now.advanced(by: floor)))
        case .halfOpen(let trips):
            trip(trips == .max ? trips : trips + 1, at: now, floor: floor, using: &generator)
        }
    }

    /// The request was cancelled, so its end does not count for or against the server.
    mutating func abandon(at now: MonotonicInstant) {
        if case .halfOpen(let trips) = state { state = .open(trips: trips, until: now) }
    }

    /// Ends a wait at `now`: the network is said to be back. If it is not, the wait begins anew, and gets no longer, however
    /// often that is said.
    ///
    /// - Parameter isSparing: Whether a wait that the server has asked for goes on.
    mutating func cutShort(at now: MonotonicInstant, sparingServer isSparing: Bool = false) {
        if !isSparing { asked = nil }
        switch state {
        case .closed(let failures, .some): state = .closed(failures: failures, until: now)
        case .open(let trips, let until) where now < until: state = .open(trips: max(0, trips - 1), until: now)
        case .closed, .open, .halfOpen: break
        }
    }

    private var openUntil: MonotonicInstant? {
        if case .open(_, let until) = state { until } else { nil }
    }

    private mutating func trip(
        _ trips: Int, at now: MonotonicInstant, floor: Duration, using generator: inout some RandomNumberGenerator
    ) {
        let wait = jittered(doubled(policy.cooldown, times: trips - 1, cap: policy.maxCooldown), using: &generator)
        state = .open(trips: trips, until: now.advanced(by: max(wait, floor)))
    }

    private func doubled(_ base: Duration, times: Int, cap: Duration) -> Duration {
        // 2^40 times 10 ms is three centuries: further doubling could only overflow.
        let factor = 1 << min(times, 40)
        return base < cap / factor ? base * factor : cap
    }

    private func jittered(_ wait: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
        guard policy.jitter > 0 else { return wait }
        // From 0 to 1, as fine as a Double is: `Double.random` costs ten times as much with a generic generator.
        let chance = Double(generator.next() >> 11) / Double(UInt64.max >> 11)
        return wait * (1 + policy.jitter * (2 * chance - 1))
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
