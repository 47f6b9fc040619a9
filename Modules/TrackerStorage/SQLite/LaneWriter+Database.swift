import TrackerModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension LaneWriter {
    /// Whether the paths still lead to the files that were opened.
    var isCurrent: Bool { folder.map(DatabaseFiles.init) == files }

    /// The database that the path leads to now.
    mutating func currentDatabase() throws(StorageError) -> LaneDatabase {
        if let database, isCurrent { return database }
        closeDatabase()
        _ = try openRepaired(adopting: databaseCount == 0)
        guard let database else { throw StorageError(.open, "The database cannot be opened") }
        return database
    }

    /// Closes both connections.
    mutating func closeDatabase() {
        database = nil
        key = nil
        files = nil
        reader?.close()
    }

    /// Opens or makes the database; one that is damaged is set aside first.
    ///
    /// - Returns: How many records were adopted.
    mutating func openRepaired(adopting: Bool) throws(StorageError) -> Int {
        guard let folder else { return try openDatabase(adopting: adopting) }
        try folder.make()
        if DamagedFiles(folder).hasWreck { try replaceWreck() }
        do throws(StorageError) {
            return try openDatabase(adopting: adopting)
        } catch {
            closeDatabase()
            guard error.kind == .corrupt else { throw error }
            try DamagedFiles(folder).wreckDatabase()
            try replaceWreck()
            return try openDatabase(adopting: adopting)
        }
    }

    /// Deals with damage.
    ///
    /// The first time it opens the same files again, since a log that was cut short can be read then; the next time it
    /// sets the database aside.
    mutating func recover(from error: StorageError, isFirst: Bool) throws(StorageError) {
        guard let folder else { throw error }
        let isReplaced = !isCurrent
        closeDatabase()
        if isFirst || isReplaced { return }
        try DamagedFiles(folder).wreckDatabase()
        try replaceWreck()
    }

    /// Builds a new database from a damaged one, and sets that one aside.
    private mutating func replaceWreck() throws(StorageError) {
        guard let folder else { return }
        let files = DamagedFiles(folder)
        var count = SalvagedDatabase.Count()
        if !files.hasDatabase {
            try files.clearPlace()
            // Before the lane was ever seen there is nothing to expect.
            let queued = databaseCount > 0 ? [configuration.lane: known.queuedRecords] : [:]
            count = try SalvagedDatabase(folder).build(expecting: queued)
            try files.placeNew()
        }
        let name = try files.setWreckAside()
        lostInSalvage = count.lostByLane[configuration.lane] ?? 0
        if lostInSalvage > 0 { findings.append(.dropped([], count: lostInSalvage, .lost)) }
        salvage = Salvage(setAside: name, carriedOver: count.carriedOver, lost: count.lost)
    }

    /// - Returns: How many records were adopted.
    private mutating func openDatabase(adopting: Bool) throws(StorageError) -> Int {
        let connection = try Connection(folder?.database ?? Connection.memory, .create)
        if let folder {
            // Somebody may have put it there.
            unsafe chmod(folder.database, 0o600)
            // SQLite would say no more than that it cannot open something.
            for path in [folder.database, folder.path] where unsafe access(path, W_OK) != 0 {
                throw StorageError(errno: errno, "write", path)
            }
        }
        // A database of a newer library is not touched.
        _ = try Schema.currentVersion(connection)
        try Schema.configure(connection, durability: configuration.durability)
        let isNew = try Schema.migrate(connection)
        let database = try LaneDatabase(connection)
        presence?.show()
        let isFirst = databaseCount == 0
        let isLost = isNew && !isFirst && salvage == nil
        var summary: LaneTransaction.Summary?
        var beginning: LaneOrigin?
        var adoption: Adoption?
        defer { adoption?.end() }
        try database.writing { () throws(StorageError) in
            if isNew, let folder {
                for (identity, remains) in folder.backedUpLanes { _ = try database.lanes.make(identity, remains) }
            }
            let preparation = LanePreparation(database, configuration, backup: backup)
            var transaction = try LaneTransaction(
                database, configuration, row: preparation.lane(after: known.lastSequence),
                now: configuration.wallClock(), run: run
            )
            try transaction.audit()
            if isLost { transaction.lose(known.queuedRecords) }
            try preparation.heal(&transaction)
            try transaction.settleOpening()
            if adopting, let folder {
                adoption = Adoption(database, configuration, folder)
                try adoption?.run(&transaction)
            }
            try transaction.evict()
            beginning = try transaction.origin()
            summary = try transaction.finish()
            // Where it fails, the backups that are written after each opening say so.
            _ = reserve(transaction.reserved)
        }
        guard let summary else { return 0 }
        if isLost, known.queuedRecords > 0 { findings.append(.replaced(lost: known.queuedRecords)) }
        if isFirst, isNew, salvage == nil, let backup, backup.laneNumber > 0 { findings.append(.replaced(lost: nil)) }
        if let beginning { origin = beginning }
        origin.find(lostInSalvage)
        lostInSalvage = 0
        known = summary.state
        findings += summary.dropped
        key = summary.row.key
        mustErase = try database.connection.number("SELECT value FROM meta WHERE name = 'erase'") != nil
        erasesNow = mustErase
        self.database = database
        files = folder.map(DatabaseFiles.init)
        databaseCount += 1
        freedBytes = Self.shrinkingThreshold
        return adoption?.count ?? 0
    }
}
