import TrackerModels

/// One lane on its way from a damaged database into a new one.
struct LaneSalvage {
    private let database: LaneDatabase
    private let backup: LaneBackup
    private let remains: LaneRemains
    private let key: LaneKey

    /// Names the lane, whose new rows exist.
    init(_ database: LaneDatabase, _ backup: LaneBackup, _ remains: LaneRemains, _ key: LaneKey) {
        self.database = database
        self.backup = backup
        self.remains = remains
        self.key = key
    }

    /// Brings over what can be read, and begins the lane's books anew.
    ///
    /// - Parameter expected: How many records there were, if that is known.
    func run(
        from wreck: DamagedDatabase?, expecting expected: Int?
    ) throws(StorageError) -> (carriedOver: Int, lost: Int) {
        guard var row = try database.lanes.load(key, prefix: "") else { return (0, 0) }
        if let wreck, remains.number > 0 {
            for (generation, entry) in wreck.generations(lane: remains.number) {
                try database.generations.save(entry, key, generation)
            }
            try carryOverValues(from: wreck, row)
            try carryOverGiven(from: wreck, &row)
            try carryOverRecords(from: wreck, &row)
        }
        let lost = max(0, (expected ?? 0) - row.books.queued)
        row.books.accepted = row.books.queued + lost
        row.reserved = max(row.reserved, row.sequence)
        try database.lanes.save(row)
        if lost > 0 { try database.lanes.countDropped(lost, .lost, lane: key.lane) }
        return (row.books.queued, lost)
    }

    /// What a backup has is left for it to bring back; but what was removed must not come back.
    private func carryOverValues(from wreck: DamagedDatabase, _ row: LaneRow) throws(StorageError) {
        for scope in [ValueScope.brand, .lane] {
            let (files, epoch, lane) =
                scope == .lane ? (backup.lane, row.generation.number, key.lane) : (backup.brand, row.epoch, 0)
            let store = SQLiteKeyValueStore(database, row, scope)
            for value in wreck.values(lane: lane == 0 ? 0 : remains.number, of: remains.number) {
                if try store.holding(for: value.key) != .absent { continue }
                guard let text = value.text else {
                    try store.remove(value.key)
                    continue
                }
                // A backup that cannot be read does not stand in the way.
                if case .value(let copy)? = try? files.holding(for: value.key), copy.epoch == epoch { continue }
                try store.save(StoredValue(text: text, expires: value.expires, epoch: epoch), for: value.key)
            }
        }
    }

    private func carryOverGiven(from wreck: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        for given in wreck.given(lane: remains.number) {
            try database.given.restore(given, key)
            row.settled = max(row.settled, given.settled ?? 0)
        }
    }

    private func carryOverRecords(from wreck: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        // Numbers are reserved, in the database and in a backup, before any of them is given.
        guard remains.reserved > 0 else { return }
        let old = LaneKey(lane: remains.number, brand: 0)
        let numbers = old.record(0)...old.record(remains.reserved)
        var books = row.books
        var sequence = row.sequence
        try wreck.records(numbers) { (record) throws(StorageError) in
            let body = record.bytes(8)
            // Half a record is as good as none.
            guard (try? JSONText(validating: body, maxDepth: JSONText.maxDepthCeiling)) != nil,
                let messageID = MessageID(record.text(3) ?? "")
            else { return }
            let number = LaneKey.sequence(ofRecord: record.int64(0))
            guard try database.records.restore(record, number: key.record(number), body: body) else { return }
            if record.int64(4) != 0, try database.given.outcome(key, messageID) == nil {
                try database.given.remember(key, messageID, row.consent == .pending ? .pending : .queued)
            }
            books.queued += 1
            books.queuedBytes += body.count
            sequence = max(sequence, number)
        }
        row.books = books
        row.sequence = sequence
    }
}
