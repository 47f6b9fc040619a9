import Testing
import TrackerModels

@Suite("MonotonicInstant")
struct MonotonicInstantTests {
    @Test("moves by durations, and stays at the ends of its range")
    func arithmetic() {
        let instant = MonotonicInstant(nanoseconds: 5)

        #expect(instant.advanced(by: .seconds(2)) == MonotonicInstant(nanoseconds: 2_000_000_005))
        #expect(instant.advanced(by: .nanoseconds(-7)) < instant)
        #expect(instant.duration(to: MonotonicInstant(nanoseconds: 12)) == .nanoseconds(7))
        #expect(instant.advanced(by: .seconds(Int64.max)) == MonotonicInstant(nanoseconds: .max))
        #expect(
            MonotonicInstant(nanoseconds: -5).advanced(by: .seconds(Int64.min)) == MonotonicInstant(nanoseconds: .min))
        #expect(
            MonotonicInstant(nanoseconds: .min).duration(to: MonotonicInstant(nanoseconds: .max)) > .seconds(1 << 33))
    }
}
