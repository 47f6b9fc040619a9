import TrackerModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The connection that writes, and what memory holds for it.
///
/// Writers of all processes queue on one lock, and look under it whether the database is still the one they opened.
struct LaneWriter: ~Copyable {
    /// What a group of tasks came to.
    struct Outcome: Sendable {
        /// What each task came to, in order.
        var results: [ChangeResult] = []
        /// What happened besides.
        var events: [OutboxEvent] = []
        /// Records that are settled on disk as well as in memory.
        var settled: [Record.ID] = []
        /// Values have changed, and their backups must follow.
        var changesValues = false
    }

    private let configuration: OutboxConfiguration
    private let folder: StateFolder?
    private let backup: LaneBackup?
    /// Names this run of the outbox in its records.
    private let run: Int64
    private var lock: FileLock?
    private var database: LaneDatabase?
    private var key: LaneKey?
    /// The files as they were opened.
    private var files: DatabaseFiles?
    /// Whether it was told that the disk refuses.
    private var hasFailed = false
    /// Whether something that was deleted may still be found in a file.
    private var mustErase = false
    /// The lane as it was last seen on disk.
    private(set) var known = LaneState.empty
    /// When the account begins.
    private(set) var origin = LaneOrigin()
    /// What the disk has refused.
    private(set) var held = HeldChanges()

    /// Names what is written; nothing is opened.
    ///
    /// - Parameter folder: Where; `nil` for memory.
    init(_ configuration: OutboxConfiguration, folder: StateFolder?, run: Int64) {
        self.configuration = configuration
        self.folder = folder
        self.run = run
        backup = folder.map { LaneBackup($0, configuration.lane) }
    }

    /// Whether something is to be tried again before long, even if nobody asks.
    var needsRetry: Bool { held.isAwaitingDisk || mustErase }

    /// Opens or makes the database, and the lane in it.
    mutating func open() throws(StorageError) -> Opening {
        known.consent = backup?.consent ?? configuration.initialConsent ?? .granted
        try folder?.make()
        do throws(StorageError) {
            try locked { (writer) throws(StorageError) in try writer.openDatabase() }
            return Opening(state: known)
        } catch {
            guard error.kind == .full || error.kind == .readOnly else { throw error }
            hasFailed = true
            return Opening(state: known, writeFailure: error)
        }
    }

    /// Has a group of tasks take effect as a whole, after whatever the disk has refused before.
    mutating func commit(_ tasks: [LaneTask]) -> Outcome {
        var outcome = Outcome()
        do throws(StorageError) {
            try locked { (writer) throws(StorageError) in try writer.write(tasks, &outcome) }
            if hasFailed { outcome.events.append(.recovered) }
            hasFailed = false
        } catch {
            refuse(tasks, error, &outcome)
        }
        return outcome
    }

    /// Reads within the writer's own connection, which is the only one to a database in memory.
    func read<Result>(
        _ body: @Sendable (LaneDatabase, LaneKey) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        guard let database, let key else { return nil }
        return try database.reading { () throws(StorageError) in try body(database, key) }
    }

    /// Closes the database.
    mutating func close() {
        database = nil
        key = nil
        files = nil
        lock = nil
    }

    // MARK: - Under the lock

