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
