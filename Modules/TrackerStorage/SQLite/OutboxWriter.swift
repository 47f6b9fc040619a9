import TrackerModels

/// Commits groups of tasks to a lane, and holds in memory what the disk refuses.
///
/// Writers of all processes queue on one lock. Under it, each checks that the database is still the one it opened:
/// before a transaction, and again before it answers. A commit to a file that was set aside or removed would be lost
/// without an error.
struct OutboxWriter: ~Copyable {
    /// The result of a group of tasks.
    struct Outcome: Sendable {
        /// What became of each entry of the group, in order.
        var effects: [ChangeResult.Effect] = []
        /// The lane after the transaction; `nil`: there was none.
        var lane: LaneState?
        var events: [OutboxEvent] = []
        /// Records that have left the queue on disk as well.
        var settled: [Record.ID] = []
        /// Whether something was written, so that the disk works.
        var hasWritten = false
        /// Values have changed, and their backups must follow.
        var changesValues = false
    }

    let configuration: OutboxConfiguration
    /// Where; `nil` for memory.
    let folder: StateFolder?
    private let backup: BackupFiles?
    /// Names this run of the outbox in its records.
    private let run: Int64
    private var lock: WriterLock?
    var database: WatchedDatabase
    /// The rest of an erasure: until it is done, a file may still hold deleted data.
    var erasure: Erasure?
    /// Whether to continue the erasure at once, or only with the next retry, since it can take long.
    var erasesNow = false
    /// Why the erasure is not complete.
    var erasureFailure: StorageError?
    /// The lane as it was last seen on disk.
    private(set) var known = LaneState.empty
    private(set) var origin = AccountOrigin()
    /// What opening has found and is not reported yet.
    private var findings: [OutboxEvent] = []
    /// The end of the reserved sequence numbers that the backup is known to have.
    private var backedUp: Int64 = 0
    /// When what is kept apart was last looked through for what is too old.
    private var agedAt: Timestamp?
    /// How many bytes were deleted since the database last shrank.
    var freedBytes = 0
    /// What the disk has refused, of this outbox and others of the tenant.
    private let log: UnwrittenLog
    /// Why the disk refuses writes; it was reported.
    private(set) var failure: StorageError?
    /// How often everything refused had come to be on disk when it last failed.
    private var emptyingsBefore = 0
    /// What a later opening of the database has written.
    private var opening = (hasWritten: false, changesValues: false)

    /// Names what is written; nothing is opened.
    ///
    /// - Parameter reader: The connection that reads, which must not outlive a database that is set aside.
    init(
        _ configuration: OutboxConfiguration, folder: StateFolder?, reader: ReadingConnection?, run: Int64,
        log: UnwrittenLog
    ) {
        self.configuration = configuration
        self.log = log
        self.folder = folder
        self.run = run
        backup = folder.map { BackupFiles($0, configuration.lane) }
        database = WatchedDatabase(configuration, folder: folder, reader: reader, run: run, log: log)
        lock = folder.map { WriterLock($0) }
    }

    /// Whether something is to be tried again before long, even without a call.
    var needsRetry: Bool { !log.isEmpty || erasure != nil || isUnreadable || database.owesTransfer }

    /// Whether a damaged database waits until it can be read.
    var isUnreadable: Bool { failure?.kind == .unreadable }

    /// Opens or makes the database, and the lane in it.
    mutating func open() throws(StorageError) -> Opening {
        try folder?.make()
        known.consent = try backup?.consent ?? configuration.initialConsent ?? .granted
        do throws(StorageError) {
            let lane = try locked { (writer) throws(StorageError) in try writer.currentLane() }
            // The opening reports it.
            findings.removeAll {
                switch $0 {
                case .databaseRecovered, .recordsMoved: true
                default: false
                }
            }
            opening = (false, false)
            return Opening(state: shown, movedRecords: lane.movedRecords, recovery: lane.recovery)
        } catch {
            guard [.full, .readOnly, .unreadable].contains(error.kind) else { throw error }
            failure = error
            return Opening(state: shown, writeFailure: error)
        }
    }