    /// Runs `body` as the only writer over all processes.
    ///
    /// The wait has no end of its own: it ends when those before have committed or died, and whoever asked is free
    /// meanwhile.
    private mutating func locked(
        _ body: (inout LaneWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let folder else { return try body(&self) }
        if lock?.isCurrent != true {
            try folder.make()
            lock = try FileLock(folder.writerLock)
        }
        try lock?.lock()
        defer { lock?.unlock() }
        try body(&self)
    }

    private mutating func openDatabase() throws(StorageError) {
        let connection = try Connection(folder?.database ?? ":memory:", .create)
        if let folder { unsafe chmod(folder.database, 0o600) }
        try Schema.configure(connection, durability: configuration.durability)
        _ = try Schema.migrate(connection)
        let database = try LaneDatabase(connection)
        var summary: LaneTransaction.Summary?
        try database.writing { () throws(StorageError) in
            let preparation = LanePreparation(database, configuration, backup: backup)
            var transaction = try LaneTransaction(
                database, configuration, row: preparation.lane(), now: configuration.wallClock(), run: run
            )
            try preparation.heal(&transaction)
            try transaction.evict()
            summary = try transaction.finish()
        }
        guard let summary else { return }
        let row = summary.row
        origin = LaneOrigin(books: row.books, recovered: row.books.queued)
        origin.books.dropped = try database.lanes.dropped(row.key)
        known = summary.state
        key = row.key
        mustErase = try database.connection.number("SELECT value FROM meta WHERE name = 'erase'") != nil
        self.database = database
        files = folder.map(DatabaseFiles.init)
    }

    private mutating func write(_ tasks: [LaneTask], _ outcome: inout Outcome) throws(StorageError) {
        let database = try currentDatabase()
        if !held.isEmpty {
            let late = held.changes(at: known.generation).map(LaneTask.change)
            _ = try transact(late, database, &outcome)
            held = HeldChanges()
        }
        let effects = try transact(tasks, database, &outcome)
        outcome.results = effects.map { $0.result(known) }
    }

    /// The database that the path leads to now.
    private mutating func currentDatabase() throws(StorageError) -> LaneDatabase {
        if let database, folder.map(DatabaseFiles.init) == files { return database }
        close(keepingLock: true)
        try openDatabase()
        guard let database else { throw StorageError(.open, "The database cannot be opened") }
        return database
    }

    private mutating func close(keepingLock: Bool) {
        database = nil
        key = nil
        files = nil
    }

    /// Runs one transaction.
    private mutating func transact(
        _ tasks: [LaneTask], _ database: LaneDatabase, _ outcome: inout Outcome
    ) throws(StorageError) -> [LaneTransaction.Effect] {
        guard let key else { throw StorageError(.open, "The lane has no row") }
        var effects: [LaneTransaction.Effect] = []
        effects.reserveCapacity(tasks.count)
        var summary: LaneTransaction.Summary?
        try database.writing { () throws(StorageError) in
            let preparation = LanePreparation(database, configuration, backup: backup)
            let name = configuration.keyPrefix + StoredKey.sessionID.name
            var row = try database.lanes.load(key, sessionKey: name)
            if row == nil { row = try preparation.lane() }
            guard let row else { return }
            var transaction = try LaneTransaction(
                database, configuration, row: row, now: configuration.wallClock(), run: run
            )
            for task in tasks {
                switch task {
                case .change(let change): effects.append(try transaction.apply(change))
                case .heal(let key):
                    try preparation.heal(key, &transaction)
                    effects.append(.done)
                }
            }
            let finished = try transaction.finish()
            if finished.erases { try database.connection.execute("INSERT OR REPLACE INTO meta VALUES('erase', 1)") }
            if let reserved = finished.reserved, let backup {
                do throws(StorageError) {
                    try backup.lane.save(String(reserved), .sequence)
                } catch {
                    outcome.events.append(.backupFailed(error))
                }
            }
            summary = finished
        }
        guard let summary else { throw StorageError(.failed, "The lane cannot be read") }
        known = summary.state
        outcome.events += summary.dropped
        outcome.changesValues = outcome.changesValues || summary.changesValues
        mustErase = mustErase || summary.erases
        for case .change(let change) in tasks { outcome.settled += change.settledRecords }
        return effects
    }

    /// Answers a group that the disk has refused, and holds what must not be lost.
    private mutating func refuse(_ tasks: [LaneTask], _ error: StorageError, _ outcome: inout Outcome) {
        if !hasFailed { outcome.events.append(.writeFailed(error)) }
        hasFailed = true
        outcome.results = tasks.map { task in
            guard case .change(let change) = task else { return .failed(error) }
            if case .append = change {
                return .refused(held.state(over: known).consent == .denied ? .trackingNotAllowed : .storage)
            }
            held.hold(change, over: known)
            return .failed(error)
        }
    }
}

extension LaneChange {
    /// The records that the change settles, whatever the disk says.
    var settledRecords: [Record.ID] {
        switch self {
        case .delivered(let ids, _), .drop(let ids, _): ids
        default: []
        }
    }
}

extension LaneTransaction.Effect {
    /// What a caller is told, in a lane that the transaction left in `state`.
    fileprivate func result(_ state: LaneState) -> ChangeResult {
        switch self {
        case .done: .done(state)
        case .queued(let id): .queued(id, state)
        case .pending(let id): .pending(id, state)
        case .refused(let reason): .refused(reason)
        }
    }
}
