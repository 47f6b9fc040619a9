import TrackerModels

extension LaneTransaction {
    /// Compares the lane's books with its records, and puts them right where damage that SQLite cannot see has made them
    /// disagree.
    mutating func audit() throws(StorageError) {
        let found = try database.records.measure(row.key)
        let dropped = try database.lanes.dropped(row.key).values.reduce(0, +)
        let books = row.books
        guard
            books.queued != found.count || books.queuedBytes != found.bytes
                || books.accepted != books.delivered + books.queued + dropped
        else { return }
        // Where one page is wrong others can be: then what can be read of all is carried over.
        try database.inspect(row.key)
        // More than the lane can hold was never there.
        let lost = min(max(0, books.queued - found.count), configuration.limits.maxRecords)
        row.books.queued = found.count
        row.books.queuedBytes = found.bytes
        row.books.accepted = books.delivered + found.count + dropped + lost
        guard lost > 0 else { return }
        try database.lanes.countDropped(lost, .lost, lane: row.key.lane)
        events.append(.dropped([], count: lost, .lost))
    }
}
