import TrackerModels

/// Carries one lane over from a damaged database into a new one.
struct LaneRecovery {
    private let database: LaneDatabase
    private let backup: LaneBackup
    private let recovered: RecoveredLane
    private let key: LaneKey

    /// Names the lane, whose new rows exist.
    init(_ database: LaneDatabase, _ backup: LaneBackup, _ recovered: RecoveredLane, _ key: LaneKey) {
        self.database = database
        self.backup = backup
        self.recovered = recovered
        self.key = key
    }

    /// Copies what can be read, and starts the lane's counters again.
    ///
    /// - Parameter expected: How many records there were, if that is known.
    func run(
        from damagedCopy: DamagedDatabase?, expecting expected: Int?
    ) throws(StorageError) -> (carriedOver: Int, lost: Int) {
        guard var row = try database.lanes.load(key, prefix: "") else { return (0, 0) }
        if let damagedCopy, recovered.number > 0 {
            for (generation, entry) in damagedCopy.generations(lane: recovered.number) {
                try database.generations.save(entry, key, generation)
            }
            try carryOverValues(from: damagedCopy, row)
            try carryOverGiven(from: damagedCopy, &row)
            try carryOverRecords(from: damagedCopy, &row)
        }
        let lost = max(0, (expected ?? 0) - row.counters.queued)
        row.counters.accepted = row.counters.queued + lost
        row.reserved = max(row.reserved, row.sequence)
        try database.lanes.save(row)
        if lost > 0 { try database.lanes.countDropped(lost, .lost, lane: key.lane) }
        return (row.counters.queued, lost)
    }

    /// A value that a backup has is left to the backup; but a removed value must not come back.
    private func carryOverValues(from damagedCopy: DamagedDatabase, _ row: LaneRow) throws(StorageError) {
        for scope in [ValueScope.brand, .lane] {
            let (files, epoch, lane) =
                scope == .lane ? (backup.lane, row.generation.number, key.lane) : (backup.brand, row.epoch, 0)
            let store = SQLiteKeyValueStore(database, row, scope)
            for value in damagedCopy.values(lane: lane == 0 ? 0 : recovered.number, of: recovered.number) {
                if try store.holding(for: value.key) != .absent { continue }
                guard let text = value.text else {
                    try store.remove(value.key)
                    continue
                }
                // An unreadable backup does not prevent the recovery.
                if case .value(let copy)? = try? files.holding(for: value.key), copy.epoch == epoch { continue }
                try store.save(StoredValue(text: text, expires: value.expires, epoch: epoch), for: value.key)
            }
        }
    }

    private func carryOverGiven(from damagedCopy: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        for given in damagedCopy.given(lane: recovered.number) {
            try database.idempotencyKeys.restore(given, key)
            row.settled = max(row.settled, given.settled ?? 0)
        }
    }

    private func carryOverRecords(from damagedCopy: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        // Numbers are reserved, in the database and in a backup, before any of them is given.
        guard recovered.reserved > 0 else { return }
        let old = LaneKey(lane: recovered.number, brand: 0)
        let numbers = old.record(0)...old.record(recovered.reserved)
        var counters = row.counters
        var sequence = row.sequence
        try damagedCopy.records(numbers) { (record) throws(StorageError) in
            let body = record.bytes(8)
            // Half a record is of no use.
            guard (try? JSONText(validating: body, maxDepth: JSONText.maxDepthCeiling)) != nil,
                let messageID = MessageID(record.text(3) ?? "")
            else { return }
            let number = LaneKey.sequence(ofRecord: record.int64(0))
            guard try database.records.restore(record, number: key.record(number), body: body) else { return }
            if record.int64(4) != 0, try database.idempotencyKeys.outcome(key, messageID) == nil {
                try database.idempotencyKeys.remember(key, messageID, row.consent == .pending ? .pending : .queued)
            }
            counters.queued += 1
            counters.queuedBytes += body.count
            sequence = max(sequence, number)
        }
        row.counters = counters
        row.sequence = sequence
    }
}
