import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Events posted to one endpoint as they happen.
///
/// ```swift
/// try BasicTracker.shared.initialize(apiKey: "key", endpoint: "https://in.example.com/events")
/// BasicTracker.shared.track(event: "Button Clicked", properties: ["screen": "home"])
/// ```
///
/// Calls return at once and take effect in the order in which they are made, from whatever thread. Each is on disk
/// before its receipt says so, and is delivered at least once, in order.
///
/// Values are ``Properties``: a dictionary literal, a tree, validated text or a dictionary of any values. A value that
/// JSON cannot hold (NaN, infinity, a foreign object) drops its call as ``RefusalReason/serialization``, with its key
/// path in the log. A `messageId` that is not valid drops its call as ``RefusalReason/invalidValue``.
public final class BasicTracker: Sendable {
    /// The tracker of programs that need but one.
    public static let shared = BasicTracker()

    /// One endpoint and configuration in use.
    struct Run: Sendable {
        let number: Int
        let settings: BasicSettings
        let lane: OpenLane
    }

    /// A call that waits until the queue has moved to where it goes.
    struct HeldCall: Sendable {
        var draft: Draft
        var name: String
        var completion: @Sendable (TrackOutcome) -> Void
    }

    /// A flush that waits for the lane to be opened.
    struct ParkedFlush: Sendable {
        /// Goes on with what has been opened, if there is something.
        let start: @Sendable (Run?) -> Void
    }

    /// Told once whether the tracker is set up.
    typealias Waiter = @Sendable (Result<Void, TrackerError>) -> Void

    struct State {
        /// What calls go to; `nil` before `initialize` and after `shutdown`.
        var run: Run?
        var runs = 0
        /// Whether the run's lane is still being opened.
        var isOpening = false
        /// The configuration that comes next, since it was given while the lane was being opened.
        var next: (settings: BasicSettings, waiters: [Waiter])?
        /// Calls, while the queue is moved by hand; `nil` otherwise.
        var held: [HeldCall]?
        /// Flushes that wait for the lane to be opened.
        var flushes: [ParkedFlush] = []
        var context = JSONText.emptyObject
        var user: BasicUser?
        /// Callers' ids of the identifications since this tracker last knew no user.
        var identified = RecentIDs()
        var refused: [RefusalReason: Int] = [:]
    }

    let dependencies: Dependencies
    let log: LevelledLog
    let hub = DiagnosticsHub()
    let full = FullQueue()
    let state = Mutex(State())

    /// Makes a tracker of its own, beside ``shared``.
    ///
    /// - Parameter log: Where messages go; standard error by default.
    public convenience init(log: any TrackerLog = StandardErrorLog()) {
        self.init(dependencies: .system(log: log))
    }

    package init(dependencies: Dependencies) {
        self.dependencies = dependencies
        log = LevelledLog(dependencies.log, isVerbose: false)
    }

    /// What is on disk stays there; without a shutdown nothing more is sent.
    deinit { state.withLock { $0.run }?.lane.close {} }

    /// What happens to the events, as it happens.
    public var diagnostics: Diagnostics { Diagnostics(hub: hub) }

    /// Has every diagnostic handed to `observer` as it arises.
    package func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { hub.observe(observer) }

    var reporter: ClientReporter { ClientReporter(log: log, hub: hub, full: full) }
}
