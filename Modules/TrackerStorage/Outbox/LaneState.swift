package import TrackerModels

/// The state of a lane, as it was on disk in the transaction that read it.
package struct LaneState: Hashable, Sendable {
    /// The generation that new records are made in.
    package var generation: Generation
    /// The tenant's consent; `granted` for lanes without consent.
    package var consent: Consent
    /// What the current generation is bound to.
    package var entry: GenerationEntry
    package var queuedRecords: Int
    /// How many bytes their bodies have.
    package var queuedBytes: Int
    /// When the oldest of them was made.
    package var oldestOccurredAt: Timestamp?
    /// How many records were delivered since the lane was made.
    package var deliveredRecords: Int
    /// Counts the changes of the list of persons to forget. A record that was read before a change may be one of theirs.
    package var forgets: Int64
    /// The highest sequence number given out so far; 0 if none was.
    package var lastSequence: Int64
    /// When the stored session expires, by the wall clock; `nil` without a session.
    ///
    /// The first commit after it ends the generation, as `LaneChange.expire` does.
    package var sessionExpiresAt: Timestamp?
    /// Whether a reset or a consent that the disk has refused holds in memory. Nothing may be sent until it is written.
    package var isAwaitingDisk: Bool
    /// Why the disk refused the last write; `nil` if it succeeded.
    ///
    /// Meanwhile calls are refused, but queued records can be delivered.
    package var writeFailure: StorageError?
    /// The database that was read; `nil` if there was none.
    package var database: DatabaseID?

    package init(
        generation: Generation, consent: Consent, entry: GenerationEntry, queuedRecords: Int, queuedBytes: Int,
        oldestOccurredAt: Timestamp?, deliveredRecords: Int = 0, forgets: Int64 = 0, lastSequence: Int64 = 0,
        sessionExpiresAt: Timestamp? = nil, isAwaitingDisk: Bool, writeFailure: StorageError? = nil,
        database: DatabaseID? = nil
    ) {
        self.generation = generation
        self.consent = consent
        self.entry = entry
        self.queuedRecords = queuedRecords
        self.queuedBytes = queuedBytes
        self.oldestOccurredAt = oldestOccurredAt
        self.deliveredRecords = deliveredRecords
        self.forgets = forgets
        self.lastSequence = lastSequence
        self.sessionExpiresAt = sessionExpiresAt
        self.isAwaitingDisk = isAwaitingDisk
        self.writeFailure = writeFailure
        self.database = database
    }
}
