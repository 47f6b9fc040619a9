import Synchronization

/// How many events were dropped since the queue was full for the first time, until it is empty again.
final class FullQueue: Sendable {
    /// The drops of one streak.
    struct Count {
        /// Calls that were refused: their outcomes report it.
        var refused = 0
        /// Events that had been accepted.
        var dropped = 0
    }

    private let count = Mutex(Count())

    /// - Returns: Whether they are the first.
    func add(refused: Int = 0, dropped: Int = 0) -> Bool {
        count.withLock { count in
            defer {
                count.refused += refused
                count.dropped += dropped
            }
            return count.refused + count.dropped == 0
        }
    }

    /// - Returns: How many drops there were.
    func end() -> Count {
        count.withLock { count in
            defer { count = Count() }
            return count
        }
    }
}
