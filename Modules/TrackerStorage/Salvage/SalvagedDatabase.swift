import TrackerModels

/// A new database in the making, from the remains of a damaged one and from the backups.
struct SalvagedDatabase {
    /// How many records came over, and how many did not.
    struct Count {
        var carriedOver = 0
        var lostByLane: [LaneIdentity: Int] = [:]
        /// `nil` where nothing tells how many there were.
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
    /// - Parameter queued: How many records of lanes are known to have waited, where the database cannot tell.
    func build(expecting queued: [LaneIdentity: Int]) throws(StorageError) -> Count {
        try makeEmpty()
        let database = try LaneDatabase(Connection(files.new, .readWrite))
        try database.connection.execute("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY")
        return try carryOver(from: DamagedDatabase(files.wreck), into: database, queued)
    }

    private func makeEmpty() throws(StorageError) {
        let connection = try Connection(files.new, .create)
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        _ = try Schema.migrate(connection)
    }

    private func carryOver(
        from wreck: DamagedDatabase?, into database: LaneDatabase, _ queued: [LaneIdentity: Int]
    ) throws(StorageError) -> Count {
        let found = wreck?.lanes() ?? [:]
        let backedUp = folder.backedUpLanes
        let lanes = backedUp.merging(found) { $1.merged(with: $0) }
        return try database.writing { () throws(StorageError) in
            var count = Count()
            for (identity, remains) in Self.sorted(lanes) {
                let key = try database.lanes.make(identity, remains)
                let salvage = LaneSalvage(database, LaneBackup(folder, identity), remains, key)
                let expected = found[identity]?.queued ?? queued[identity]
                let lane = try salvage.run(from: wreck, expecting: expected)
                count.carriedOver += lane.carriedOver
                count.lostByLane[identity] = lane.lost
            }
            if wreck != nil || !queued.isEmpty { count.lost = count.lostByLane.values.reduce(0, +) }
            return count
        }
    }

    /// Lanes whose number is known first, so that no other takes it.
    private static func sorted(
        _ lanes: [LaneIdentity: LaneRemains]
    ) -> [(key: LaneIdentity, value: LaneRemains)] {
        lanes.sorted {
            ($0.value.number == 0 ? .max : $0.value.number) < ($1.value.number == 0 ? .max : $1.value.number)
        }
    }
}
