public import TrackerModels

/// The tracking calls with values as dictionaries.
///
/// Every dictionary is optional, where it is required too: the compiler takes a literal for a plain `[String: Any]`
/// before it looks at any other type, and a literal is to be a `JSONObject`, which keeps its order.
extension MobileTracker {
    /// Records that an event happened.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its
    /// key path in the log. When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - eventName: What happened, such as `"PURCHASE"`. Not blank.
    ///   - attributes: Facts about this event. With `metadata`, at most `maxEventBytes` as JSON.
    ///   - metadata: Technical context. Wins over an attribute of the same name.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func track(
        eventName: String, attributes: [String: Any]? = nil, metadata: [String: Any]? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit("track", [attributes, metadata], messageId) {
            .track(eventName: eventName, attributes: $0[0], metadata: $0[1])
        }
    }

    /// Records that an event happened.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func track(
        eventName: String, attributes: [String: Any]? = nil, metadata: [String: Any]? = nil, messageId: MessageID? = nil
    ) {
        accept("track", [attributes, metadata], messageId) {
            .track(eventName: eventName, attributes: $0[0], metadata: $0[1])
        }
    }

    /// Tells who the user is, and what is known of them.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its
    /// key path in the log. When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user. Not empty.
    ///   - profileData: Facts about the user; those the backend does not know by name go into `extra`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func identify(
        userId: String, profileData: [String: Any]? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit("identify", [profileData], messageId) { .identify(userId: userId, profile: $0[0]) }
    }

    /// Tells who the user is, and what is known of them.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func identify(userId: String, profileData: [String: Any]? = nil, messageId: MessageID? = nil) {
        accept("identify", [profileData], messageId) { .identify(userId: userId, profile: $0[0]) }
    }

    /// Updates what is known of the user, without changing who it is.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its
    /// key path in the log. When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - profileData: Facts about the user; those the backend does not know by name go into `extra`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func set(profileData: [String: Any]?, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit("set", [profileData], messageId) { .set(profile: $0[0] ?? .emptyObject) }
    }

    /// Updates what is known of the user, without changing who it is.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func set(profileData: [String: Any]?, messageId: MessageID? = nil) {
        accept("set", [profileData], messageId) { .set(profile: $0[0] ?? .emptyObject) }
    }

    /// Sets metadata of the session, which go with all its later events.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its
    /// key path in the log. When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - metadata: Merged over the metadata the session has.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func setMetadata(_ metadata: [String: Any]?, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit("setMetadata", [metadata], messageId) { .setMetadata($0[0] ?? .emptyObject) }
    }

    /// Sets metadata of the session, which go with all its later events.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func setMetadata(_ metadata: [String: Any]?, messageId: MessageID? = nil) {
        accept("setMetadata", [metadata], messageId) { .setMetadata($0[0] ?? .emptyObject) }
    }

    /// Records that a screen was shown, as the event `VIEW_PAGE`.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its
    /// key path in the log. When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view. They win over `screen` and `url`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func screen(
        name: String, properties: [String: Any]? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit("screen", [properties], messageId) { .screen(name: name, properties: $0[0]) }
    }

    /// Records that a screen was shown, as the event `VIEW_PAGE`.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func screen(name: String, properties: [String: Any]? = nil, messageId: MessageID? = nil) {
        accept("screen", [properties], messageId) { .screen(name: name, properties: $0[0]) }
    }

    /// Takes note that the platform shows a screen: an immediate repeat is not recorded again.
    ///
    /// A value that JSON cannot hold (NaN, infinity, a foreign object) drops the call as `.serialization`, with its
    /// key path in the log. When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - name: The screen, or the title of a page. Not blank.
    ///   - url: What tells it from others; its name if `nil`.
    ///   - properties: Facts about the view. They win over `screen` and `url`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func screenDidAppear(
        name: String, url: String? = nil, properties: [String: Any]? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit("screenDidAppear", [properties], messageId) {
            .screenDidAppear(name: name, url: url, properties: $0[0])
        }
    }

    /// Takes note that the platform shows a screen: an immediate repeat is not recorded again.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func screenDidAppear(
        name: String, url: String? = nil, properties: [String: Any]? = nil, messageId: MessageID? = nil
    ) {
        accept("screenDidAppear", [properties], messageId) { .screenDidAppear(name: name, url: url, properties: $0[0]) }
    }
}
