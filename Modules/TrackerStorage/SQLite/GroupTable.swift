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
