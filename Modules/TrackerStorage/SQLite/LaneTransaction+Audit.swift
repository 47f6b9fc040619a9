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
        row.books.accepted = books.delivered + found.count + dropped
        mend()
        try lose(lost)
        try beginLedger()
    }

    /// Notices books that were taken back since they were last seen, and counts as lost what waited then and is gone.
    ///
    /// Numbers that were given since are not given again.
    ///
    /// - Returns: Whether they were, so that the account begins anew.
    mutating func compare(with seen: SeenBooks?) throws(StorageError) -> Bool {
        guard let seen else {
            if ledger == nil { try beginLedger() }
            return true
        }
        if let ledger, ledger == seen.ledger {
            if row.books.accepted >= seen.accepted { return false }
            // Records leave from the front: what came after the state that is found was the last to wait.
            try lose(max(min(seen.queued, seen.accepted - row.books.accepted), seen.queued - row.books.queued), seen)
            try beginLedger()
        } else {
            // Whoever has begun this ledger has counted what it knew to be gone. A backup is of the same books.
            let inherited = seen.ledger == nil ? nil : try database.lanes.inherited(row.key)
            let lost = max(0, seen.queued - (inherited ?? row.books.accepted))
            try lose(lost, seen)
            if ledger == nil {
                try beginLedger()
            } else if let ledger, let inherited, lost > 0 {
                try database.lanes.begin(ledger, inherited: inherited + lost, row.key)
            }
        }
        return true
    }

    /// The account of an outbox that counts from here; what this transaction has dropped so far was found.
    func origin() throws(StorageError) -> LaneOrigin {
        var origin = LaneOrigin(books: row.books, recovered: row.books.queued + droppedHere, ledger: ledger)
        origin.books.dropped = try database.lanes.dropped(row.key)
        return origin
    }

    /// Counts what is gone of books that were seen.
    private mutating func lose(_ count: Int, _ seen: SeenBooks) throws(StorageError) {
        if seen.sequence > row.sequence { row.sequence = max(row.reserved, seen.sequence) }
        if count > 0 { events.append(.replaced(lost: count)) }
        try lose(count)
    }

    /// Counts records that are gone though nobody has removed them.
    private mutating func lose(_ count: Int) throws(StorageError) {
        guard count > 0 else { return }
        row.books.accepted += count
        note(count, .lost)
        events.append(.dropped([], count: count, .lost))
    }

    private mutating func beginLedger() throws(StorageError) {
        let ledger = Ledger()
        try database.lanes.begin(ledger, inherited: row.books.accepted, row.key)
        self.ledger = ledger
    }
}
