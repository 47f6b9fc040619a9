public import TrackerModels

/// The calls with values as dictionaries.
extension BasicTracker {
    /// Records that an event happened.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its key path
    /// in the log. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"Button Clicked"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func track(event: String, properties: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        receipt(BasicCall("track", CallValues.text(properties)) { .track(event: event, properties: $0) }, messageId)
    }

    /// Tells who the user is, and what is known of them: all later events carry both, until the next `identify` replaces
    /// them.
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
    public func identify(userId: String, traits: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        receipt(BasicCall("identify", CallValues.text(traits)) { .identify(userId: userId, traits: $0) }, messageId)
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
    public func screen(name: String, properties: [String: Any]?, messageId: MessageID? = nil) -> CallReceipt {
        receipt(BasicCall("screen", CallValues.text(properties)) { .screen(name: name, properties: $0) }, messageId)
    }
}
