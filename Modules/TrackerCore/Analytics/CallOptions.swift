public import TrackerModels

/// What one analytics call says about itself, instead of what the client knows.
///
/// With it, one client of a server reports many users:
///
/// ```swift
/// AnalyticsClient.shared.track(
///     "Order Completed", properties: ["total": 149.99], options: CallOptions(userId: "user-1"))
/// ```
///
/// Options apply to their call alone, and change nothing that the client remembers. A call that names its user, by
/// `userId` or `anonymousId`, carries nothing of the client's own user: neither its ids and group nor its advertising
/// identifier. An `identify`, `alias` or `group` that names its user is an event about that user, and the client's own
/// user stays.
///
/// An id is text, a whole number or a UUID. Its text has 1 to 1,024 bytes and is not blank; a call with any other id is
/// dropped as ``RefusalReason/invalidValue``. So is a call with an id that is given and `nil`: with
/// `CallOptions(userId: user?.id)` a visitor who is not signed in is never taken for the client's own user. What you leave
/// out is taken from the client. The event's `messageId` is an argument of the call itself.
public struct CallOptions: Hashable, Sendable {
    /// The user that the call is about. In `identify` and `alias` it must equal the argument of the call, else the call
    /// is dropped. To set it to `nil` is to give `nil`.
    public var userId: String? {
        get { ids.user.text }
        set { ids.user = .given(newValue) }
    }
    /// The visitor that the call is about, as the program knows them. To set it to `nil` is to give `nil`.
    public var anonymousId: String? {
        get { ids.visitor.text }
        set { ids.visitor = .given(newValue) }
    }
    /// The group that the user belongs to. In `group` it must equal the argument of the call, else the call is dropped.
    /// To set it to `nil` is to give `nil`.
    public var groupId: String? {
        get { ids.group.text }
        set { ids.group = .given(newValue) }
    }
    /// When it happened. With `nil` it is the time of the call. It changes neither the order of delivery nor
    /// `eventTTL`.
    public var timestamp: Timestamp?
    /// Facts that replace those of the client's context for this call. Objects are merged member by member.
    public var context: Properties?

    package var ids: PersonIDs

    /// Makes options. What you leave out is taken from the client; an id that is given and `nil` drops the call.
    public init(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut,
        groupId: some IDGiven = IDOption.leftOut, timestamp: Timestamp? = nil, context: Properties? = nil
    ) {
        ids = PersonIDs(user: userId.idOption, visitor: anonymousId.idOption, group: groupId.idOption)
        self.timestamp = timestamp
        self.context = context
    }
}

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
    /// An id; `nil` is left out.
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
