import Synchronization
import TrackerModels

extension SQLiteOutbox {
    /// Reads the oldest records, and the lane with them, in one transaction.
    ///
    /// Records that have left the queue in memory are left out, even if they are still on disk. While a reset or a consent
    /// waits for the disk, there are none. It runs on the caller's thread.
    package func peek(limit: Int, maxBytes: Int, excluding: Set<Record.ID>) throws(StorageError) -> Peek {
        // Taken before the read: a record that has left the queue by now is in here, or gone from disk.
        let unwritten = unwritten
        let (staged, floor, count, commits) = stage.withLock {
            ($0.settling, $0.floor, $0.databaseCount, $0.commits)
        }
        let settling = unwritten.isEmpty ? staged : staged.union(unwritten.settledRecords)
        let isInMemory = folder == nil
        let limit = unwritten.hidesRecords ? 0 : limit
        let found = try read { (database, key, run) throws(StorageError) in
            let state = try self.state(key, database)
            var records: [Record] = []
            var damaged: [Record.ID] = []
            var bytes = 0
            let groups = limit == 0 || configuration.bindsSessions ? [] : try database.groups(of: key)
            if limit > 0, state.queuedRecords > 0 {
                let first = min(max(key.records.lowerBound, floor.number + 1), key.records.upperBound)
                try database.readRecords(first...key.records.upperBound, run: run) {
                    !settling.contains(Record.ID($0)) && !excluding.contains(Record.ID($0))
                } body: { number, record in
                    guard let record else {
                        damaged.append(Record.ID(number))
                        return true
                    }
                    bytes += record.body.byteCount
                    if let last = records.last, bytes > maxBytes || records.count >= limit {
                        // A group that has begun is read to its end.
                        guard groups.contains(where: { $0.first <= last.id && record.id <= $0.last }) else {
                            return false
                        }
                    }
                    records.append(record)
                    return records.count < limit || !groups.isEmpty
                }
            }
            var entries: [Generation: GenerationEntry] = [:]
            for record in records where entries[record.generation] == nil {
                let entry =
                    record.generation == state.generation
                    ? state.entry : try database.entry(of: record.generation, in: key)
                entries[record.generation] = entry ?? GenerationEntry()
            }
            let version = isInMemory ? ReadVersion(opening: 0, changes: commits) : try database.version()
            return (
                peek: Peek(
                    state: state, records: records, entries: entries, groups: records.isEmpty ? [] : groups,
                    version: version),
                damaged: damaged
            )
        }
        if let damaged = found?.damaged, !damaged.isEmpty {
            // If one record is damaged, others may be.
            stage(StagedTask(task: .inspect))
            stage(StagedTask(task: .of(found?.peek.state.database, .lose(damaged))))
        }
        let state = if let found { found.peek.state } else { try stateWithoutDatabase() }
        var peek = found?.peek ?? Peek(state: state, records: [], entries: [:])
        let lane = unwritten.lane(over: peek.state, entries: peek.entries)
        for generation in peek.entries.keys { peek.entries[generation] = lane.entry(of: generation) }
        peek.state = unwritten.state(over: peek.state)
        if !settling.isEmpty, let first = peek.records.first {
            // The disk may refuse that a damaged record leaves.
            let lowest = ([first.id] + excluding + (found?.damaged ?? [])).min() ?? first.id
            stage.withLock { $0.raiseFloor(below: lowest, databaseCount: count) }
        }
        return peek
    }

    package func state() throws(StorageError) -> LaneState {
        var state = unwritten.state(over: try diskState())
        state.writeFailure = stage.withLock(\.writeFailure)
        return state
    }

    /// Whether nothing has been written since a read, by any process.
    package func isUnchanged(since version: ReadVersion) throws(StorageError) -> Bool {
        // Changes that the disk has refused apply to whatever is read.
        guard log.isEmpty else { return false }
        let commits = stage.withLock(\.commits)
        guard let reader else { return version.changes == commits }
        return try reader.isUnchanged(since: version)
    }

    /// Reads the lane, if a record of it still waits.
    package func state(
        ifQueued record: Record.ID
    ) throws(StorageError) -> (lane: LaneState, version: ReadVersion?)? {
        let unwritten = unwritten
        let (isSettled, commits) = stage.withLock { ($0.settling.contains(record), $0.commits) }
        guard !isSettled, !unwritten.hidesRecords, !unwritten.settledRecords.contains(record) else { return nil }
        let isInMemory = folder == nil
        let found = try read { (database, key, _) throws(StorageError) -> (LaneState, ReadVersion)? in
            guard try database.hasRecord(record.number),
                let row = try database.lane(key, prefix: configuration.keyPrefix)
            else { return nil }
            let version = isInMemory ? ReadVersion(opening: 0, changes: commits) : try database.version()
            return (row.state(configuration, oldestOccurredAt: nil, in: database), version)
        }
        return (found ?? nil).map { (unwritten.state(over: $0.0), $0.1) }
    }

    /// How many records with at most this sequence number wait.
    package func queuedRecords(through sequence: Int64) throws(StorageError) -> Int {
        let settling = stage.withLock(\.settling).union(unwritten.settledRecords)
        let count = try read { (database, key, _) throws(StorageError) in
            guard sequence > 0 else { return 0 }
            let upperBound = min(key.record(sequence), key.records.upperBound)
            let numbers = key.records.lowerBound...max(upperBound, key.records.lowerBound)
            var count = try database.countRecords(numbers)
            for record in settling where numbers.contains(record.number) {
                if try database.hasRecord(record.number) { count -= 1 }
            }
            return count
        }
        return count ?? 0
    }

