import TrackerModels

/// The values of one lane or one tenant in the database; it is used within a transaction.
///
/// A removed value leaves a row without a value, which shows that a backup of it is old.
struct SQLiteKeyValueStore {
    private let database: OutboxDatabase
    private let tenant: Int64
    /// 0 stands for the tenant.
    private let lane: Int64
    /// Counts the resets of the lane or the tenant: values of an earlier one do not count.
    let generation: Int64

    init(_ database: OutboxDatabase, _ row: LaneRow, _ scope: ValueScope) {
        self.database = database
        tenant = row.key.tenant
        lane = scope == .lane ? row.key.lane : 0
        generation = scope == .lane ? row.generation.number : row.tenantGeneration
    }

    func state(for key: String) throws(StorageError) -> StoredState {
        try database.statement("SELECT value, expires FROM value WHERE tenant = ?1 AND lane = ?2 AND key = ?3")
            .first(tenant, lane, key) { state($0) } ?? .absent
    }

    /// Reads all values, and what was removed.
    func states() throws(StorageError) -> [String: StoredState] {
        let found = try database.statement("SELECT key, value, expires FROM value WHERE tenant = ?1 AND lane = ?2")
            .all(tenant, lane) { row in row.text("key").map { ($0, state(row)) } }
        return Dictionary(found) { $1 }
    }

    /// Keeps a value, in place of any under the same key.
    func save(_ value: StoredValue, for key: String) throws(StorageError) {
        try save(value.text, value.expires.milliseconds, for: key)
    }

    /// Removes a value; one that is not there is no error.
    func remove(_ key: String) throws(StorageError) {
        try save(nil, 0, for: key)
    }

    /// Removes all values, without a trace.
    func clear() throws(StorageError) {
        try database.statement("DELETE FROM value WHERE tenant = ?1 AND lane = ?2").run(tenant, lane)
    }

    private func save(_ text: String?, _ expires: Int64, for key: String) throws(StorageError) {
        try database.statement(
            "INSERT OR REPLACE INTO value(tenant, lane, key, value, expires) VALUES(?1, ?2, ?3, ?4, ?5)"
        ).run(tenant, lane, key, text, expires)
    }

    private func state(_ row: Statement.Row) -> StoredState {
        guard let text = row.text("value") else { return .removed }
        let expires = Timestamp(milliseconds: row.int64("expires"))
        return .value(StoredValue(text: text, expires: expires, generation: generation))
    }
}
