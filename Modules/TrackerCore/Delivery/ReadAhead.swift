import TrackerModels
import TrackerStorage

/// The front of the queue as it was last read, without what has departed since. Its records are sent one after the other.
struct ReadAhead: Sendable {
    var peek: Peek
    /// The request of the first record, made while the one before is under way.
    private(set) var prepared: Plan?

    init(_ peek: Peek) { self.peek = peek }

    /// The first that has not been sent.
    var first: Record? { peek.records.first }

    /// Keeps the request of the first record until its turn comes.
    mutating func prepare(_ plan: Plan?) { prepared = plan }

    /// Removes the first of them, which are under way now.
    mutating func send(_ count: Int) {
        peek.records.removeFirst(count)
        prepared = nil
    }
}
