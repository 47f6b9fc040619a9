import TrackerModels

/// Finds a lane's rows within a transaction, makes those that are missing, and brings back from the backups what the
/// database has lost.
struct RowPreparation {
    private let database: OutboxDatabase
    private let configuration: OutboxConfiguration
    private let backup: BackupFiles?

    /// Prepares the lane of a configuration.
    ///
    /// - Parameter backup: The lane's backup files, if it has any.
    init(_ database: OutboxDatabase, _ configuration: OutboxConfiguration, backup: BackupFiles?) {
        self.database = database
        self.configuration = configuration
        self.backup = backup
    }

    /// Finds or makes the lane.
    /// - Parameter lastSequence: The last sequence number that this run has seen.
    func lane(after lastSequence: Int64) throws(StorageError) -> LaneRow {
        var found = try database.key(of: configuration.lane)
        if found == nil { found = try database.makeLane(configuration.lane, backup?.recovered ?? RecoveredLane()) }
        guard let key = found, var row = try database.lane(key, prefix: configuration.keyPrefix) else {
            throw StorageError(.failed, "The lane of \(configuration.lane.origin) cannot be read")
        }
        try catchUp(&row, lastSequence)
        try forgetExpiredDevice(&row)
        return row
    }

    /// A device that has expired while nothing ran begins no other session.
    private func forgetExpiredDevice(_ row: inout LaneRow) throws(StorageError) {
        let now = configuration.wallClock()
        if row.entry.session != nil, row.sessionExpires.map({ $0 > now }) ?? true { return }
        let store = SQLiteKeyValueStore(database, row, .tenant)
        let device = try store.state(for: configuration.keyPrefix + StoredKey.deviceID.name)
        if case .value(let value) = device, value.expires <= now { row.entry.device = nil }
    }

    /// Takes from the backups the values that the database lacks, and removes from it those that have expired.
    ///
    /// - Returns: Whether something has changed.
    func heal(_ transaction: inout OutboxTransaction) throws(StorageError) {
        for key in [.sessionID, .identifyID, .sessionEmail, .sessionMetadata, .deviceID, .brandID] + (try ownKeys()) {
            try heal(key, &transaction)
        }
    }

    /// Repairs one value in the database.
    func heal(_ key: StoredKey, _ transaction: inout OutboxTransaction) throws(StorageError) {
        let name = configuration.keyPrefix + key.name
        let store = BackedUpKeyValueStore(database, transaction.row, key.scope, backup)
        let healed = try store.heal(name, at: transaction.now)
        guard healed.isChanged else { return }
        transaction.changesValues = true
        try transaction.restore(healed.text, key)
    }

    /// The keys of the client's own that have a backup.
    private func ownKeys() throws(StorageError) -> [StoredKey] {
        let names: Set<String> = ["session_id", "identify_id", "session_email", "session_metadata"]
        return (try backup?.lane.keys() ?? []).compactMap { name in
            guard name.hasPrefix(configuration.keyPrefix) else { return nil }
            let own = String(name.dropFirst(configuration.keyPrefix.count))
            return names.contains(own) ? nil : .own(own)
        }
    }

    /// A loss of power, or a restored copy, can bring back an older database: no sequence number is given twice.
    private func catchUp(_ row: inout LaneRow, _ lastSequence: Int64) throws(StorageError) {
        let found = row
        let reserved = max(row.reserved, try backup?.reserved ?? 0, lastSequence)
        // The machine has started again, and the numbers given before that were not synced.
        let isCutOff = configuration.bootID.isLater(than: row.boot)
        if isCutOff || reserved > row.reserved || lastSequence > row.sequence {
            row.sequence = reserved
            row.reserved = reserved
            row.boot = nil
        }
        if row.consent == nil { row.consent = try backup?.consent ?? configuration.initialConsent }
        guard row != found else { return }
        try database.save(row)
        try database.saveTenant(of: row)
    }
}
