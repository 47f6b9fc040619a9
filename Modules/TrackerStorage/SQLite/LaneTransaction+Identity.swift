import TrackerModels

extension LaneTransaction {
    /// Ends the generation by a reset.
    mutating func reset(_ all: Bool) throws(StorageError) {
        if all {
            erases = true
            try report(try database.deleteRecords(of: row.key), .reset)
        } else {
            try report(try database.deleteUnboundRecords(of: row.key), .reset)
        }
        try beginGeneration(GenerationEntry())
        row.epoch += 1
        try save(nil, .deviceID)
        try database.forgetDevice(of: row.key)
        if all { try save(nil, .brandID) }
    }

    /// Sets the consent; a denial erases everything else of the brand.
    mutating func setConsent(_ consent: Consent) throws(StorageError) {
        row.consent = consent
        changesValues = true
        guard consent == .denied else { return }
        erases = true
        try report(try database.deleteRecords(of: row.key), .consent)
        try database.removeGenerations(in: row.key, before: Generation(row.generation.number + 1))
        try beginGeneration(GenerationEntry())
        // They count in those lanes and are not reported here: the reports of this outbox add up to its own account.
        for var other in try database.otherLanes(of: row.key, prefix: configuration.keyPrefix) {
            try account(for: try database.deleteRecords(of: other.key), as: .consent, of: &other)
            other.generation = Generation(other.generation.number + 1)
            try database.removeGenerations(in: other.key, before: other.generation)
            try SQLiteKeyValueStore(database, other, .lane).clear()
            try database.save(other)
        }
        row.epoch += 1
        try SQLiteKeyValueStore(database, row, .brand).clear()
    }

    /// Ends the generation because its session has expired.
    mutating func expire(_ generation: Generation) throws(StorageError) {
        guard generation == row.generation, row.entry.session != nil else { return }
        try beginGeneration(GenerationEntry(device: row.entry.device))
    }

    /// Binds a generation to a session.
    mutating func bind(_ generation: Generation, _ session: SessionID) throws(StorageError) {
        guard var entry = try entry(of: generation) else { return }
        entry.session = session
        if generation == row.generation {
            if entry.device == nil { entry.device = try value(.deviceID).flatMap(DeviceID.init) }
            row.sessionExpires = try save(session.text, .sessionID)
        }
        try replace(entry, of: generation)
    }

    /// Unbinds the generation's session, unless it has another one by now. A generation that has ended loses only the
    /// record.
    mutating func unbind(
        _ generation: Generation, _ session: SessionID, _ record: Record.ID
    ) throws(StorageError) {
        guard generation == row.generation else { return try drop([record], .sessionGone) }
        guard row.entry.session == session else { return }
        var entry = row.entry
        entry.session = nil
        try save(nil, .sessionID)
        row.sessionExpires = nil
        try replace(entry, of: generation)
    }

    /// Records the user that a generation's session was identified with.
    mutating func identify(_ generation: Generation, _ user: UserID) throws(StorageError) {
        guard var entry = try entry(of: generation) else { return }
        entry.identifyID = user
        if generation == row.generation { row.identifyExpires = try save(user.text, .identifyID) }
        try replace(entry, of: generation)
    }

    /// Stores a value; a session, device or identified user also changes the generation's binding.
    mutating func store(_ key: StoredKey, _ text: String, _ generation: Generation?) throws(StorageError) {
        guard generation == nil || generation == row.generation else { return }
        switch key {
        case .sessionID:
            if let session = SessionID(text) { try bind(row.generation, session) }
        case .identifyID:
            if let user = UserID(text) { try identify(row.generation, user) }
        case .deviceID:
            try save(text, key)
            try useDevice(DeviceID(text))
        case .sessionMetadata:
            metadata = nil
            try save(text, key)
        case .sessionEmail, .brandID, .own:
            try save(text, key)
        }
    }

