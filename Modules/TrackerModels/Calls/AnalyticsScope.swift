/// What a part of a program, such as the handling of a request, gives to every analytics call that it makes.
///
/// ```swift
/// AnalyticsScope.with(userId: "user-1", properties: ["plan": "pro"]) {
///     AnalyticsClient.shared.track("Order Completed", properties: ["total": 149.99])
/// }
/// ```
///
/// What a call says itself wins over its scope, and a scope wins over the defaults and the user of the client. The ids are
/// those of ``IDValue``, of 1 to 1,024 bytes and not blank. With an id that is given and `nil` or not valid, every call in
/// the scope is dropped as ``RefusalReason/invalidValue``: a visitor who is not signed in is never taken for the client's
/// own user.
///
/// A scope inside another one takes over what it leaves out; of `properties` and `context` each top-level key counts. If
/// it names another user than the outer one, it takes over no id. A scope never changes the user that a client remembers.
public struct AnalyticsScope: Hashable, Sendable {
    /// The user that the calls are about. To set it to `nil` is to give `nil`.
    public var userId: String? {
        get { ids.user.text }
        set { ids.user = .given(newValue) }
    }
    /// The visitor that the calls are about, as the program knows them. To set it to `nil` is to give `nil`.
    public var anonymousId: String? {
        get { ids.visitor.text }
        set { ids.visitor = .given(newValue) }
    }
    /// The group that the user belongs to. To set it to `nil` is to give `nil`.
    public var groupId: String? {
        get { ids.group.text }
        set { ids.group = .given(newValue) }
    }
    /// Facts for the context of each event. Objects are merged member by member over the client's context.
    public var context: Properties?
    /// Facts for the properties of each `track`, `screen` and `page`. Traits stay as they are given.
    public var properties: Properties?

    package var ids: PersonIDs

    /// Describes a scope. What you leave out is taken from the scope around it, and else from the client.
    public init(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut,
        groupId: some IDGiven = IDOption.leftOut, context: Properties? = nil, properties: Properties? = nil
    ) {
        ids = PersonIDs(user: userId.idOption, visitor: anonymousId.idOption, group: groupId.idOption)
        self.context = context
        self.properties = properties
    }

    /// The scope that this one is inside another.
    package func inside(_ outer: AnalyticsScope?) -> AnalyticsScope {
        guard let outer else { return self }
        var scope = self
        scope.ids = ids.completed(by: outer.ids)
        scope.context = Properties.merging(outer.context, context)
        scope.properties = Properties.merging(outer.properties, properties)
        return scope
    }
}

extension Properties {
    /// One object with the top-level members of both, of which the second wins. If JSON cannot hold one of them, it is
    /// that one: the call is dropped for it.
    package static func merging(_ first: Properties?, _ second: Properties?) -> Properties? {
        guard let first, let second else { return first ?? second }
        guard case .success(let below) = first.content else { return first }
        guard case .success(let above) = second.content else { return second }
        return Properties(accepted: .merging(below, above))
    }
}
