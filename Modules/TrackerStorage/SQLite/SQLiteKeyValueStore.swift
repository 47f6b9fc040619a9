import TrackerModels

/// The rows of values.
///
/// A removed value leaves a row without a value, which shows that a backup of it is old.
struct ValueTable {
    private let readStatement: Statement
    private let saveStatement: Statement
    private let clearStatement: Statement
    private let listStatement: Statement

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        readStatement = try connection.prepare(
            "SELECT value, expires FROM value WHERE brand = ?1 AND lane = ?2 AND key = ?3"
        )
        saveStatement = try connection.prepare(
            "INSERT OR REPLACE INTO value(brand, lane, key, value, expires) VALUES(?1, ?2, ?3, ?4, ?5)"
        )
        clearStatement = try connection.prepare("DELETE FROM value WHERE brand = ?1 AND lane = ?2")
        listStatement = try connection.prepare("SELECT key, value, expires FROM value WHERE brand = ?1 AND lane = ?2")
    }

    /// Reads a value; a lane number of 0 stands for the brand.
    func holding(brand: Int64, lane: Int64, key: String, epoch: Int64) throws(StorageError) -> Holding {
        try readStatement.first(brand, lane, key) { Self.holding($0, column: 0, epoch: epoch) } ?? .absent
    }

    /// Writes a value; `nil` records that it was removed.
    func save(_ value: StoredValue?, brand: Int64, lane: Int64, key: String) throws(StorageError) {
        try saveStatement.run(brand, lane, key, value?.text, value?.expires.milliseconds ?? 0)
    }

    /// Removes all values of a lane or, with lane number 0, of a brand, without a trace.
    func clear(brand: Int64, lane: Int64) throws(StorageError) {
        try clearStatement.run(brand, lane)
    }

    /// Reads all values, and what was removed.
    func holdings(brand: Int64, lane: Int64, epoch: Int64) throws(StorageError) -> [String: Holding] {
        var holdings: [String: Holding] = [:]
        try listStatement.rows(brand, lane) { row in
            if let key = row.text(0) { holdings[key] = Self.holding(row, column: 1, epoch: epoch) }
            return true
        }
        return holdings
    }

    private static func holding(_ row: Statement, column: Int32, epoch: Int64) -> Holding {
        guard let text = row.text(column) else { return .removed }
        let expires = Timestamp(milliseconds: row.int64(column + 1))
        return .value(StoredValue(text: text, expires: expires, epoch: epoch))
    }
}

/// The values of one lane or one brand in the database; it is used within a transaction.
struct SQLiteKeyValueStore {
    private let database: LaneDatabase
    private let brand: Int64
    private let lane: Int64
    /// Counts the resets of the lane or the brand: values of an earlier one do not count.
    let epoch: Int64

    /// Names the rows.
    init(_ database: LaneDatabase, _ row: LaneRow, _ scope: ValueScope) {
        self.database = database
        brand = row.key.brand
        lane = scope == .lane ? row.key.lane : 0
        epoch = scope == .lane ? row.generation.number : row.epoch
    }

    /// Reads a value.
    func holding(for key: String) throws(StorageError) -> Holding {
        try database.values.holding(brand: brand, lane: lane, key: key, epoch: epoch)
    }

    /// Keeps a value, in place of any under the same key.
    func save(_ value: StoredValue, for key: String) throws(StorageError) {
        try database.values.save(value, brand: brand, lane: lane, key: key)
    }

    /// Removes a value; one that is not there is no error.
    func remove(_ key: String) throws(StorageError) {
        try database.values.save(nil, brand: brand, lane: lane, key: key)
    }
}
