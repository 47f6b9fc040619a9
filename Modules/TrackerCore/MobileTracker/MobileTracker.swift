public import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Session-based event tracking.
///
/// ```swift
/// try await MobileTracker.shared.initialize(
///     brandId: "925", config: TrackerConfig(apiUrl: "https://api.example.com", xApiKey: "key"))
/// await MobileTracker.shared.track(eventName: "PURCHASE", attributes: ["total": 149.99])
/// ```
///
/// Calls take effect in the order in which they are made, from any thread. Tracking calls never throw and never end
/// the program: they log, and return their outcome. When the outcome is ``TrackOutcome/queued(_:)`` the call is on
/// disk: it outlives a crash, and is delivered at least once, in order. It has *not* been sent yet; for that, await
/// ``flush(timeout:)``. Cancelling the caller's task does not undo a call that was accepted.
///
/// Values are ``Properties``: a dictionary literal, a tree, validated text or a dictionary of any values. A value that
/// JSON cannot hold (NaN, infinity, a foreign object) drops its call as ``RefusalReason/serialization``, with its key
/// path in the log. A `messageId` that is not valid drops its call as ``RefusalReason/invalidValue``.
public final class MobileTracker: ControlledClient {
    /// The tracker for programs that need only one.
    public static let shared = MobileTracker()

    let runtime: ClientRuntime<TrackerModel>

    /// Makes a tracker of its own, beside ``shared``.
    ///
    /// - Parameters:
    ///   - locationProvider: Asked for the place after each new session.
    ///   - log: Where messages go; standard error by default.
    public convenience init(
        locationProvider: (any LocationProvider)? = nil, log: any TrackerLog = StandardErrorLog()
    ) {
        self.init(dependencies: .system(log: log), locationProvider: locationProvider)
    }

    package init(dependencies: Dependencies, locationProvider: (any LocationProvider)? = nil) {
        runtime = ClientRuntime(dependencies, model: TrackerModel(locationProvider: locationProvider))
    }

    package var control: any ClientControl { runtime }

    /// What happens to the events, as it happens.
    public var diagnostics: Diagnostics { Diagnostics(hub: runtime.hub) }

    /// The backend's name for the current session; `nil` without one.
    public var sessionId: String? { value(.sessionID) }

    /// The installation's identifier; `nil` before the first session.
    public var deviceId: String? { value(.deviceID) }

    /// The email that ``updateSessionEmail(_:messageId:)`` set; `nil` without one.
    public var sessionEmail: String? { value(.sessionEmail) }

    /// The brand, as it is stored; `nil` before `initialize` and after `reset(all: true)`.
    public var brandId: String? { value(.brandID) }

    private func value(_ key: StoredKey) -> String? { lane?.outbox.value(for: key) }

    /// The lane that calls go to, if there is one.
    var lane: OpenLane? { runtime.lane }

    /// How things stand: queue, session, circuit, account, configuration. Secrets are masked.
    ///
    /// The keys are part of the API: `lifecycle`, `queueLength`, `queueBytes`, `oldestQueuedMs`, `circuitState`,
    /// `circuitRemainingMs`, `flushInFlight`, `sessionId`, `deviceId`, `consent`, `account`, `refused`,
    /// `bytesBeforeCompression`, `bytesAfterCompression`, `lastError`, `storage`, `delivering`, `otherLanes`, `config`.
    public func debugInfo() -> JSONObject { runtime.debugInfo }

    /// Sends what is queued now.
    ///
    /// - Parameter timeout: How long to try; 30 s by default.
    /// - Returns: How many of the events queued at the call were delivered, how many remain, and why. It returns early,
    ///   with the reason, as soon as it would have to wait.
    public func flush(timeout: Duration = .seconds(30)) async -> FlushReport { await report(ofFlush: timeout) }

    /// Tells the tracker that the network is back: the current wait for the next attempt ends now.
    public func networkDidChange() { runtime.networkDidChange() }

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk.
    ///
    /// Safe to call twice. Later calls are refused as not initialised, until `initialize` is called again.
    ///
    /// - Parameter timeout: How long the whole may take; 1.5 s by default.
    public func shutdown(timeout: Duration = .seconds(1.5)) async { await end(within: timeout) }
}

/// Knows where the device is.
public protocol LocationProvider: Sendable {
    /// The device's place; throws if it is not available. The tracker logs the failure and goes on.
    func location() async throws -> LocationData
}
