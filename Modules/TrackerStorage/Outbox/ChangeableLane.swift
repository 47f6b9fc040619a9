import TrackerModels

/// A lane that changes are made to: in the database, within a transaction, or in memory while the disk refuses them.
///
/// What a change means stands in the extension, once for both. The requirements only say where a lane is kept.
protocol ChangeableLane {
    /// Why a part of the lane cannot be read or written.
    associatedtype Failure: Error

    var consent: Consent { get }
    var generation: Generation { get }
    /// What it is bound to.
    var entry: GenerationEntry { get }

    /// What a generation is bound to; `nil` for one that is gone.
    func entry(of generation: Generation) throws(Failure) -> GenerationEntry?
    /// A value that has not expired.
    func value(_ key: StoredKey) throws(Failure) -> String?

    /// Whether the user is to be forgotten, as far as that is known.
    mutating func isForgotten(_ user: UserID) throws(Failure) -> Bool

    mutating func save(_ consent: Consent) throws(Failure)
    /// Keeps what a generation is bound to.
    mutating func save(_ entry: GenerationEntry, of generation: Generation) throws(Failure)
    /// Keeps a value; `nil` removes it. When it expires counts from now.
    mutating func save(_ text: String?, _ key: StoredKey) throws(Failure)

    /// Begins the next generation, without values of the lane. The last one keeps its binding as long as it has records.
    mutating func beginGeneration(_ entry: GenerationEntry) throws(Failure)
    /// Makes all backups of the tenant's values count as old, and the other lanes forget its device.
    mutating func raiseTenantGeneration() throws(Failure)
    /// Erases what other lanes of the tenant have, and the tenant's values.
    mutating func eraseTenant() throws(Failure)

    mutating func settleDelivered(_ records: [RemovedRecord], _ bytes: WireBytes) throws(Failure)
    mutating func drop(_ ids: [Record.ID], _ reason: DropReason, _ rejection: Rejection?) throws(Failure)
    /// Removes the records whose generation has no session.
    mutating func dropUnbound(_ reason: DropReason) throws(Failure)
    /// Removes all records.
    ///
    /// - Parameter erases: Whether they must not be found in any file afterwards.
    mutating func dropAll(_ reason: DropReason, erases: Bool) throws(Failure)
}

extension ChangeableLane {
    /// Makes a change, whatever message id it has.
    mutating func make(_ change: LaneChange) throws(Failure) {
        switch change {
        case .reset(let all, _): try reset(all)
        case .consent(let consent, _): try setConsent(consent)
        case .expire(let generation): try expire(generation)
        case .bind(let generation, let session): try bind(generation, session)
        case .bindMade(let generation, let session):
            if try entry(of: generation)?.session == nil { try bind(generation, session) }
        case .unbind(let generation, let session, let record, let rejection):
            try unbind(generation, session, record, rejection)
        case .identify(let generation, let user): try identify(generation, user)
        case .set(let changes, _): try make(changes)
        case .ensure(let key, let text): if try value(key) == nil { try store(key, text, nil) }
        case .store(let key, let text, let generation): try store(key, text, generation)
        case .remove(let key): try remove(key)
        case .ensureDevice: try ensureDevice()
        case .delivered(let records, let bytes): try settleDelivered(records, bytes)
        case .drop(let ids, let reason, let rejection): try drop(ids, reason, rejection)
        case .dropAll(let reason): try dropAll(reason, erases: false)
        // A call is more than a change, and only the database has groups and what was refused.
        case .append, .continueSession, .requeue, .dropRefused, .forget, .unforget, .group, .barrier: break
        }
    }

    mutating func make(_ changes: [ValueChange]) throws(Failure) {
        for change in changes {
            if let text = change.text { try store(change.key, text, nil) } else { try remove(change.key) }
        }
    }

