public import TrackerModels

/// The calls with values as validated JSON text.
extension BasicTracker {
    /// Records that an event happened.
    ///
    /// The values are JSON text, which goes to the wire as it is. Returns at once; the call has its place in the order.
    ///
    /// - Parameters:
    ///   - event: What happened, such as `"Button Clicked"`. Not blank.
    ///   - properties: Facts about this event.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @_disfavoredOverload
    @discardableResult
    public func track(event: String, properties: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        receipt(.track(event: event, properties: properties), messageId)
    }

    /// Tells who the user is, and what is known of them: all later events carry both, until the next `identify` replaces
    /// them.
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
    public func identify(userId: String, traits: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        receipt(.identify(userId: userId, traits: traits), messageId)
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
    public func screen(name: String, properties: JSONText?, messageId: MessageID? = nil) -> CallReceipt {
        receipt(.screen(name: name, properties: properties), messageId)
    }
}
