import TrackerModels
import TrackerPlatform

/// A database that is open, and the lane that was found in it.
struct WatchedLane {
    let database: OutboxDatabase
    /// The lane's rows; if they were deleted, the next transaction makes new ones.
    var key: RowKey
    let state: LaneState
    let origin: AccountOrigin
    /// How many records were moved here from other lanes.
    let movedRecords: Int
    /// The recovery of a damaged database, if there was one.
    let recovery: DatabaseRecovery?
    /// What else is to be reported.
    let events: [OutboxEvent]
    /// Whether opening it has changed values, whose backups must follow.
    let changesValues: Bool
    /// What is left of an erasure.
    let erasure: Erasure?
    /// The files as they were opened.
    fileprivate let files: DatabaseFiles?
}

/// A lane's database: opens it, watches that its path still leads to it, and recovers it from damage.
///
/// All of it happens under the writers' lock.
struct WatchedDatabase: ~Copyable {
    private let configuration: OutboxConfiguration
    /// Where; `nil` for memory.
    private let folder: StateFolder?
    /// The connection that reads, which must not outlive a database that is set aside.
    private let reader: ReadingConnection?
    private let run: Int64
    /// What the disk has refused of the tenant.
    private let log: UnwrittenLog
    /// Shows other processes that the lane is open.
    private var presence: OpenMark?
    private var offersUnbound = false
    /// The database, while it is open.
    private(set) var lane: WatchedLane?
    /// Counts the databases that were opened: records of an earlier one mean nothing in the next.
    private(set) var count = 0
    /// A recovery whose new database could not be opened yet, and how many records of this lane it has lost.
    private var pending: (recovery: DatabaseRecovery, lostHere: Int)?
    private var refusals = RefusalWatch()
    /// Whether records of other lanes have not been moved here yet.
    private var isTransferDue = true
    /// The last change that the disk had refused when this run began.
    let changesBefore: Int

    /// Names what is to be opened.
    ///
    /// - Parameter run: Names this run of the outbox.
    init(
        _ configuration: OutboxConfiguration, folder: StateFolder?, reader: ReadingConnection?, run: Int64,
        log: UnwrittenLog
    ) {
        self.log = log
        changesBefore = log.lastNumber
        self.configuration = configuration
        self.folder = folder
        self.reader = reader
        self.run = run
        guard let folder else { return }
        presence = OpenMark(folder, configuration.lane)
    }

    /// Where it is while no outbox has it open; `nil` for a folder.
    private var memory: MemoryDatabase? {
        if case .memory(let memory) = configuration.location { memory } else { nil }
    }

    private var backup: BackupFiles? { folder.map { BackupFiles($0, configuration.lane) } }

    /// Whether the path still leads to the database that was opened.
    var isCurrent: Bool {
        get throws(StorageError) {
            guard let lane else { return false }
            return try files() == lane.files
        }
    }

    /// The lane in the database that the path leads to now, which is opened or made if need be. One that is damaged is
    /// set aside first.
    ///
    /// - Parameter seen: The lane as this run has last seen it.
    mutating func current(after seen: LaneState) throws(StorageError) -> WatchedLane {
        if let lane, try isCurrent, !isTransferDue || isTransferHeldBack { return lane }
        close()
        try folder?.make()
        if !offersUnbound { presence?.show() }
        let opened = try open(after: count > 0 ? seen : nil)
        lane = opened
        count += 1
        return opened
    }

    /// The lane has other rows now.
    mutating func rename(_ key: RowKey) {
        guard let lane, lane.key != key else { return }
        self.lane?.key = key
        reader?.close()
    }

    mutating func close() {
        if let lane { memory?.give(lane.database) }
        lane = nil
        reader?.close()
    }

    /// Whether another opening is to move records here, though the lane is open already.
    var owesTransfer: Bool { isTransferDue && count > 0 }

    /// Whether changes that wait for the disk come before the move: a reset of another lane may be about to drop its records,
    /// and a delivery names them by numbers. This lane's own changes of this run come after it.
    private var isTransferHeldBack: Bool { log.isWaiting(through: changesBefore, orBesides: configuration.lane) }

    /// Leaves records of other lanes where they are.
    mutating func cancelTransfer() { isTransferDue = false }

    /// Closes the connection that reads; the next read opens it again.
    func closeReader() { reader?.close() }

    /// Lets other lanes of the tenant take records over, or keeps them from it again.
    mutating func setOffersUnbound(_ offers: Bool) {
        offersUnbound = offers
        if offers { presence?.hide() } else if lane != nil { presence?.show() }
    }

