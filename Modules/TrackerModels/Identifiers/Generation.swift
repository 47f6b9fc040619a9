import TrackerJSON

/// The time of a queue from one reset to the next.
///
/// A record belongs to the generation in which it was made, and is delivered to the session of that generation, even
/// after later resets.
package struct Generation: Hashable, Comparable, Sendable {
    /// Counts from 1; never used again.
    package let number: Int64

    package init(_ number: Int64) { self.number = number }

    package static func < (lhs: Generation, rhs: Generation) -> Bool { lhs.number < rhs.number }
}
