import TrackerModels

/// Which rows of the database are a lane's.
struct RowKey: Hashable, Sendable {
    /// How many bits of a record's number are its sequence number; those above are its lane.
    private static let sequenceBits: Int64 = 44

    let lane: Int64
    /// The number of its tenant.
    let tenant: Int64

    /// The numbers that the lane's records can have.
    ///
    /// They rise with the sequence and are never used again, so that a late answer can only concern its own record.
    var records: ClosedRange<Int64> { record(0)...record(Self.maxSequence) }

    /// The number of the record with a sequence number.
    func record(_ sequence: Int64) -> Int64 { lane << Self.sequenceBits | sequence }

    /// The sequence number of a record.
    static func sequence(ofRecord number: Int64) -> Int64 { number & maxSequence }

    /// The highest number that a lane is given back; those that are new follow it.
    static let maxLane = (Int64.max >> sequenceBits) / 2

    /// The highest sequence number there can be.
    static let maxSequence = Int64(1) << sequenceBits - 1

    /// The numbers that are believed of a sequence, or a generation without a row that holds it: half of those
    /// that a row can hold, so that each can go on rising for longer than any program runs.
    static let known = 0...maxSequence / 2

    /// A limit that no counter reaches.
    static let maxCount = 1 << 52
}

/// The rows of a lane and its tenant.
struct LaneRow: Hashable, Sendable {
    let key: RowKey
    /// The tenant's consent, if one is stored.
    var consent: Consent?
    /// Counts the tenant's resets: a backup from before the last does not count.
    var tenantGeneration: Int64
    /// The generation of new records, which counts the lane's resets as well.
    var generation: Generation
    /// The last generation that a denial or a reset of everything has erased: neither it nor one before it has records.
    var erased: Int64
    /// What the generation is bound to.
    var entry: GenerationEntry
    /// When the stored session ends.
    var sessionExpires: Timestamp?
    /// When the stored user id ends.
    var identifyExpires: Timestamp?
    /// The last sequence number given.
    var sequence: Int64
    /// The last sequence number that may be given before the next block is reserved.
    var reserved: Int64
    /// The start of the machine since which numbers were given; `nil` once all that was given is synced.
    var boot: String?
    /// What went in and out, and what waits.
    var counters: QueueCounters
    /// Counts the callers' ids whose records have left the queue.
    var removed: Int64
    /// Counts the changes of the list of persons to forget, which all lanes share: 0 if nobody ever was.
    var forgets: Int64
}

extension LaneRow {
    /// Whether every number is one that a lane can have; any other is damage.
    var isPlausible: Bool {
        let counters = [
            counters.accepted, counters.delivered, counters.queued, counters.queuedBytes, counters.bytes.before,
            counters.bytes.after,
        ]
        let numbers = [tenantGeneration, generation.number, erased, sequence, reserved, removed]
        return counters.allSatisfy { (0...RowKey.maxCount).contains($0) }
            && numbers.allSatisfy { (0...RowKey.maxSequence).contains($0) } && erased < generation.number
    }
}

/// A lane's counters since its first record: `accepted + requeued == delivered + queued + dropped` after every commit.
struct QueueCounters: Hashable, Sendable {
    var accepted = 0
    var delivered = 0
    var queued = 0
    var queuedBytes = 0
    var bytes = WireBytes(before: 0, after: 0)
    var dropped: [DropReason: Int] = [:]
    /// How many records were queued again that had been dropped.
    var requeued = 0
}

/// The point from which an outbox counts: when it opened the lane, or when it found another database in its place.
struct AccountOrigin: Hashable, Sendable {
    var counters = QueueCounters()
    /// How many records were found.
    var recovered = 0

    /// Counts records that are lost by now among those that were found.
    mutating func find(_ lost: Int) {
        guard lost > 0 else { return }
        recovered += lost
        counters.dropped[.lost, default: 0] -= lost
    }

    /// What has happened since.
    ///
    /// A counter that has fallen belongs to another database, which the next commit opens. Until then the account begins
    /// with what is found there.
    func account(_ now: QueueCounters) -> Account {
        let account = difference(now)
        return account.isBalanced ? account : AccountOrigin(counters: now, recovered: now.queued).difference(now)
    }

    private func difference(_ now: QueueCounters) -> Account {
        let accepted = now.accepted - counters.accepted
        return Account(
            // Records that another lane took over were first of those that were found.
            accepted: max(0, accepted), recovered: recovered + min(0, accepted),
            requeued: now.requeued - counters.requeued,
            delivered: now.delivered - counters.delivered, queued: now.queued,
            dropped: now.dropped.merging(counters.dropped.mapValues(-)) { $0 + $1 }.filter { $0.value != 0 },
            bytes: WireBytes(
                before: now.bytes.before - counters.bytes.before, after: now.bytes.after - counters.bytes.after
            )
        )
    }
}
