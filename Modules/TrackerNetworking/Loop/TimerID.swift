/// Names one timer of one loop.
package struct TimerID: Hashable, Sendable {
    /// The loop's own number for it, never used again.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
}
