import TrackerModels

/// What is to run at which instant, the earliest first; of one instant, what was scheduled first.
struct TimerQueue: Sendable {
    private struct Entry: Sendable {
        let instant: MonotonicInstant
        let id: TimerID
        let work: @Sendable () -> Void
    }

    /// Sorted with the earliest last, where it is cheap to take away.
    private var entries: [Entry] = []

    /// The instant of the earliest timer; `nil` if there is none.
    var next: MonotonicInstant? { entries.last?.instant }

    /// Timers' numbers only grow.
    mutating func insert(_ id: TimerID, at instant: MonotonicInstant, _ work: @escaping @Sendable () -> Void) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].instant > instant { low = middle + 1 } else { high = middle }
        }
        entries.insert(Entry(instant: instant, id: id, work: work), at: low)
    }

    /// Takes a timer away, if it is there.
    mutating func remove(_ id: TimerID) {
        entries.removeAll { $0.id == id }
    }

    /// Takes away the earliest timer that is due at `now` and has a number below `limit`.
    ///
    /// The limit keeps a timer that schedules itself anew, for an instant in the past, from running for ever.
    mutating func popDue(at now: MonotonicInstant, below limit: UInt64) -> (@Sendable () -> Void)? {
        guard
            let index = entries.lastIndex(where: { $0.id.number < limit }), entries[index].instant <= now
        else { return nil }
        return entries.remove(at: index).work
    }

    mutating func removeAll() { entries = [] }
}
