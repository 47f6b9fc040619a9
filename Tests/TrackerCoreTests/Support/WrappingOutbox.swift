import TrackerModels
import TrackerStorage

/// The real outbox in a test's hands: what a test does not change goes through to it.
protocol WrappingOutbox: LaneOutbox {
    var inner: SQLiteOutbox { get }
}

extension WrappingOutbox {
    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        inner.open(completion: completion)
    }
    func stage(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        inner.stage(change, of: database, completion: completion)
    }
    func stage(_ draft: Draft, of owner: RecordOwner, answer: () -> @Sendable (AnsweredRecords) -> Void) {
        inner.stage(draft, of: owner, answer: answer)
    }
    func peek(limit: Int, maxBytes: Int, excluding: Set<Record.ID>) throws(StorageError) -> Peek {
        try inner.peek(limit: limit, maxBytes: maxBytes, excluding: excluding)
    }
    func state() throws(StorageError) -> LaneState { try inner.state() }
    func isUnchanged(since version: ReadVersion) throws(StorageError) -> Bool {
        try inner.isUnchanged(since: version)
    }
    func state(ifQueued record: Record.ID) throws(StorageError) -> (lane: LaneState, version: ReadVersion?)? {
        try inner.state(ifQueued: record)
    }
    func queuedRecords(through sequence: Int64) throws(StorageError) -> Int {
        try inner.queuedRecords(through: sequence)
    }
    var unwrittenRecords: Int { inner.unwrittenRecords }
    func value(for key: StoredKey) -> String? { inner.value(for: key) }
    func account() throws(StorageError) -> Account { try inner.account() }
    func refused() throws(StorageError) -> [RefusedRecord] { try inner.refused() }
    func refusedCount() throws(StorageError) -> RefusedCount { try inner.refusedCount() }
    func strandedLanes() throws(StorageError) -> [StrandedLane] { try inner.strandedLanes() }
    func acquireDelivery() -> Bool { inner.acquireDelivery() }
    @discardableResult
    func releaseDelivery() -> Bool { inner.releaseDelivery() }
    func offerUnbound() { inner.offerUnbound() }

    func keepUnbound() { inner.keepUnbound() }
    func close(completion: @escaping @Sendable () -> Void) { inner.close(completion: completion) }

    /// Waits until all that was staged is done.
    func settle() async {
        await withCheckedContinuation { continuation in inner.stage(.barrier) { _ in continuation.resume() } }
    }
}
