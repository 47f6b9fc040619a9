import TrackerModels

/// The rows of lanes and tenants, and the counts of what was dropped.
extension OutboxDatabase {
    /// Makes a lane's row, and its tenant's if that is missing. It gets its former number again if that is free.
    func makeLane(_ identity: LaneIdentity, _ recovered: RecoveredLane) throws(StorageError) -> RowKey {
        let (kind, owner) = (identity.kind.rawValue, identity.owner)
        var tenant = try statement("SELECT id FROM tenant WHERE kind = ?1 AND owner = ?2").number(kind, owner)
        if tenant == nil {
            tenant = try statement(
                "INSERT INTO tenant(kind, owner, consent, generation) VALUES(?1, ?2, ?3, ?4) RETURNING id"
            )
            .number(kind, owner, recovered.consent?.rawValue, recovered.tenantGeneration)
        }
        let lane = try statement(
            """
            INSERT INTO lane(id, tenant, origin, generation, erased, sequence, reserved) VALUES(
                CASE WHEN ?1 > 0 AND NOT EXISTS(SELECT 1 FROM lane WHERE id = ?1) THEN ?1 END, ?2, ?3, ?4, ?5, ?6, ?6
            ) RETURNING id
            """
        ).number(
            (1...RowKey.maxLane).contains(recovered.number) ? recovered.number : 0, tenant, identity.origin,
            recovered.generation, recovered.erased, recovered.reserved)
        guard let tenant, let lane else { throw StorageError(.failed, "The lane of \(identity.origin) cannot be made") }
        return RowKey(lane: lane, tenant: tenant)
    }

    /// Lists the lanes but one, and how many records each holds.
    func lanes(besides key: RowKey) throws(StorageError) -> [(identity: LaneIdentity, key: RowKey, records: Int)] {
        try statement(
            """
            SELECT kind, owner, origin, lane.id AS lane, tenant, queued
            FROM lane JOIN tenant ON tenant.id = lane.tenant WHERE lane.id <> ?1 ORDER BY lane.id
            """
        ).all(key.lane) { row in
            guard let identity = LaneIdentity(row) else { return nil }
            return (identity, RowKey(row), row.int("queued"))
        }
    }

    func key(of identity: LaneIdentity) throws(StorageError) -> RowKey? {
        try statement(
            """
            SELECT lane.id AS lane, tenant FROM tenant JOIN lane ON lane.tenant = tenant.id
            WHERE kind = ?1 AND owner = ?2 AND origin = ?3
            """
        ).first(identity.kind.rawValue, identity.owner, identity.origin) { row in
            RowKey(row)
        }
    }

    /// Reads a lane, without what was dropped.
    ///
    /// - Parameter prefix: What the names of the lane's values begin with.
    func lane(_ key: RowKey, prefix: String) throws(StorageError) -> LaneRow? {
        let found = try statement(
            """
            SELECT consent, tenant.generation AS tenant_generation, lane.generation AS generation, erased, session, device,
                identify_id, sequence, reserved, boot, accepted, delivered, queued, queued_bytes, bytes_before, bytes_after,
                removed, (SELECT meta.value FROM meta WHERE name = 'forgets') AS forgets,
                value.expires AS session_expires, user.expires AS identify_expires
            FROM lane JOIN tenant ON tenant.id = lane.tenant
            LEFT JOIN generation ON generation.lane = lane.id AND generation.number = lane.generation
            LEFT JOIN value ON value.tenant = lane.tenant AND value.lane = lane.id AND value.key = ?2
                AND value.value IS NOT NULL
            LEFT JOIN value AS user ON user.tenant = lane.tenant AND user.lane = lane.id AND user.key = ?3
                AND user.value IS NOT NULL
            WHERE lane.id = ?1
            """
        ).first(key.lane, prefix + StoredKey.sessionID.name, prefix + StoredKey.identifyID.name) { row in
            let entry = GenerationEntry(row)
            return LaneRow(
                key: key, consent: row.text("consent").flatMap(Consent.init),
                tenantGeneration: row.int64("tenant_generation"),
                generation: Generation(row.int64("generation")), erased: row.int64("erased"), entry: entry,
                sessionExpires: entry.session == nil ? nil : row.timestamp("session_expires"),
                identifyExpires: row.timestamp("identify_expires"),
                sequence: row.int64("sequence"), reserved: row.int64("reserved"), boot: row.text("boot"),
                counters: QueueCounters(
                    accepted: row.int("accepted"), delivered: row.int("delivered"), queued: row.int("queued"),
                    queuedBytes: row.int("queued_bytes"),
                    bytes: WireBytes(before: row.int("bytes_before"), after: row.int("bytes_after"))
                ),
                removed: row.int64("removed"), forgets: row.int64("forgets")
            )
        }
        guard found?.isPlausible != false else {
            throw StorageError(.corrupt, "The row of lane \(key.lane) holds numbers that it cannot have")
        }
        return found
    }

