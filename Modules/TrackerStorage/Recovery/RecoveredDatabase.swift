import TrackerModels

/// Builds a new database from what can be read of a damaged one, and from the backups.
struct RecoveredDatabase {
    /// How many records came over, and how many did not.
    struct Count {
        var carriedOver = 0
        var lostByLane: [LaneIdentity: Int] = [:]
        /// `nil` if the number is unknown.
        var lost: Int?
    }

    /// How often the damaged database is read at once before a read that fails counts.
    private static let tries = 3

    private let folder: StateFolder
    private let files: DamagedFiles

    init(_ folder: StateFolder) {
        self.folder = folder
        files = DamagedFiles(folder)
    }

    /// Builds the new database beside the damaged one, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - queued: How many records of lanes are known to have waited, if the database cannot be read.
    ///   - givesUp: Whether reads that the system refuses count as damage.
    /// - Throws: `unreadable` if the system refuses reads, and they do not count as damage.
    func build(expecting queued: [LaneIdentity: Int], givesUp: Bool = false) throws(StorageError) -> Count {
        try makeEmpty()
        let database = try LaneDatabase(Connection(files.new, .readWrite))
        try database.connection.execute("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY")
        func carryOver(isLastTry: Bool) throws(StorageError) -> Count {
            let damaged = try DamagedDatabase(
                files.damagedCopy, isLastTry: isLastTry, givesUp: givesUp && isLastTry)
            return try self.carryOver(from: damaged, into: database, queued)
        }
        for _ in 1..<Self.tries {
            do throws(StorageError) {
                return try carryOver(isLastTry: false)
            } catch {
                guard error.kind == .failed || error.kind == .unreadable else { throw error }
            }
        }
        return try carryOver(isLastTry: true)
    }

    private func makeEmpty() throws(StorageError) {
        let connection = try Connection(files.new, .create)
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        _ = try Schema.migrate(connection)
    }

    private func carryOver(
        from damagedCopy: DamagedDatabase?, into database: LaneDatabase, _ queued: [LaneIdentity: Int]
    ) throws(StorageError) -> Count {
        let found = try damagedCopy?.lanes() ?? [:]
        let backedUp = try folder.backedUpLanes()
        var lanes = backedUp.merging(found) { $1.merged(with: $0) }
        // Of what this process has seen in other lanes, nothing is left but the number.
        for identity in queued.keys where lanes[identity] == nil { lanes[identity] = RecoveredLane() }
        return try database.writing { () throws(StorageError) in
            var count = Count()
            // Records keep their numbers: what is decided about them counts in the new database as well.
            if let id = try damagedCopy?.id {
                try database.connection.execute("INSERT OR REPLACE INTO meta VALUES('database', \(id.number))")
            }
            // The damaged copy, which will be set aside, may hold what was to be erased.
            if try damagedCopy?.isBeingErased == true || lanes.values.contains(where: { $0.consent == .denied }) {
                try Erasure.everything.save(in: database)
            }
            if let forgotten = try damagedCopy?.forgotten() { try database.replaceForgotten(by: forgotten) }
            for (identity, recovered) in Self.sorted(lanes) {
                let key = try database.makeLane(identity, recovered)
                let old = found[identity]
                let recovery = LaneRecovery(database, LaneBackup(folder, identity), recovered, key)
                let expected = old?.queued ?? queued[identity]
                // Where another lane has the number that the backups know, the database is another one.
                let isOthers = old == nil && found.values.contains { $0.number == recovered.number }
                let lane = try recovery.run(from: isOthers ? nil : damagedCopy, old, expecting: expected)
                count.carriedOver += lane.carriedOver
                count.lostByLane[identity] = lane.lost
            }
            // Of a lane whose row cannot be read nobody knows how many there were.
            let isKnown = lanes.keys.allSatisfy { found[$0] != nil || queued[$0] != nil }
            if isKnown, damagedCopy != nil || !queued.isEmpty {
                count.lost = count.lostByLane.values.reduce(0, +)
            }
            return count
        }
    }