    /// Reacts to damage.
    ///
    /// The first time, it opens the same files again, since a log that was cut short can be read then. The next time, it
    /// sets the database aside.
    ///
    /// - Parameter seen: The lane as this run has last seen it.
    mutating func recover(after seen: LaneState, isFirst: Bool) throws(StorageError) {
        let isReplaced = try !isCurrent
        close()
        if isFirst || isReplaced { return }
        try replaceDamaged(after: count > 0 ? seen : nil)
    }

    /// Finds out whether damage is why a write has failed.
    ///
    /// For example, SQLite reports a broken list of free pages as a full disk.
    ///
    /// - Returns: The failure, or the damage.
    func diagnose(_ failure: StorageError) -> StorageError {
        guard [.full, .failed, .refused].contains(failure.kind), let lane else { return failure }
        return Self.diagnose(failure, lane.database, lane.key)
    }

    private static func diagnose(_ failure: StorageError, _ database: OutboxDatabase, _ key: RowKey?) -> StorageError {
        do throws(StorageError) {
            try database.inspect(key)
            return failure
        } catch {
            return error.kind == .corrupt ? error : failure
        }
    }

    /// Finds out whether damage is why a database that cannot be opened refuses a row.
    private func diagnose(opening failure: StorageError) -> StorageError {
        guard failure.kind == .refused, let folder,
            // Without the tables there is another failure than this.
            let database = try? OutboxDatabase(Connection(folder.database, .readWrite))
        else { return failure }
        return Self.diagnose(failure, database, nil)
    }

    /// Records that no loss of power can take back the sequence numbers given so far.
    ///
    /// If it fails, the next start of the machine skips some numbers, which is no harm.
    func markClosed() {
        guard folder != nil, let lane, (try? isCurrent) == true else { return }
        try? lane.database.connection.execute("PRAGMA synchronous=FULL")
        try? lane.database.writing { () throws(StorageError) in
            try lane.database.checkVersion()
            try lane.database.markClosed(lane.key)
        }
    }

    private mutating func open(after seen: LaneState?) throws(StorageError) -> WatchedLane {
        if let folder, try DamagedFiles(folder).hasDamagedCopy() { try rebuild(after: seen) }
        do throws(StorageError) {
            return try openDatabase(after: seen)
        } catch {
            let error = diagnose(opening: error)
            guard folder != nil, error.kind == .corrupt else { throw error }
            try replaceDamaged(after: seen)
            return try openDatabase(after: seen)
        }
    }

    /// Sets the database aside and builds another from what can be read of it. No connection to it may be open.
    private mutating func replaceDamaged(after seen: LaneState?) throws(StorageError) {
        guard let folder else { return }
        try DamagedFiles(folder).moveDamaged()
        try rebuild(after: seen)
    }

    private mutating func rebuild(after seen: LaneState?) throws(StorageError) {
        guard let folder else { return }
        let files = DamagedFiles(folder)
        var count = RecoveredDatabase.Count()
        if try !files.hasDatabase() {
            try files.clearPlace()
            // If the lane was never seen, the number of its records is unknown.
            let queued = seen.map { [configuration.lane: $0.queuedRecords] } ?? [:]
            let now = configuration.wallClock()
            do throws(StorageError) {
                let givesUp = refusals.isForGood(try folder.refusal, at: now, MonotonicClock.now)
                count = try RecoveredDatabase(folder).build(expecting: queued, givesUp: givesUp)
            } catch {
                if error.kind == .unreadable {
                    folder.rememberRefusal(at: now)
                    _ = refusals.isForGood(try folder.refusal, at: now, MonotonicClock.now)
                }
                throw error
            }
            try files.placeNew()
        }
        try folder.forgetRefusal()
        let name = try files.setDamagedCopyAside()
        let recovery = DatabaseRecovery(setAside: name, carriedOver: count.carriedOver, lost: count.lost)
        pending = (recovery, count.lostByLane[configuration.lane] ?? 0)
    }

    /// Opens the file, and makes the tables that are missing.
    private func connect() throws(StorageError) -> (database: OutboxDatabase, isNew: Bool) {
        if let database = memory?.take() { return (database, false) }
        let connection = try Connection(folder?.database ?? Connection.memory, .create)
        if let folder {
            // The file may come from another program.
            unsafe chmod(folder.database, 0o600)
            // SQLite's own error would not name the file.
            for path in [folder.database, folder.path] where unsafe access(path, W_OK) != 0 {
                throw StorageError(errno: errno, "write", path)
            }
        }
        // A database of a newer library is not touched.
        _ = try Schema.currentVersion(connection)
        try Schema.configure(connection, durability: configuration.durability)
        let isNew = try Schema.migrate(connection)
        return (try OutboxDatabase(connection), isNew)
    }

