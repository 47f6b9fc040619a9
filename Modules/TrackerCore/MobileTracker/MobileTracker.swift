// A program that tracks needs the values too, so one import gives both.
@_exported public import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Sends events to a backend that knows sessions, one event a request.
///
/// ```swift
/// try await MobileTracker.shared.initialize(
///     brandId: "925", config: TrackerConfig(apiUrl: "https://api.example.com", xApiKey: "key"))
/// await MobileTracker.shared.track(eventName: "PURCHASE", attributes: ["total": 149.99])
/// ```
///
/// Calls take effect in the order in which they are made, from any thread. Tracking calls never throw and never end the
/// program: they log, and return their ``TrackOutcome``, which says what you may rely on. To wait until what is queued
/// is sent, await ``flush(timeout:)``. Cancelling the task that makes a call does not undo the call.
public final class MobileTracker: MobileTrackerInterface, ControlledClient {
    /// The tracker for programs that need only one.
    public static let shared = MobileTracker()

    let runtime: ClientRuntime<TrackerModel>

    /// Makes a tracker of its own, beside ``shared``.
    ///
    /// - Parameters:
    ///   - locationProvider: Is asked for the place after each creation of a session.
    ///   - log: Where log messages go.
    public convenience init(
        locationProvider: (any LocationProvider)? = nil, log: any TrackerLog = StandardErrorLog()
    ) {
        self.init(dependencies: .system(log: log), locationProvider: locationProvider)
    }

    package init(dependencies: Dependencies, locationProvider: (any LocationProvider)? = nil) {
        runtime = ClientRuntime(dependencies, model: TrackerModel(locationProvider: locationProvider))
    }

    package var control: any ClientControl { runtime }

    /// What happens to the events, as it happens: drops, retries, the circuit breaker, the session, the disk.
    public var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    /// The id that the backend gave the current session; `nil` without a session.
    public var sessionId: String? { value(.sessionID) }

    /// The identifier of this installation; `nil` before the first session.
    public var deviceId: String? { value(.deviceID) }

    /// The email address that `updateSessionEmail` has set; `nil` without one.
    public var sessionEmail: String? { value(.sessionEmail) }

    /// The brand, as it is stored; `nil` before `initialize`, and from a `reset(all: true)` or a denial to the
    /// next one.
    public var brandId: String? { value(.brandID) }

    private func value(_ key: StoredKey) -> String? { lane?.outbox.value(for: key) }

    var lane: OpenLane? { runtime.lane }

    /// The state of the tracker now: queue, session, circuit breaker, account, configuration. Of a key only the last
    /// four characters are shown.
    ///
    /// The keys are part of the API: `lifecycle`, `queueLength`, `queueBytes`, `oldestQueuedMs`, `circuitState`,
    /// `circuitRemainingMs`, `flushInFlight`, `sessionId`, `deviceId`, `consent`, `account`, `refused`,
    /// `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`, `storage`, `delivering`, `otherLanes`, `config`.
    public func debugInfo() -> JSONObject { runtime.debugInfo }

    /// Makes a call without waiting for its outcome, from synchronous and asynchronous code alike.
    ///
    /// Its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - call: The call, such as `.track("PURCHASE", ["total": 149.99])`.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore. It has an outcome once the call is on disk or dropped.
    @discardableResult
    public func enqueue(_ call: TrackerCall, messageId: CallerKey?) -> CallReceipt {
        runtime.enqueue(call, messageId)
    }

    /// Makes a call: its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - messageID: The key its caller chose; `nil`: one is made.
    ///   - caller: Hears of the call once it is on disk or refused.
    package func enqueue(_ call: TrackerCall, messageID: MessageID? = nil, caller: Caller) {
        runtime.enqueue(call, messageID: messageID, caller: caller)
    }

    /// Sends what is queued, and waits for the result.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events that were queued at the call have been delivered, how many remain, and why.
    ///   If the next request has to wait, for instance after a failure, it returns at once with the reason.
    ///   If the task that waits is cancelled, it returns at once as if the time were over.
    public func flush(timeout: Duration) async -> FlushReport { await report(ofFlush: timeout) }

    /// Tells the tracker that the network is back: it stops waiting and makes the next attempt now.
    public func networkDidChange() { runtime.networkDidChange() }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk.
    ///
    /// You may call it twice. Later calls are dropped as ``RefusalReason/notInitialized`` until `initialize` is called
    /// again.
    ///
    /// - Parameter timeout: How long this may take in all.
    public func shutdown(timeout: Duration) async { await end(within: timeout) }
}
