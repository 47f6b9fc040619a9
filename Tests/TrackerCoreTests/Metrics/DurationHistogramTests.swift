import Testing

@testable import TrackerCore

@Suite("DurationHistogram")
struct DurationHistogramTests {
    @Test("puts each duration into the first bucket that is long enough", arguments: 0..<DurationHistogram.bounds.count)
    func bounds(bucket: Int) {
        var histogram = DurationHistogram()

        histogram.record(DurationHistogram.bounds[bucket])
        histogram.record(DurationHistogram.bounds[bucket] + .nanoseconds(1))

        #expect(histogram.counts[bucket] == 1)
        #expect(histogram.counts[bucket + 1] == 1)
        #expect(histogram.count == 2)
        #expect(histogram.sum == DurationHistogram.bounds[bucket] * 2 + .nanoseconds(1))
    }

    @Test("has room for what is longer than any bound, and for nothing at all")
    func extremes() {
        var histogram = DurationHistogram()

        histogram.record(.zero)
        histogram.record(.seconds(1_000_000_000))

        #expect(histogram.counts.first == 1 && histogram.counts.last == 1)
    }

    @Test("has bounds that rise")
    func order() {
        #expect(zip(DurationHistogram.bounds, DurationHistogram.bounds.dropFirst()).allSatisfy(<))
    }

    @Test("adds up")
    func addition() {
        var (one, other) = (DurationHistogram(), DurationHistogram())
        one.record(.milliseconds(3))
        other.record(.milliseconds(3))
        other.record(.seconds(7))

        let both = one + other

        #expect(both.count == 3)
        #expect(both.counts[0] == 2)
        #expect(both.sum == .milliseconds(7_006))
    }
}