    /// Removes a value, and with it its part of the generation's binding.
    mutating func remove(_ key: StoredKey) throws(StorageError) {
        try save(nil, key)
        var entry = row.entry
        switch key {
        case .sessionID:
            entry.session = nil
            row.sessionExpires = nil
        case .identifyID:
            entry.identifyID = nil
            row.identifyExpires = nil
        case .deviceID: if entry.session == nil { entry.device = nil }
        case .sessionMetadata: metadata = nil
        case .sessionEmail, .brandID, .own: break
        }
        try replace(entry, of: row.generation)
    }

    /// Makes the brand's device id if there is none.
    mutating func ensureDevice() throws(StorageError) {
        guard row.consent != .denied else { return }
        if let device = try value(.deviceID).flatMap(DeviceID.init) { return try useDevice(device) }
        let device = DeviceID.random()
        try save(device.text, .deviceID)
        try useDevice(device)
    }

    /// Updates the generation's binding by a value that was just restored or removed.
    mutating func restore(_ text: String?, _ key: StoredKey) throws(StorageError) {
        knownValues[key] = nil
        var entry = row.entry
        switch key {
        case .sessionID:
            entry.session = text.flatMap(SessionID.init)
            row.sessionExpires = try expiry(of: key)
        case .identifyID:
            entry.identifyID = text.flatMap(UserID.init)
            row.identifyExpires = try expiry(of: key)
        case .deviceID: return try useDevice(text.flatMap(DeviceID.init))
        case .sessionMetadata: metadata = nil
        case .sessionEmail, .brandID, .own: break
        }
        if entry != row.entry { try replace(entry, of: row.generation) }
    }

    /// Makes the lane consistent with the values that backups have restored.
    mutating func reconcile() throws(StorageError) {
        if row.consent == .denied, row.counters.queued > 0 { try setConsent(.denied) }
        if let device = try value(.deviceID).flatMap(DeviceID.init) { try useDevice(device) }
    }

    /// Reads a value that has not expired.
    func value(_ key: StoredKey) throws(StorageError) -> String? {
        let store = SQLiteKeyValueStore(database, row, key.scope)
        guard case .value(let value) = try store.holding(for: storedName(key)), value.expires > now else { return nil }
        return value.text
    }

    private func expiry(of key: StoredKey) throws(StorageError) -> Timestamp? {
        let store = SQLiteKeyValueStore(database, row, key.scope)
        guard case .value(let value) = try store.holding(for: storedName(key)) else { return nil }
        return value.expires
    }

    /// Writes a value; `nil` records that it was removed.
    ///
    /// - Returns: When it expires.
    @discardableResult
    mutating func save(_ text: String?, _ key: StoredKey) throws(StorageError) -> Timestamp {
        let store = SQLiteKeyValueStore(database, row, key.scope)
        let expires = now.advanced(by: configuration.expiration)
        changesValues = true
        knownValues[key] = nil
        if let text {
            try store.save(
                StoredValue(text: text, expires: expires, epoch: row.generation.number), for: storedName(key))
        } else {
            try store.remove(storedName(key))
        }
        return expires
    }

    /// A key's full name.
    func storedName(_ key: StoredKey) -> String { configuration.keyPrefix + key.name }

    /// The device of a generation that has no session yet is the brand's.
    private mutating func useDevice(_ device: DeviceID?) throws(StorageError) {
        guard let device, row.entry.session == nil || row.entry.device == nil else { return }
        var entry = row.entry
        entry.device = device
        try replace(entry, of: row.generation)
    }

    /// What a generation is bound to; `nil` for one that is gone.
    func entry(of generation: Generation) throws(StorageError) -> GenerationEntry? {
        generation == row.generation ? row.entry : try database.entry(of: generation, in: row.key)
    }

    private mutating func replace(_ entry: GenerationEntry, of generation: Generation) throws(StorageError) {
        try database.save(entry, of: generation, in: row.key)
        if generation == row.generation { row.entry = entry }
    }
}

extension DeviceID {
    /// A new UUID. It is never the empty text that an identifier refuses, so the second one is never made.
    static func random() -> DeviceID { DeviceID(UUIDText.random()) ?? random() }
}