    /// Writes a lane's row, without its tenant's.
    func save(_ row: LaneRow) throws(StorageError) {
        let counters = row.counters
        try statement(
            """
            UPDATE lane SET generation = ?2, sequence = ?3, reserved = ?4, accepted = ?5, delivered = ?6, queued = ?7,
                queued_bytes = ?8, bytes_before = ?9, bytes_after = ?10, removed = ?11, boot = ?12, erased = ?13
            WHERE id = ?1
            """
        ).run(
            row.key.lane, row.generation.number, row.sequence, row.reserved, counters.accepted, counters.delivered,
            counters.queued, counters.queuedBytes, counters.bytes.before, counters.bytes.after, row.removed, row.boot,
            row.erased
        )
    }

    /// Writes the row of a lane's tenant.
    func saveTenant(of row: LaneRow) throws(StorageError) {
        try statement("UPDATE tenant SET consent = ?2, generation = ?3 WHERE id = ?1")
            .run(row.key.tenant, row.consent?.rawValue, row.tenantGeneration)
    }

    /// Records that this transaction syncs every number that was given.
    func markClosed(_ key: RowKey) throws(StorageError) {
        try statement("UPDATE lane SET boot = NULL WHERE id = ?1 AND boot IS NOT NULL").run(key.lane)
    }

    /// Counts records that left without being delivered.
    func countDropped(_ count: Int, _ reason: DropReason, lane: Int64) throws(StorageError) {
        try self.count(count, as: reason.description, lane: lane)
    }

    /// Adds to a count under a name.
    func count(_ count: Int, as name: String, lane: Int64) throws(StorageError) {
        try statement(
            """
            INSERT INTO dropped(lane, reason, count) VALUES(?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET count = count + excluded.count
            """
        ).run(lane, name, count)
    }

    /// Reads how many records left without being delivered.
    func dropped(of key: RowKey) throws(StorageError) -> [DropReason: Int] {
        let counts = try statement("SELECT reason, count FROM dropped WHERE lane = ?1").all(key.lane) { row in
            row.text("reason").flatMap(DropReason.init).map { ($0, min(max(0, row.int("count")), RowKey.maxCount)) }
        }
        return Dictionary(counts) { $1 }
    }
}

/// What the generations of lanes are bound to.
///
/// The current generation and those that still have records have a row, if they are bound to anything.
extension OutboxDatabase {
    /// Reads a generation's binding; `nil` if it has no row.
    func entry(of generation: Generation, in key: RowKey) throws(StorageError) -> GenerationEntry? {
        try statement("SELECT session, device, identify_id FROM generation WHERE lane = ?1 AND number = ?2")
            .first(key.lane, generation.number) { GenerationEntry($0) }
    }

    func save(_ entry: GenerationEntry, of generation: Generation, in key: RowKey) throws(StorageError) {
        try statement(
            """
            INSERT INTO generation(lane, number, session, device, identify_id, was_bound)
            VALUES(?1, ?2, ?3, ?4, ?5, ?3 IS NOT NULL)
            ON CONFLICT DO UPDATE SET session = excluded.session, device = excluded.device,
                identify_id = excluded.identify_id, was_bound = was_bound OR excluded.was_bound
            """
        ).run(key.lane, generation.number, entry.session?.text, entry.device?.text, entry.identifyID?.text)
        guard let user = entry.identifyID else { return }
        // What was refused before is theirs too, and is kept longer than the binding.
        try statement(
            """
            UPDATE refused SET identify_id = ?4
            WHERE id BETWEEN ?1 AND ?2 AND generation = ?3 AND identify_id IS NULL
            """
        ).run(key.records.lowerBound, key.records.upperBound, generation.number, user.text)
    }

