package import TrackerModels
import TrackerNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Gives the wall time and the monotonic time.
///
/// The two never mix: wall time is data that may jump, the monotonic time decides when something is due.
package protocol TrackerClock: Sendable {
    /// The wall time.
    var wall: Timestamp { get }
    /// Time since some fixed instant of this run; never goes back.
    var uptime: Duration { get }
}

/// The system's clocks.
package struct SystemClock: TrackerClock {
    package init() {}

    package var wall: Timestamp {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package var uptime: Duration { .nanoseconds(MonotonicClock.now.nanoseconds) }
}

/// The instant of a decision, by all the clocks there are.
struct ClockReading: Hashable, Sendable {
    var now: MonotonicInstant
    var wall: Timestamp
    var uptime: Duration
}
