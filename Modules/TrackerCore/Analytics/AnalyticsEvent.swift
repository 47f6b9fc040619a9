import TrackerModels
import TrackerStorage

/// Writes calls as the events of a batch, but for what is bound when they are sent: `writeKey` and `sentAt`.
enum AnalyticsEvent {
    /// The event of a call. Who it is from is added when it is committed.
    ///
    /// - Parameters:
    ///   - context: Its context.
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

    /// Values that have been checked, and where they stand.
    private struct Values {
        var key: String
        var properties: Properties?

        /// What could not be written was refused when it was checked.
        var text: JSONText? { try? properties?.json() }
    }

    private static func parts(of call: AnalyticsCall) -> (type: String, name: String?, values: Values?)? {
        switch call {
        case .track(let event, let properties): ("track", event, Values(key: "properties", properties: properties))
        case .screen(let name, let properties): ("screen", name, Values(key: "properties", properties: properties))
        case .page(let name, let properties): ("page", name, Values(key: "properties", properties: properties))
        case .identify(_, let traits): ("identify", nil, Values(key: "traits", properties: traits))
        case .group(_, let traits): ("group", nil, Values(key: "traits", properties: traits))
        case .alias: ("alias", nil, nil)
        case .setAdvertisingId: nil
        }
    }
}
