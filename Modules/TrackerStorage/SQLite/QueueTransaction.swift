import TrackerModels

/// The queue of a lane within a transaction: sequence numbers, bounds, callers' ids, the account, and what is kept apart of the
/// records that were refused.
///
/// It decides nothing by session, user or consent: it stamps a record with the row's generation, and keeps what that is bound to
/// with what was refused. ``OutboxTransaction`` is the layer above it that has these rules, in the same transaction.
struct QueueTransaction {
    /// How many sequence numbers are reserved at once.
    static let sequenceBlock: Int64 = 10_000

    let database: OutboxDatabase
    let limits: OutboxLimits
    let refused: RefusedLimits
    let bootID: BootID
    /// The wall time of the whole transaction.
    let now: Timestamp
    /// Names this run of the outbox.
    let run: Int64
    /// The lane as the changes so far have made it. The queue changes its numbers, counters and boot alone.
    var row: LaneRow

    private let foundReserved: Int64
    /// The counters when they were last balanced, and what the transaction had dropped by then.
    private var base: (counters: QueueCounters, dropped: Int)
    /// What was dropped so far, of every lane.
    private var drops: [Int64: [DropReason: Int]] = [:]
    var events: [OutboxEvent] = []
    private(set) var freedBytes = 0
    /// Rows have left, or a generation has ended.
    var needsPruning = false
    /// Something was refused, so that what is kept apart may be past its bounds.
    var keepsRefused = false
    /// How many refused records were queued again.
    var requeued = 0

    init(_ database: OutboxDatabase, _ configuration: OutboxConfiguration, row: LaneRow, now: Timestamp, run: Int64) {
        self.database = database
        limits = configuration.limits
        refused = configuration.refused
        bootID = configuration.bootID
        self.now = now
        self.run = run
        self.row = row
        foundReserved = row.reserved
        base = (row.counters, 0)
        if row.reserved == 0 { beginBlock() }
    }

    /// Writes what is left to write, but for the row.
    mutating func finish() throws(StorageError) {
        if needsPruning { try database.removeKeys(removed: row.removed, in: row.key) }
        if keepsRefused { try boundRefused() }
        if requeued > 0 { try database.countRequeued(requeued, in: row.key) }
        for (lane, reasons) in drops {
            for (reason, count) in reasons { try database.countDropped(count, reason, lane: lane) }
        }
        assert(isBalanced, "What came in has neither left nor waits: \(base.counters) became \(row.counters)")
    }

    // MARK: Records

    /// Queues a record.
    mutating func insert(
        _ record: StagedRecord, of group: StagedGroup, body: ArraySlice<UInt8>
    ) throws(StorageError) {
        let number = row.key.record(nextSequence())
        try database.insert(record, of: group, number: number, generation: row.generation, body: body, run: run)
        countAccepted(body.count)
    }

    /// Counts a record that has come in.
    mutating func countAccepted(_ bytes: Int) {
        row.counters.accepted += 1
        row.counters.queued += 1
        row.counters.queuedBytes += bytes
    }

    /// Whether one more record of that size would be past the bounds.
    func isFull(for bytes: Int) -> Bool {
        row.counters.queued >= limits.maxRecords || row.counters.queuedBytes + bytes > limits.maxBytes
    }

    /// Drops the oldest records that are too old to be sent: nothing looks at the queue while delivery waits, is halted
    /// or has no session.
    ///
    /// - Parameter time: The time on the monotonic clock, or shortly before it.
    mutating func dropExpired(at time: Duration) throws(StorageError) {
        guard let maxAge = limits.maxAge, row.counters.queued > 0 else { return }
        let wall = now
        let last = try database.lastRecord(of: row.key, run: run) { acceptedAt, occurredAt in
            let age =
                acceptedAt.map { time - $0 }
                ?? .milliseconds(wall.milliseconds) - .milliseconds(occurredAt.milliseconds)
            return age > maxAge
        }
        guard let last else { return }
        try report(try database.deleteRecords(row.key.records.lowerBound...last), .expired)
    }

    // MARK: Callers' ids

    /// Remembers the key of a tracking call that needs no record; false if a call with this key came before.
    mutating func isFirst(_ key: MessageID?) throws(StorageError) -> Bool {
        guard let key else { return true }
        guard try database.claim(Array(key.text.utf8)[...], .queued, in: row.key) else { return false }
        try countRemoved(key.text)
        return true
    }

    /// Counts a caller's id that has no record in the queue any more: it is remembered for a while.
    mutating func countRemoved(_ messageID: String) throws(StorageError) {
        row.removed += 1
        needsPruning = true
        try database.markRemoved(messageID, row.removed, in: row.key)
    }

    /// Takes an id that a caller chose.
    ///
    /// - Returns: Whether it was free.
    func claim(_ id: ArraySlice<UInt8>, _ outcome: IdempotencyKey.Outcome) throws(StorageError) -> Bool {
        try database.claim(id, outcome, in: row.key)
    }

    /// What became of the call that has taken an id.
    func outcome(of messageID: MessageID) throws(StorageError) -> IdempotencyKey.Outcome? {
        try database.outcome(of: messageID, in: row.key)
    }

    /// Gives an id back that this transaction has taken.
    func takeBackClaim(of messageID: MessageID) throws(StorageError) {
        try database.takeBackClaim(of: messageID, in: row.key)
    }

    /// Whether a change with this id has taken effect.
    func isApplied(_ messageID: MessageID) throws(StorageError) -> Bool {
        try database.isApplied(messageID, in: row.key)
    }

    /// Remembers the id of a change that has taken effect.
    mutating func rememberApplied(_ messageID: MessageID) throws(StorageError) {
        row.removed += 1
        needsPruning = true
        try database.rememberApplied(messageID, removed: row.removed, in: row.key)
    }

    // MARK: The account, numbers and bounds

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
    private var reserved: Int64? { row.reserved > foundReserved ? row.reserved : nil }

    /// Reserves sequence numbers, if fewer than some are left. None that is new may be used by this transaction.
    ///
    /// - Returns: Whether it has.
    mutating func reserve(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        if row.sequence + Int64(count) > row.reserved || bootID.replaces(row.boot) {
            beginBlock(of: Int64(count))
        }
        return reserved != nil
    }

    mutating func nextSequence() -> Int64 {
        if row.sequence >= row.reserved || bootID.replaces(row.boot) { beginBlock() }
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
        row.boot = bootID.text
    }

    /// Drops the oldest records until the lane is within its bounds, if they are to make room.
    mutating func evict() throws(StorageError) {
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
