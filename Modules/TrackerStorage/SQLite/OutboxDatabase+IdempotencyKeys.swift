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
    func outcome(of messageID: MessageID, in key: LaneKey) throws(StorageError) -> IdempotencyKey.Outcome? {
        try statement("SELECT outcome FROM given WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .number(key.lane, messageID.text).flatMap { IdempotencyKey.Outcome(rawValue: Int($0)) }
    }

    /// Claims the id of a tracking call whose record is about to be queued, unless it was used before.
    ///
    /// - Returns: Whether it is the first.
    func claim(
        _ messageID: ArraySlice<UInt8>, _ outcome: IdempotencyKey.Outcome, in key: LaneKey
    ) throws(StorageError) -> Bool {
        try statement("INSERT INTO given(lane, message_id, kind, outcome) VALUES(?1, ?3, 0, ?2) ON CONFLICT DO NOTHING")
            .run(key.lane, outcome.rawValue, lending: messageID) > 0
    }

    /// Takes back a claim of this transaction.
    func takeBackClaim(of messageID: MessageID, in key: LaneKey) throws(StorageError) {
        try statement("DELETE FROM given WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .run(key.lane, messageID.text)
    }

    /// Whether a reset or a consent with this id has taken effect.
    func isApplied(_ messageID: MessageID, in key: LaneKey) throws(StorageError) -> Bool {
        try statement("SELECT 1 FROM given WHERE lane = ?1 AND message_id = ?2 AND kind = 1")
            .hasRow(key.lane, messageID.text)
    }

    /// Remembers the id of a reset or a consent, which has no record.
    func rememberApplied(_ messageID: MessageID, settled: Int64, in key: LaneKey) throws(StorageError) {
        try remember((messageID.text, kind: 1, IdempotencyKey.Outcome.applied.rawValue, settled), in: key)
    }

    /// Remembers the id of a tracking call whose record now waits.
    func remember(
        _ messageID: MessageID, _ outcome: IdempotencyKey.Outcome, in key: LaneKey
    ) throws(StorageError) {
        try remember((messageID.text, kind: 0, outcome.rawValue, settled: nil), in: key)
    }

    /// Remembers an id as a row has it.
    func remember(
        _ row: (messageID: String, kind: Int, outcome: Int, settled: Int64?), in key: LaneKey
    ) throws(StorageError) {
        try statement(
            "INSERT OR REPLACE INTO given(lane, message_id, kind, outcome, settled) VALUES(?1, ?2, ?3, ?4, ?5)"
        )
        .run(key.lane, row.messageID, row.kind, row.outcome, row.settled)
    }

    /// Records that the record of a tracking call has left the queue.
    func markSettled(_ messageID: String, _ settled: Int64, in key: LaneKey) throws(StorageError) {
        try statement("UPDATE given SET settled = ?3 WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .run(key.lane, messageID, settled)
    }

    /// Claims the id of a tracking call whose record is queued again.
    ///
    /// - Returns: False if a record with it waits already.
    func reclaim(_ messageID: String, in key: LaneKey) throws(StorageError) -> Bool {
        try statement(
            """
            INSERT INTO given(lane, message_id, kind, outcome) VALUES(?1, ?2, 0, ?3)
            ON CONFLICT DO UPDATE SET settled = NULL WHERE settled IS NOT NULL RETURNING 1
            """
        ).hasRow(key.lane, messageID, IdempotencyKey.Outcome.queued.rawValue)
    }

    /// Makes an id known in the lane that its record moves to.
    ///
    /// - Parameter settled: How many records of the old lane have left its queue with this one.
    /// - Returns: False if it was used there for another record.
    func move(_ messageID: String, from old: LaneKey, _ settled: Int64, to new: LaneKey) throws(StorageError) -> Bool {
        let isFirst = try statement(
            """
            INSERT INTO given(lane, message_id, kind, outcome) VALUES(?2, ?3, 0, coalesce(
                (SELECT outcome FROM given WHERE lane = ?1 AND message_id = ?3 AND kind = 0), 0))
            ON CONFLICT DO UPDATE SET outcome = excluded.outcome, settled = NULL WHERE outcome = ?4 RETURNING 1
            """
        ).hasRow(old.lane, new.lane, messageID, IdempotencyKey.Outcome.moved.rawValue)
        try statement("UPDATE given SET settled = ?3, outcome = ?4 WHERE lane = ?1 AND message_id = ?2 AND kind = 0")
            .run(old.lane, messageID, settled, IdempotencyKey.Outcome.moved.rawValue)
        return isFirst
    }

    /// Removes the ids that are too old.
    func removeKeys(settled: Int64, in key: LaneKey) throws(StorageError) {
        guard settled > IdempotencyKey.memory else { return }
        try statement("DELETE FROM given WHERE lane = ?1 AND settled <= ?2")
            .run(key.lane, settled - IdempotencyKey.memory)
    }
}
