import TrackerModels

/// A message id that a caller gave. A row's `kind` is 0 for a tracking call, 1 for a reset or a consent.
///
/// An id is remembered while its record waits, and until 10,000 later ones have left the queue.
enum IdempotencyKey {
    enum Outcome: Int {
        case queued = 0
        /// Its record was queued, and waited for a session or for consent.
        case pending = 1
        case applied = 2
        /// Its record has moved to another lane, from which it may come back.
        case moved = 3
    }

    /// How many ids are remembered in a lane after their records have left the queue.
    static let memory: Int64 = 10_000
}

extension OutboxDatabase {
    /// The result of an earlier tracking call with this id.
    func outcome(of messageID: MessageID, in key: RowKey) throws(StorageError) -> IdempotencyKey.Outcome? {
        try statement("SELECT outcome FROM caller_key WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .number(key.lane, messageID.text).flatMap { IdempotencyKey.Outcome(rawValue: Int($0)) }
    }

    /// Claims the id of a tracking call whose record is about to be queued, unless it was used before.
    ///
    /// - Returns: Whether it is the first.
    func claim(
        _ messageID: ArraySlice<UInt8>, _ outcome: IdempotencyKey.Outcome, in key: RowKey
    ) throws(StorageError) -> Bool {
        try statement(
            "INSERT INTO caller_key(lane, message_id, kind, outcome) VALUES(?1, ?3, 0, ?2) ON CONFLICT DO NOTHING"
        )
        .run(key.lane, outcome.rawValue, lending: messageID) > 0
    }

    /// Takes back a claim of this transaction.
    func takeBackClaim(of messageID: MessageID, in key: RowKey) throws(StorageError) {
        try statement("DELETE FROM caller_key WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .run(key.lane, messageID.text)
    }

    /// Whether a reset or a consent with this id has taken effect.
    func isApplied(_ messageID: MessageID, in key: RowKey) throws(StorageError) -> Bool {
        try statement("SELECT 1 FROM caller_key WHERE lane = ?1 AND message_id = ?2 AND kind = 1")
            .hasRow(key.lane, messageID.text)
    }

    /// Remembers the id of a reset or a consent, which has no record.
    func rememberApplied(_ messageID: MessageID, removed: Int64, in key: RowKey) throws(StorageError) {
        try remember((messageID.text, kind: 1, IdempotencyKey.Outcome.applied.rawValue, removed), in: key)
    }

    /// Remembers the id of a tracking call whose record now waits.
    func remember(
        _ messageID: MessageID, _ outcome: IdempotencyKey.Outcome, in key: RowKey
    ) throws(StorageError) {
        try remember((messageID.text, kind: 0, outcome.rawValue, removed: nil), in: key)
    }

    /// Remembers an id as a row has it.
    func remember(
        _ row: (messageID: String, kind: Int, outcome: Int, removed: Int64?), in key: RowKey
    ) throws(StorageError) {
        try statement(
            "INSERT OR REPLACE INTO caller_key(lane, message_id, kind, outcome, removed) VALUES(?1, ?2, ?3, ?4, ?5)"
        )
        .run(key.lane, row.messageID, row.kind, row.outcome, row.removed)
    }

    /// Records that the record of a tracking call has left the queue.
    func markRemoved(_ messageID: String, _ removed: Int64, in key: RowKey) throws(StorageError) {
        try statement("UPDATE caller_key SET removed = ?3 WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .run(key.lane, messageID, removed)
    }

    /// Claims the id of a tracking call whose record is queued again.
    ///
    /// - Returns: False if a record with it waits already.
    func reclaim(_ messageID: String, in key: RowKey) throws(StorageError) -> Bool {
        try statement(
            """
            INSERT INTO caller_key(lane, message_id, kind, outcome) VALUES(?1, ?2, 0, ?3)
            ON CONFLICT DO UPDATE SET removed = NULL WHERE removed IS NOT NULL RETURNING 1
            """
        ).hasRow(key.lane, messageID, IdempotencyKey.Outcome.queued.rawValue)
    }

    /// Makes an id known in the lane that its record moves to.
    ///
    /// - Parameter removed: How many records of the old lane have left its queue with this one.
    /// - Returns: False if it was used there for another record.
    func move(_ messageID: String, from old: RowKey, _ removed: Int64, to new: RowKey) throws(StorageError) -> Bool {
        let isFirst = try statement(
            """
            INSERT INTO caller_key(lane, message_id, kind, outcome) VALUES(?2, ?3, 0, coalesce(
                (SELECT outcome FROM caller_key WHERE lane = ?1 AND message_id = ?3 AND kind = 0), 0))
            ON CONFLICT DO UPDATE SET outcome = excluded.outcome, removed = NULL WHERE outcome = ?4 RETURNING 1
            """
        ).hasRow(old.lane, new.lane, messageID, IdempotencyKey.Outcome.moved.rawValue)
        try statement(
            "UPDATE caller_key SET removed = ?3, outcome = ?4 WHERE lane = ?1 AND message_id = ?2 AND kind = 0"
        )
        .run(old.lane, messageID, removed, IdempotencyKey.Outcome.moved.rawValue)
        return isFirst
    }

    /// Removes the ids that are too old.
    func removeKeys(removed: Int64, in key: RowKey) throws(StorageError) {
        guard removed > IdempotencyKey.memory else { return }
        try statement("DELETE FROM caller_key WHERE lane = ?1 AND removed <= ?2")
            .run(key.lane, removed - IdempotencyKey.memory)
    }
}
