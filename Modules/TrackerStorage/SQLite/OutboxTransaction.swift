import TrackerModels

/// Applies one group of changes to a lane within a transaction: the rules of sessions, users and consent, above the lane's
/// queue.
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

    /// The lane's queue.
    var queue: QueueTransaction
    let configuration: OutboxConfiguration

    private let found: LaneRow
    var changesValues = false
    /// What is to be done for what was deleted not to be found in any file.
    var erasure: Erasure?
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
        queue = QueueTransaction(database, configuration, row: row, now: now, run: run)
        self.configuration = configuration
        found = row
        if let expires = row.sessionExpires, expires <= now { try expire(row.generation) }
        if let expires = self.row.identifyExpires, expires <= now { try remove(.identifyID) }
    }

    var database: OutboxDatabase { queue.database }

    var now: Timestamp { queue.now }

    /// The lane as the changes so far have made it.
    var row: LaneRow {
        get { queue.row }
        set { queue.row = newValue }
    }

    mutating func apply(_ change: LaneChange) throws(StorageError) -> Effect {
        switch change {
        case .append(let draft): return try append(draft)
        case .continueSession(let session, let link): return try continueSession(session, link)
        case .reset(_, let messageID), .consent(_, let messageID): return try once(messageID, change)
        // A tracking call without a record: its id is one of theirs.
        case .set(_, let messageID):
            guard try queue.isFirst(messageID) else { return .repeated }
            try make(change)
        case .group(let group): try database.remember(group, in: row.key)
        case .requeue(let ids): return .changed(try requeue(ids))
        case .dropRefused(let ids): return .changed(try queue.dropRefused(ids))
        case .forget(let persons): return try forget(persons)
        case .unforget(let persons): return .changed(try unforget(persons))
        default: try make(change)
        }
        return .done
    }

    /// Writes what is left to write.
    mutating func finish() throws(StorageError) -> Summary {
        let oldest = try row.counters.queued > 0 ? database.oldestRecord(of: row.key) : nil
        if queue.needsPruning {
            // Generations rise with the sequence but for records that were queued again, so none before the oldest
            // record's has others.
            try database.removeGenerations(
                in: row.key, before: min(oldest?.generation ?? row.generation, row.generation), unusedBy: oldest?.number
            )
        }
        try queue.finish()
        try erasure?.demand(in: database)
        if row != found { try database.save(row) }
        if row.consent != found.consent || row.tenantGeneration != found.tenantGeneration {
            try database.saveTenant(of: row)
        }
        return Summary(
            state: row.state(configuration, oldestOccurredAt: oldest?.occurredAt, in: database), dropped: queue.events,
            changesValues: changesValues, erasure: erasure, freedBytes: queue.freedBytes, row: row)
    }

    /// Applies a change that a caller's id makes unique, unless it has taken effect already.
    private mutating func once(_ messageID: MessageID?, _ change: LaneChange) throws(StorageError) -> Effect {
        if let messageID, try queue.isApplied(messageID) { return .repeated }
        try make(change)
        if let messageID { try queue.rememberApplied(messageID) }
        return .done
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
