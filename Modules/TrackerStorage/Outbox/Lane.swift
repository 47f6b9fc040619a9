public import TrackerModels

/// Names a lane: the queue, order, sequence numbers, session and account of one client identity.
///
/// Instances and processes that use one state folder and one identity share the lane. Credentials are not part of it.
public struct LaneIdentity: Hashable, Sendable {
    /// The kind of client.
    public enum Kind: String, Hashable, Sendable {
        /// Sessions with a backend: `MobileTracker`.
        case session
        /// Batches: `AnalyticsClient`.
        case batch
        /// Small groups to one endpoint: `BasicTracker`.
        case endpoint
    }

    /// The kind of client.
    public let kind: Kind
    /// Whose lane it is: the brand's number, a fingerprint of the write key, or empty. It is never a secret.
    public let owner: String
    /// The canonical base URL or endpoint.
    public let origin: String

    /// Names a lane.
    public init(kind: Kind, owner: String, origin: String) {
        self.kind = kind
        self.owner = owner
        self.origin = origin
    }
}

/// Names a database: the records and generations of another one mean nothing in it, though they have the same numbers.
public struct DatabaseID: Hashable, Sendable {
    /// Where a database keeps it.
    static let query = "SELECT value FROM meta WHERE name = 'database'"

    /// A random number.
    let number: Int64
}

/// The session, device and user of a generation.
public struct GenerationEntry: Hashable, Sendable {
    /// The session its records are delivered to.
    public var session: SessionID?
    /// The device the session was made for.
    public var device: DeviceID?
    /// The user the session was last identified with.
    public var identifyID: UserID?

    /// Makes an entry.
    public init(session: SessionID? = nil, device: DeviceID? = nil, identifyID: UserID? = nil) {
        self.session = session
        self.device = device
        self.identifyID = identifyID
    }
}

/// The state of a lane, as it was on disk in the transaction that read it.
public struct LaneState: Hashable, Sendable {
    /// The generation that new records are made in.
    public var generation: Generation
    /// The brand's consent; `granted` for lanes without consent.
    public var consent: Consent
    /// What the current generation is bound to.
    public var entry: GenerationEntry
    /// How many records wait.
    public var queuedRecords: Int
    /// How many bytes their bodies have.
    public var queuedBytes: Int
    /// When the oldest of them was made.
    public var oldestOccurredAt: Timestamp?
    /// The highest sequence number given out so far; 0 if none was.
    public var lastSequence: Int64
    /// When the stored session expires, by the wall clock; `nil` without a session.
    ///
    /// The first commit after it ends the generation, as `LaneChange.expire` does.
    public var sessionExpiresAt: Timestamp?
    /// Whether a reset or a consent that the disk has refused holds in memory. Nothing may be sent until it is written.
    public var isAwaitingDisk: Bool
    /// Why the disk refused the last write; `nil` if it succeeded.
    ///
    /// Meanwhile calls are refused, but queued records can be delivered.
    public var writeFailure: StorageError?
    /// The database that was read; `nil` if there was none.
    public var database: DatabaseID?

    /// Describes a lane.
    public init(
        generation: Generation, consent: Consent, entry: GenerationEntry, queuedRecords: Int, queuedBytes: Int,
        oldestOccurredAt: Timestamp?, lastSequence: Int64 = 0, sessionExpiresAt: Timestamp? = nil,
        isAwaitingDisk: Bool, writeFailure: StorageError? = nil, database: DatabaseID? = nil
    ) {
        self.generation = generation
        self.consent = consent
        self.entry = entry
        self.queuedRecords = queuedRecords
        self.queuedBytes = queuedBytes
        self.oldestOccurredAt = oldestOccurredAt
        self.lastSequence = lastSequence
        self.sessionExpiresAt = sessionExpiresAt
        self.isAwaitingDisk = isAwaitingDisk
        self.writeFailure = writeFailure
        self.database = database
    }
}
