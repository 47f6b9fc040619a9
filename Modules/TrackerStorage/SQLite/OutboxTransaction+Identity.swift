import TrackerModels

extension OutboxTransaction: ChangeableLane {
    typealias Failure = StorageError

    var consent: Consent { row.consent ?? configuration.initialConsent ?? .granted }

    var generation: Generation { row.generation }

    var entry: GenerationEntry { row.entry }

    func entry(of generation: Generation) throws(StorageError) -> GenerationEntry? {
        generation == row.generation ? row.entry : try database.entry(of: generation, in: row.key)
    }

    func value(_ key: StoredKey) throws(StorageError) -> String? {
        let store = SQLiteKeyValueStore(database, row, key.scope)
        guard case .value(let value) = try store.state(for: storedName(key)), value.expires > now else { return nil }
        return value.text
    }

    mutating func save(_ consent: Consent) {
        row.consent = consent
        changesValues = true
    }

    mutating func save(_ entry: GenerationEntry, of generation: Generation) throws(StorageError) {
        try database.save(entry, of: generation, in: row.key)
        if generation == row.generation { row.entry = entry }
    }

    mutating func save(_ text: String?, _ key: StoredKey) throws(StorageError) {
        let store = SQLiteKeyValueStore(database, row, key.scope)
        let expires = now.advanced(by: configuration.expiration)
        if let text {
            let old = try store.state(for: storedName(key))
            if case .value(let old) = old, old.text.hasSameUTF8(as: text), lasts(old, like: expires, key) { return }
            try store.save(
                StoredValue(text: text, expires: expires, generation: store.generation), for: storedName(key))
        } else {
            try store.remove(storedName(key))
        }
        changesValues = true
        forget(key)
        switch key {
        case .sessionID:
            row.sessionExpires = text == nil ? nil : expires
            if text != nil { try renewSessionValues() }
        case .identifyID: row.identifyExpires = text == nil ? nil : expires
        case .deviceID, .sessionEmail, .brandID, .sessionMetadata, .own: break
        }
    }

    /// Has the values of the session that its events need last as long as the session does.
    private mutating func renewSessionValues() throws(StorageError) {
        for key in [StoredKey.identifyID, .sessionMetadata] {
            if let text = try value(key) { try save(text, key) }
        }
    }

    /// Whether a value need not be written anew: it would last less than a hundredth longer. Each start of a client
    /// would otherwise wait for the disk, to move the end of its brand id by the time since the last one. What is written
    /// with a session must not end before it.
    private func lasts(_ value: StoredValue, like expires: Timestamp, _ key: StoredKey) -> Bool {
        switch key {
        case .deviceID, .identifyID, .sessionMetadata: return value.expires == expires
        case .sessionID, .sessionEmail, .brandID, .own: break
        }
        let slack = configuration.expiration / 100
        return value.expires <= expires && expires < value.expires.advanced(by: slack)
    }

    mutating func beginGeneration(_ entry: GenerationEntry) throws(StorageError) {
        row.generation = Generation(row.generation.number + 1)
        row.entry = entry
        row.sessionExpires = nil
        row.identifyExpires = nil
        metadata = nil
        knownValues = [:]
        writtenParts = []
        queue.needsPruning = true
        try SQLiteKeyValueStore(database, row, .lane).clear()
        if entry != GenerationEntry() { try database.save(entry, of: row.generation, in: row.key) }
        changesValues = true
    }

    mutating func raiseTenantGeneration() throws(StorageError) {
        row.tenantGeneration += 1
        try database.forgetDevice(of: row.key, generation: row.generation)
    }

    mutating func eraseTenant() throws(StorageError) {
        try database.removeGenerations(in: row.key, before: row.generation)
        // They count in those lanes and are not reported here: the reports of this outbox add up to its own account.
        for var other in try database.otherLanes(of: row.key, prefix: configuration.keyPrefix) {
            try queue.account(for: try database.deleteRecords(of: other.key), as: .consent, of: &other)
            try database.deleteRefused(other.key.records)
            other.erased = other.generation.number
            other.generation = Generation(other.generation.number + 1)
            try database.removeGenerations(in: other.key, before: other.generation)
            try SQLiteKeyValueStore(database, other, .lane).clear()
            try database.save(other)
        }
        row.tenantGeneration += 1
        try SQLiteKeyValueStore(database, row, .tenant).clear()
    }
}

extension OutboxTransaction {
    /// Updates the generation's binding by a value that was just restored or removed.
    mutating func restore(_ text: String?, _ key: StoredKey) throws(StorageError) {
        forget(key)
        var entry = row.entry
        switch key {
        case .sessionID:
            entry.session = text.flatMap(SessionID.init)
            row.sessionExpires = try expiry(of: key)
        case .identifyID:
            entry.identifyID = text.flatMap(UserID.init)
            row.identifyExpires = try expiry(of: key)
        case .deviceID: return try useDevice(text.flatMap(DeviceID.init))
        case .sessionMetadata, .sessionEmail, .brandID, .own: break
        }
        if entry != row.entry { try save(entry, of: row.generation) }
    }

    /// Makes the lane consistent with the values that backups have restored.
    mutating func reconcile() throws(StorageError) {
        if row.consent == .denied {
            let hasRefused = try !database.refusedSizes(of: row.key).isEmpty
            if row.counters.queued > 0 || hasRefused { try setConsent(.denied) }
        }
        if let device = try value(.deviceID).flatMap(DeviceID.init) {
            try useDevice(device)
        } else if let device = entry.device {
            // It ends with its session, and not before.
            if entry.session == nil { try remove(.deviceID) } else { try save(device.text, .deviceID) }
        }
    }

    func storedName(_ key: StoredKey) -> String { configuration.keyPrefix + key.name }

    private func expiry(of key: StoredKey) throws(StorageError) -> Timestamp? {
        let store = SQLiteKeyValueStore(database, row, key.scope)
        guard case .value(let value) = try store.state(for: storedName(key)) else { return nil }
        return value.expires
    }

    /// Has a value read again, for records that contain it.
    private mutating func forget(_ key: StoredKey) {
        knownValues[key] = nil
        writtenParts = []
        if key == .sessionMetadata { metadata = nil }
    }
}
