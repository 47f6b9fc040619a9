public import TrackerModels

/// The tracking calls. Each returns when its outcome is known; ``enqueue(_:messageId:)`` does not wait.
///
/// The second form of a call takes dictionaries of any values. They are optional also where a value is required: the
/// compiler would take a literal for a plain `[String: Any]` before it looks at ``Properties``, which keep its order.
extension MobileTrackerInterface {
    /// Makes a call without a key, as ``enqueue(_:messageId:)`` does.
    @discardableResult
    public func enqueue(_ call: TrackerCall) -> CallReceipt { enqueue(call, messageId: nil) }

    /// Records that an event happened.
    ///
    /// - Parameters:
    ///   - eventName: What happened, such as `"PURCHASE"`. Not blank.
    ///   - attributes: Facts about this event. With `metadata`, at most `maxEventBytes` as JSON.
    ///   - metadata: Technical context. It replaces an attribute of the same name.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func track(
        eventName: String, attributes: Properties? = nil, metadata: Properties? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.track(eventName, attributes, metadata: metadata), messageId)
    }

    /// Records that an event happened, with values in `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func track(
        eventName: String, attributes: [String: Any]? = nil, metadata: [String: Any]? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.track(eventName, attributes, metadata: metadata), messageId)
    }

    /// Says who the user is, with facts about them.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user: text, a whole number or a UUID. Not empty.
    ///   - profileData: Facts about the user. Those that the backend does not know by name go into `extra`.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func identify(
        userId: some IDValue, profileData: Properties? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.identify(userId, profileData), messageId)
    }

    /// Says who the user is, with facts about them in a `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func identify(
        userId: some IDValue, profileData: [String: Any]? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.identify(userId, profileData), messageId)
    }

    /// Updates the facts about the user, without changing who the user is.
    ///
    /// - Parameters:
    ///   - profileData: Facts about the user. Those that the backend does not know by name go into `extra`.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func set(
        profileData: Properties, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.set(profileData), messageId)
    }

    /// Updates the facts about the user from a `[String: Any]`, without changing who the user is.
    @_disfavoredOverload
    @discardableResult
    public func set(
        profileData: [String: Any]?, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.set(profileData), messageId)
    }

    /// Sets metadata of the session, which all its later events carry.
    ///
    /// - Parameters:
    ///   - metadata: Merged into the metadata that the session has: a new value replaces the old one of its key.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func setMetadata(
        _ metadata: Properties, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.setMetadata(metadata), messageId)
    }

    /// Sets metadata of the session, which all its later events carry, from values in `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func setMetadata(
        _ metadata: [String: Any]?, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.setMetadata(metadata), messageId)
    }

    /// Records that a screen was shown, as the event `VIEW_PAGE`.
    ///
    /// - Parameters:
    ///   - name: The screen. Not blank.
    ///   - properties: Facts about the view. They replace `screen` and `url` if they have these keys.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func screen(
        name: String, properties: Properties? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.screen(name, properties), messageId)
    }

    /// Records that a screen was shown, as the event `VIEW_PAGE`, with values in `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func screen(
        name: String, properties: [String: Any]? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.screen(name, properties), messageId)
    }

    /// Records that a screen has appeared. The same screen twice in a row is recorded once.
    ///
    /// - Parameters:
    ///   - name: The screen, or the title of a page. Not blank.
    ///   - url: What tells this screen from others. With `nil` its name does.
    ///   - properties: Facts about the view. They replace `screen` and `url` if they have these keys.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func screenDidAppear(
        name: String, url: String? = nil, properties: Properties? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.screenDidAppear(name, url: url, properties: properties), messageId)
    }

    /// Records that a screen has appeared, with values in `[String: Any]`.
    @_disfavoredOverload
    @discardableResult
    public func screenDidAppear(
        name: String, url: String? = nil, properties: [String: Any]? = nil, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.screenDidAppear(name, url: url, properties: properties), messageId)
    }

    /// Tells the backend where the session's device is.
    ///
    /// - Parameters:
    ///   - location: The place. If a number is out of range, the call is dropped as `.invalidValue`.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func updateLocation(
        _ location: LocationData, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.updateLocation(location), messageId)
    }

    /// Tells the backend the email address of the session, and stores it once the backend has taken it.
    ///
    /// - Parameters:
    ///   - email: The address. Without exactly one `@`, or with spaces, the call is dropped as `.invalidValue`.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func updateSessionEmail(
        _ email: String, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.updateSessionEmail(email), messageId)
    }

    /// Links another session of the same visitor to this one.
    ///
    /// - Parameters:
    ///   - sourceSessionId: The id of the other session. Not empty.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call.
    @discardableResult
    public func linkSession(
        _ sourceSessionId: String, messageId: CallerKey? = nil
    ) async -> TrackOutcome {
        await submit(.linkSession(sourceSessionId), messageId)
    }

    /// Continues the session in a URL that ``crossDomainURL(for:)`` has made.
    ///
    /// A tracker without a session takes that session over. A tracker with another session links the two. If it is the
    /// current session, nothing changes.
    ///
    /// - Parameters:
    ///   - url: The URL with which the user has come.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of the call; `.dropped(.invalidValue)` if `crossSiteCookie` is off or the URL has no
    ///   session in it.
    @discardableResult
    public func continueSession(from url: String, messageId: CallerKey? = nil) async -> TrackOutcome {
        await submit(.continueSession(from: url), messageId)
    }

    private func submit(_ call: TrackerCall, _ key: CallerKey?) async -> TrackOutcome {
        await enqueue(call, messageId: key).outcome
    }

    /// Forgets the user, as ``reset(all:messageId:)`` does.
    @discardableResult
    public func reset(all: Bool = false) -> CallReceipt { reset(all: all, messageId: nil) }

    /// Forgets the user but not the brand, as ``reset(all:messageId:)`` does.
    @discardableResult
    public func reset(messageId: CallerKey?) -> CallReceipt { reset(all: false, messageId: messageId) }

    /// Forgets the user, as ``reset(all:messageId:)`` does, and returns when the old state is gone from disk.
    ///
    /// - Parameters:
    ///   - all: Whether to forget the brand too, and to drop every queued event. The next `initialize` then runs in
    ///     full.
    ///   - messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: What became of it, with the meanings that ``reset(all:messageId:)`` describes.
    @discardableResult
    public func resetAndWait(all: Bool = false, messageId: CallerKey? = nil) async -> TrackOutcome {
        await reset(all: all, messageId: messageId).outcome
    }

    /// Records whether the user allows tracking, as ``setConsent(_:messageId:)`` does.
    @discardableResult
    public func setConsent(_ consent: Consent) async -> TrackOutcome { await setConsent(consent, messageId: nil) }

    /// Sends what is queued, and waits for the result, for 30 s at most.
    public func flush() async -> FlushReport { await flush(timeout: .seconds(30)) }

    /// Sends what can be sent within 1.5 s, then closes everything, as ``shutdown(timeout:)`` does.
    public func shutdown() async { await shutdown(timeout: .seconds(1.5)) }
}
