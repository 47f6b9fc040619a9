import Synchronization
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
/// Calls take effect in the order in which they are made, from whatever thread. Tracking calls never throw and never end
/// the program: they log, and say what became of them. When the outcome is ``TrackOutcome/queued(_:)`` the call is on
/// disk: it outlives a crash, and is delivered at least once, in order. It has *not* been sent yet; for that, await
/// ``flush(timeout:)``. Cancelling the caller's task does not undo a call that was accepted.
///
/// Values are ``Properties``: a dictionary literal, a tree, validated text or a dictionary of any values. A value that
/// JSON cannot hold (NaN, infinity, a foreign object) drops its call as ``RefusalReason/serialization``, with its key
/// path in the log. A `messageId` that is not valid drops its call as ``RefusalReason/invalidValue``.
public final class MobileTracker: Sendable {
    /// The tracker of programs that need but one.
    public static let shared = MobileTracker()

    struct State {
        enum Phase {
            /// `initialize` was not called yet, or it failed so that waiting cannot mend it.
            case notInitialized
            /// `initialize` is under way.
            case initializing(TrackerSettings, OpenLane)
            /// `initialize` has succeeded.
            case ready(TrackerSettings, OpenLane)
            /// `initialize` has failed for want of a session: calls are held.
            case withoutSession(TrackerSettings, OpenLane)
            /// `shutdown` was called.
            case shutDown
        }

        var phase = Phase.notInitialized
        /// Counts the runs of `initialize`, so that what is left of an older one changes nothing.
        var attempt = 0
        var waiters: [@Sendable (Result<Void, TrackerError>) -> Void] = []
        /// Counts the calls of `reset`.
        var resets = 0
        /// The numbers of those calls of `reset(all: true)` that an `initialize` is to follow: not of repeated ones.
        var fullResets: Set<Int> = []
        /// Whether `initialize` runs in full although it has succeeded before.
        var startsAnew: Bool { !fullResets.isEmpty }
        /// The resets and decisions that no open lane has taken yet.
        var early = EarlyChanges()
        /// What was last decided.
        var decided: Consent?
        /// The lane's session, as listeners know it.
        var toldSession: SessionID?
        var shown = ShownScreen()
        var refused: [RefusalReason: Int] = [:]
        /// Ends `initialize` when its time is over.
        var timer: (any DeliveryLoop, TimerID)?
    }

    let dependencies: Dependencies
    let locationProvider: (any LocationProvider)?
    let log: LevelledLog
    let hub = DiagnosticsHub()
    let full = FullQueue()
    let state = Mutex(State())

    /// Makes a tracker of its own, beside ``shared``.
    ///
    /// - Parameters:
    ///   - locationProvider: Asked for a place after each creation of a session.
    ///   - log: Where messages go; standard error by default.
    public convenience init(
        locationProvider: (any LocationProvider)? = nil, log: any TrackerLog = StandardErrorLog()
    ) {
        self.init(dependencies: .system(log: log), locationProvider: locationProvider)
    }

    package init(dependencies: Dependencies, locationProvider: (any LocationProvider)? = nil) {
        self.dependencies = dependencies
        self.locationProvider = locationProvider
        log = LevelledLog(dependencies.log, isVerbose: false)
    }

    deinit { state.withLock { $0.lane }?.close {} }

    /// What happens to the events, as it happens.
    public var diagnostics: Diagnostics { Diagnostics(hub: hub) }

    /// Has every diagnostic handed to `observer` as it arises.
    package func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { hub.observe(observer) }

    var reporter: ClientReporter { ClientReporter(log: log, hub: hub, full: full) }

    /// The backend's name for the current session; `nil` without one.
    public var sessionId: String? { value(.sessionID) }

    /// The installation's identifier; `nil` before the first session.
    public var deviceId: String? { value(.deviceID) }

    /// The email that ``updateSessionEmail(_:)`` set; `nil` without one.
    public var sessionEmail: String? { value(.sessionEmail) }

    /// The brand, as it is stored; `nil` before `initialize` and after `reset(all: true)`.
    public var brandId: String? { value(.brandID) }

    private func value(_ key: StoredKey) -> String? {
        lane?.outbox.value(for: key)
    }

    /// The lane that calls go to, if there is one.
    var lane: OpenLane? { state.withLock { $0.lane } }
}

extension MobileTracker.State {
    /// The lane that calls go to, if there is one.
    var lane: OpenLane? { current?.lane }

    /// The settings and the lane in use.
    var current: (settings: TrackerSettings, lane: OpenLane)? {
        switch phase {
        case .notInitialized, .shutDown: nil
        case .initializing(let settings, let lane), .ready(let settings, let lane),
            .withoutSession(let settings, let lane):
            (settings, lane)
        }
    }
}

/// Knows where the device is.
public protocol LocationProvider: Sendable {
    /// The device's place; throws if it is not to be had. A failure is logged and changes nothing.
    func location() async throws -> LocationData
}
