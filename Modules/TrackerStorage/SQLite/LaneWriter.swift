import TrackerModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Commits groups of tasks to a lane, and holds in memory what the disk refuses.
///
/// Writers of all processes queue on one lock. Under it, each checks that the database is still the one it opened:
/// before a transaction, and again before it answers. A commit to a file that was set aside or removed would be lost
/// without an error.
struct LaneWriter: ~Copyable {
    /// The result of a group of tasks.
    struct Outcome: Sendable {
        /// The result of each task, in order.
        var results: [ChangeResult] = []
        /// The events to report.
        var events: [OutboxEvent] = []
        /// Records that have left the queue on disk as well.
        var settled: [Record.ID] = []
        /// Whether something was written, so that the disk works.
        var hasWritten = false
        /// Values have changed, and their backups must follow.
        var changesValues = false
    }

    /// How many microseconds the writer sleeps between two steps of an erasure, so that other processes get the lock.
    private static let pauseInErasure: UInt32 = 1_000

    let configuration: OutboxConfiguration
    /// Where; `nil` for memory.
    let folder: StateFolder?
    private let backup: LaneBackup?
    /// Names this run of the outbox in its records.
    private let run: Int64
    private let reader: LaneReader?
    private var lock: WriterLock?
    /// Tells other processes that the lane is open.
    var presence: LanePresence?
    private var opener: DatabaseOpener
    /// The database, while it is open.
    private var lane: OpenedLane?
    /// The rest of an erasure: until it is done, a file may still hold deleted data.
    var erasure: Erasure?
    /// Whether to continue the erasure at once, or only with the next retry, since it can take long.
    var erasesNow = false
    /// The lane as it was last seen on disk.
    private var known = LaneState.empty
    /// When the account begins.
    private(set) var origin = LaneOrigin()
    /// Counts the databases that were opened: records of an earlier one mean nothing in the next.
    private(set) var databaseCount = 0
    /// What opening has found and is not reported yet.
    private var findings: [OutboxEvent] = []
    /// How many bytes were deleted since the database last shrank.
    var freedBytes = 0
    /// What the disk has refused.
    private(set) var held = UnwrittenChanges()
    /// Why the disk refuses writes; it was reported.
    private(set) var failure: StorageError?

    /// Names what is written; nothing is opened.
    ///
    /// - Parameter reader: The connection that reads, which must not outlive a database that is set aside.
    init(_ configuration: OutboxConfiguration, folder: StateFolder?, reader: LaneReader?, run: Int64) {
        self.configuration = configuration
        self.folder = folder
        self.reader = reader
        self.run = run
        backup = folder.map { LaneBackup($0, configuration.lane) }
        opener = DatabaseOpener(configuration, folder: folder, run: run)
        guard let folder else { return }
        lock = WriterLock(folder)
        presence = LanePresence(folder, configuration.lane)
    }

    /// Whether something is to be tried again before long, even without a call.
    var needsRetry: Bool { !held.isEmpty || erasure != nil }

    /// The database, while it is open.
    var database: LaneDatabase? { lane?.database }

    /// Opens or makes the database, and the lane in it.
    mutating func open() throws(StorageError) -> Opening {
        known.consent = backup?.consent ?? configuration.initialConsent ?? .granted
        try folder?.make()
        do throws(StorageError) {
            let lane = try locked { (writer) throws(StorageError) in try writer.openLane() }
            // The opening reports it.
            findings.removeAll { if case .databaseRecovered = $0 { true } else { false } }
            return Opening(state: known, movedRecords: lane.movedRecords, recovery: lane.recovery)
        } catch {
            guard error.kind == .full || error.kind == .readOnly else { throw error }
            failure = error
            return Opening(state: known, writeFailure: error)
        }
    }

    /// Commits a group of tasks as a whole, after the changes that the disk refused before.
    mutating func commit(_ tasks: [LaneTask]) -> Outcome {
        var outcome = Outcome()
        do throws(StorageError) {
            try locked { (writer) throws(StorageError) in try writer.write(tasks, &outcome) }
            if failure != nil, outcome.hasWritten {
                outcome.events.append(.recovered)
                failure = nil
            }
        } catch {
            refuse(tasks, error, &outcome)
        }
        finishErasure(tasks, &outcome)
        outcome.events = takeFindings() + outcome.events
        return outcome
    }

    /// Gives what opening has found, once.
    mutating func takeFindings() -> [OutboxEvent] {
        defer { findings = [] }
        return findings
    }

    /// Reads within the writer's own connection, which is the only one to a database in memory.
    func read<Result: Sendable>(
        _ body: @Sendable (LaneDatabase, LaneKey) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        guard let lane else { return nil }
        return try lane.database.reading { () throws(StorageError) in try body(lane.database, lane.key) }
    }

