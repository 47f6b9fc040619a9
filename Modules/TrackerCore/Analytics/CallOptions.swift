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
        get { user.text }
        set { user = .given(newValue) }
    }
    /// The visitor that the call is about, as the program knows them. To set it to `nil` is to give `nil`.
    public var anonymousId: String? {
        get { visitor.text }
        set { visitor = .given(newValue) }
    }
    /// The group that the user belongs to. In `group` it must equal the argument of the call, else the call is dropped.
    /// To set it to `nil` is to give `nil`.
    public var groupId: String? {
        get { group.text }
        set { group = .given(newValue) }
    }
    /// When it happened. With `nil` it is the time of the call. It changes neither the order of delivery nor
    /// `eventTTL`.
    public var timestamp: Timestamp?
    /// Facts that replace those of the client's context for this call. Objects are merged member by member.
    public var context: Properties?

    /// Whether each id was given.
    package var user: IDOption
    package var visitor: IDOption
    package var group: IDOption

    /// Makes options. What you leave out is taken from the client; an id that is given and `nil` drops the call.
    public init(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut,
        groupId: some IDGiven = IDOption.leftOut, timestamp: Timestamp? = nil, context: Properties? = nil
    ) {
        user = userId.idOption
        visitor = anonymousId.idOption
        group = groupId.idOption
        self.timestamp = timestamp
        self.context = context
    }

    static let maxIDBytes = 1024
}

/// Options that have been checked. A class, since most calls have none.
final class CallOverrides: Sendable {
    let userId: String?
    let anonymousId: String?
    let groupId: String?
    let timestamp: Timestamp?
    let context: JSONText?

    /// Checks options.
    ///
    /// - Parameter call: The call that they came with.
    /// - Returns: `nil` if they are empty.
    /// - Throws: Why the call is refused.
    init?(_ options: CallOptions?, of call: AnalyticsCall) throws(Refusal) {
        guard let options, options != CallOptions() else { return nil }
        if case .setAdvertisingId = call { throw .value(.noOptions) }
        userId = try Self.checked("userId", options.user, argument: call.userId)
        anonymousId = try Self.checked("anonymousId", options.visitor, argument: nil)
        groupId = try Self.checked("groupId", options.group, argument: call.groupId)
        if let timestamp = options.timestamp, !Self.writable.contains(timestamp.milliseconds) {
            throw .value(.wrongYear, ["option": "options.timestamp"])
        }
        timestamp = options.timestamp
        context = try options.context?.checked(as: "options.context")
    }

    /// Whether the call is about a user that it names itself.
    var namesUser: Bool { userId != nil || anonymousId != nil }

    var options: CallOptions {
        var options = CallOptions(timestamp: timestamp, context: context.map { Properties(accepted: $0) })
        if let userId { options.userId = userId }
        if let anonymousId { options.anonymousId = anonymousId }
        if let groupId { options.groupId = groupId }
        return options
    }

    var weight: Int { 128 + (context?.byteCount ?? 0) }

    /// The instants of the years that ISO 8601 has four digits for, by their milliseconds.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    private static func checked(
        _ name: String, _ option: IDOption, argument: String?
    ) throws(Refusal) -> String? {
        guard case .given(let given) = option else { return nil }
        let path = JSONValue.string("options.\(name)")
        guard let id = given else { throw .value(.noValue, ["option": path]) }
        guard !id.isBlank else { throw .value(.blank, ["option": path]) }
        guard id.utf8.count <= CallOptions.maxIDBytes else {
            throw .value(.tooLong, ["option": path, "most": JSONValue(CallOptions.maxIDBytes)])
        }
        // Equal by its code points: Swift's own `==` takes two spellings of one character for the same.
        guard argument.map({ $0.unicodeScalars.elementsEqual(id.unicodeScalars) }) ?? true else {
            throw .value(.notTheArgument, ["option": path, "argument": .string(name)])
        }
        return id
    }
}

struct CheckedAnalyticsCall: Sendable {
    var call: AnalyticsCall
    var own: CallOverrides?

    var given: GivenAnalyticsCall { GivenAnalyticsCall(call: call, options: own?.options) }

    var weight: Int { call.weight + (own?.weight ?? 0) }
}

/// An analytics call with the options that it came with.
struct GivenAnalyticsCall: Sendable {
    var call: AnalyticsCall
    var options: CallOptions?

    func checked() -> Result<CheckedAnalyticsCall, Refusal> {
        Result { () throws(Refusal) in
            try call.check()
            return CheckedAnalyticsCall(call: call, own: try CallOverrides(options, of: call))
        }
    }
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
        return outgoing
    }

    func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> GivenAnalyticsCall {
        GivenAnalyticsCall(call: call.replacing(old, with: new), options: changed(old, new))
    }

    /// The options that a function has made. An id that is an argument of the call as well stays the same in both.
    private func changed(_ old: OutgoingCall, _ new: OutgoingCall) -> CallOptions? {
        if case .setAdvertisingId = call { return options }
        var changed = options ?? CallOptions()
        if call.userId == nil || options?.userId != nil { changed.user = IDOption(new.userId) }
        changed.visitor = IDOption(new.anonymousId)
        if call.groupId == nil || options?.groupId != nil { changed.group = IDOption(new.groupId) }
        // Without the one whom it is about, it would be about the client's own user or group.
        if options?.namesUser == true, !changed.namesUser { changed.user = .given(nil) }
        if !changed.namesUser, options?.groupId != nil, changed.groupId == nil { changed.group = .given(nil) }
        changed.timestamp = new.timestamp
        changed.context = new.values(\.context, after: old, given: changed.context)
        return changed
    }
}

extension CallOptions {
    /// Whether they name the user that the call is about.
    fileprivate var namesUser: Bool { userId != nil || anonymousId != nil }
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
