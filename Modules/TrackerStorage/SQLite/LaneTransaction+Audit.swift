import TrackerModels

extension LaneTransaction {
    /// Compares the lane's counters with its records, and corrects them where damage that SQLite cannot see has made
    /// them disagree.
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
        row.books.accepted = books.delivered + found.count + dropped
        mend()
        lose(lost)
    }

    /// Counts records that are gone though nobody has removed them.
    mutating func lose(_ count: Int) {
        guard count > 0 else { return }
        row.books.accepted += count
        note(count, .lost)
        events.append(.dropped([], count: count, .lost))
    }

    /// The account of an outbox that counts from here; what this transaction has dropped so far was found.
    func origin() throws(StorageError) -> LaneOrigin {
        var origin = LaneOrigin(books: row.books, recovered: row.books.queued + droppedHere)
        origin.books.dropped = try database.lanes.dropped(row.key)
        return origin
    }
}