    /// Sets the consent; a denial erases everything else of the tenant.
    mutating func setConsent(_ consent: Consent) throws(Failure) {
        try save(consent)
        guard consent == .denied else { return }
        try dropAll(.consent, erases: true)
        try beginGeneration(GenerationEntry())
        try eraseTenant()
    }

    /// Ends the generation because its session has expired. The device is kept, and lasts as long as if it were new.
    mutating func expire(_ generation: Generation) throws(Failure) {
        guard generation == self.generation, entry.session != nil else { return }
        let device = entry.device
        try beginGeneration(GenerationEntry(device: device))
        if let device { try save(device.text, .deviceID) }
    }

    mutating func bind(_ generation: Generation, _ session: SessionID) throws(Failure) {
        guard var entry = try entry(of: generation) else { return }
        entry.session = session
        if generation == self.generation {
            if entry.device == nil { entry.device = try value(.deviceID).flatMap(DeviceID.init) }
            try save(session.text, .sessionID)
            // It lasts as long as its session.
            if let device = entry.device { try save(device.text, .deviceID) }
        }
        try save(entry, of: generation)
    }

    /// Stores a value; a session, device or identified user also changes the generation's binding.
    mutating func store(_ key: StoredKey, _ text: String, _ generation: Generation?) throws(Failure) {
        guard generation == nil || generation == self.generation else { return }
        switch key {
        case .sessionID:
            if let session = SessionID(text) { try bind(self.generation, session) }
        case .identifyID:
            if let user = UserID(text) { try identify(self.generation, user) }
        case .deviceID:
            try save(text, key)
            try useDevice(DeviceID(text))
        case .sessionMetadata, .sessionEmail, .brandID, .own:
            try save(text, key)
        }
    }

    /// Removes a value, and with it its part of the generation's binding.
    mutating func remove(_ key: StoredKey) throws(Failure) {
        try save(nil, key)
        var entry = entry
        switch key {
        case .sessionID: entry.session = nil
        case .identifyID: entry.identifyID = nil
        case .deviceID: entry.device = nil
        case .sessionMetadata, .sessionEmail, .brandID, .own: break
        }
        if entry != self.entry { try save(entry, of: generation) }
    }

    /// Makes the tenant's device id if there is none.
    mutating func ensureDevice() throws(Failure) {
        guard consent != .denied else { return }
        if let device = try value(.deviceID).flatMap(DeviceID.init) { return try useDevice(device) }
        try store(.deviceID, DeviceID.random().text, nil)
    }

    /// The device of a generation that has no session yet is the tenant's.
    mutating func useDevice(_ device: DeviceID?) throws(Failure) {
        guard let device, entry.device != device, entry.session == nil || entry.device == nil else { return }
        var entry = entry
        entry.device = device
        try save(entry, of: generation)
    }

    private mutating func reset(_ all: Bool) throws(Failure) {
        if all { try dropAll(.reset, erases: true) } else { try dropUnbound(.reset) }
        try beginGeneration(GenerationEntry())
        try raiseTenantGeneration()
        for key in StoredKey.ofTenant(removedBy: all) { try save(nil, key) }
    }

    private mutating func unbind(
        _ generation: Generation, _ session: SessionID, _ record: Record.ID, _ rejection: Rejection?
    ) throws(Failure) {
        guard generation == self.generation else { return try drop([record], .sessionGone, rejection) }
        if entry.session == session { try remove(.sessionID) }
    }

    private mutating func identify(_ generation: Generation, _ user: UserID) throws(Failure) {
        // The answer may come after the user was forgotten.
        guard var entry = try entry(of: generation), try !isForgotten(user) else { return }
        entry.identifyID = user
        if generation == self.generation { try save(user.text, .identifyID) }
        try save(entry, of: generation)
    }
}

extension DeviceID {
    /// A new UUID. It is never the empty text that an identifier refuses, so the second one is never made.
    static func random() -> DeviceID { DeviceID(UUIDText.random()) ?? random() }
}
