import TrackerModels

/// Names the books of a lane from when they were begun until something takes them back: damage, or a hand that removes,
/// replaces or cuts the database's files. Within a ledger no counter but `queued` ever falls.
struct Ledger: Hashable, Sendable {
    /// Its number, by chance.
    let number: Int64

    /// Names a ledger that there is.
    init(_ number: Int64) { self.number = number }

    /// Names a new one.
    init() { number = .random(in: 1 ... .max) }
}

/// A lane's books as an outbox has last seen them, to notice when they were taken back.
struct SeenBooks: Hashable, Sendable {
    /// The ledger; `nil` where none was begun yet.
    var ledger: Ledger?
    /// How many records had been accepted.
    var accepted: Int
    /// How many of them waited.
    var queued: Int
    /// The last sequence number that was given.
    var sequence: Int64
}

extension SeenBooks {
    /// The books as a transaction has left them.
    init(_ summary: LaneTransaction.Summary) {
        self.init(summary.ledger, summary.row)
    }

    /// The books of a lane.
    init(_ ledger: Ledger?, _ row: LaneRow) {
        self.init(
            ledger: ledger, accepted: row.books.accepted, queued: row.books.queued, sequence: row.sequence
        )
    }
}

/// The time from which an outbox counts: when it opened the lane, or when the lane's books were begun anew.
struct LaneOrigin: Hashable, Sendable {
    /// The books then.
    var books = LaneBooks()
    /// How many records were found.
    var recovered = 0
    /// The ledger that the books belong to.
    var ledger: Ledger?

    /// Counts records that the books have as lost by now among those that were found.
    mutating func find(_ lost: Int) {
        guard lost > 0 else { return }
        recovered += lost
        books.dropped[.lost, default: 0] -= lost
    }

    /// What has happened since.
    ///
    /// - Parameters:
    ///   - now: The books as they are.
    ///   - ledger: The ledger that they belong to. Under another the outbox counts from now on, until it writes again.
    func account(_ now: LaneBooks, in ledger: Ledger?) -> Account {
        guard ledger == self.ledger else {
            return LaneOrigin(books: now, recovered: now.queued, ledger: ledger).account(now, in: ledger)
        }
        let accepted = now.accepted - books.accepted
        return Account(
            // Records that another lane took over were first of those that were found.
            accepted: max(0, accepted), recovered: recovered + min(0, accepted),
            delivered: now.delivered - books.delivered, queued: now.queued,
            dropped: now.dropped.merging(books.dropped.mapValues(-)) { $0 + $1 }.filter { $0.value != 0 },
            bytes: WireBytes(
                before: now.bytes.before - books.bytes.before, after: now.bytes.after - books.bytes.after
            )
        )
    }
}
