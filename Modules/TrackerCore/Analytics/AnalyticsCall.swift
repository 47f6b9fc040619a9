public import TrackerModels
import TrackerStorage

/// A call to an analytics client. Each public method, such as `track`, makes one.
public enum AnalyticsCall: Hashable, Sendable {
    /// Something happened.
    case track(event: String, properties: Properties?)
    /// The user is known by this id from now on.
    case identify(userId: String, traits: Properties?)
    /// The user belongs to this group from now on.
    case group(groupId: String, traits: Properties?)
    /// A screen was shown.
    case screen(name: String, properties: Properties?)
    /// A page was shown.
    case page(name: String, properties: Properties?)
    /// The user is known by another id from now on.
    case alias(newUserId: String)
    /// Events carry this advertising identifier from now on, or none.
    case setAdvertisingId(String?)

    /// Its name in the log: an event's own if it has one.
    var name: String {
        switch self {
        case .track(let event, _): event.isBlank ? "track" : event
        case .screen(let name, _): name.isBlank ? "screen" : name
        case .page(let name, _): name.isBlank ? "page" : name
        case .identify: "identify"
        case .group: "group"
        case .alias: "alias"
        case .setAdvertisingId: "setAdvertisingId"
        }
    }

    var weight: Int {
        switch self {
        case .track(_, let values), .identify(_, let values), .group(_, let values), .screen(_, let values),
            .page(_, let values):
            256 + (values?.byteCount ?? 0)
        case .alias, .setAdvertisingId: 256
        }
    }

    /// The properties of the call, if it is one that has properties and not traits.
    var properties: Properties?? {
        switch self {
        case .track(_, let properties), .screen(_, let properties), .page(_, let properties): .some(properties)
        case .identify, .group, .alias, .setAdvertisingId: nil
        }
    }

    func check() throws(Refusal) {
        switch self {
        case .track(let name, let values), .screen(let name, let values), .page(let name, let values):
            guard !name.isBlank else { throw Refusal(.invalidEventName) }
            _ = try values?.checked()
        case .identify(let userId, let traits):
            guard !userId.isBlank else { throw Refusal(.invalidUserId) }
            _ = try traits?.checked()
        case .group(let groupId, let traits):
            guard !groupId.isBlank else { throw .value(.groupID) }
            _ = try traits?.checked()
        case .alias(let newUserId):
            guard !newUserId.isBlank else { throw Refusal(.invalidUserId) }
        case .setAdvertisingId(let id):
            guard id?.isBlank != true else { throw .value(.advertisingID) }
        }
    }
}

/// Writes calls as the events of a batch, without `writeKey` and `sentAt`, which are added when they are sent.
enum AnalyticsEvent {
    /// The event of a call. Its user is added when it is committed, unless the call names one.
    ///
    /// - Parameters:
    ///   - stamp: When the call was made, and its id.
    ///   - context: Its member `context`.
    /// - Returns: `nil` for a call that is no event.
    static func body(
        of call: CheckedAnalyticsCall, _ stamp: CallStamp, context: BodyTemplate.Member
    ) -> BodyTemplate? {
        guard let (type, name, values) = parts(of: call) else { return nil }
        var head = JSONObjectWriter()
        head.append("type", type)
        if let name { head.append("event", name) }
        var tail = JSONObjectWriter(reservingCapacity: 128 + (values?.text?.byteCount ?? 0))
        if let values, let text = values.text { tail.append(values.key, text) }
        tail.append("timestamp", (call.own?.timestamp ?? stamp.occurredAt).description)
        tail.append("messageId", stamp.messageID.text)
        guard let own = call.own else {
            return BodyTemplate([.fixed(head.finish()), userID, anonymousID, groupID, .fixed(tail.finish()), context])
        }
        return BodyTemplate([.fixed(head.finish())] + author(of: call.call, own) + [.fixed(tail.finish()), context])
    }

    // What the lane knows of the user is the same for every event of a transaction.
    private static let userID = BodyTemplate.Member.value("userId", .userID)
    private static let anonymousID = BodyTemplate.Member.id("anonymousId", .anonymousID)
    private static let groupID = BodyTemplate.Member.value("groupId", .groupID)

    /// The user of an event whose call names one.
    private static func author(of call: AnalyticsCall, _ own: CallOverrides) -> [BodyTemplate.Member] {
        var ids = JSONObjectWriter()
        if own.namesPerson {
            if let userId = call.userId ?? own.userId { ids.append("userId", userId) }
            if let anonymousId = own.anonymousId { ids.append("anonymousId", anonymousId) }
            if let groupId = call.groupId ?? own.groupId { ids.append("groupId", groupId) }
            return [.fixed(ids.finish())]
        }
        let user = [userID, anonymousID]
        // Of a `group` it is the argument.
        guard let groupId = own.groupId.map({ call.groupId ?? $0 }) else { return user + [groupID] }
        ids.append("groupId", groupId)
        return user + [.fixed(ids.finish())]
    }

    /// Values that have been checked, and where they stand.
    private struct Values {
        var key: String
        var properties: Properties?

        /// The check has refused what cannot be written.
        var text: JSONText? { try? properties?.json() }

        /// The properties of an event, with those that it has from around the call.
        static func properties(_ given: Properties?, of call: CheckedAnalyticsCall) -> Values {
            Values(key: "properties", properties: call.own?.properties ?? given)
        }
    }

    private static func parts(of checked: CheckedAnalyticsCall) -> (type: String, name: String?, values: Values?)? {
        switch checked.call {
        case .track(let event, let own): ("track", event, .properties(own, of: checked))
        case .screen(let name, let own): ("screen", name, .properties(own, of: checked))
        case .page(let name, let own): ("page", name, .properties(own, of: checked))
        case .identify(_, let traits): ("identify", nil, Values(key: "traits", properties: traits))
        case .group(_, let traits): ("group", nil, Values(key: "traits", properties: traits))
        case .alias: ("alias", nil, nil)
        case .setAdvertisingId: nil
        }
    }
}
