/// How often something took how long, counted in buckets whose bounds are fixed.
package struct DurationHistogram: Hashable, Sendable {
    /// The longest duration in each bucket; one more bucket has what took longer than any of them.
    ///
    /// They reach from a server nearby to an outage of some days.
    package static let bounds: [Duration] = [
        .milliseconds(10), .milliseconds(25), .milliseconds(50), .milliseconds(100), .milliseconds(250),
        .milliseconds(500), .seconds(1), .milliseconds(2_500), .seconds(5), .seconds(10), .seconds(30), .seconds(60),
        .seconds(300), .seconds(1_800), .seconds(3_600), .seconds(21_600), .seconds(86_400), .seconds(259_200),
    ]

    /// How many are in each bucket alone.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    package private(set) var sum = Duration.zero

    package init() {}

    package var count: Int { counts.reduce(0, +) }

    package mutating func record(_ duration: Duration) {
        let bucket = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.endIndex
        counts[bucket] += 1
        sum += duration
    }

    package static func + (one: DurationHistogram, other: DurationHistogram) -> DurationHistogram {
        var both = one
        for bucket in both.counts.indices { both.counts[bucket] += other.counts[bucket] }
        both.sum += other.sum
        return both
    }
}
