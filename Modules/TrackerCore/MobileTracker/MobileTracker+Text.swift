public import TrackerModels

/// The tracking calls with values as validated JSON text.
extension MobileTracker {
    /// Tells the backend where the session's device is.
    ///
    /// When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - location: The place; out of range, the call is dropped as `.invalidValue`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @discardableResult
    public func updateLocation(_ location: LocationData, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit(.updateLocation(location), messageID: messageId)
    }

    /// Tells the backend where the session's device is.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    public func updateLocation(_ location: LocationData, messageId: MessageID? = nil) {
        accept(.updateLocation(location), messageID: messageId)
    }

    /// Tells the backend the session's email address, and stores it once the backend has it.
    ///
    /// When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - email: One `@` and no spaces, else the call is dropped as `.invalidValue`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @discardableResult
    public func updateSessionEmail(_ email: String, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit(.updateSessionEmail(email), messageID: messageId)
    }

    /// Tells the backend the session's email address, and stores it once the backend has it.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    public func updateSessionEmail(_ email: String, messageId: MessageID? = nil) {
        accept(.updateSessionEmail(email), messageID: messageId)
    }

    /// Links another session of the same visitor to this one.
    ///
    /// When the outcome is `.queued` the call is on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - sourceSessionId: The other session. Not empty.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @discardableResult
    public func linkSession(_ sourceSessionId: String, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit(.linkSession(sourceSessionId), messageID: messageId)
    }

    /// Links another session of the same visitor to this one.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    public func linkSession(_ sourceSessionId: String, messageId: MessageID? = nil) {
        accept(.linkSession(sourceSessionId), messageID: messageId)
    }

    /// Records that an event happened.
    ///
    /// The values are validated JSON text, which goes to the wire as it is. When the outcome is `.queued` the call is
    /// on disk: it outlives a crash, and is delivered
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
        eventName: String, attributes: JSONText? = nil, metadata: JSONText? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit(.track(eventName: eventName, attributes: attributes, metadata: metadata), messageID: messageId)
    }

    /// Records that an event happened.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func track(
        eventName: String, attributes: JSONText? = nil, metadata: JSONText? = nil, messageId: MessageID? = nil
    ) {
        accept(.track(eventName: eventName, attributes: attributes, metadata: metadata), messageID: messageId)
    }

    /// Tells who the user is, and what is known of them.
    ///
    /// The values are validated JSON text, which goes to the wire as it is. When the outcome is `.queued` the call is
    /// on disk: it outlives a crash, and is delivered
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
        userId: String, profileData: JSONText? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit(.identify(userId: userId, profile: profileData), messageID: messageId)
    }

    /// Tells who the user is, and what is known of them.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func identify(userId: String, profileData: JSONText? = nil, messageId: MessageID? = nil) {
        accept(.identify(userId: userId, profile: profileData), messageID: messageId)
    }

    /// Updates what is known of the user, without changing who it is.
    ///
    /// The values are validated JSON text, which goes to the wire as it is. When the outcome is `.queued` the call is
    /// on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - profileData: Facts about the user; those the backend does not know by name go into `extra`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func set(profileData: JSONText, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit(.set(profile: profileData), messageID: messageId)
    }

    /// Updates what is known of the user, without changing who it is.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func set(profileData: JSONText, messageId: MessageID? = nil) {
        accept(.set(profile: profileData), messageID: messageId)
    }

    /// Sets metadata of the session, which go with all its later events.
    ///
    /// The values are validated JSON text, which goes to the wire as it is. When the outcome is `.queued` the call is
    /// on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - metadata: Merged over the metadata the session has.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func setMetadata(_ metadata: JSONText, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit(.setMetadata(metadata), messageID: messageId)
    }

    /// Sets metadata of the session, which go with all its later events.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func setMetadata(_ metadata: JSONText, messageId: MessageID? = nil) {
        accept(.setMetadata(metadata), messageID: messageId)
    }

    /// Records that a screen was shown, as the event `VIEW_PAGE`.
    ///
    /// The values are validated JSON text, which goes to the wire as it is. When the outcome is `.queued` the call is
    /// on disk: it outlives a crash, and is delivered
    /// at least once, in order. It has *not* been sent yet; for that, await ``flush(timeout:)``. Never throws.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view. They win over `screen` and `url`.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: What became of the call, and if it was dropped, why.
    @_disfavoredOverload
    @discardableResult
    public func screen(name: String, properties: JSONText? = nil, messageId: MessageID? = nil) async -> TrackOutcome {
        await submit(.screen(name: name, properties: properties), messageID: messageId)
    }

    /// Records that a screen was shown, as the event `VIEW_PAGE`.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func screen(name: String, properties: JSONText? = nil, messageId: MessageID? = nil) {
        accept(.screen(name: name, properties: properties), messageID: messageId)
    }

    /// Takes note that the platform shows a screen: an immediate repeat is not recorded again.
    ///
    /// The values are validated JSON text, which goes to the wire as it is. When the outcome is `.queued` the call is
    /// on disk: it outlives a crash, and is delivered
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
        name: String, url: String? = nil, properties: JSONText? = nil, messageId: MessageID? = nil
    ) async -> TrackOutcome {
        await submit(.screenDidAppear(name: name, url: url, properties: properties), messageID: messageId)
    }

    /// Takes note that the platform shows a screen: an immediate repeat is not recorded again.
    ///
    /// Accepts in order and does not wait: what becomes of the call is logged.
    @_disfavoredOverload
    public func screenDidAppear(
        name: String, url: String? = nil, properties: JSONText? = nil, messageId: MessageID? = nil
    ) {
        accept(.screenDidAppear(name: name, url: url, properties: properties), messageID: messageId)
    }
}
