import TrackerModels
import TrackerStorage

/// What is known of a call when it is made.
struct CallStamp: Sendable {
    /// The number of the call in this run of the program.
    var number = 0
    var messageID: MessageID
    var hasCallerKey: Bool
    var time: Timestamp
    var uptime: Duration

    /// The call on its way into the outbox.
    func draft(
        _ route: Route, _ body: Draft.Body, sessionMetadata: JSONText? = nil, values: [ValueChange] = [],
        refusal: RefusalReason? = nil
    ) -> Draft {
        Draft(
            messageID: messageID, hasCallerKey: hasCallerKey, route: route, body: body,
            sessionMetadata: sessionMetadata, values: values, refusal: refusal, occurredAt: time, acceptedAt: uptime)
    }
}
