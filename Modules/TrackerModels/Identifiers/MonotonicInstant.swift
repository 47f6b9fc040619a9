/// A point on a clock that never goes back, to the nanosecond.
///
/// Its zero has no meaning. Compare instants of one clock alone.
package struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's zero.
    package let nanoseconds: Int64

    /// Makes an instant from nanoseconds since the clock's zero.
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The time since the clock's zero.
    package var uptime: Duration { .nanoseconds(nanoseconds) }

    package static func < (lhs: MonotonicInstant, rhs: MonotonicInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// The instant that much later. It stops at the ends of the range that can be held.
    package func advanced(by duration: Duration) -> MonotonicInstant {
        let delta = duration.count(perSecond: 1_000_000_000)
        let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
        return MonotonicInstant(nanoseconds: overflow ? (delta < 0 ? .min : .max) : sum)
    }

    /// The time from this instant to the other; negative if the other is earlier.
    package func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }
}
