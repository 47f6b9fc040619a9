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
