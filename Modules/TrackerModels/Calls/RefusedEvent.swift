/// An event that the server would not have: it has left the queue and is kept apart.
public struct RefusedEvent: Hashable, Sendable {
    /// Why the server would not have it.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// It was refused for good, with a 4xx.
        case rejected
        /// It alone was too large for the server (413), or its URL and headers for any.
        case tooLarge
        /// The server no longer knows its session, and no other can be made for it.
        case sessionGone
        /// It alone made the server fail, again and again.
        case poison
        /// It breaks the plan, and `plan.onBroken` is `drop`: it was never sent. `answer` says what is wrong with it.
        case plan
    }

    /// The id under which it was sent, and will be if it is sent again.
    public let messageID: MessageID
    /// The call that made it, such as `track` or `updateLocation`; a profile is `profile`.
    public let call: String
    /// The name of the event, screen or page, if the call has one.
    public let name: String?
    /// Why the server would not have it.
    public let reason: Reason
    /// The status of the answer; `nil` if it was not sent.
    public let status: Int?
    /// The first KiB of the answer's body, as text.
    public let answer: String
    /// When it left the queue.
    public let refusedAt: Timestamp
    /// When the call was made.
    public let occurredAt: Timestamp
    /// How often it was sent, as far as the process knows that saw the refusal.
    public let attempts: Int
    /// The session that it was for; `nil` for a client without sessions.
    public let sessionID: SessionID?
    /// What it carried: a JSON object. What is known only when it is sent, such as the session, is not part of it.
    public let body: JSONText

    package init(
        messageID: MessageID, call: String, name: String?, reason: Reason, status: Int?, answer: String,
        refusedAt: Timestamp, occurredAt: Timestamp, attempts: Int, sessionID: SessionID?, body: JSONText
    ) {
        self.messageID = messageID
        self.call = call
        self.name = name
        self.reason = reason
        self.status = status
        self.answer = answer
        self.refusedAt = refusedAt
        self.occurredAt = occurredAt
        self.attempts = attempts
        self.sessionID = sessionID
        self.body = body
    }
}
