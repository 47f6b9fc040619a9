/// A lane's durable queue and the values kept with it.
///
/// Changes are *staged*: their order is fixed by the call to ``stage(_:completion:)``, which never waits for the disk.
/// One writer puts everything staged into one transaction, then calls the completions. Reads see what is committed, by
/// any process.
///
/// Completions run on the writer's queue, in the order of the changes. Two kinds do not: those of values, which come once
/// their backup is written, and those of changes that are refused without being written. Completions must not block, and
/// may stage again.
package protocol LaneOutbox: Sendable {
    /// Opens the database, or makes it. What was staged before is written then.
    ///
    /// - Parameter completion: Called once, with the lane as it was found, or why the folder cannot be used.
    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void)

    /// Fixes a change's place in the order, and writes it.
    ///
    /// - Parameters:
    ///   - change: What to change.
    ///   - database: The database in which it was decided, by ``LaneState/database``. In another one it has no
    ///     effect, and is `done`. With `nil` it has an effect in any, as every record has.
    ///   - completion: Called with the result, in the order of the changes.
    func stage(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void)

    /// Fixes a call's place in the order, and writes its record.
    ///
    /// - Parameters:
    ///   - draft: Its record.
    ///   - owner: Its client.
    ///   - answer: Makes what is called with the results of the calls of this client, of neighbours in a transaction
    ///     together. It is asked for when the client is the first time in a transaction.
    func stage(_ draft: Draft, of owner: RecordOwner, answer: () -> @Sendable (AnsweredRecords) -> Void)

    /// Reads the oldest records, and the lane with them, in one transaction.
    ///
    /// It leaves out the records that the caller names, and those that are delivered or dropped in memory and still on
    /// disk. Whatever the limits, it returns at least one record, and all records of a group that has been sent before.
    func peek(limit: Int, maxBytes: Int, excluding: Set<Record.ID>) throws(StorageError) -> Peek

    func state() throws(StorageError) -> LaneState

    /// Whether no process has written anything since a read. This is the cheapest check before a record that was read
    /// earlier is sent.
    func isUnchanged(since version: ReadVersion) throws(StorageError) -> Bool

    /// Reads the lane, if a record of it still waits. It is cheaper than a peek.
    ///
    /// - Returns: The lane, and how to tell later whether it has changed. `nil` if the record is gone, or may not be sent.
    func state(ifQueued record: Record.ID) throws(StorageError) -> (lane: LaneState, version: ReadVersion?)?

    /// How many records with at most this sequence number wait.
    func queuedRecords(through sequence: Int64) throws(StorageError) -> Int

    /// How many records are staged and not written yet.
    var unwrittenRecords: Int { get }

    /// A stored value: that of the database, else that of the backup file; `nil` once it has expired.
    func value(for key: StoredKey) -> String?

    func account() throws(StorageError) -> Account

    /// The records that the server has refused, oldest first.
    func refused() throws(StorageError) -> [RefusedRecord]

    func refusedCount() throws(StorageError) -> RefusedCount

    /// Other lanes that hold records while no process delivers them.
    func strandedLanes() throws(StorageError) -> [StrandedLane]

    /// Tries to become the one process that delivers the lane and makes its session; true if it is already.
    func acquireDelivery() -> Bool

    /// Lets another process deliver, as soon as it finds on disk all that this one has done.
    ///
    /// - Returns: Whether another may now. If not, it may once what is staged is written, or when this outbox closes.
    @discardableResult
    func releaseDelivery() -> Bool

    /// Lets other lanes of the tenant take over the records without a session, although this lane stays open. Call it
    /// when this lane will make no session.
    func offerUnbound()

    /// Takes the offer back: this lane may make a session after all.
    func keepUnbound()

    /// Writes what is staged, closes everything, releases the locks. What is staged later is refused.
    func close(completion: @escaping @Sendable () -> Void)
}

extension LaneOutbox {
    /// Fixes a change's place in the order, and writes it into whichever database there is.
    package func stage(_ change: LaneChange, completion: @escaping @Sendable (ChangeResult) -> Void) {
        stage(change, of: nil, completion: completion)
    }

    /// Reads the oldest records, and the lane with them, in one transaction.
    package func peek(limit: Int, maxBytes: Int) throws(StorageError) -> Peek {
        try peek(limit: limit, maxBytes: maxBytes, excluding: [])
    }
}

/// A lane that holds records while no process delivers it.
package struct StrandedLane: Hashable, Sendable {
    package var identity: LaneIdentity
    package var records: Int
}
