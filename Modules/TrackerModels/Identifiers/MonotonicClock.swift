import TrackerPlatform

/// The machine's monotonic clock, which goes on while the machine sleeps.
///
/// The only one: waits, timers and the ages of records agree over a suspend.
package enum MonotonicClock {
    #if os(Linux) || os(Android)
        /// The time now, since the machine started.
        package static var now: MonotonicInstant {
            // What `ContinuousClock` reads as well, without the arithmetic of its 128 bits.
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }
    #else
        private static let zero = ContinuousClock.now

        /// The time now, since this process first asked.
        package static var now: MonotonicInstant {
            MonotonicInstant(nanoseconds: zero.duration(to: .now).count(perSecond: 1_000_000_000))
        }
    #endif
}

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
