import TrackerModels

/// Writes calls as the events of a batch, but for what is bound when they are sent: `writeKey` and `sentAt`.
enum AnalyticsEvent {
    /// The event of a call.
    ///
    /// - Parameters:
    ///   - identity: Who it is from, with what the call itself changes.
    ///   - context: What it tells of its surroundings.
    ///   - time: When the call was made.
    /// - Returns: `nil` for a call that is no event.
    static func body(
        of call: AnalyticsCall, from identity: AnalyticsIdentity, context: JSONText, messageID: MessageID,
        at time: Timestamp
    ) -> JSONText? {
        guard let (type, name, values) = parts(of: call) else { return nil }
        var event = JSONObjectWriter(reservingCapacity: 512 + context.byteCount + (values?.text?.byteCount ?? 0))
        event.append("type", type)
        if let name { event.append("event", name) }
        if let userId = identity.userId { event.append("userId", userId) }
        event.append("anonymousId", identity.anonymousId)
        if let groupId = identity.groupId { event.append("groupId", groupId) }
        if let values, let text = values.text { event.append(values.key, text) }
        event.append("timestamp", time.description)
        event.append("messageId", messageID.text)
        event.append("context", context)
        return event.finish()
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
