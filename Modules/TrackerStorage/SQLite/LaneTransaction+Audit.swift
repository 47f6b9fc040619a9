import TrackerModels

extension LaneTransaction {
    /// Compares the lane's counters with its records, and corrects them where damage that SQLite cannot see has made
    /// them disagree.
    mutating func audit() throws(StorageError) {
        let found = try database.records.measure(row.key)
        let dropped = try database.lanes.dropped(row.key).values.reduce(0, +)
        let counters = row.counters
        guard
            counters.queued != found.count || counters.queuedBytes != found.bytes
                || counters.accepted != counters.delivered + counters.queued + dropped
        else { return }
        // Where one page is wrong others can be: then what can be read of all is carried over.
        try database.inspect(row.key)
        // More than the lane can hold was never there.
        let lost = min(max(0, counters.queued - found.count), configuration.limits.maxRecords)
        row.counters.queued = found.count
        row.counters.queuedBytes = found.bytes
        row.counters.accepted = counters.delivered + found.count + dropped
        mend()
        lose(lost)
    }

    /// Counts records that are gone without having been removed.
    mutating func lose(_ count: Int) {
        guard count > 0 else { return }
        row.counters.accepted += count
        countDropped(count, .lost)
        events.append(.dropped([], count: count, .lost))
    }

    /// The account of an outbox that counts from here; what this transaction has dropped so far was found.
    func origin() throws(StorageError) -> LaneOrigin {
        var origin = LaneOrigin(counters: row.counters, recovered: row.counters.queued + droppedHere)
        origin.counters.dropped = try database.lanes.dropped(row.key)
        return origin
    }
}
