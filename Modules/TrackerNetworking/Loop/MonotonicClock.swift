/// The machine's monotonic clock, which goes on while the machine sleeps.
///
/// The only one: waits, timers and the ages of records agree over a suspend.
package enum MonotonicClock {
    private static let zero = ContinuousClock.now

    /// The time now, since this process first asked.
    package static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: zero.duration(to: .now).wholeNanoseconds)
    }
}
