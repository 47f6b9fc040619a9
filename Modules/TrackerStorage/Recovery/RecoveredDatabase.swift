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

    private let folder: StateFolder
    private let files: DamagedFiles

    /// Names the files.
    init(_ folder: StateFolder) {
        self.folder = folder
        files = DamagedFiles(folder)
    }

    /// Builds the new database beside the damaged one, as a whole or not at all.
    ///
    /// - Parameter queued: How many records of lanes are known to have waited, if the database cannot be read.
    func build(expecting queued: [LaneIdentity: Int]) throws(StorageError) -> Count {
        try makeEmpty()
        let database = try LaneDatabase(Connection(files.new, .readWrite))
        try database.connection.execute("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY")
        return try carryOver(from: DamagedDatabase(files.damagedCopy), into: database, queued)
    }

    private func makeEmpty() throws(StorageError) {
        let connection = try Connection(files.new, .create)
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        _ = try Schema.migrate(connection)
    }

    private func carryOver(
        from damagedCopy: DamagedDatabase?, into database: LaneDatabase, _ queued: [LaneIdentity: Int]
    ) throws(StorageError) -> Count {
        let found = damagedCopy?.lanes() ?? [:]
        let backedUp = folder.backedUpLanes
        let lanes = backedUp.merging(found) { $1.merged(with: $0) }
        return try database.writing { () throws(StorageError) in
            var count = Count()
            for (identity, recovered) in Self.sorted(lanes) {
                let key = try database.lanes.make(identity, recovered)
                let recovery = LaneRecovery(database, LaneBackup(folder, identity), recovered, key)
                let expected = found[identity]?.queued ?? queued[identity]
                let lane = try recovery.run(from: damagedCopy, expecting: expected)
                count.carriedOver += lane.carriedOver
                count.lostByLane[identity] = lane.lost
            }
            if damagedCopy != nil || !queued.isEmpty { count.lost = count.lostByLane.values.reduce(0, +) }
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
