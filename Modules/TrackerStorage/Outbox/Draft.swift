package import TrackerModels

/// A record as its client makes it. A class, since it is handed on often and copied never.
package final class Draft: Sendable {
    /// The JSON that a record will carry.
    package enum Body: Sendable {
        /// An object. What is known only when it is sent, such as the session, is added then.
        case complete(JSONText)
        /// An object in whose member `data` the session's metadata are, as the commit finds them.
        case withSessionMetadata(EventBody)
        /// An object that the commit writes, with the lane's values after the changes in `values`.
        case template(BodyTemplate)

        /// How many bytes of it are known by now.
        var byteCount: Int {
            switch self {
            case .complete(let body): body.byteCount
            case .withSessionMetadata(let body): body.text.byteCount
            case .template(let template): template.byteCount
            }
        }
    }

    package let messageID: MessageID
    /// Whether a caller chose the key: then a second record with it is answered as the first and not queued.
    package let hasCallerKey: Bool
    package let route: Route
    package let body: Body
    /// An object to merge into the session's metadata in the record's own transaction.
    package let sessionMetadata: JSONText?
    /// What the record changes of the client's own values, in its own transaction.
    package let values: [ValueChange]
    /// Whether the record is answered as `pending`, since delivery is halted.
    package let isPending: Bool
    /// Why the record is not queued. If a caller chose the key and it was used before, the answer is the first one.
    package let refusal: RefusalReason?
    /// When the call was made, by the wall clock.
    package let occurredAt: Timestamp
    /// When the call was made, on the monotonic clock, for ages within this run.
    package let acceptedAt: Duration

    package init(
        messageID: MessageID, hasCallerKey: Bool = false, route: Route, body: Body, sessionMetadata: JSONText? = nil,
        values: [ValueChange] = [], isPending: Bool = false, refusal: RefusalReason? = nil, occurredAt: Timestamp,
        acceptedAt: Duration
    ) {
        self.messageID = messageID
        self.hasCallerKey = hasCallerKey
        self.route = route
        self.body = body
        self.sessionMetadata = sessionMetadata
        self.values = values
        self.isPending = isPending
        self.refusal = refusal
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
    }

    /// The call, answered as `pending`.
    package var pending: Draft {
        Draft(
            messageID: messageID, hasCallerKey: hasCallerKey, route: route, body: body,
            sessionMetadata: sessionMetadata, values: values, isPending: true, refusal: refusal,
            occurredAt: occurredAt, acceptedAt: acceptedAt)
    }
}
