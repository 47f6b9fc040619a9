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
        let database = try OutboxDatabase(Connection(files.new, .readWrite))
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
        from damagedCopy: DamagedDatabase?, into database: OutboxDatabase, _ queued: [LaneIdentity: Int]
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
                let recovery = QueueRecovery(database, BackupFiles(folder, identity), recovered, key)
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