    /// Commits a group as a whole, after the changes that the disk refused before.
    mutating func commit(_ group: StagedGroup) -> Outcome {
        var outcome = Outcome()
        do throws(StorageError) {
            try locked { (writer) throws(StorageError) in try writer.write(group, &outcome) }
            outcome.hasWritten = outcome.hasWritten || opening.hasWritten
            // If a damaged database was unreadable, another was written in its place.
            if failure != nil, outcome.hasWritten || isUnreadable {
                outcome.events.append(.recovered)
                failure = nil
            }
        } catch {
            refuse(group, error, &outcome)
        }
        finishErasure(group, &outcome)
        outcome.changesValues = outcome.changesValues || opening.changesValues
        opening = (false, false)
        outcome.events = takeFindings() + outcome.events
        return outcome
    }

    /// Lets other lanes of the tenant take records over that have no session, or keeps them from it again.
    mutating func setOffersUnbound(_ offers: Bool) {
        // A lane that takes records over does so under this lock.
        if (try? locked { $0.database.setOffersUnbound(offers) }) == nil { database.setOffersUnbound(offers) }
    }

    /// Another outbox has written what the disk had refused, so the disk works for this one too.
    ///
    /// - Returns: Whether this one did not know it yet.
    mutating func endFailure() -> Bool {
        guard failure != nil, !isUnreadable, log.emptyings > emptyingsBefore else { return false }
        failure = nil
        return true
    }

    /// Gives what opening has found, once.
    mutating func takeFindings() -> [OutboxEvent] {
        defer { findings = [] }
        return findings
    }

    /// Reads within the writer's own connection, which is the only one to a database in memory.
    func read<Result: Sendable>(
        _ body: @Sendable (OutboxDatabase, RowKey) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        guard let lane = database.lane else { return nil }
        return try lane.database.reading { () throws(StorageError) in try body(lane.database, lane.key) }
    }

    mutating func close() {
        // A process that writes at this moment has the lane's database open and closes it later, or writes another lane.
        if lock?.takeIfFree() == true {
            database.markClosed()
            lock?.giveUp()
        }
        database.setOffersUnbound(true)
        database.close()
        lock = nil
    }

    /// Runs `body` as the only writer over all processes.
    mutating func locked<Result>(
        _ body: (inout OutboxWriter) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try lock?.take()
        defer { lock?.giveUp() }
        return try body(&self)
    }

    /// The lane in the database that the path leads to now.
    mutating func currentLane() throws(StorageError) -> WatchedLane {
        let count = database.count
        let lane = try database.current(after: known)
        if database.count == count { return lane }
        known = lane.state
        origin = lane.origin
        backedUp = 0
        // If one was due already, another database is in place, and the old one may have been set aside meanwhile.
        erasure = [erasure.map { min($0, .whole) }, lane.erasure].compactMap(\.self).min()
        erasesNow = erasure != nil
        freedBytes = Self.shrinkingThreshold
        findings += (lane.recovery.map { [.databaseRecovered($0)] } ?? []) + lane.events
        if lane.movedRecords > 0 { findings.append(.recordsMoved(lane.movedRecords)) }
        opening.hasWritten = opening.hasWritten || lane.movedRecords > 0 || lane.changesValues
        opening.changesValues = opening.changesValues || lane.changesValues
        return lane
    }

    /// The lane with what the disk has refused.
    private var shown: LaneState { log.changes(of: configuration.lane).state(over: known) }

    private mutating func write(_ group: StagedGroup, _ outcome: inout Outcome) throws(StorageError) {
        while let late = log.first(splitAfter: database.changesBefore) {
            let isOwn = late.lane == configuration.lane
            let isKnown = isOwn ? true : try currentLane().database.key(of: late.lane) != nil
            _ = try perform(&outcome, isLasting: true, elsewhere: isKnown && !isOwn ? late.lane : nil) { row in
                // Of a lane that the database does not know nothing is left but what holds beyond it.
                StagedGroup(
                    late.entries.filter {
                        isKnown ? $0.applies(at: row.generation) : $0.change.traits.contains(.outlivesLane)
                    }
                    .map { StagedTask(task: .of($0.database, .change($0.change))) })
            }
            log.remove(late.entries)
            // What other lanes have from before a reset of this one does not follow it.
            if isOwn, late.isLater, late.entries.contains(where: { $0.change.traits.contains(.awaitsDisk) }) {
                database.cancelTransfer()
            }
        }
        outcome.effects = try perform(&outcome, isLasting: group.isLasting) { _ in group }
        outcome.lane = known
        if !erasesNow { shrink() }
    }

