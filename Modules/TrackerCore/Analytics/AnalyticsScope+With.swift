public import TrackerModels

/// The scope that holds for the code that runs now.
extension AnalyticsScope {
    /// The scope of the task, with all that it takes over; `nil` outside every scope.
    @TaskLocal package static var current: AnalyticsScope?

    /// Gives every analytics call that `body` makes these values, in every task that it starts as well but for detached
    /// ones.
    ///
    /// - Parameters:
    ///   - userId: The user that the calls are about.
    ///   - anonymousId: The visitor that the calls are about, as the program knows them.
    ///   - groupId: The group that the user belongs to.
    ///   - context: Facts for the context of each event.
    ///   - properties: Facts for the properties of each `track`, `screen` and `page`.
    ///   - body: What makes the calls.
    /// - Returns: What `body` returns.
    @discardableResult
    public static func with<Value>(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut,
        groupId: some IDGiven = IDOption.leftOut, context: Properties? = nil, properties: Properties? = nil,
        _ body: () throws -> Value
    ) rethrows -> Value {
        let scope = AnalyticsScope(
            userId: userId, anonymousId: anonymousId, groupId: groupId, context: context, properties: properties)
        return try scope.hold(during: body)
    }

    /// Gives every analytics call that `body` makes these values, in every task that it starts as well but for detached
    /// ones.
    ///
    /// - Parameters:
    ///   - userId: The user that the calls are about.
    ///   - anonymousId: The visitor that the calls are about, as the program knows them.
    ///   - groupId: The group that the user belongs to.
    ///   - context: Facts for the context of each event.
    ///   - properties: Facts for the properties of each `track`, `screen` and `page`.
    ///   - body: What makes the calls.
    /// - Returns: What `body` returns.
    @discardableResult
    public static func with<Value>(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut,
        groupId: some IDGiven = IDOption.leftOut, context: Properties? = nil, properties: Properties? = nil,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let scope = AnalyticsScope(
            userId: userId, anonymousId: anonymousId, groupId: groupId, context: context, properties: properties)
        return try await scope.hold(during: body)
    }

    /// Gives every analytics call that `body` makes the values of this scope.
    @discardableResult
    package func hold<Value>(during body: () throws -> Value) rethrows -> Value {
        try Self.$current.withValue(inside(Self.current), operation: body)
    }

    /// Gives every analytics call that `body` makes the values of this scope.
    @discardableResult
    package func hold<Value>(during body: () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(inside(Self.current), operation: body)
    }
}
