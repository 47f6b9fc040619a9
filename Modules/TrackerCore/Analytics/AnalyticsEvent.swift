import TrackerModels
import TrackerStorage

/// Writes calls as the events of a batch, but for what is bound when they are sent: `writeKey` and `sentAt`.
enum AnalyticsEvent {
    /// The event of a call. Who it is from is added when it is committed.
    ///
    /// - Parameters:
    ///   - context: What it tells of its surroundings.
    ///   - time: When the call was made.
    /// - Returns: `nil` for a call that is no event.
    static func body(
        of call: AnalyticsCall, context: BodyTemplate, messageID: MessageID, at time: Timestamp
    ) -> BodyTemplate? {
        guard let (type, name, values) = parts(of: call) else { return nil }
        var head = JSONObjectWriter()
        head.append("type", type)
        if let name { head.append("event", name) }
        var tail = JSONObjectWriter(reservingCapacity: 128 + (values?.text?.byteCount ?? 0))
        if let values, let text = values.text { tail.append(values.key, text) }
        tail.append("timestamp", time.description)
        tail.append("messageId", messageID.text)
        return BodyTemplate([
            .fixed(head.finish()), .value("userId", .userID), .id("anonymousId", .anonymousID),
            .value("groupId", .groupID), .fixed(tail.finish()), .object("context", context),
        ])
    }

    private typealias Values = (key: String, text: JSONText?)

    private static func parts(of call: AnalyticsCall) -> (type: String, name: String?, values: Values?)? {
        switch call {
        case .track(let event, let properties): ("track", event, ("properties", properties))
        case .screen(let name, let properties): ("screen", name, ("properties", properties))
        case .page(let name, let properties): ("page", name, ("properties", properties))
        case .identify(_, let traits): ("identify", nil, ("traits", traits))
        case .group(_, let traits): ("group", nil, ("traits", traits))
        case .alias: ("alias", nil, nil)
        case .setAdvertisingId, .unwritable: nil
        }
    }
}
