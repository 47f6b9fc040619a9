public import TrackerModels

/// The calls with values as dictionaries.
extension AnalyticsInterface {
    /// Records that an event happened.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its key path
    /// in the log. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"User Action"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func track(_ event: String, properties: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        accept("track", properties, messageId) { .track(event: event, properties: $0) }
    }

    /// Tells who the user is, and what is known of them. All later events carry the user id.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its key path
    /// in the log. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user. Not blank.
    ///   - traits: Facts about the user.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func identify(_ userId: String, traits: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        accept("identify", traits, messageId) { .identify(userId: userId, traits: $0) }
    }

    /// Tells which group the user belongs to, and what is known of it. All later events carry the group id.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its key path
    /// in the log. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - groupId: The application's name for the group. Not blank.
    ///   - traits: Facts about the group.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func group(_ groupId: String, traits: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        accept("group", traits, messageId) { .group(groupId: groupId, traits: $0) }
    }

    /// Records that a screen was shown.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its key path
    /// in the log. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func screen(_ name: String, properties: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        accept("screen", properties, messageId) { .screen(name: name, properties: $0) }
    }

    /// Records that a page was shown.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its key path
    /// in the log. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - name: The page. Not blank.
    ///   - properties: Facts about the view.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func page(_ name: String, properties: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        accept("page", properties, messageId) { .page(name: name, properties: $0) }
    }

    func accept(
        _ name: String, _ values: [String: Any]?, _ messageId: MessageID?, _ call: (JSONText?) -> AnalyticsCall
    ) -> CallReceipt {
        accept(AnalyticsCall(name, CallValues.text(values), call), messageId: messageId)
    }
}
