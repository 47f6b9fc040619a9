public import TrackerModels

/// A call to an analytics client, as every form of it comes down to.
public enum AnalyticsCall: Hashable, Sendable {
    /// Something happened.
    case track(event: String, properties: JSONText?)
    /// The user is known by this id from now on.
    case identify(userId: String, traits: JSONText?)
    /// The user belongs to this group from now on.
    case group(groupId: String, traits: JSONText?)
    /// A screen was shown.
    case screen(name: String, properties: JSONText?)
    /// A page was shown.
    case page(name: String, properties: JSONText?)
    /// The user is known by another id from now on.
    case alias(newUserId: String)
    /// Events carry this advertising identifier from now on, or none.
    case setAdvertisingId(String?)
    /// A call whose values JSON cannot hold: it is refused, and the log says why.
    case unwritable(name: String, JSONConversionError)

    /// What the call is called in a log: an event by its name, anything else by the method's.
    var name: String {
        switch self {
        case .track(let event, _): event
        case .screen(let name, _), .page(let name, _): name
        case .identify: "identify"
        case .group: "group"
        case .alias: "alias"
        case .setAdvertisingId: "setAdvertisingId"
        case .unwritable(let name, _): name
        }
    }

    /// About how many bytes of memory it takes.
    var weight: Int {
        switch self {
        case .track(_, let values), .identify(_, let values), .group(_, let values), .screen(_, let values),
            .page(_, let values):
            256 + (values?.byteCount ?? 0)
        case .alias, .setAdvertisingId, .unwritable: 256
        }
    }

    /// The call with the value that it really has, checked.
    func checked() throws(Refusal) -> AnalyticsCall {
        switch self {
        case .track(let event, let properties):
            return .track(event: try named(event), properties: try CallValues.object(properties, of: name))
        case .screen(let name, let properties):
            return .screen(name: try named(name), properties: try CallValues.object(properties, of: name))
        case .page(let name, let properties):
            return .page(name: try named(name), properties: try CallValues.object(properties, of: name))
        case .identify(let userId, let traits):
            guard !userId.isBlank else { throw Refusal(.invalidUserId, "identify(): the user id is empty") }
            return .identify(userId: userId, traits: try CallValues.object(traits, of: name))
        case .group(let groupId, let traits):
            guard !groupId.isBlank else { throw Refusal(.invalidValue, "group(): the group id is empty") }
            return .group(groupId: groupId, traits: try CallValues.object(traits, of: name))
        case .alias(let newUserId):
            guard !newUserId.isBlank else { throw Refusal(.invalidUserId, "alias(): the new user id is empty") }
            return self
        case .setAdvertisingId(let id):
            guard id?.isBlank != true else {
                throw Refusal(.invalidValue, "setAdvertisingId(): the id is blank and is ignored; nil clears it")
            }
            return self
        case .unwritable(let name, let error):
            throw Refusal(.serialization, "\(name): \(error)")
        }
    }

    private func named(_ name: String) throws(Refusal) -> String {
        guard !name.isBlank else { throw Refusal(.invalidEventName, "The event name is empty") }
        return name
    }
}

extension AnalyticsCall {
    /// The call with these values, if JSON can hold them.
    init(_ name: String, _ values: Result<JSONText?, JSONConversionError>, _ call: (JSONText?) -> AnalyticsCall) {
        switch values {
        case .success(let text): self = call(text)
        case .failure(let error): self = .unwritable(name: name, error)
        }
    }
}