    /// Runs tasks in a transaction on the database that the path leads to, however often that takes.
    ///
    /// - Parameter elsewhere: The lane that they change; `nil`: this one.
    private mutating func perform(
        _ outcome: inout Outcome, isLasting: Bool, elsewhere: LaneIdentity? = nil, _ choose: (LaneRow) -> StagedGroup
    ) throws(StorageError) -> [ChangeResult.Effect] {
        var troubles = 0
        while true {
            do throws(StorageError) {
                let lane = try currentLane()
                var attempt = outcome
                let before = known
                let effects = try transact(choose, isLasting: isLasting, lane, elsewhere, &attempt)
                // What cannot be seen now was in its place before the transaction.
                guard (try? database.isCurrent) ?? true else {
                    // The tasks are applied again, in the database that the path leads to now.
                    known = before
                    database.close()
                    troubles += 1
                    guard troubles < 4 else { throw StorageError(.failed, "The database is replaced again and again") }
                    continue
                }
                outcome = attempt
                return effects
            } catch {
                troubles += 1
                // Only the first failure of a disk is worth the look.
                let error = failure == nil || error.kind == .refused ? database.diagnose(error) : error
                guard error.kind == .corrupt, folder != nil, troubles < 4 else { throw error }
                try database.recover(after: known, isFirst: troubles == 1)
            }
        }
    }

    private mutating func transact(
        _ choose: (LaneRow) -> StagedGroup, isLasting: Bool, _ lane: WatchedLane, _ elsewhere: LaneIdentity?,
        _ outcome: inout Outcome
    ) throws(StorageError) -> [ChangeResult.Effect] {
        let database = lane.database
        var reserves = false
        var configuration = self.configuration
        if let elsewhere { configuration.lane = elsewhere }
        // To name its files is to hash the lane, which each commit would pay for.
        let backup = elsewhere == nil ? self.backup : folder.map { BackupFiles($0, configuration.lane) }
        var effects: [ChangeResult.Effect] = []
        var group = StagedGroup()
        var summary: OutboxTransaction.Summary?
        let changes = database.connection.changes
        // What a reset or a denial erases must be gone for good, even after a loss of power.
        let isLasting = isLasting && configuration.durability == .process
        if isLasting { try database.connection.execute("PRAGMA synchronous=FULL") }
        defer { if isLasting { try? database.connection.execute("PRAGMA synchronous=NORMAL") } }
        try database.writing { () throws(StorageError) in
            try database.checkVersion()
            let preparation = RowPreparation(database, configuration, backup: backup)
            let key = elsewhere == nil ? lane.key : try database.key(of: configuration.lane)
            var row: LaneRow?
            if let key { row = try database.lane(key, prefix: configuration.keyPrefix) }
            if row == nil { row = try preparation.lane(after: elsewhere == nil ? known.lastSequence : 0) }
            guard let row else { return }
            let now = configuration.wallClock()
            var transaction = try OutboxTransaction(database, configuration, row: row, now: now, run: run)
            if elsewhere == nil, isRefusedDue(at: now) { transaction.queue.keepsRefused = true }
            // The one that the closure changes would be watched at each look.
            let chosen = choose(row)
            group = chosen
            reserves = transaction.queue.reserve(chosen.numbers)
            if !reserves {
                if chosen.numbers > 0, let error = backUp(row.reserved) { outcome.events.append(.backupFailed(error)) }
                effects.reserveCapacity(chosen.entries.count)
                for entry in chosen.entries {
                    switch entry {
                    case .record(let record): effects.append(try transaction.append(record, of: chosen))
                    case .task(let index):
                        effects.append(try perform(chosen.tasks[index].task, &transaction, preparation))
                    }
                }
            }
            summary = try transaction.finish()
            if summary?.erasure != nil, let error = folder?.rememberErasure() {
                outcome.events.append(.backupFailed(error))
            }
        }
        guard let summary else { throw StorageError(.failed, "The lane cannot be read") }
        keep(summary, isElsewhere: elsewhere != nil, &outcome)
        if reserves {
            // In this order a kill leaves no gap, and a loss of power shows.
            if let error = backUp(summary.row.reserved) { outcome.events.append(.backupFailed(error)) }
            return try transact(choose, isLasting: isLasting, lane, elsewhere, &outcome)
        }
        outcome.hasWritten = outcome.hasWritten || database.connection.changes != changes
        for task in group.tasks where task.guidesDelivery { outcome.settled += task.task.settledRecords }
        return effects
    }

