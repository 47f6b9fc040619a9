import TrackerModels

/// Applies one group of changes to a lane within a transaction.
struct OutboxTransaction {
    typealias Effect = ChangeResult.Effect

    /// What to do and to report once the transaction has taken effect.
    struct Summary: Sendable {
        var state: LaneState
        /// Records of this lane that were dropped without a call that names them.
        var dropped: [OutboxEvent] = []
        /// Values have changed, so that backups must too.
        var changesValues = false
        /// What was deleted must not be found in any file: how much is to be done for that.
        var erasure: Erasure?
        /// How many bytes of bodies are gone.
        var freedBytes = 0
        var row: LaneRow
    }

    /// How many sequence numbers are reserved at once.
    static let sequenceBlock: Int64 = 10_000

    let database: OutboxDatabase
    let configuration: OutboxConfiguration
    /// The wall time of the whole transaction.
    let now: Timestamp
    /// Names this run of the outbox.
    let run: Int64
    /// The lane as the changes so far have made it.
    var row: LaneRow

    private let found: LaneRow
    /// The counters when they were last balanced, and what the transaction had dropped by then.
    private var base: (counters: QueueCounters, dropped: Int)
    /// What was dropped so far, of every lane.
    private var drops: [Int64: [DropReason: Int]] = [:]
    var events: [OutboxEvent] = []
    var changesValues = false
    /// What is to be done for what was deleted not to be found in any file.
    var erasure: Erasure?
    private var freedBytes = 0
    /// Rows have left, or a generation has ended.
    var needsPruning = false
    var keepsRefused = false
    /// How many of them were queued again.
    var requeued = 0
    /// The session's metadata, once a record has asked for them.
    var metadata: JSONText??
    /// Values of the lane that records have asked for.
    var knownValues: [StoredKey: String?] = [:]
    /// Whether persons whom records name are to be forgotten, by their bytes.
    var knownPersons: [[UInt8]: Bool] = [:]
    /// What those values have made of parts of templates.
    var writtenParts: [(part: BodyTemplate.Part, members: JSONText)] = []

    /// Begins with a lane's row. If its session has expired, its generation ends first.
    init(
        _ database: OutboxDatabase, _ configuration: OutboxConfiguration, row: LaneRow, now: Timestamp, run: Int64
    ) throws(StorageError) {
        self.database = database
        self.configuration = configuration
        self.now = now
        self.run = run
        self.row = row
        found = row
        base = (row.counters, 0)
        if row.reserved == 0 { beginBlock() }
        if let expires = row.sessionExpires, expires <= now { try expire(row.generation) }
        if let expires = self.row.identifyExpires, expires <= now { try remove(.identifyID) }
    }

    mutating func apply(_ change: LaneChange) throws(StorageError) -> Effect {
        switch change {
        case .append(let draft): return try append(draft)
        case .continueSession(let session, let link): return try continueSession(session, link)
        case .reset(_, let messageID), .consent(_, let messageID): return try once(messageID, change)
        // A tracking call without a record: its id is one of theirs.
        case .set(_, let messageID):
            guard try isFirst(messageID) else { return .repeated }
            try make(change)
        case .group(let group): try database.remember(group, in: row.key)
        case .requeue(let ids): return .changed(try requeue(ids))
        case .dropRefused(let ids): return .changed(try dropRefused(ids))
        case .forget(let persons): return try forget(persons)
        case .unforget(let persons): return .changed(try unforget(persons))
        default: try make(change)
        }
        return .done
    }

    /// Writes what is left to write.
    mutating func finish() throws(StorageError) -> Summary {
        let oldest = try row.counters.queued > 0 ? database.oldestRecord(of: row.key) : nil
        if needsPruning {
            // Generations rise with the sequence but for records that were queued again, so none before the oldest
            // record's has others.
            try database.removeGenerations(
                in: row.key, before: min(oldest?.generation ?? row.generation, row.generation), unusedBy: oldest?.number
            )
            try database.removeKeys(removed: row.removed, in: row.key)
        }
        if keepsRefused { try boundRefused() }
        if requeued > 0 { try database.countRequeued(requeued, in: row.key) }
        for (lane, reasons) in drops {
            for (reason, count) in reasons { try database.countDropped(count, reason, lane: lane) }
        }
        assert(isBalanced, "What came in has neither left nor waits: \(base.counters) became \(row.counters)")
        try erasure?.demand(in: database)
        if row != found { try database.save(row) }
        if row.consent != found.consent || row.tenantGeneration != found.tenantGeneration {
            try database.saveTenant(of: row)
        }
        return Summary(
            state: row.state(configuration, oldestOccurredAt: oldest?.occurredAt, in: database), dropped: events,
            changesValues: changesValues, erasure: erasure, freedBytes: freedBytes, row: row)
    }

    /// Counts records of this lane that have left without being delivered.
    mutating func countDropped(_ count: Int, _ reason: DropReason) {
        drops[row.key.lane, default: [:]][reason, default: 0] += count
    }

    /// How many records of this lane the transaction has dropped so far.
    var droppedHere: Int { drops[row.key.lane]?.values.reduce(0, +) ?? 0 }