    /// Lanes whose number is known first, so that no other takes it.
    private static func sorted(
        _ lanes: [LaneIdentity: RecoveredLane]
    ) -> [(key: LaneIdentity, value: RecoveredLane)] {
        lanes.sorted {
            ($0.value.number == 0 ? .max : $0.value.number) < ($1.value.number == 0 ? .max : $1.value.number)
        }
    }
}

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
            if old?.epoch == row.epoch { try carryOverValues(of: .brand, from: damagedCopy, row) }
            if let old, old.epoch < row.epoch { try database.forgetDevice(of: key, generation: row.generation) }
            if old?.generation == row.generation.number { try carryOverValues(of: .lane, from: damagedCopy, row) }
            try carryOverKeys(from: damagedCopy, &row)
            try carryOverRecords(from: damagedCopy, &row)
            try carryOverGroups(from: damagedCopy)
            try database.keepGenerations(in: key)
            let numbers = LaneKey(lane: recovered.number, brand: 0).records
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
        let (files, epoch, lane) =
            scope == .lane ? (backup.lane, row.generation.number, recovered.number) : (backup.brand, row.epoch, 0)
        let store = SQLiteKeyValueStore(database, row, scope)
        for value in try damagedCopy.values(lane: lane, of: recovered.number) {
            if try store.holding(for: value.key) != .absent { continue }
            guard let text = value.text else {
                try store.remove(value.key)
                continue
            }
            if case .value(let copy) = try files.holding(for: value.key), copy.epoch == epoch { continue }
            try store.save(StoredValue(text: text, expires: value.expires, epoch: epoch), for: value.key)
        }
    }

    private func carryOverKeys(from damagedCopy: DamagedDatabase, _ row: inout LaneRow) throws(StorageError) {
        for callerKey in try damagedCopy.callerKeys(lane: recovered.number) {
            try database.remember(callerKey, in: key)
            row.settled = max(row.settled, callerKey.settled ?? 0)
        }
    }

    /// A group goes out again as it was, if nothing of it is lost: who plans it looks for that.
    private func carryOverGroups(from damagedCopy: DamagedDatabase) throws(StorageError) {
        let old = LaneKey(lane: recovered.number, brand: 0)
        for group in try damagedCopy.groups(lane: recovered.number)
        where old.records.contains(group.first.number) && old.records.contains(group.last.number) {
            func moved(_ id: Record.ID) -> Record.ID { Record.ID(key.record(LaneKey.sequence(ofRecord: id.number))) }
            try database.remember(
                GroupExtent(first: moved(group.first), last: moved(group.last), count: group.count), in: key)
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
            // Half a record is of no use, and one from after a reset that nothing else knows of has no owner.
            guard let (messageID, text) = Record.content(of: record),
                record.int64("generation") <= row.generation.number
            else { return }
            let body = text.bytes
            let number = LaneKey.sequence(ofRecord: record.int64("id"))
            guard try database.restore(record, number: key.record(number), body: body) else { return }
            if record.int64("is_given") != 0, try database.outcome(of: messageID, in: key) == nil {
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

/// What is known of a lane whose database is lost: from its backups, from the damaged database, or from both.
struct RecoveredLane {
    /// The lane's number in the lost database, 0 if it is not known.
    var number: Int64 = 0
    var consent: Consent?
    /// How often the brand's values were reset.
    var epoch: Int64 = 1
    var generation: Int64 = 1
    /// The last generation that was erased.
    var erased: Int64 = 0
    /// A sequence number that no record can have exceeded.
    var reserved: Int64 = 0
    /// How many records waited, if that is known.
    var queued: Int?

    /// Both combined: of two values the later one, of two consents the stricter one.
    func merged(with other: RecoveredLane) -> RecoveredLane {
        RecoveredLane(
            number: number > 0 ? number : other.number,
            consent: consent == .denied || other.consent == .denied ? .denied : consent ?? other.consent,
            epoch: max(epoch, other.epoch), generation: max(generation, other.generation),
            erased: max(erased, other.erased), reserved: max(reserved, other.reserved), queued: queued ?? other.queued
        )
    }
}

extension StateFolder {
    /// Reads what the backups know of all lanes.
    func backedUpLanes() throws(StorageError) -> [LaneIdentity: RecoveredLane] {
        var lanes: [LaneIdentity: RecoveredLane] = [:]
        for brand in try backups.folders() {
            for directory in try brand.folders() {
                let files = FileKeyValueStore(directory: directory)
                guard let identity = try files.text(.identity).flatMap({ LaneIdentity(backup: $0) }) else { continue }
                lanes[identity] = try LaneBackup(self, identity).recovered
            }
        }
        return lanes
    }
}
