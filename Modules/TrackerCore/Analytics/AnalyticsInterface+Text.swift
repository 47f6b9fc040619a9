public import TrackerModels

/// The calls with values as validated JSON text.
extension AnalyticsInterface {
    /// Records that an event happened.
    ///
    /// The values are JSON text, which goes to the wire as it is. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"User Action"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func track(_ event: String, properties: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        accept(.track(event: event, properties: properties), messageId: messageId)
    }

    /// Tells who the user is, and what is known of them. All later events carry the user id.
    ///
    /// The values are JSON text, which goes to the wire as it is. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user. Not blank.
    ///   - traits: Facts about the user.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func identify(_ userId: String, traits: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        accept(.identify(userId: userId, traits: traits), messageId: messageId)
    }

    /// Tells which group the user belongs to, and what is known of it. All later events carry the group id.
    ///
    /// The values are JSON text, which goes to the wire as it is. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - groupId: The application's name for the group. Not blank.
    ///   - traits: Facts about the group.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func group(_ groupId: String, traits: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        accept(.group(groupId: groupId, traits: traits), messageId: messageId)
    }

    /// Records that a screen was shown.
    ///
    /// The values are JSON text, which goes to the wire as it is. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func screen(_ name: String, properties: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        accept(.screen(name: name, properties: properties), messageId: messageId)
    }

    /// Records that a page was shown.
    ///
    /// The values are JSON text, which goes to the wire as it is. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - name: The page. Not blank.
    ///   - properties: Facts about the view.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func page(_ name: String, properties: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        accept(.page(name: name, properties: properties), messageId: messageId)
    }
}
