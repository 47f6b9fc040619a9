import TrackerModels

/// The message ids that callers gave, and the results of their calls.
///
/// An id is remembered while its record waits, and until 10,000 later ones have left the queue.
struct IdempotencyKeyTable {
    /// The result of a call.
    enum Outcome: Int {
        /// Its record was queued.
        case queued = 0
        /// Its record was queued, and waited for a session or for consent.
        case pending = 1
        /// It took effect.
        case applied = 2
    }

    /// How many ids are remembered in a lane after their records have left the queue.
    static let memory: Int64 = 10_000

    private let readStatement: Statement
    private let claimStatement: Statement
    private let forgetStatement: Statement
    private let insertStatement: Statement
    private let settleStatement: Statement
    private let copyStatement: Statement
    private let pruneStatement: Statement

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        readStatement = try connection.prepare(
            "SELECT outcome FROM given WHERE lane = ?1 AND message_id = ?2 AND kind = ?3"
        )
        claimStatement = try connection.prepare(
            "INSERT INTO given(lane, message_id, kind, outcome) VALUES(?1, ?3, 0, ?2) ON CONFLICT DO NOTHING"
        )
        forgetStatement = try connection.prepare(
            "DELETE FROM given WHERE lane = ?1 AND message_id = ?2 AND kind = 0"
        )
        insertStatement = try connection.prepare(
            "INSERT OR REPLACE INTO given(lane, message_id, kind, outcome, settled) VALUES(?1, ?2, ?3, ?4, ?5)"
        )
        settleStatement = try connection.prepare(
            "UPDATE given SET settled = ?3 WHERE lane = ?1 AND message_id = ?2 AND kind = 0"
        )
        copyStatement = try connection.prepare(
            """
            INSERT INTO given(lane, message_id, kind, outcome)
            SELECT ?2, message_id, kind, outcome FROM given WHERE lane = ?1 AND message_id = ?3 AND kind = 0
            """
        )
        pruneStatement = try connection.prepare("DELETE FROM given WHERE lane = ?1 AND settled <= ?2")
    }

    /// The result of an earlier tracking call with this id.
    func outcome(_ key: LaneKey, _ messageID: MessageID) throws(StorageError) -> Outcome? {
        try readStatement.first(key.lane, messageID.text, 0) { Outcome(rawValue: $0.int(0)) } ?? nil
    }

    /// Claims the id of a tracking call whose record is about to be queued, unless it was used before.
    ///
    /// - Returns: Whether it is the first.
    func claim(_ key: LaneKey, _ messageID: MessageID, _ outcome: Outcome) throws(StorageError) -> Bool {
        try claimStatement.run(key.lane, outcome.rawValue, lending: messageID.text) > 0
    }

    /// Takes back a claim of this transaction.
    func forget(_ key: LaneKey, _ messageID: MessageID) throws(StorageError) {
        try forgetStatement.run(key.lane, messageID.text)
    }

    /// Whether a reset or a consent with this id has taken effect.
    func isApplied(_ key: LaneKey, _ messageID: MessageID) throws(StorageError) -> Bool {
        try readStatement.first(key.lane, messageID.text, 1) { _ in true } ?? false
    }

    /// Remembers a tracking call whose record now waits.
    func remember(_ key: LaneKey, _ messageID: MessageID, _ outcome: Outcome) throws(StorageError) {
        try insertStatement.run(key.lane, messageID.text, 0, outcome.rawValue, Int64?.none)
    }

    /// Remembers a reset or a consent, which has no record.
    func rememberApplied(_ key: LaneKey, _ messageID: MessageID, settled: Int64) throws(StorageError) {
        try insertStatement.run(key.lane, messageID.text, 1, Outcome.applied.rawValue, settled)
    }

    /// Restores an id from another database.
    func restore(
        _ callerKey: (messageID: String, kind: Int, outcome: Int, settled: Int64?), _ key: LaneKey
    ) throws(StorageError) {
        try insertStatement.run(key.lane, callerKey.messageID, callerKey.kind, callerKey.outcome, callerKey.settled)
    }

    /// Records that the record of a tracking call has left the queue.
    func markSettled(_ key: LaneKey, _ messageID: String, settled: Int64) throws(StorageError) {
        try settleStatement.run(key.lane, messageID, settled)
    }

    /// Makes an id known in the lane that its record moves to.
    ///
    /// - Returns: False if it was known there.
    func copy(_ messageID: String, from old: LaneKey, to new: LaneKey) throws(StorageError) -> Bool {
        let isKnown = try readStatement.first(new.lane, messageID, 0) { _ in true } ?? false
        if !isKnown { try copyStatement.run(old.lane, new.lane, messageID) }
        return !isKnown
    }

    /// Removes the ids that are too old.
    func prune(_ key: LaneKey, settled: Int64) throws(StorageError) {
        guard settled > Self.memory else { return }
        try pruneStatement.run(key.lane, settled - Self.memory)
    }
}

/// The groups of records that have gone out, or are about to, each in one request.
struct GroupTable {
    private let readStatement: Statement
    private let pruneStatement: Statement
    private let insertStatement: Statement

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        readStatement = try connection.prepare(
            "SELECT first, last, count FROM sent_group WHERE lane = ?1 ORDER BY first"
        )
        pruneStatement = try connection.prepare(
            """
            DELETE FROM sent_group WHERE lane = ?1 AND (
                first <= ?3 AND last >= ?2
                OR NOT EXISTS(SELECT 1 FROM record WHERE id BETWEEN sent_group.first AND sent_group.last)
            )
            """
        )
        insertStatement = try connection.prepare(
            "INSERT INTO sent_group(lane, first, last, count) VALUES(?1, ?2, ?3, ?4)"
        )
    }

    /// Remembers a group instead of others of its records, and forgets those whose records are all gone.
    func remember(_ group: GroupExtent, _ key: LaneKey) throws(StorageError) {
        try pruneStatement.run(key.lane, group.first.number, group.last.number)
        try insertStatement.run(key.lane, group.first.number, group.last.number, group.count)
    }

    /// Reads a lane's groups, the oldest first.
    func read(_ key: LaneKey) throws(StorageError) -> [GroupExtent] {
        var groups: [GroupExtent] = []
        try readStatement.rows(key.lane) { row in
            groups.append(
                GroupExtent(first: Record.ID(row.int64(0)), last: Record.ID(row.int64(1)), count: row.int(2)))
            return true
        }
        return groups
    }
}
