import TrackerModels

/// Moves records that no process delivers from other lanes to the one that is opened.
///
/// From lanes of the same tenant it takes the records that never had a session, unless another outbox has the lane open and
/// may still make the session; the session's metadata go with them. From lanes that the configuration names it takes all
/// records, if no process delivers them, and what the server has refused; also what the configuration wants of their values.
/// Records keep their order and get new sequence numbers. A key that a caller gave stays known in both lanes; a record goes if
/// its key was used in this one too.
struct RecordTransfer {
    private let database: OutboxDatabase
    private let configuration: OutboxConfiguration
    /// Where the locks are; `nil` for memory, which no other outbox has open.
    private let folder: StateFolder?
    /// Lanes from which nothing is taken.
    private let excluded: Set<LaneIdentity>
    /// The locks for delivering the other lanes and for having them open, held until the transaction has ended.
    private var locks: [DeliveryLock] = []
    private(set) var count = 0
    /// How many have moved that a server had refused.
    private var refused = 0

    init(
        _ database: OutboxDatabase, _ configuration: OutboxConfiguration, _ folder: StateFolder?,
        excluding excluded: Set<LaneIdentity>
    ) {
        self.database = database
        self.excluded = excluded
        self.configuration = configuration
        self.folder = folder
    }

    /// Whether numbers were given.
    var hasMoved: Bool { count > 0 || refused > 0 }

    mutating func run(_ transaction: inout OutboxTransaction) throws(StorageError) {
        for other in try database.lanes(besides: transaction.row.key) where !excluded.contains(other.identity) {
            let isNamed = configuration.takesOver.contains(other.identity)
            let isKin = configuration.bindsSessions && other.key.tenant == transaction.row.key.tenant
            guard isNamed || isKin && other.records > 0 else { continue }
            if isNamed { try transaction.take(configuration.takesOverValues, of: other.key) }
            guard take(folder?.deliveryLock(of: other.identity)),
                isNamed || take(folder?.openLock(of: other.identity))
            else { continue }
            count += try transaction.takeOver(other.key, onlyUnbound: !isNamed)
            if isNamed { refused += try transaction.takeOverRefused(other.key) }
        }
    }

    /// Lets others deliver the lanes again.
    func end() {
        for lock in locks { lock.end() }
    }

    /// - Returns: False if another process has the lock.
    private mutating func take(_ path: String?) -> Bool {
        let lock = DeliveryLock(path: path)
        guard lock.acquire() else { return false }
        locks.append(lock)
        return true
    }
}

extension OutboxTransaction {
    /// Moves records of another lane to this one.
    ///
    /// - Parameters:
    ///   - key: The other lane.
    ///   - onlyUnbound: Whether those stay whose generation ever had a session.
    /// - Returns: How many have moved.
    fileprivate mutating func takeOver(_ key: RowKey, onlyUnbound: Bool) throws(StorageError) -> Int {
        guard var other = try database.lane(key, prefix: "") else { return 0 }
        let movers = try database.movers(of: key, onlyUnbound: onlyUnbound)
        guard !movers.isEmpty else { return 0 }
        var count = 0
        for mover in movers {
            if mover.hasCallerKey {
                other.removed += 1
                guard try database.move(mover.messageID, from: key, other.removed, to: row.key) else {
                    _ = try database.deleteRecords(mover.id.number...mover.id.number)
                    try remove(mover, from: &other)
                    continue
                }
            }
            let number = row.key.record(queue.nextSequence())
            try database.moveRecord(mover.id.number, to: number, row.generation)
            try remove(mover, from: &other)
            queue.countAccepted(mover.byteCount)
            count += 1
        }
        if onlyUnbound, other.entry.session == nil { try endGeneration(of: &other) }
        try database.save(other)
        return count
    }

    /// Takes over values of another lane.
    fileprivate mutating func take(_ keys: [StoredKey], of other: RowKey) throws(StorageError) {
        guard !keys.isEmpty, let other = try database.lane(other, prefix: "") else { return }
        let store = SQLiteKeyValueStore(database, other, .lane)
        for key in keys {
            if case .value(let value) = try store.state(for: storedName(key)), value.expires > now {
                try save(value.text, key)
            } else if try value(key) != nil {
                try save(nil, key)
            }
        }
    }

    /// Takes the metadata of a generation whose records have moved here, and ends it where it was: what is tracked there next
    /// may be another user's.
    private mutating func endGeneration(of other: inout LaneRow) throws(StorageError) {
        let store = SQLiteKeyValueStore(database, other, .lane)
        if case .value(let value) = try store.state(for: storedName(.sessionMetadata)), value.expires > now,
            let metadata = try? JSONText(validating: value.text)
        {
            try merge(metadata, isOlder: true)
        }
        other.generation = Generation(other.generation.number + 1)
        try store.clear()
    }

    /// Moves what a server has refused of another lane to this one, where it is seen and can be queued again. Both accounts
    /// stay as they are: it has left the other's queue, and counts here once it is queued again.
    ///
    /// - Returns: How many have moved.
    fileprivate mutating func takeOverRefused(_ key: RowKey) throws(StorageError) -> Int {
        guard var other = try database.lane(key, prefix: "") else { return 0 }
        var count = 0
        for (number, _, _) in try database.refusedSizes(of: key).reversed() {
            guard let kept = try database.kept(number) else { continue }
            if kept.hasCallerKey {
                other.removed += 1
                guard try database.move(kept.messageID, from: key, other.removed, to: row.key) else {
                    try database.deleteRefused(number...number)
                    continue
                }
                try queue.countRemoved(kept.messageID)
            }
            try database.moveRefused(number, to: row.key.record(queue.nextSequence()), row.generation)
            count += 1
        }
        try database.save(other)
        return count
    }

    /// Takes a record off the account of the lane that it leaves. One that was queued again need not be among those that
    /// were accepted there.
    private func remove(_ record: RemovedRecord, from other: inout LaneRow) throws(StorageError) {
        other.counters.queued -= 1
        other.counters.queuedBytes -= record.byteCount
        guard other.counters.accepted == 0 else { return other.counters.accepted -= 1 }
        try database.countRequeued(-1, in: other.key)
    }
}
