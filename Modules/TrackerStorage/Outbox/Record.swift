package import TrackerModels

/// A call in the outbox, as it waits on disk.
package struct Record: Hashable, Sendable {
    /// The number of its row, unique in the database.
    package struct ID: Hashable, Comparable, Sendable {
        package let number: Int64

        package init(_ number: Int64) { self.number = number }

        package static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }
    }

    package var id: ID
    package var messageID: MessageID
    /// Whether a caller chose the key.
    package var hasCallerKey: Bool
    /// Its number in the lane, counting from 1, never used twice.
    package var sequence: Int64
    /// The generation it was made in.
    package var generation: Generation
    package var route: Route
    /// A JSON object. What is known only when it is sent, such as the session, is added then.
    package var body: JSONText
    /// When the call was made, by the wall clock.
    package var occurredAt: Timestamp
    /// When the call was made on the monotonic clock, if it was made in this run of this process.
    package var acceptedAt: Duration?

    package init(
        id: ID, messageID: MessageID, hasCallerKey: Bool = false, sequence: Int64, generation: Generation, route: Route,
        body: JSONText, occurredAt: Timestamp, acceptedAt: Duration?
    ) {
        self.id = id
        self.messageID = messageID
        self.hasCallerKey = hasCallerKey
        self.sequence = sequence
        self.generation = generation
        self.route = route
        self.body = body
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
    }
}