    /// A stored value: that of the database, else that of the backup file; `nil` once it has expired.
    ///
    /// If one of the two lacks the value, it is repaired soon after.
    package func value(for key: StoredKey) -> String? {
        let unwritten = unwritten
        if !unwritten.isEmpty {
            // Without the disk, the changes apply to an empty lane.
            switch unwritten.lane(over: (try? diskState()) ?? .empty).effect(on: key) {
            case .untouched: break
            case .removed: return nil
            case .text(let text): return text
            }
        }
        let name = configuration.keyPrefix + key.name
        let now = configuration.wallClock()
        // An unreadable value counts as absent: the writer reports the database's failures.
        let reading = try? read { (database, lane, _) throws(StorageError) in
            guard let row = try database.lane(lane, prefix: "") else { return BackedUpKeyValueStore.Reading() }
            return try BackedUpKeyValueStore(database, row, key.scope, backup).read(name, at: now)
        }
        guard let reading = reading ?? nil else { return backedUpValue(key, at: now) }
        switch reading.repair {
        case .healPrimary, .remove: stage(StagedTask(task: .heal(key)))
        case .healBackup: scheduleBackup()
        case nil: break
        }
        return reading.text
    }

    package func account() throws(StorageError) -> Account {
        let found = try read { (database, key, _) throws(StorageError) in
            var counters = try database.lane(key, prefix: "")?.counters ?? QueueCounters()
            counters.dropped = try database.dropped(of: key)
            counters.requeued = try database.requeued(of: key)
            return counters
        }
        let origin = stage.withLock { $0.origin }
        return origin.account(found ?? origin.counters)
    }

    /// The records that the server has refused, oldest first.
    package func refused() throws(StorageError) -> [RefusedRecord] {
        guard !unwritten.erasesRefused else { return [] }
        let oldest = configuration.refused.oldest(at: configuration.wallClock())
        return try read { (database, key, _) throws(StorageError) in
            try RefusedRecord.all(of: key, since: oldest, in: database.connection)
        } ?? []
    }

    package func refusedCount() throws(StorageError) -> RefusedCount {
        guard !unwritten.erasesRefused else { return RefusedCount() }
        let oldest = configuration.refused.oldest(at: configuration.wallClock())
        return try read { (database, key, _) throws(StorageError) in
            try RefusedCount(of: key, since: oldest, in: database.connection)
        } ?? RefusedCount()
    }

    /// Other lanes that hold records while no process has them: one that waits or is halted lets others deliver.
    package func strandedLanes() throws(StorageError) -> [StrandedLane] {
        guard let folder else { return [] }
        let others = try read { (database, key, _) throws(StorageError) in
            try database.lanes(besides: key).map { StrandedLane(identity: $0.identity, records: $0.records) }
        }
        return (others ?? []).filter { other in
            other.records > 0 && isFree(folder.openLock(of: other.identity))
                && isFree(folder.deliveryLock(of: other.identity))
        }
    }

    /// Whether no process has a lock. A lock file that cannot be opened is held by none.
    private func isFree(_ path: String) -> Bool {
        guard let lock = try? FileLock(path) else { return true }
        guard lock.tryLock() else { return false }
        lock.unlock()
        return true
    }

    private func diskState() throws(StorageError) -> LaneState {
        do throws(StorageError) {
            let found = try read { (database, key, _) throws(StorageError) in try self.state(key, database) }
            if let found { return found }
        } catch {
            guard error.kind == .rebuilding else { throw error }
        }
        return try stateWithoutDatabase()
    }

    private func state(_ key: RowKey, _ database: OutboxDatabase) throws(StorageError) -> LaneState {
        guard let row = try database.lane(key, prefix: configuration.keyPrefix) else {
            return try stateWithoutDatabase()
        }
        let oldest = row.counters.queued > 0 ? try database.oldestRecord(of: key) : nil
        return row.state(configuration, oldestOccurredAt: oldest?.occurredAt, in: database)
    }

    /// The lane as the backups alone know it.
    private func stateWithoutDatabase() throws(StorageError) -> LaneState {
        var state = LaneState.empty
        state.consent = configuration.initialConsent ?? .granted
        // What the backups know of is yet to be done to the database.
        state.isAwaitingDisk = stage.withLock(\.isBehind)
        guard let backup else { return state }
        let now = configuration.wallClock()
        state.consent = try backup.consent ?? state.consent
        state.generation = Generation(max(1, try backup.generation))
        state.lastSequence = try backup.reserved
        state.entry = GenerationEntry(
            session: backedUpValue(.sessionID, at: now).flatMap(SessionID.init),
            device: backedUpValue(.deviceID, at: now).flatMap(DeviceID.init),
            identifyID: backedUpValue(.identifyID, at: now).flatMap(UserID.init)
        )
        return state
    }

    private var backup: BackupFiles? { folder.map { BackupFiles($0, configuration.lane) } }

    private func backedUpValue(_ key: StoredKey, at now: Timestamp) -> String? {
        guard let backup else { return nil }
        // An unreadable value counts as absent.
        guard let generation = try? key.scope == .lane ? backup.generation : backup.tenantGeneration,
            case .value(let value)? = try? backup.files(key.scope).state(for: configuration.keyPrefix + key.name),
            value.generation == generation, value.expires > now
        else { return nil }
        return value.text
    }
}
