public import TrackerModels

/// The calls. The second form of a call takes a dictionary of any values.
extension AnalyticsInterface {
    /// Makes a call without options, as ``enqueue(_:options:messageId:)`` does.
    @discardableResult
    public func enqueue(_ call: AnalyticsCall, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(call, options: nil, messageId: messageId)
    }

    /// Records that an event happened.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"User Action"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func track(
        _ event: String, properties: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.track(event: event, properties: properties), options: options, messageId: messageId)
    }

    /// Records that an event happened, with values in `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func track(
        _ event: String, properties: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .track(event: event, properties: properties.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Says who the user is, with facts about them. All later events carry this user id.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user: text, a whole number or a UUID. Not blank.
    ///   - traits: Facts about the user.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func identify(
        _ userId: some IDValue, traits: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.identify(userId: userId.idText, traits: traits), options: options, messageId: messageId)
    }

    /// Says who the user is, with facts about them in a `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func identify(
        _ userId: some IDValue, traits: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .identify(userId: userId.idText, traits: traits.map { Properties($0) }), options: options,
            messageId: messageId)
    }

    /// Says which group the user belongs to, with facts about it. All later events carry the group id.
    ///
    /// - Parameters:
    ///   - groupId: The application's name for the group: text, a whole number or a UUID. Not blank.
    ///   - traits: Facts about the group.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func group(
        _ groupId: some IDValue, traits: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.group(groupId: groupId.idText, traits: traits), options: options, messageId: messageId)
    }

    /// Says which group the user belongs to, with facts about it in a `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func group(
        _ groupId: some IDValue, traits: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .group(groupId: groupId.idText, traits: traits.map { Properties($0) }), options: options,
            messageId: messageId)
    }

    /// Records that a screen was shown.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func screen(
        _ name: String, properties: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.screen(name: name, properties: properties), options: options, messageId: messageId)
    }

    /// Records that a screen was shown, with values in `[String: Any]`.
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
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func page(
        _ name: String, properties: Properties? = nil, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.page(name: name, properties: properties), options: options, messageId: messageId)
    }

    /// Records that a page was shown, with values in `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func page(
        _ name: String, properties: [String: Any]?, options: CallOptions? = nil,
        messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(
            .page(name: name, properties: properties.map { Properties($0) }), options: options, messageId: messageId)
    }

    /// Gives the user another id. All later events carry it.
    ///
    /// - Parameters:
    ///   - newUserId: The new id: text, a whole number or a UUID. Not blank.
    ///   - options: What the call says about itself, instead of what the client knows.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func alias(
        _ newUserId: some IDValue, options: CallOptions? = nil, messageId: CallerKey? = nil
    ) -> CallReceipt {
        enqueue(.alias(newUserId: newUserId.idText), options: options, messageId: messageId)
    }

    /// Sets the advertising identifier that later events carry; it is kept over restarts.
    ///
    /// It is personal data: set it only where the user allows it.
    ///
    /// - Parameters:
    ///   - advertisingId: The identifier; `nil` clears it. A blank one is ignored with a warning.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func setAdvertisingId(_ advertisingId: String?, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.setAdvertisingId(advertisingId), messageId: messageId)
    }

    /// Clears the advertising identifier; user id and anonymous id stay.
    ///
    /// - Parameter messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore.
    @discardableResult
    public func clearAdvertisingId(messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.setAdvertisingId(nil), messageId: messageId)
    }

    /// Forgets the user, as ``reset(messageId:)`` does.
    @discardableResult
    public func reset() -> CallReceipt { reset(messageId: nil) }
}
