public import TrackerModels

/// A call on its way into the outbox.
public struct Draft: Sendable {
    /// The JSON a record will carry.
    public enum Body: Sendable {
        /// An object, complete but for what is bound when it is sent.
        case complete(JSONText)
        /// An object whose member `data` the commit adds: the session's metadata, and over them `own`. If both are
        /// empty or absent the member is left out.
        case withSessionMetadata(JSONText, own: JSONText?)
        /// An object that the commit writes, with the lane's values as `values` leave them.
        case template(BodyTemplate)
    }

    /// The record's key.
    public var messageID: MessageID
    /// Whether a caller chose the key: then a second record with it is answered as the first and not queued.
    public var hasCallerKey: Bool
    /// Which request carries it.
    public var route: Route
    /// What it carries.
    public var body: Body
    /// An object to merge into the session's metadata in the record's own transaction.
    public var sessionMetadata: JSONText?
    /// What the record changes of the client's own values, in its own transaction.
    public var values: [ValueChange]
    /// Whether the record is answered as `pending`, since delivery is halted.
    public var isHeld = false
    /// Why the record is not queued. If a caller chose the key and it was used before, the answer is the first one.
    public var refusal: RefusalReason?
    /// When the call was made, by the wall clock.
    public var occurredAt: Timestamp
    /// When the call was made, on the monotonic clock, for ages within this run.
    public var acceptedAt: Duration

    /// Describes a call.
    public init(
        messageID: MessageID, hasCallerKey: Bool = false, route: Route, body: Body, sessionMetadata: JSONText? = nil,
        values: [ValueChange] = [], occurredAt: Timestamp, acceptedAt: Duration
    ) {
        self.messageID = messageID
        self.hasCallerKey = hasCallerKey
        self.route = route
        self.body = body
        self.sessionMetadata = sessionMetadata
        self.values = values
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
    }
}

/// A call in the outbox, as it waits on disk.
public struct Record: Hashable, Sendable {
    /// Its row, unique in the database.
    public struct ID: Hashable, Comparable, Sendable {
        /// The row's number.
        public let number: Int64

        /// Names a row.
        public init(_ number: Int64) { self.number = number }

        /// Whether `lhs` was queued first.
        public static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }
    }

    /// Its row.
    public var id: ID
    /// Its key.
    public var messageID: MessageID
    /// Its number in the lane, counting from 1, never used twice.
    public var sequence: Int64
    /// The generation it was made in.
    public var generation: Generation
    /// Which request carries it.
    public var route: Route
    /// A JSON object, complete but for what is bound when it is sent.
    public var body: JSONText
    /// When the call was made, by the wall clock.
    public var occurredAt: Timestamp
    /// When the call was made on the monotonic clock, if it was made in this run of this process.
    public var acceptedAt: Duration?

    /// Describes a record.
    public init(
        id: ID, messageID: MessageID, sequence: Int64, generation: Generation, route: Route, body: JSONText,
        occurredAt: Timestamp, acceptedAt: Duration?
    ) {
        self.id = id
        self.messageID = messageID
        self.sequence = sequence
        self.generation = generation
        self.route = route
        self.body = body
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
    }
}
