public import TrackerModels

/// What an application sees of an analytics client: ``AnalyticsClient``, or a stand-in for it in tests.
///
/// Calls return at once and take effect in the order in which they are made, whether the client is ready or not. They
/// never throw and never end the program: what becomes of one is told by its receipt, and in the log.
public protocol AnalyticsInterface: AnyObject, Sendable {
    /// Accepts a call; every form of `track`, `identify` and the like comes down to this.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - messageId: A key chosen by the caller, and the event's `messageId`: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the call is on disk or refused.
    @discardableResult
    func accept(_ call: AnalyticsCall, messageId: MessageID?) -> CallReceipt

    /// Sends what is queued now, without waiting for it.
    func flush()

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why.
    func flush(timeout: Duration) async -> FlushReport

    /// Leaves the user: drops what is queued, a batch under way included, and clears every stored identifier.
    ///
    /// The client is idle then: calls are held in memory until it is initialised again, with a new anonymous id.
    ///
    /// - Parameter messageId: A key chosen by the caller: a second reset with it drops nothing.
    func reset(messageId: MessageID?)

    /// Has informative and debug messages logged from now on.
    func enableDebugLogging()

    /// How things stand: lifecycle, queue, circuit, identity, options. Secrets are masked.
    func getDebugInfo() async -> JSONObject
}

/// The calls without values.
extension AnalyticsInterface {
    /// Tells that the user is known by another id from now on. All later events carry it.
    ///
    /// - Parameters:
    ///   - newUserId: The new id. Not blank.
    ///   - messageId: A key chosen by the caller: a second call with it queues nothing.
    /// - Returns: A receipt, whose outcome comes once the event is on disk or refused.
    @discardableResult
    public func alias(_ newUserId: String, messageId: MessageID? = nil) -> CallReceipt {
        accept(.alias(newUserId: newUserId), messageId: messageId)
    }

    /// Has later events carry an advertising identifier; it is kept over restarts.
    ///
    /// It is personal data: set it only where the user allows it.
    ///
    /// - Parameters:
    ///   - advertisingId: The identifier; `nil` clears it. A blank one is ignored with a warning.
    ///   - messageId: A key that the outcome names.
    /// - Returns: A receipt, whose outcome comes once the change is on disk or refused.
    @discardableResult
    public func setAdvertisingId(_ advertisingId: String?, messageId: MessageID? = nil) -> CallReceipt {
        accept(.setAdvertisingId(advertisingId), messageId: messageId)
    }

    /// Has later events carry no advertising identifier; user id and anonymous id stay.
    ///
    /// - Parameter messageId: A key that the outcome names.
    /// - Returns: A receipt, whose outcome comes once the change is on disk or refused.
    @discardableResult
    public func clearAdvertisingId(messageId: MessageID? = nil) -> CallReceipt {
        accept(.setAdvertisingId(nil), messageId: messageId)
    }

    /// Leaves the user, as ``reset(messageId:)`` does.
    public func reset() { reset(messageId: nil) }
}
