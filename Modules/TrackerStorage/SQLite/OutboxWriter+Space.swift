import TrackerPlatform

extension OutboxWriter {
    /// How many microseconds the writer sleeps between two steps of an erasure, so that other processes get the lock.
    private static let pauseInErasure: UInt32 = 1_000
    /// How many bytes are deleted before the database is asked to shrink.
    static let shrinkingThreshold = 4 << 20
    /// How many free pages it keeps for later records.
    private static let sparePages: Int64 = 256
    /// How many pages are freed at once, so that no caller waits long.
    private static let mostPages: Int64 = 4096

    /// Frees pages now and then.
    mutating func shrink() {
        guard folder != nil, freedBytes >= Self.shrinkingThreshold, let lane = database.lane else { return }
        freedBytes = 0
        // If the database cannot shrink now, it is tried again later.
        guard let free = try? lane.database.connection.number("PRAGMA freelist_count"), free > Self.sparePages else {
            return
        }
        let pages = min(free - Self.sparePages, Self.mostPages)
        // The file itself shrinks with the checkpoint.
        try? lane.database.connection.execute("PRAGMA incremental_vacuum(\(pages)); PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Continues an erasure that is due, and lets other processes write between its steps.
    mutating func finishErasure(_ group: StagedGroup, _ outcome: inout Outcome) {
        guard erasesNow || group.isEmpty else { return }
        erasesNow = false
        var troubles = 0
        do throws(StorageError) {
            while erasure != nil {
                // `flock` serves no queue: a process that releases the lock and takes it again at once is mostly faster
                // than those it has woken. So this one, on the queue of the writer alone, waits a moment.
                usleep(Self.pauseInErasure)
                // Those who write backups read the database under this lock, and wait for no writer.
                let backupLock = try erasure == .whole ? nil : folder?.lockBackups()
                defer { backupLock?.unlock() }
                let holdsBackups = backupLock != nil
                try locked { (writer) throws(StorageError) in
                    let lane = try writer.currentLane()
                    do throws(StorageError) {
                        try writer.erase(
                            lane.database, of: lane.key.tenant, isRetry: group.isEmpty, holdsBackups: holdsBackups)
                    } catch {
                        // Damage in pages that no transaction reads shows when the database is rewritten.
                        troubles += 1
                        let error = error.kind == .refused ? writer.database.diagnose(error) : error
                        guard error.kind == .corrupt, writer.folder != nil, troubles < 4 else { throw error }
                        try writer.database.recover(after: writer.known, isFirst: troubles == 1)
                    }
                }
            }
            erasesNow = false
            erasureFailure = nil
        } catch {
            erasureFailure = error
            // The deletion has taken effect, but is answered only once no file holds the deleted data.
            for (place, entry) in group.entries.enumerated() {
                guard case .task(let index) = entry, group.tasks[index].task.erases else { continue }
                if case .failed = outcome.effects[place] { continue }
                outcome.effects[place] = .failed(error)
            }
        }
    }

    /// Takes the next step towards a folder in which no file holds what was deleted.
    ///
    /// First, if other tenants are concerned, their backups are written anew. Then set-aside databases are removed, and
    /// the database is rewritten without its free space. Last, the log is emptied, and the backups are looked through once
    /// more: a process that has died may not have written those of its tenant.
    private mutating func erase(
        _ database: OutboxDatabase, of tenant: Int64, isRetry: Bool, holdsBackups: Bool
    ) throws(StorageError) {
        // Another process may have begun a further erasure meanwhile.
        if let left = try Erasure.left(in: database) { erasure = min(erasure ?? left, left) }
        if let folder, erasure == .everything {
            // If it has become due just now, the lock on the backups is taken before the next step.
            guard holdsBackups else { return }
            try database.writeBackups(in: folder)
            try Erasure.whole.save(in: database)
            erasure = .whole
            return
        }
        if let folder, erasure == .whole {
            try DamagedFiles(folder).removeAll()
            try vacuum(database)
            freedBytes = 0
            // Each further one would write the whole database into a log that cannot be cut.
            try Erasure.log.save(in: database)
            erasure = .log
            return
        }
        if folder != nil, try !emptyLog(database, patience: isRetry ? 100 : 500) {
            throw StorageError(.busy, "\(database.connection.path): another process is reading the log")
        }
        if let folder {
            guard holdsBackups else { return }
            try database.writeBackups(in: folder, own: tenant)
        }
        try Erasure.forget(in: database)
        try folder?.forgetErasure()
        erasure = nil
    }

    /// Rewrites the database without its free space.
    private func vacuum(_ database: OutboxDatabase) throws(StorageError) {
        // SQLite makes a copy first, which memory may not hold.
        try database.connection.execute("PRAGMA temp_store=FILE")
        defer { try? database.connection.execute("PRAGMA temp_store=MEMORY") }
        do {
            try database.connection.execute("VACUUM")
        } catch {
            guard error.kind != .busy else { throw error }
            // A container may have no place for temporary files, or a small one: then memory must do.
            try database.connection.execute("PRAGMA temp_store=MEMORY; VACUUM")
        }
    }

    /// - Returns: False if another process reads the log, and goes on reading it.
    private func emptyLog(_ database: OutboxDatabase, patience: Int32) throws(StorageError) -> Bool {
        // All other writers wait meanwhile.
        database.connection.setPatience(milliseconds: patience)
        defer { database.connection.setPatience(milliseconds: Connection.busyTimeout) }
        return try database.connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }
}
