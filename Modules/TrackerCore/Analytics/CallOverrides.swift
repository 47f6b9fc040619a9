import TrackerModels

/// What an event has besides its arguments, from its call's own options, from the scope around the call and from the
/// client's defaults: checked, and merged by the one rule that there is.
///
/// The call's own values win, then the scope's, then the defaults; what none of them says is the stored user's. A class,
/// since most calls have none.
final class CallOverrides: Sendable {
    /// Whether the call or its scope names the person that the event is about. Then nothing of the client's own user goes
    /// with the event, and the event changes nothing of that user.
    let namesPerson: Bool
    let userId: String?
    let anonymousId: String?
    let groupId: String?
    let timestamp: Timestamp?
    let context: JSONText?
    /// All properties of the event; `nil` if they are the call's own alone.
    let properties: Properties?

    /// Checks and merges.
    ///
    /// - Returns: `nil` if the call has nothing but its arguments.
    /// - Throws: Why the call is refused.
    init?(of given: GivenAnalyticsCall) throws(Refusal) {
        let options = given.options.flatMap { $0 == CallOptions() ? nil : $0 }
        let (call, scope, defaults) = (given.call, given.scope, given.defaults)
        guard options != nil || scope != nil || defaults != nil else { return nil }
        let around = scope?.ids ?? PersonIDs()
        try Self.check(around, in: "scope", of: nil)
        if case .setAdvertisingId = call {
            // It is about the client's own user, whom neither may stand for.
            guard options == nil, !around.isNamed else { throw .value(.noOptions) }
            return nil
        }
        let own = options?.ids ?? PersonIDs()
        try Self.check(own, in: "options", of: call)
        let ids = call.person(own).completed(by: around)
        namesPerson = own.isNamed || around.isNamed
        userId = ids.user.text
        anonymousId = ids.visitor.text
        groupId = ids.group.text
        if case .alias = call, namesPerson, anonymousId == nil {
            // Without the one who gets the new id, an alias says nothing that a server can use.
            throw .value(
                .noVisitor, ["option": .string(own.isNamed ? "options.anonymousId" : "scope.anonymousId")])
        }
        if let timestamp = options?.timestamp, !Self.writable.contains(timestamp.milliseconds) {
            throw .value(.wrongYear, ["option": "options.timestamp"])
        }
        timestamp = options?.timestamp
        context = Self.merged([
            defaults?.context, try scope?.context?.checked(as: "scope.context"),
            try options?.context?.checked(as: "options.context"),
        ])
        let common = Self.merged([defaults?.properties, try scope?.properties?.checked(as: "scope.properties")])
        if let common, let properties = call.properties {
            self.properties = .merging(Properties(accepted: common), properties)
        } else {
            properties = nil
        }
    }

    var weight: Int { 128 + (context?.byteCount ?? 0) + (properties?.byteCount ?? 0) }

    /// The instants of the years that ISO 8601 has four digits for, by their milliseconds.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    private static let maxIDBytes = 1024

    private static func merged(_ objects: [JSONText?]) -> JSONText? {
        let objects = objects.compactMap { $0 }
        return objects.isEmpty ? nil : .merging(objects)
    }

    /// - Parameters:
    ///   - place: Where they are given.
    ///   - call: The call whose arguments they may not contradict.
    private static func check(_ ids: PersonIDs, in place: String, of call: AnalyticsCall?) throws(Refusal) {
        try check("userId", ids.user, in: place, argument: call?.userId)
        try check("anonymousId", ids.visitor, in: place, argument: nil)
        try check("groupId", ids.group, in: place, argument: call?.groupId)
    }

    private static func check(
        _ name: String, _ option: IDOption, in place: String, argument: String?
    ) throws(Refusal) {
        guard case .given(let given) = option else { return }
        let path = "\(place).\(name)"
        let id = try checked(given, as: path)
        guard argument.map({ $0.isSpelled(as: id) }) ?? true else {
            throw .value(.notTheArgument, ["option": .string(path), "argument": .string(name)])
        }
    }

    /// Checks the id of a person that was given.
    static func checked(_ given: String?, as path: String) throws(Refusal) -> String {
        guard let id = given else { throw .value(.noValue, ["option": .string(path)]) }
        guard !id.isBlank else { throw .value(.blank, ["option": .string(path)]) }
        guard id.utf8.count <= maxIDBytes else {
            throw .value(.tooLong, ["option": .string(path), "most": JSONValue(maxIDBytes)])
        }
        return id
    }
}

extension AnalyticsCall {
    /// The person that the call is about, by its arguments and its own ids.
    ///
    /// The argument of `alias` is another name of the same person, and says nothing of who they are.
    fileprivate func person(_ own: PersonIDs) -> PersonIDs {
        var ids = own
        switch self {
        case .identify(let userId, _): ids.user = .given(userId)
        case .group(let groupId, _): ids.group = .given(groupId)
        case .alias: ids.user = .leftOut
        case .track, .screen, .page, .setAdvertisingId: break
        }
        return ids
    }
}
