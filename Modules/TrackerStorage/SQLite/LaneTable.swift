import TrackerModels

/// The rows of lanes and brands, and the counts of what was dropped.
struct LaneTable {
    private let findStatement: Statement
    private let loadStatement: Statement
    private let saveStatement: Statement
    private let brandStatement: Statement
    private let dropStatement: Statement
    private let droppedStatement: Statement
    private let othersStatement: Statement
    private let insertBrandStatement: Statement
    private let findBrandStatement: Statement
    private let insertLaneStatement: Statement
    private let closeStatement: Statement

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        findStatement = try connection.prepare(
            """
            SELECT lane.id, brand.id FROM brand JOIN lane ON lane.brand = brand.id
            WHERE brand.kind = ?1 AND brand.owner = ?2 AND lane.origin = ?3
            """
        )
        loadStatement = try connection.prepare(
            """
            SELECT brand.consent, brand.epoch, lane.generation, generation.session, generation.device,
                generation.identify_id, value.expires, lane.sequence, lane.reserved, lane.accepted, lane.delivered,
                lane.queued, lane.queued_bytes, lane.bytes_before, lane.bytes_after, lane.settled, user.expires,
                lane.boot
            FROM lane JOIN brand ON brand.id = lane.brand
            LEFT JOIN generation ON generation.lane = lane.id AND generation.number = lane.generation
            LEFT JOIN value ON value.brand = lane.brand AND value.lane = lane.id AND value.key = ?2
                AND value.value IS NOT NULL
            LEFT JOIN value AS user ON user.brand = lane.brand AND user.lane = lane.id AND user.key = ?3
                AND user.value IS NOT NULL
            WHERE lane.id = ?1
            """
        )
        saveStatement = try connection.prepare(
            """
            UPDATE lane SET generation = ?2, sequence = ?3, reserved = ?4, accepted = ?5, delivered = ?6, queued = ?7,
                queued_bytes = ?8, bytes_before = ?9, bytes_after = ?10, settled = ?11, boot = ?12
            WHERE id = ?1
            """
        )
        brandStatement = try connection.prepare("UPDATE brand SET consent = ?2, epoch = ?3 WHERE id = ?1")
        dropStatement = try connection.prepare(
            """
            INSERT INTO dropped(lane, reason, count) VALUES(?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET count = count + excluded.count
            """
        )
        droppedStatement = try connection.prepare("SELECT reason, count FROM dropped WHERE lane = ?1")
        othersStatement = try connection.prepare(
            """
            SELECT brand.kind, brand.owner, lane.origin, lane.id, brand.id, lane.queued
            FROM lane JOIN brand ON brand.id = lane.brand WHERE lane.id <> ?1 ORDER BY lane.id
            """
        )
        findBrandStatement = try connection.prepare("SELECT id FROM brand WHERE kind = ?1 AND owner = ?2")
        insertBrandStatement = try connection.prepare(
            "INSERT INTO brand(kind, owner, consent, epoch) VALUES(?1, ?2, ?3, ?4) RETURNING id"
        )
        insertLaneStatement = try connection.prepare(
            """
            INSERT INTO lane(id, brand, origin, generation, sequence, reserved) VALUES(
                CASE WHEN ?1 > 0 AND NOT EXISTS(SELECT 1 FROM lane WHERE id = ?1) THEN ?1 END, ?2, ?3, ?4, ?5, ?5
            ) RETURNING id
            """
        )
        closeStatement = try connection.prepare("UPDATE lane SET boot = NULL WHERE id = ?1 AND boot IS NOT NULL")
    }

    /// Makes a lane's row, and its brand's if that is missing.
    ///
    /// - Parameters:
    ///   - number: The lane's former number, which it gets again if it is free; 0 if it is not known.
    ///   - consent: The consent of a brand that is new.
    ///   - epoch: The epoch of a brand that is new.
    ///   - sequence: The last sequence number that may have been given.
    func make(
        _ identity: LaneIdentity, number: Int64, consent: Consent?, epoch: Int64, generation: Int64, sequence: Int64
    ) throws(StorageError) -> LaneKey {
        let kind = identity.kind.rawValue
        var brand = try findBrandStatement.first(kind, identity.owner) { $0.int64(0) }
        if brand == nil {
            brand = try insertBrandStatement.first(kind, identity.owner, consent?.rawValue, epoch) { $0.int64(0) }
        }
        let known = (1...LaneKey.maxLane).contains(number) ? number : 0
        let lane = try insertLaneStatement.first(known, brand, identity.origin, generation, sequence) { $0.int64(0) }
        guard let brand, let lane else { throw StorageError(.failed, "The lane of \(identity.origin) cannot be made") }
        return LaneKey(lane: lane, brand: brand)
    }

    /// Lists the lanes but one, and how many records each holds.
    func others(than key: LaneKey) throws(StorageError) -> [(identity: LaneIdentity, key: LaneKey, records: Int)] {
        var others: [(identity: LaneIdentity, key: LaneKey, records: Int)] = []
        try othersStatement.rows(key.lane) { row in
            guard let kind = row.text(0).flatMap(LaneIdentity.Kind.init), let owner = row.text(1),
                let origin = row.text(2)
            else { return true }
            let identity = LaneIdentity(kind: kind, owner: owner, origin: origin)
            others.append((identity, LaneKey(lane: row.int64(3), brand: row.int64(4)), row.int(5)))
            return true
        }
        return others
    }

    /// Finds a lane's rows.
    func key(of identity: LaneIdentity) throws(StorageError) -> LaneKey? {
        try findStatement.first(identity.kind.rawValue, identity.owner, identity.origin) {
            LaneKey(lane: $0.int64(0), brand: $0.int64(1))
        }
    }

    /// Reads a lane, without what was dropped.
    ///
    /// - Parameter prefix: What the names of the lane's values begin with.
    func load(_ key: LaneKey, prefix: String) throws(StorageError) -> LaneRow? {
        let (session, user) = (prefix + StoredKey.sessionID.name, prefix + StoredKey.identifyID.name)
        let found = try loadStatement.first(key.lane, session, user) { row in
            let session = row.text(3).flatMap(SessionID.init)
            return LaneRow(
                key: key, consent: row.text(0).flatMap(Consent.init), epoch: row.int64(1),
                generation: Generation(row.int64(2)),
                entry: GenerationEntry(
                    session: session, device: row.text(4).flatMap(DeviceID.init),
                    identifyID: row.text(5).flatMap(UserID.init)
                ),
                sessionExpires: session == nil || row.isNull(6) ? nil : Timestamp(milliseconds: row.int64(6)),
                identifyExpires: row.isNull(16) ? nil : Timestamp(milliseconds: row.int64(16)),
                sequence: row.int64(7), reserved: row.int64(8), boot: row.text(17),
                counters: LaneCounters(
                    accepted: row.int(9), delivered: row.int(10), queued: row.int(11), queuedBytes: row.int(12),
                    bytes: WireBytes(before: row.int(13), after: row.int(14))
                ),
                settled: row.int64(15)
            )
        }
        guard found?.isPlausible != false else {
            throw StorageError(.corrupt, "The row of lane \(key.lane) holds numbers that it cannot have")
        }
        return found
    }

    /// Writes a lane's row, without its brand's.
    func save(_ row: LaneRow) throws(StorageError) {
        try saveStatement.run(
            row.key.lane, row.generation.number, row.sequence, row.reserved, row.counters.accepted,
            row.counters.delivered,
            row.counters.queued, row.counters.queuedBytes, row.counters.bytes.before, row.counters.bytes.after,
            row.settled,
            row.boot
        )
    }

    /// Writes the row of a lane's brand.
    func saveBrand(_ row: LaneRow) throws(StorageError) {
        try brandStatement.run(row.key.brand, row.consent?.rawValue, row.epoch)
    }

    /// Counts records that left without being delivered.
    func countDropped(_ count: Int, _ reason: DropReason, lane: Int64) throws(StorageError) {
        try dropStatement.run(lane, reason.description, count)
    }

    /// Records that this transaction syncs every number that was given.
    func close(_ key: LaneKey) throws(StorageError) {
        try closeStatement.run(key.lane)
    }

    /// Reads how many records left without being delivered.
    func dropped(_ key: LaneKey) throws(StorageError) -> [DropReason: Int] {
        var dropped: [DropReason: Int] = [:]
        try droppedStatement.rows(key.lane) { row in
            if let reason = row.text(0).flatMap(DropReason.init) {
                dropped[reason] = min(max(0, row.int(1)), LaneKey.maxCount)
            }
            return true
        }
        return dropped
    }
}

