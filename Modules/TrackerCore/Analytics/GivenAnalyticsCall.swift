import TrackerModels

/// An analytics call as the program has made it, and what was around it then.
struct GivenAnalyticsCall: Sendable {
    var call: AnalyticsCall
    var options: CallOptions?
    var scope: AnalyticsScope?
    var defaults: CallDefaults?

    func checked() -> Result<CheckedAnalyticsCall, Refusal> {
        Result { () throws(Refusal) in
            try call.check()
            return CheckedAnalyticsCall(given: self, own: try CallOverrides(of: self))
        }
    }
}

struct CheckedAnalyticsCall: Sendable {
    let given: GivenAnalyticsCall
    let own: CallOverrides?

    var call: AnalyticsCall { given.call }

    var weight: Int { call.weight + (own?.weight ?? 0) }
}

extension GivenAnalyticsCall: FilterableCall {
    var name: String { call.name }

    var outgoing: OutgoingCall {
        var outgoing = call.outgoing
        outgoing.userId = outgoing.userId ?? options?.userId
        outgoing.anonymousId = options?.anonymousId
        outgoing.groupId = outgoing.groupId ?? options?.groupId
        outgoing.context = options?.context?.members
        outgoing.timestamp = options?.timestamp
        outgoing.scope = scope
        return outgoing
    }

    func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> GivenAnalyticsCall {
        GivenAnalyticsCall(
            call: call.replacing(old, with: new), options: changed(old, new), scope: new.scope, defaults: defaults)
    }

    /// The options that a function has made. An id that is an argument of the call as well stays the same in both.
    private func changed(_ old: OutgoingCall, _ new: OutgoingCall) -> CallOptions? {
        if case .setAdvertisingId = call { return options }
        var changed = options ?? CallOptions()
        if call.userId == nil || options?.userId != nil { changed.ids.user = IDOption(new.userId) }
        changed.ids.visitor = IDOption(new.anonymousId)
        if call.groupId == nil || options?.groupId != nil { changed.ids.group = IDOption(new.groupId) }
        let isNamed = changed.ids.isNamed || new.scope?.ids.isNamed == true
        // Without the one whom it is about, it would be about the client's own user or group.
        if options?.ids.isNamed == true || scope?.ids.isNamed == true, !isNamed { changed.userId = nil }
        let hadGroup = options?.groupId != nil || scope?.ids.group.text != nil
        if !isNamed, hadGroup, changed.groupId == nil, new.scope?.ids.group.text == nil { changed.groupId = nil }
        changed.timestamp = new.timestamp
        changed.context = new.values(\.context, after: old, given: changed.context)
        return changed
    }
}

extension IDOption {
    fileprivate init(_ id: String?) { self = id.map { .given($0) } ?? .leftOut }
}

extension AnalyticsCall {
    fileprivate var outgoing: OutgoingCall {
        switch self {
        case .track(let name, let values): OutgoingCall(method: "track", name: name, properties: values?.members)
        case .screen(let name, let values): OutgoingCall(method: "screen", name: name, properties: values?.members)
        case .page(let name, let values): OutgoingCall(method: "page", name: name, properties: values?.members)
        case .identify(let user, let traits):
            OutgoingCall(method: "identify", userId: user, properties: traits?.members)
        case .group(let group, let traits):
            OutgoingCall(method: "group", groupId: group, properties: traits?.members)
        case .alias(let user): OutgoingCall(method: "alias", userId: user)
        case .setAdvertisingId(let id): OutgoingCall(method: "setAdvertisingId", advertisingId: id)
        }
    }

    fileprivate func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> AnalyticsCall {
        func values(_ given: Properties?) -> Properties? { new.values(\.properties, after: old, given: given) }

        return switch self {
        case .track(_, let properties): .track(event: new.name ?? "", properties: values(properties))
        case .screen(_, let properties): .screen(name: new.name ?? "", properties: values(properties))
        case .page(_, let properties): .page(name: new.name ?? "", properties: values(properties))
        case .identify(_, let traits): .identify(userId: new.userId ?? "", traits: values(traits))
        case .group(_, let traits): .group(groupId: new.groupId ?? "", traits: values(traits))
        case .alias: .alias(newUserId: new.userId ?? "")
        case .setAdvertisingId: .setAdvertisingId(new.advertisingId)
        }
    }

    /// The user that the call itself names.
    var userId: String? {
        switch self {
        case .identify(let userId, _), .alias(let userId): userId
        case .track, .group, .screen, .page, .setAdvertisingId: nil
        }
    }

    /// The group that the call itself names.
    var groupId: String? { if case .group(let groupId, _) = self { groupId } else { nil } }
}
