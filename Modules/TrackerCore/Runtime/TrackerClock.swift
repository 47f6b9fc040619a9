package import TrackerModels

/// Gives the wall time and the monotonic time.
///
/// The two never mix: wall time is data that may jump, the monotonic time decides when something is due.
package protocol TrackerClock: Sendable {
    var wall: Timestamp { get }
    /// Time since some fixed instant of this run; never goes back.
    var uptime: Duration { get }
}

package struct SystemClock: TrackerClock {
    package init() {}

    package var wall: Timestamp { .now }

    package var uptime: Duration { MonotonicClock.now.uptime }
}
