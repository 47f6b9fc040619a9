import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Analytics in batches: events from anywhere in a program, sent to an ingestion host.
///
/// ```swift
/// let analytics = AnalyticsClient.initialize(
///     options: InitOptions(writeKey: "your-write-key", ingestionHost: "https://in.example.com"))
/// analytics.track("User Action", properties: ["action": "button_click"])
/// ```
///
/// Calls return at once and take effect in the order in which they are made, from whatever thread. Once the client is
/// ready each is on disk before its receipt says so, and is delivered at least once, in order.
public final class AnalyticsClient: AnalyticsInterface {
    /// The client of programs that need but one; ``MetaRouter/Analytics`` speaks of the same.
    public static let shared = AnalyticsClient()

    /// One time from `initialize` to `reset` or `shutdown`.
    struct Run: Sendable {
        let number: Int
        let settings: AnalyticsSettings
        let lane: OpenLane
    }

    /// Why the client does nothing.
    enum Fault: Hashable, Sendable {
        /// The options were invalid, or the transport cannot start.
        case options(String)
        /// The state folder cannot be used.
        case storage(String)
        /// The server refused the write key, or knows no such endpoint.
        case server(String)

        /// A sentence for a developer.
        var message: String {
            switch self {
            case .options(let message), .storage(let message), .server(let message): message
            }
        }
    }

    enum Phase: Sendable {
        /// Calls are held until somebody initialises.
        case idle
        /// Calls are held until the lane is open.
        case initializing(Run)
        /// Calls go to disk.
        case ready(Run)
        /// What is queued is being dropped.
        case resetting(Run)
        /// Calls are refused.
        case disabled(Run?, Fault)
        /// Calls are refused, since `shutdown` was called.
        case shutDown
    }

    struct State {
        var phase = Phase.idle
        /// What the last `initialize` was given, valid or not.
        var options: InitOptions?
        var held = PendingOperations()
        /// How many calls are held at most.
        var capacity = AnalyticsSettings.memoryBound
        /// How many bytes of them.
        var byteCapacity = DeliveryOptions().maxQueuedBytes
        /// Resets that found no lane: each run begins with them until one has opened its lane. Each has a key, so a lane
        /// that was given one twice takes it once.
        var resetsAhead: [MessageID] = []
        /// The last reset, if its caller gave it a key.
        var lastReset: MessageID?
        var waiters: [@Sendable (Result<Void, TrackerError>) -> Void] = []
        /// Told when a reset that is under way has ended.
        var closers: [@Sendable () -> Void] = []
        var runs = 0
        var isInBackground = false
        var isVerbose = false
        var refused: [RefusalReason: Int] = [:]
        /// The books of the last run, once it has ended.
        var lastAccount: Account?
        var lastError: (message: String, at: Timestamp)?
    }

    let dependencies: Dependencies
    let log: LevelledLog
    let hub = DiagnosticsHub()
    let full = FullQueue()
    let state = Mutex(State())

    /// Makes a client of its own, beside ``shared``.
    ///
    /// - Parameter log: Where messages go; standard error by default.
    public convenience init(log: any TrackerLog = StandardErrorLog()) {
        self.init(dependencies: .system(log: log))
    }

    package init(dependencies: Dependencies) {
        self.dependencies = dependencies
        log = LevelledLog(dependencies.log, isVerbose: false)
    }

    /// What is on disk stays there; without a shutdown nothing more is sent. Whoever waits is told.
    deinit {
        let (run, held) = state.withLock { state in
            var held: [HeldItem] = []
            while let item = state.held.popFirst() { held.append(item) }
            return (state.run, held)
        }
        for item in held { item.abandon() }
        run?.lane.close {}
    }

    /// What happens to the events, as it happens.
    public var diagnostics: Diagnostics { Diagnostics(hub: hub) }

    /// Has every diagnostic handed to `observer` as it arises.
    package func observe(_ observer: @escaping @Sendable (Diagnostic) -> Void) { hub.observe(observer) }

    var reporter: ClientReporter { ClientReporter(log: log, hub: hub, full: full) }
}

extension AnalyticsClient.State {
    /// The run that is under way, if there is one.
    var run: AnalyticsClient.Run? {
        switch phase {
        case .idle, .shutDown: nil
        case .initializing(let run), .ready(let run), .resetting(let run): run
        case .disabled(let run, _): run
        }
    }

    /// Whether the client is idle, or will be without being asked anything more.
    var isIdle: Bool {
        switch phase {
        case .idle, .resetting: true
        case .initializing, .ready, .disabled, .shutDown: false
        }
    }
}
