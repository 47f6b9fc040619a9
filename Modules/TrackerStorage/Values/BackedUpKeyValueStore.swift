import TrackerModels

/// A value as it is kept.
struct StoredValue: Hashable, Sendable {
    var text: String
    /// When it ends, by the wall clock.
    var expires: Timestamp
    /// Counts the resets of its scope: a value from before a reset does not count.
    var generation: Int64
}

/// What a store has under a key.
enum StoredState: Hashable, Sendable {
    /// Nothing, for an unknown reason.
    case absent
    /// Nothing, since it was removed.
    case removed
    /// A value, which may have expired.
    case value(StoredValue)
}

/// Whose values: a lane's or its tenant's.
enum ValueScope: Hashable, Sendable {
    case lane
    /// The values that all lanes of a tenant share.
    case tenant
}

extension StoredKey {
    var scope: ValueScope {
        switch self {
        case .deviceID, .brandID: .tenant
        case .sessionID, .sessionEmail, .identifyID, .sessionMetadata, .own: .lane
        }
    }
}

/// Values that are kept twice: in the database, which decides, and in backup files, in case it loses one.
struct BackedUpKeyValueStore {
    struct Reading: Hashable {
        /// The value, unless there is none or it has expired.
        var text: String?
        /// What the read has found to repair.
        var repair: Repair?
    }

    enum Repair: Hashable {
        /// The primary lacks what the backup has.
        case healPrimary(StoredValue)
        /// The backup lacks what the primary has.
        case healBackup
        /// The value has expired and goes from both.
        case remove
    }

    private let primary: SQLiteKeyValueStore
    /// The files; `nil` for a state in memory.
    private let backup: FileKeyValueStore?

    /// Names the values of a lane or of its tenant.
    init(_ database: OutboxDatabase, _ row: LaneRow, _ scope: ValueScope, _ backup: BackupFiles?) {
        primary = SQLiteKeyValueStore(database, row, scope)
        self.backup = backup?.files(scope)
    }

    /// Reads the primary's value, else the backup's.
    ///
    /// The backup does not count for a value that was removed, nor if it is from before a reset.
    func read(_ key: String, at now: Timestamp) throws(StorageError) -> Reading {
        switch try primary.state(for: key) {
        case .value(let value) where value.expires > now:
            // Whether the backup needs a repair can wait until it can be seen.
            let isBackedUp = try? backup?.contains(key)
            return Reading(text: value.text, repair: isBackedUp == false ? .healBackup : nil)
        case .value:
            return Reading(repair: .remove)
        case .removed:
            return Reading()
        case .absent:
            guard case .value(let value)? = try backup?.state(for: key), value.generation == primary.generation else {
                return Reading()
            }
            guard value.expires > now else { return Reading(repair: .remove) }
            return Reading(text: value.text, repair: .healPrimary(value))
        }
    }

    /// Reads a value, and repairs the primary by it.
    ///
    /// - Returns: The value, unless there is none, and whether something has changed.
    func heal(_ key: String, at now: Timestamp) throws(StorageError) -> (text: String?, isChanged: Bool) {
        let reading = try read(key, at: now)
        switch reading.repair {
        case .healPrimary(let value): try primary.save(value, for: key)
        case .remove: try primary.remove(key)
        case .healBackup, nil: break
        }
        return (reading.text, reading.repair != nil)
    }
}