/// What the generations of lanes are bound to.
///
/// The current generation and those that still have records have a row, if they are bound to anything.
struct GenerationTable {
    private let readStatement: Statement
    private let saveStatement: Statement
    private let pruneStatement: Statement
    private let forgetStatement: Statement
    private let boundStatement: Statement

    /// Compiles the statements.
    init(_ connection: borrowing Connection) throws(StorageError) {
        readStatement = try connection.prepare(
            "SELECT session, device, identify_id FROM generation WHERE lane = ?1 AND number = ?2"
        )
        saveStatement = try connection.prepare(
            """
            INSERT INTO generation(lane, number, session, device, identify_id, was_bound)
            VALUES(?1, ?2, ?3, ?4, ?5, ?3 IS NOT NULL)
            ON CONFLICT DO UPDATE SET session = excluded.session, device = excluded.device,
                identify_id = excluded.identify_id, was_bound = was_bound OR excluded.was_bound
            """
        )
        pruneStatement = try connection.prepare("DELETE FROM generation WHERE lane = ?1 AND number < ?2")
        boundStatement = try connection.prepare(
            """
            SELECT 1 FROM record WHERE id BETWEEN ?1 AND ?2 AND generation IN (
                SELECT number FROM generation WHERE lane = ?3 AND session IS NOT NULL
            ) LIMIT 1
            """
        )
        forgetStatement = try connection.prepare(
            """
            UPDATE generation SET device = NULL
            WHERE session IS NULL AND lane IN (SELECT id FROM lane WHERE brand = ?1) AND device IS NOT NULL
            """
        )
    }