    /// Closes everything.
    mutating func close() {
        markClosed()
        presence = nil
        closeDatabase()
        lock = nil
    }

    /// Records that no loss of power can take back the sequence numbers given so far.
    ///
    /// A process that writes at this moment has the lane's database open and closes it later, or writes another lane.
    private mutating func markClosed() {
        guard folder != nil, let lane, lock?.takeIfFree() == true else { return }
        defer { lock?.giveUp() }
        guard opener.isCurrent(lane) else { return }
        // If this fails, the next start of the machine skips some numbers, which is no harm.
        try? lane.database.connection.execute("PRAGMA synchronous=FULL")
        try? lane.database.writing { () throws(StorageError) in
            try lane.database.checkVersion()
            try lane.database.lanes.close(lane.key)
        }
    }

    /// Runs `body` as the only writer over all processes.
    private mutating func locked<Result>(
        _ body: (inout LaneWriter) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try lock?.take()
        defer { lock?.giveUp() }
        return try body(&self)
    }

    /// The lane in the database that the path leads to now.
    private mutating func currentLane() throws(StorageError) -> OpenedLane {
        if let lane, opener.isCurrent(lane) { return lane }
        closeDatabase()
        return try openLane()
    }

    private mutating func openLane() throws(StorageError) -> OpenedLane {
        try folder?.make()
        presence?.show()
        let opened = try opener.open(after: databaseCount > 0 ? known : nil)
        lane = opened
        known = opened.state
        origin = opened.origin
        databaseCount += 1
        erasure = opened.erasure
        erasesNow = erasure != nil
        freedBytes = Self.shrinkingThreshold
        findings += (opened.recovery.map { [.databaseRecovered($0)] } ?? []) + opened.events
        return opened
    }

    /// Closes both connections.
    private mutating func closeDatabase() {
        lane = nil
        reader?.close()
    }

    private mutating func write(_ tasks: [LaneTask], _ outcome: inout Outcome) throws(StorageError) {
        if !held.isEmpty {
            let late = held
            _ = try perform(&outcome, isLasting: true) { row in late.changes(at: row.generation).map(LaneTask.change) }
            held = UnwrittenChanges()
        }
        let effects = try perform(&outcome, isLasting: tasks.contains(where: \.isLasting)) { _ in tasks }
        outcome.results = effects.map { $0.result(known) }
        if !erasesNow { shrink() }
    }

    /// Continues an erasure that is due, and lets other processes write between its steps.
    private mutating func finishErasure(_ tasks: [LaneTask], _ outcome: inout Outcome) {
        guard erasesNow || tasks.isEmpty else { return }
        erasesNow = false
        do throws(StorageError) {
            while erasure != nil {
                // `flock` serves no queue: a process that releases the lock and takes it again at once is mostly faster
                // than those it has woken. So this one, on the queue of the writer alone, waits a moment.
                usleep(Self.pauseInErasure)
                try locked { (writer) throws(StorageError) in
                    let count = writer.databaseCount
                    let lane = try writer.currentLane()
                    // The process that put another database in place has set the old one aside.
                    if writer.databaseCount != count { writer.erasure = .whole }
                    try writer.erase(lane.database, isRetry: tasks.isEmpty)
                }
            }
            erasesNow = false
        } catch {
            // The deletion has taken effect, but is answered only once no file holds the deleted data.
            for (index, task) in tasks.enumerated() where task.erases { outcome.results[index] = .failed(error) }
        }
    }

    /// Runs tasks in a transaction on the database that the path leads to, however often that takes.
    private mutating func perform(
        _ outcome: inout Outcome, isLasting: Bool, _ tasks: (LaneRow) -> [LaneTask]
    ) throws(StorageError) -> [LaneTransaction.Effect] {
        var troubles = 0
        while true {
            do throws(StorageError) {
                let lane = try currentLane()
                var attempt = outcome
                let before = known
                let effects = try transact(tasks, isLasting: isLasting, lane, &attempt)
                guard opener.isCurrent(lane) else {
                    // The tasks are applied again, in the database that the path leads to now.
                    known = before
                    closeDatabase()
                    troubles += 1
                    guard troubles < 4 else { throw StorageError(.failed, "The database is replaced again and again") }
                    continue
                }
                outcome = attempt
                return effects
            } catch {
                troubles += 1
                let error = diagnose(error)
                guard error.kind == .corrupt, folder != nil, troubles < 4 else { throw error }
                try recover(isFirst: troubles == 1)
            }
        }
    }

