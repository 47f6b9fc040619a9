import TrackerModels

extension QueueTransaction {
    /// Compares the lane's counters with its records, and corrects them where damage that SQLite cannot see has made
    /// them disagree.
    mutating func audit() throws(StorageError) {
        let found = try database.measureRecords(of: row.key)
        let dropped = try database.dropped(of: row.key).values.reduce(0, +) - database.requeued(of: row.key)
        let counters = row.counters
        guard
            counters.queued != found.count || counters.queuedBytes != found.bytes
                || counters.accepted != counters.delivered + counters.queued + dropped
        else { return }
        // If one page is wrong, others may be: the inspection throws then, and the recovery follows.
        try database.inspect(row.key, givenUpTo: row.sequence)
        // The lane cannot have lost more than it can hold.
        let lost = min(max(0, counters.queued - found.count), limits.maxRecords)
        row.counters.queued = found.count
        row.counters.queuedBytes = found.bytes
        row.counters.accepted = counters.delivered + found.count + dropped
        mend()
        lose(lost)
    }

    /// Counts records that are gone although nothing has removed them.
    mutating func lose(_ count: Int) {
        guard count > 0 else { return }
        row.counters.accepted += count
        countDropped(count, .lost)
        events.append(.dropped([], count: count, .lost))
    }

    /// The point from which an outbox counts: here. What this transaction has dropped so far counts as found.
    func origin() throws(StorageError) -> AccountOrigin {
        var origin = AccountOrigin(counters: row.counters, recovered: row.counters.queued + droppedHere)
        origin.counters.dropped = try database.dropped(of: row.key)
        origin.counters.requeued = try database.requeued(of: row.key)
        return origin
    }
}
