/// The machine's monotonic clock, which also counts while the machine sleeps.
enum SystemClock {
    private static let zero = ContinuousClock.now

    /// The time now, since this process first asked.
    static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: zero.duration(to: .now).wholeNanoseconds)
    }
}
