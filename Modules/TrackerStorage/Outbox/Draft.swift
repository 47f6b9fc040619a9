package import TrackerModels

/// A record as its client makes it: a call, and what the call puts into the queue.
package struct Draft: Sendable {
    package var stamp: CallStamp
    package let content: Content
    /// Whether the client remembers something of it that a refusal takes back. It counts for an `append` alone.
    package let isNoted: Bool
    /// Why the record is not queued. If a caller chose the key and it was used before, the answer is the first one.
    package let refusal: RefusalReason?
    /// Whether the record is answered as `pending`, since delivery is halted.
    package var isPending = false

    package init(_ stamp: CallStamp, _ content: Content, isNoted: Bool = false, refusal: RefusalReason? = nil) {
        self.stamp = stamp
        self.content = content
        self.isNoted = isNoted
        self.refusal = refusal
    }

    /// What a call puts into the queue. A class, since it is handed on often and copied never.
    package final class Content: Sendable {
        package let route: Route
        package let body: Body
        /// An object to merge into the session's metadata in the record's own transaction.
        package let sessionMetadata: JSONText?
        /// What the record changes of the client's own values, in its own transaction.
        package let values: [ValueChange]

        package init(
            _ route: Route, _ body: Body, sessionMetadata: JSONText? = nil, values: [ValueChange] = []
        ) {
            self.route = route
            self.body = body
            self.sessionMetadata = sessionMetadata
            self.values = values
        }
    }

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
}