    /// Reads a generation's binding; `nil` if it has no row.
    func entry(_ key: LaneKey, _ generation: Generation) throws(StorageError) -> GenerationEntry? {
        try readStatement.first(key.lane, generation.number) {
            GenerationEntry(
                session: $0.text(0).flatMap(SessionID.init), device: $0.text(1).flatMap(DeviceID.init),
                identifyID: $0.text(2).flatMap(UserID.init)
            )
        }
    }

    /// Writes a generation's binding.
    func save(_ entry: GenerationEntry, _ key: LaneKey, _ generation: Generation) throws(StorageError) {
        try saveStatement.run(
            key.lane, generation.number, entry.session?.text, entry.device?.text, entry.identifyID?.text
        )
    }

    /// Forgets the generations before one.
    func prune(_ key: LaneKey, before generation: Generation) throws(StorageError) {
        try pruneStatement.run(key.lane, generation.number)
    }

    /// Whether a lane holds records whose generation has a session.
    func hasBoundRecords(_ key: LaneKey) throws(StorageError) -> Bool {
        try boundStatement.first(key.records.lowerBound, key.records.upperBound, key.lane) { _ in true } ?? false
    }

    /// Removes the brand's device from the generations without a session, in all lanes.
    func forgetDevice(_ key: LaneKey) throws(StorageError) {
        try forgetStatement.run(key.brand)
    }
}
