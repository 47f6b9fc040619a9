public import TrackerModels

/// The calls. Each returns a receipt, which you may ignore. The second form takes a dictionary of any values.
extension BasicTracker {
    /// Records that an event happened.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"Button Clicked"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    @discardableResult
    public func track(event: String, properties: Properties? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.track(event: event, properties: properties), messageId)
    }

    /// Records that an event happened, with values in `[String: Any]`.
    @_disfavoredOverload @discardableResult
    public func track(event: String, properties: [String: Any]?, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.track(event: event, properties: properties.map { Properties($0) }), messageId)
    }

    /// Says who the user is, with facts about them. All later events carry both, until the next `identify`.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user: text, a whole number or a UUID. Not blank.
    ///   - traits: Facts about the user.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    @discardableResult
    public func identify(userId: some IDValue, traits: Properties? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.identify(userId: userId.idText, traits: traits), messageId)
    }

    /// Says who the user is, with facts about them in a `[String: Any]`.
    @_disfavoredOverload @discardableResult
    public func identify(userId: some IDValue, traits: [String: Any]?, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.identify(userId: userId.idText, traits: traits.map { Properties($0) }), messageId)
    }

    /// Records that a screen was shown.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    @discardableResult
    public func screen(name: String, properties: Properties? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.screen(name: name, properties: properties), messageId)
    }

    /// Records that a screen was shown, with values in `[String: Any]`.
    @_disfavoredOverload @discardableResult
    public func screen(name: String, properties: [String: Any]?, messageId: CallerKey? = nil) -> CallReceipt {
        enqueue(.screen(name: name, properties: properties.map { Properties($0) }), messageId)
    }
}