    /// Whether what is kept apart is to be looked through for what is too old. Opening has done so.
    private mutating func isRefusedDue(at now: Timestamp) -> Bool {
        let limits = configuration.refused
        let pause = Int64(min(limits.ttl, .seconds(3600)) / .milliseconds(1))
        // The clock may be set.
        if limits.maxRecords > 0, let agedAt, abs(now.milliseconds - agedAt.milliseconds) < pause { return false }
        defer { agedAt = now }
        return limits.maxRecords > 0 && agedAt != nil
    }

    /// Keeps the end of the reserved sequence numbers in the backup, before any of them is used.
    private mutating func backUp(_ reserved: Int64) -> StorageError? {
        guard reserved > backedUp else { return nil }
        backedUp = reserved
        return backup?.reserve(reserved)
    }

    /// Keeps the lane as the transaction has left it. Drops in other lanes are not reported.
    private mutating func keep(_ summary: OutboxTransaction.Summary, isElsewhere: Bool, _ outcome: inout Outcome) {
        if !isElsewhere {
            known = summary.state
            outcome.events += summary.dropped
            database.rename(summary.row.key)
        }
        freedBytes += summary.freedBytes
        outcome.changesValues = outcome.changesValues || summary.changesValues
        guard let demanded = summary.erasure else { return }
        erasure = min(erasure ?? demanded, demanded)
        erasesNow = true
    }

    private func perform(
        _ task: WriterTask, _ transaction: inout OutboxTransaction, _ preparation: RowPreparation
    ) throws(StorageError) -> ChangeResult.Effect {
        switch task {
        case .change(let change): return try transaction.apply(change)
        case .decided(let task, let database):
            // Its records and generations are others, whatever their numbers.
            guard database == transaction.database.id else { return .done }
            return try perform(task, &transaction, preparation)
        case .heal(let key): try preparation.heal(key, &transaction)
        case .lose(let records): try transaction.drop(records, .lost, nil)
        case .inspect:
            try transaction.database.inspect(transaction.row.key, givenUpTo: transaction.row.sequence)
            // The database is sound: the reader has seen something else.
            database.closeReader()
        }
        return .done
    }

    /// Answers a group that the disk has refused, and keeps the changes that must not be lost.
    private mutating func refuse(_ group: StagedGroup, _ error: StorageError, _ outcome: inout Outcome) {
        if failure == nil { outcome.events.append(.writeFailed(error)) }
        failure = error
        emptyingsBefore = log.emptyings
        for entry in group.entries {
            guard case .task(let index) = entry else {
                outcome.effects.append(refusal)
                continue
            }
            let task = group.tasks[index].task
            if let (change, database) = task.decision {
                guard !change.traits.contains(.call) else {
                    outcome.effects.append(refusal)
                    continue
                }
                log.keep(change, of: configuration.lane, in: database, over: onDisk)
            } else {
                // Records that cannot be read are found again by the next peek.
                outcome.settled += task.settledRecords
            }
            outcome.effects.append(.failed(error))
        }
    }

    /// The lane on disk, by which what is refused was decided: another process may have changed it since this one last wrote.
    private var onDisk: LaneState {
        let found = try? read { [configuration] (database, key) throws(StorageError) in
            try database.lane(key, prefix: configuration.keyPrefix)?.state(
                configuration, oldestOccurredAt: nil, in: database)
        }
        return (found ?? nil) ?? known
    }

    /// What becomes of a call that the disk has refused.
    private var refusal: ChangeResult.Effect {
        .refused(shown.consent == .denied ? .trackingNotAllowed : .storage)
    }
}