    /// Reacts to damage.
    ///
    /// The first time, it opens the same files again, since a log that was cut short can be read then. The next time, it
    /// sets the database aside.
    private mutating func recover(isFirst: Bool) throws(StorageError) {
        let isReplaced = lane.map { !opener.isCurrent($0) } ?? true
        closeDatabase()
        if isFirst || isReplaced { return }
        try opener.replaceDamaged(after: databaseCount > 0 ? known : nil)
    }

    /// Finds out, at the first failure of the disk, whether damage is its cause.
    ///
    /// For example, SQLite reports a broken list of free pages as a full disk.
    private func diagnose(_ failure: StorageError) -> StorageError {
        guard failure.kind == .full || failure.kind == .failed, self.failure == nil, let lane else {
            return failure
        }
        do throws(StorageError) {
            try lane.database.inspect(lane.key)
            return failure
        } catch {
            return error.kind == .corrupt ? error : failure
        }
    }

    /// Runs one transaction.
    private mutating func transact(
        _ choose: (LaneRow) -> [LaneTask], isLasting: Bool, _ lane: OpenedLane, _ outcome: inout Outcome
    ) throws(StorageError) -> [LaneTransaction.Effect] {
        let database = lane.database
        var effects: [LaneTransaction.Effect] = []
        var tasks: [LaneTask] = []
        var summary: LaneTransaction.Summary?
        let changes = database.connection.changes
        // What a reset or a denial erases must be gone for good, even after a loss of power.
        let isLasting = isLasting && configuration.durability == .process
        if isLasting { try database.connection.execute("PRAGMA synchronous=FULL") }
        defer { if isLasting { try? database.connection.execute("PRAGMA synchronous=NORMAL") } }
        try database.writing { () throws(StorageError) in
            try database.checkVersion()
            let preparation = LanePreparation(database, configuration, backup: backup)
            var row = try database.lanes.load(lane.key, prefix: configuration.keyPrefix)
            if row == nil { row = try preparation.lane(after: known.lastSequence) }
            guard let row else { return }
            var transaction = try LaneTransaction(
                database, configuration, row: row, now: configuration.wallClock(), run: run
            )
            tasks = choose(row)
            effects.reserveCapacity(tasks.count)
            for task in tasks { effects.append(try perform(task, &transaction, preparation)) }
            summary = try transaction.finish()
            if let error = backup?.reserve(summary?.reserved) { outcome.events.append(.backupFailed(error)) }
        }
        guard let summary else { throw StorageError(.failed, "The lane cannot be read") }
        keep(summary, &outcome)
        outcome.hasWritten = outcome.hasWritten || database.connection.changes != changes
        for task in tasks { outcome.settled += task.settledRecords }
        return effects
    }

    /// Keeps the lane as the transaction has left it.
    private mutating func keep(_ summary: LaneTransaction.Summary, _ outcome: inout Outcome) {
        known = summary.state
        freedBytes += summary.freedBytes
        outcome.events += summary.dropped
        outcome.changesValues = outcome.changesValues || summary.changesValues
        if summary.erases { erasure = .whole }
        erasesNow = erasesNow || summary.erases
        guard let lane, lane.key != summary.row.key else { return }
        self.lane?.key = summary.row.key
        reader?.close()
    }

    private func perform(
        _ task: LaneTask, _ transaction: inout LaneTransaction, _ preparation: LanePreparation
    ) throws(StorageError) -> LaneTransaction.Effect {
        switch task {
        case .change(let change): return try transaction.apply(change)
        case .heal(let key): try preparation.heal(key, &transaction)
        case .lose(let records): try transaction.drop(records, .lost)
        case .inspect:
            try transaction.database.inspect(transaction.row.key)
            // The database is sound: the reader has seen something else.
            reader?.close()
        }
        return .done
    }

    /// Answers a group that the disk has refused, and keeps the changes that must not be lost.
    private mutating func refuse(_ tasks: [LaneTask], _ error: StorageError, _ outcome: inout Outcome) {
        if failure == nil { outcome.events.append(.writeFailed(error)) }
        failure = error
        outcome.results = tasks.map { task in
            guard case .change(let change) = task else {
                // Records that cannot be read are found again by the next peek.
                outcome.settled += task.settledRecords
                return .failed(error)
            }
            switch change {
            case .append, .continueSession, .set:
                return .refused(held.state(over: known).consent == .denied ? .trackingNotAllowed : .storage)
            default:
                held.hold(change, over: known)
                return .failed(error)
            }
        }
    }
}

extension LaneTransaction.Effect {
    /// The answer to a caller; `state` is the lane after the transaction.
    fileprivate func result(_ state: LaneState) -> ChangeResult {
        switch self {
        case .done: .done(state)
        case .queued(let id): .queued(id, state)
        case .pending(let id): .pending(id, state)
        case .repeated: .repeated(state)
        case .refused(let reason): .refused(reason)
        }
    }
}