    /// Takes the counters as balanced: a difference before was damage.
    mutating func mend() { base = (row.counters, droppedHere) }

    /// Whether every record that came in since then has left or waits.
    private var isBalanced: Bool {
        let (old, new) = (base.counters, row.counters)
        return new.accepted - old.accepted + requeued
            == new.delivered - old.delivered + new.queued - old.queued + droppedHere - base.dropped
    }

    /// The end of the block of sequence numbers that the transaction has begun, if it has begun one.
    private var reserved: Int64? { row.reserved > found.reserved ? row.reserved : nil }

    /// Reserves sequence numbers, if fewer than some are left. None that is new may be used by this transaction.
    ///
    /// - Returns: Whether it has.
    mutating func reserve(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        if row.sequence + Int64(count) > row.reserved || configuration.bootID.replaces(row.boot) {
            beginBlock(of: Int64(count))
        }
        return reserved != nil
    }

    mutating func nextSequence() -> Int64 {
        if row.sequence >= row.reserved || configuration.bootID.replaces(row.boot) { beginBlock() }
        row.sequence += 1
        return row.sequence
    }

    /// Reserves numbers. A backup of their end is synced before any of them leaves this process.
    ///
    /// The backup is ahead of the row as it was found, so that a loss of power that brings that row back shows.
    ///
    /// - Parameter count: How many are needed at least: a retry of all refused events may need more than a block has.
    private mutating func beginBlock(of count: Int64 = 1) {
        row.reserved = max(row.sequence + max(count, Self.sequenceBlock), row.reserved + 1)
        row.boot = configuration.bootID.text
    }

    /// Drops the oldest records until the lane is within its bounds, if they are to make room.
    mutating func evict() throws(StorageError) {
        let limits = configuration.limits
        guard limits.overflow == .dropOldest else { return }
        while row.counters.queued > limits.maxRecords || row.counters.queuedBytes > limits.maxBytes,
            row.counters.queued > 1
        {
            let removed = try database.deleteOldestRecord(of: row.key)
            guard !removed.isEmpty else { return }
            try report(removed, .evicted)
        }
    }

    /// Accounts for rows of this lane that are gone, and reports them.
    mutating func report(_ removed: [RemovedRecord], _ reason: DropReason) throws(StorageError) {
        guard !removed.isEmpty else { return }
        try account(for: removed, as: reason)
        let ids = removed.compactMap { MessageID($0.messageID) }
        if case .dropped(let earlier, let count, reason)? = events.last {
            events[events.count - 1] = .dropped(earlier + ids, count: count + removed.count, reason)
        } else {
            events.append(.dropped(ids, count: removed.count, reason))
        }
    }

    /// Accounts for rows of this lane that are gone: delivered, or dropped for a reason.
    mutating func account(for removed: [RemovedRecord], as reason: DropReason?) throws(StorageError) {
        var changed = row
        try account(for: removed, as: reason, of: &changed)
        row = changed
    }

    /// Accounts for rows of any lane that are gone.
    mutating func account(
        for removed: [RemovedRecord], as reason: DropReason?, of row: inout LaneRow
    ) throws(StorageError) {
        guard !removed.isEmpty else { return }
        needsPruning = true
        for record in removed {
            row.counters.queued -= 1
            row.counters.queuedBytes -= record.byteCount
            freedBytes += record.byteCount
            guard record.hasCallerKey else { continue }
            row.removed += 1
            try database.markRemoved(record.messageID, row.removed, in: row.key)
        }
        if let reason {
            drops[row.key.lane, default: [:]][reason, default: 0] += removed.count
        } else {
            row.counters.delivered += removed.count
        }
    }

    /// Applies a change that a caller's id makes unique, unless it has taken effect already.
    private mutating func once(_ messageID: MessageID?, _ change: LaneChange) throws(StorageError) -> Effect {
        if let messageID, try database.isApplied(messageID, in: row.key) { return .repeated }
        try make(change)
        guard let messageID else { return .done }
        row.removed += 1
        needsPruning = true
        try database.rememberApplied(messageID, removed: row.removed, in: row.key)
        return .done
    }

    /// The runs of neighbouring numbers among ids.
    static func ranges(_ ids: [Record.ID], within bounds: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        ids.map(\.number).filter(bounds.contains).sorted().reduce(into: []) { ranges, number in
            if let last = ranges.last, number <= last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
    }
}

extension LaneRow {
    /// The lane as callers see it.
    func state(
        _ configuration: OutboxConfiguration, oldestOccurredAt: Timestamp?, in database: OutboxDatabase
    ) -> LaneState {
        LaneState(
            generation: generation, consent: consent ?? configuration.initialConsent ?? .granted, entry: entry,
            queuedRecords: counters.queued, queuedBytes: counters.queuedBytes, oldestOccurredAt: oldestOccurredAt,
            deliveredRecords: counters.delivered, forgets: forgets, lastSequence: sequence,
            sessionExpiresAt: entry.session == nil ? nil : sessionExpires, isAwaitingDisk: false, database: database.id
        )
    }
}