    /// Forgets the generations before one.
    ///
    /// - Parameter oldest: The number of the oldest record that waits: the generations of records stay that were queued
    ///   again and may wait behind it.
    func removeGenerations(
        in key: RowKey, before generation: Generation, unusedBy oldest: Int64? = nil
    ) throws(StorageError) {
        try statement(
            """
            DELETE FROM generation WHERE lane = ?1 AND number < ?2
                AND number NOT IN (SELECT generation FROM requeued WHERE lane = ?1 AND last >= ?3)
            """
        ).run(key.lane, generation.number, oldest ?? .max)
    }

    /// Removes the tenant's device from the current generations and those without a session, in all lanes. What waits for
    /// an earlier session goes with the device of then.
    ///
    /// - Parameter generation: The current generation of the lane, which may not be written yet.
    func forgetDevice(of key: RowKey, generation: Generation) throws(StorageError) {
        try statement(
            """
            UPDATE generation SET device = NULL
            WHERE lane IN (SELECT id FROM lane WHERE tenant = ?1) AND device IS NOT NULL AND (
                session IS NULL
                OR number = CASE lane WHEN ?2 THEN ?3 ELSE (SELECT generation FROM lane WHERE id = generation.lane) END
            )
            """
        ).run(key.tenant, key.lane, generation.number)
    }
}

/// The groups of records that have gone out, or are about to, each in one request.
extension OutboxDatabase {
    /// Remembers a group instead of others of its records, and forgets those whose records are all gone.
    func remember(_ group: GroupExtent, in key: RowKey) throws(StorageError) {
        try statement(
            """
            DELETE FROM sent_group WHERE lane = ?1 AND (
                first <= ?3 AND last >= ?2
                OR NOT EXISTS(SELECT 1 FROM record WHERE id BETWEEN sent_group.first AND sent_group.last)
            )
            """
        ).run(key.lane, group.first.number, group.last.number)
        try statement("INSERT INTO sent_group(lane, first, last, count) VALUES(?1, ?2, ?3, ?4)")
            .run(key.lane, group.first.number, group.last.number, group.count)
    }

    /// Reads a lane's groups, the oldest first.
    func groups(of key: RowKey) throws(StorageError) -> [GroupExtent] {
        try statement("SELECT first, last, count FROM sent_group WHERE lane = ?1 ORDER BY first")
            .all(key.lane) { GroupExtent($0) }
    }
}

extension GroupExtent {
    /// Reads the columns `first`, `last` and `count`.
    init(_ row: Statement.Row) {
        self.init(first: Record.ID(row.int64("first")), last: Record.ID(row.int64("last")), count: row.int("count"))
    }
}

extension LaneIdentity {
    /// Reads the columns `kind`, `owner` and `origin`; `nil` for a kind of client that this library does not know.
    init?(_ row: Statement.Row) {
        guard let kind = row.text("kind").flatMap(Kind.init), let owner = row.text("owner"),
            let origin = row.text("origin")
        else { return nil }
        self.init(kind: kind, owner: owner, origin: origin)
    }
}

extension GenerationEntry {
    /// Reads the columns `session`, `device` and `identify_id`.
    init(_ row: Statement.Row) {
        self.init(
            session: row.text("session").flatMap(SessionID.init), device: row.text("device").flatMap(DeviceID.init),
            identifyID: row.text("identify_id").flatMap(UserID.init)
        )
    }
}

extension RowKey {
    /// Reads the columns `lane` and `tenant`.
    init(_ row: Statement.Row) { self.init(lane: row.int64("lane"), tenant: row.int64("tenant")) }
}
