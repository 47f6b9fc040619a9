public import TrackerModels

/// A call to an analytics client, as every form of it comes down to.
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

    /// What the call is called in a log: an event by its name, anything else by the method's.
    var name: String {
        switch self {
        case .track(let event, _): event
        case .screen(let name, _), .page(let name, _): name
        case .identify: "identify"
        case .group: "group"
        case .alias: "alias"
        case .setAdvertisingId: "setAdvertisingId"
        }
    }

    /// About how many bytes of memory it takes.
    var weight: Int {
        switch self {
        case .track(_, let values), .identify(_, let values), .group(_, let values), .screen(_, let values),
            .page(_, let values):
            256 + (values?.byteCount ?? 0)
        case .alias, .setAdvertisingId: 256
        }
    }

    /// The call, or why it is refused.
    func checked() -> Result<AnalyticsCall, Refusal> {
        Result { () throws(Refusal) in
            try check()
            return self
        }
    }

    private func check() throws(Refusal) {
        switch self {
        case .track(let name, let values), .screen(let name, let values), .page(let name, let values):
            guard !name.isBlank else { throw Refusal(.invalidEventName, "The event name is empty") }
            _ = try values?.checked(for: name)
        case .identify(let userId, let traits):
            guard !userId.isBlank else { throw Refusal(.invalidUserId, "identify(): the user id is empty") }
            _ = try traits?.checked(for: name)
        case .group(let groupId, let traits):
            guard !groupId.isBlank else { throw Refusal(.invalidValue, "group(): the group id is empty") }
            _ = try traits?.checked(for: name)
        case .alias(let newUserId):
            guard !newUserId.isBlank else { throw Refusal(.invalidUserId, "alias(): the new user id is empty") }
        case .setAdvertisingId(let id):
            guard id?.isBlank != true else {
                throw Refusal(.invalidValue, "setAdvertisingId(): the id is blank and is ignored; nil clears it")
            }
        }
    }
}