    private mutating func openDatabase(after seen: LaneState?) throws(StorageError) -> WatchedLane {
        let (database, isNew) = try connect()
        // If another database was open before, or backups of one exist, a new database means that the old one was removed.
        let isReplacement = isNew && pending == nil
        var opened: (summary: OutboxTransaction.Summary, origin: AccountOrigin)?
        var transfer: RecordTransfer?
        defer { transfer?.end() }
        // A move raises another lane's generation. Its backup would have the records taken for reset if the move were lost.
        let own = try database.key(of: configuration.lane) ?? RowKey(lane: 0, tenant: 0)
        let mayMove = try database.lanes(besides: own).contains { other in
            other.records > 0 && configuration.bindsSessions && other.identity.owner == configuration.lane.owner
        }
        let isLasting = mayMove && folder != nil && configuration.durability == .process
        if isLasting { try database.connection.execute("PRAGMA synchronous=FULL") }
        defer { if isLasting { try? database.connection.execute("PRAGMA synchronous=NORMAL") } }
        try database.writing { () throws(StorageError) in
            if isNew, let folder {
                for (identity, recovered) in try folder.backedUpLanes() {
                    _ = try database.makeLane(identity, recovered)
                }
            }
            let preparation = RowPreparation(database, configuration, backup: backup)
            let unread = try folder.map { (folder) throws(StorageError) in
                try CatchUp(database, folder, for: configuration.lane).run()
            }
            let row = try preparation.lane(after: seen?.lastSequence ?? 0)
            var transaction = try OutboxTransaction(
                database, configuration, row: row, now: configuration.wallClock(), run: run
            )
            try transaction.queue.audit()
            if isReplacement, let seen { transaction.queue.lose(seen.queuedRecords) }
            try preparation.heal(&transaction)
            try transaction.reconcile()
            try transaction.catchUp(with: folder?.forgottenList)
            if isTransferDue, !isTransferHeldBack {
                transfer = RecordTransfer(database, configuration, folder, excluding: unread ?? [])
                try transfer?.run(&transaction)
            }
            try transaction.queue.evict()
            try transaction.queue.boundRefused()
            let origin = try transaction.queue.origin()
            let summary = try transaction.finish()
            // Records that have moved here have numbers already.
            if let transfer, transfer.hasMoved { _ = backup?.reserve(summary.row.reserved) }
            opened = (summary, origin)
        }
        guard let (summary, found) = opened else { throw StorageError(.failed, "The lane cannot be opened") }
        if transfer != nil { isTransferDue = false }
        // This also makes a backup good that is damaged or missing. If it fails, the backups that follow report it.
        _ = backup?.reserve(summary.row.reserved)
        var events: [OutboxEvent] = []
        if let pending, pending.lostHere > 0 { events.append(.dropped([], count: pending.lostHere, .lost)) }
        if isReplacement, let seen, seen.queuedRecords > 0 { events.append(.replaced(lost: seen.queuedRecords)) }
        if isReplacement, seen == nil, let backup, try backup.laneNumber > 0 { events.append(.replaced(lost: nil)) }
        var origin = found
        origin.find(pending?.lostHere ?? 0)
        defer { pending = nil }
        return WatchedLane(
            database: database, key: summary.row.key, state: summary.state, origin: origin,
            movedRecords: transfer?.count ?? 0, recovery: pending?.recovery, events: events + summary.dropped,
            changesValues: summary.changesValues,
            erasure: try erasure(in: database),
            files: try files()
        )
    }

    /// What is left of an erasure, by the database or else by the file that says so too.
    private func erasure(in database: OutboxDatabase) throws(StorageError) -> Erasure? {
        if let left = try Erasure.left(in: database) { return left }
        return try folder?.remembersErasure() == true ? .everything : nil
    }

    /// The files that the paths lead to now.
    private func files() throws(StorageError) -> DatabaseFiles? {
        guard let folder else { return nil }
        return try DatabaseFiles(folder)
    }
}

/// Which files a database consists of, to notice when their paths have come to lead to others.
private struct DatabaseFiles: Hashable {
    private let database: FileIdentity?
    private let log: FileIdentity?

    /// Looks at the files as they are now.
    init(_ folder: StateFolder) throws(StorageError) {
        database = try FileIdentity(ofPath: folder.database)
        log = try FileIdentity(ofPath: folder.log)
    }
}
