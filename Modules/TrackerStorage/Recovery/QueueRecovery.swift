import TrackerModels

/// Carries one lane over from a damaged database into a new one.
struct QueueRecovery {
    private let database: OutboxDatabase
    private let backup: BackupFiles
    private let recovered: RecoveredLane
    private let key: RowKey

    /// Names the lane, whose new rows exist.
    init(_ database: OutboxDatabase, _ backup: BackupFiles, _ recovered: RecoveredLane, _ key: RowKey) {
        self.database = database
        self.backup = backup
        self.recovered = recovered
        self.key = key
    }

    /// Copies what can be read, and starts the lane's counters again.
    ///
    /// A reset or a denial that the backups know of and the damaged database does not is made up for.
    ///
    /// - Parameters:
    ///   - old: What the damaged database says of the lane; `nil` if its row cannot be read, though others may.
    ///   - expected: How many records there were, if that is known.
    func run(
        from damagedCopy: DamagedDatabase?, _ old: RecoveredLane?, expecting expected: Int?
    ) throws(StorageError) -> (carriedOver: Int, lost: Int) {
        guard var row = try database.lane(key, prefix: "") else { return (0, 0) }
        // Nothing of a user who has denied is carried over, and nothing of it is lost.
        if row.consent == .denied { return (0, 0) }
        if let damagedCopy, recovered.number > 0 {
            for (generation, entry) in try damagedCopy.generations(lane: recovered.number)
            where generation <= row.generation {
                try database.save(entry, of: generation, in: key)
            }
            if old?.tenantGeneration == row.tenantGeneration {
                try carryOverValues(of: .tenant, from: damagedCopy, row)
            }
            if let old, old.tenantGeneration < row.tenantGeneration {
                try database.forgetDevice(of: key, generation: row.generation)
            }
            if old?.generation == row.generation.number { try carryOverValues(of: .lane, from: damagedCopy, row) }
            try carryOverKeys(from: damagedCopy, &row)
            try carryOverRecords(from: damagedCopy, &row)
            try carryOverGroups(from: damagedCopy)
            try database.keepGenerations(in: key)
            let numbers = RowKey(lane: recovered.number, tenant: 0).records
            try damagedCopy.refused(numbers) { (kept) throws(StorageError) in
                try database.restoreRefused(kept, in: key)
            }
        }
        let found = row.counters.queued
        if (old?.generation ?? 0) < row.generation.number {
            try database.repeatResets(&row, after: old.map { Generation($0.generation) })
        }
        var lost = max(0, (expected ?? 0) - found)
        // No more can have waited than numbers were given.
        if recovered.reserved > 0 { lost = min(lost, Int(recovered.reserved)) }
        row.counters.accepted = found + lost
        row.reserved = max(row.reserved, row.sequence)
        try database.save(row)
        if lost > 0 { try database.countDropped(lost, .lost, lane: key.lane) }
        return (row.counters.queued, lost)
    }

    /// A value that a backup has is left to the backup; but a removed value must not come back.
    private func carryOverValues(
        of scope: ValueScope, from damagedCopy: DamagedDatabase, _ row: LaneRow
    ) throws(StorageError) {
        let (files, generation, lane) =
            scope == .lane
            ? (backup.lane, row.generation.number, recovered.number) : (backup.tenant, row.tenantGeneration, 0)
        let store = SQLiteKeyValueStore(database, row, scope)
        for value in try damagedCopy.values(lane: lane, of: recovered.number) {
            if try store.state(for: value.key) != .absent { continue }
            guard let text = value.text else {
                try store.remove(value.key)
                continue
            }
            if case .value(let copy) = try files.state(for: value.key), copy.generation == generation { continue }
            try store.save(StoredValue(text: text, expires: value.expires, generation: generation), for: value.key)
        }
    }

    private func carryOverKeys(from damagedCopy: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        for callerKey in try damagedCopy.callerKeys(lane: recovered.number) {
            try database.remember(callerKey, in: key)
            row.removed = max(row.removed, callerKey.removed ?? 0)
        }
    }

    /// A group goes out again as it was, if nothing of it is lost: who plans it looks for that.
    private func carryOverGroups(from damagedCopy: DamagedDatabase) throws(StorageError) {
        let old = RowKey(lane: recovered.number, tenant: 0)
        for group in try damagedCopy.groups(lane: recovered.number)
        where old.records.contains(group.first.number) && old.records.contains(group.last.number) {
            func moved(_ id: Record.ID) -> Record.ID { Record.ID(key.record(RowKey.sequence(ofRecord: id.number))) }
            try database.remember(
                GroupExtent(first: moved(group.first), last: moved(group.last), count: group.count), in: key)
        }
    }

    private func carryOverRecords(from damagedCopy: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        // Numbers are reserved, in the database and in a backup, before any of them is given.
        guard recovered.reserved > 0 else { return }
        let old = RowKey(lane: recovered.number, tenant: 0)
        let numbers = old.record(0)...old.record(recovered.reserved)
        var counters = row.counters
        var sequence = row.sequence
        try damagedCopy.records(numbers) { (record) throws(StorageError) in
            // Half a record is of no use, and one from after a reset that nothing else knows of has no owner.
            guard let (messageID, text) = Record.content(of: record),
                record.int64("generation") <= row.generation.number
            else { return }
            let body = text.bytes
            let number = RowKey.sequence(ofRecord: record.int64("id"))
            guard try database.restore(record, number: key.record(number), body: body) else { return }
            if record.int64("has_caller_key") != 0, try database.outcome(of: messageID, in: key) == nil {
                try database.remember(messageID, row.consent == .pending ? .pending : .queued, in: key)
            }
            counters.queued += 1
            counters.queuedBytes += body.count
            sequence = max(sequence, number)
        }
        row.counters = counters
        row.sequence = sequence
    }
}
