package import TrackerModels

/// A record that the server would not have. It has left the queue, and is kept apart from it.
package struct RefusedRecord: Hashable, Sendable {
    /// The number that it had in the queue, never used twice.
    package var id: Record.ID
    package var messageID: MessageID
    package var route: Route
    /// The JSON object that the record carried.
    package var body: JSONText
    /// When the call was made.
    package var occurredAt: Timestamp
    package var session: SessionID?
    package var reason: DropReason
    package var rejection: Rejection
    /// When it left the queue.
    package var refusedAt: Timestamp
}

/// The answer for which a record was refused.
package struct Rejection: Hashable, Sendable {
    /// The status; `nil` if the record was not sent.
    package var status: Int?
    /// The first bytes of the answer's body, as text.
    package var answer: String
    /// How often the record was sent, as far as this process knows.
    package var attempts: Int
    /// The session that the request named, which the generation may have lost since by another answer. It is kept as that
    /// of the record.
    package var session: SessionID?

    /// How many bytes of an answer are kept.
    private static let maxAnswerBytes = 1024

    /// Describes an answer.
    ///
    /// - Parameter body: Its body, which may be cut short.
    package init(status: Int?, body: some Sequence<UInt8> = [], attempts: Int, session: SessionID? = nil) {
        self.status = status
        answer = String(decoding: body.prefix(Self.maxAnswerBytes).prefix { $0 != 0 }, as: UTF8.self)
        self.attempts = attempts
        self.session = session
    }
}

/// How much of what the server has refused is kept. Past that the oldest goes.
package struct RefusedLimits: Hashable, Sendable {
    /// How many records; with 0 none is kept.
    package var maxRecords: Int
    /// How many bytes of bodies.
    package var maxBytes: Int
    package var ttl: Duration

    package init(maxRecords: Int, maxBytes: Int, ttl: Duration) {
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        self.ttl = ttl
    }

    /// None: what is kept stays.
    package static let unbounded = RefusedLimits(maxRecords: .max, maxBytes: .max, ttl: .seconds(Int32.max))

    /// The bounds that options have.
    package init(_ options: DeliveryOptions = DeliveryOptions()) {
        self.init(
            maxRecords: options.maxRefusedEvents, maxBytes: options.maxRefusedBytes, ttl: options.refusedTTL)
    }
}

/// How much is kept apart in a lane.
package struct RefusedCount: Hashable, Sendable {
    package var records = 0
    /// The bytes of their bodies.
    package var bytes = 0
    package var reasons: [DropReason: Int] = [:]
}
