public import TrackerModels

/// The calls. The second form of a call takes a dictionary of any values.
extension AnalyticsInterface {
    /// Makes a call that says nothing for itself, as ``enqueue(_:options:messageId:)`` does.
    @discardableResult
    public func enqueue(_ call: AnalyticsCall, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(call, options: nil, messageId: messageId)
    }

    /// Records that an event happened.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"User Action"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - options: What the call says for itself, in the place of what the client knows.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func track(
        _ event: String, properties: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.track(event: event, properties: properties), options: options, messageId: messageId)
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    @discardableResult
    public func track(
        _ event: String, properties: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .track(event: event, properties: properties.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Tells who the user is, and what is known of them. All later events carry the user id.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user. Not blank.
    ///   - traits: Facts about the user.
    ///   - options: What the call says for itself, in the place of what the client knows.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func identify(
        _ userId: String, traits: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.identify(userId: userId, traits: traits), options: options, messageId: messageId)
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    @discardableResult
    public func identify(
        _ userId: String, traits: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .identify(userId: userId, traits: traits.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Tells which group the user belongs to, and what is known of it. All later events carry the group id.
    ///
    /// - Parameters:
    ///   - groupId: The application's name for the group. Not blank.
    ///   - traits: Facts about the group.
    ///   - options: What the call says for itself, in the place of what the client knows.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func group(
        _ groupId: String, traits: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.group(groupId: groupId, traits: traits), options: options, messageId: messageId)
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    @discardableResult
    public func group(
        _ groupId: String, traits: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.group(groupId: groupId, traits: traits.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Records that a screen was shown.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view.
    ///   - options: What the call says for itself, in the place of what the client knows.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func screen(
        _ name: String, properties: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.screen(name: name, properties: properties), options: options, messageId: messageId)
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    @discardableResult
    public func screen(
        _ name: String, properties: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .screen(name: name, properties: properties.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Records that a page was shown.
    ///
    /// - Parameters:
    ///   - name: The page. Not blank.
    ///   - properties: Facts about the view.
    ///   - options: What the call says for itself, in the place of what the client knows.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func page(
        _ name: String, properties: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.page(name: name, properties: properties), options: options, messageId: messageId)
    }

    /// The same with a dictionary of any values.
    @_disfavoredOverload
    @discardableResult
    public func page(
        _ name: String, properties: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .page(name: name, properties: properties.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Tells that the user is known by another id from now on. All later events carry it.
    ///
    /// - Parameters:
    ///   - newUserId: The new id. Not blank.
    ///   - options: What the call says for itself, in the place of what the client knows.
    ///   - messageId: A key of the caller's own: a second call with it has no effect.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func alias(
        _ newUserId: String, options: CallOptions? = nil, messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.alias(newUserId: newUserId), options: options, messageId: messageId)
    }

    /// Has later events carry an advertising identifier; it is kept over restarts.
    ///
    /// It is personal data: set it only where the user allows it.
    ///
    /// - Parameters:
    ///   - advertisingId: The identifier; `nil` clears it. A blank one is ignored with a warning.
    ///   - messageId: A key that the outcome names.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func setAdvertisingId(_ advertisingId: String?, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.setAdvertisingId(advertisingId), messageId: messageId)
    }

    /// Has later events carry no advertising identifier; user id and anonymous id stay.
    ///
    /// - Parameter messageId: A key that the outcome names.
    /// - Returns: A receipt, which may be thrown away.
    @discardableResult
    public func clearAdvertisingId(messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.setAdvertisingId(nil), messageId: messageId)
    }

    /// Leaves the user, as ``reset(messageId:)`` does.
    @discardableResult
    public func reset() -> CallReceipt { reset(messageId: nil) }
}
