import Synchronization
import TestSupport
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

/// A tracker of its own, a session backend for it and a folder that both outlive it.
struct SessionFixture {
    /// Answers a request, or leaves it to the backend that takes everything.
    typealias Exception = @Sendable (LoopbackRequest) -> LoopbackAnswer?

    let backend: Backend
    let directory: TemporaryDirectory
    let clock: ShiftedClock
    let log = RecordingLog()
    let tracker: MobileTracker
    /// The loops of a clocked tracker, in the order of their making.
    let loops = Recorder<ClockedLoop>()
    private let sessions: Sessions
    private let isClocked: Bool
    private let locationProvider: (any LocationProvider)?
    private let faults: OutboxFaults?

    /// Starts a backend that makes the sessions S1, S2 and so on and takes all else, but for what `exception` answers.
    ///
    /// - Parameters:
    ///   - isClocked: Whether the tracker's timers run only when the test moves its loop's clock.
    ///   - faults: What steers the tracker's outboxes; `nil`: nothing does.
    init(
        isClocked: Bool = false, locationProvider: (any LocationProvider)? = nil, faults: OutboxFaults? = nil,
        _ exception: @escaping Exception = { _ in nil }
    ) throws {
        let sessions = Sessions()
        try self.init(
            Backend(sessions.rule(exception)), sessions, TemporaryDirectory(), ShiftedClock(), isClocked,
            locationProvider, faults)
    }

    private init(
        _ backend: Backend, _ sessions: Sessions, _ directory: TemporaryDirectory, _ clock: ShiftedClock,
        _ isClocked: Bool, _ locationProvider: (any LocationProvider)?, _ faults: OutboxFaults?
    ) {
        self.backend = backend
        self.sessions = sessions
        self.directory = directory
        self.clock = clock
        self.isClocked = isClocked
        self.locationProvider = locationProvider
        self.faults = faults
        var dependencies = Dependencies.system(log: log)
        dependencies.clock = clock
        if let faults { dependencies.makeOutbox = faults.outbox }
        if isClocked {
            dependencies.jitter = NoJitter()
            dependencies.makeLoop = { [loops] (configuration) throws(TransportError) in
                let loop = try ClockedLoop(configuration)
                loops.record(loop)
                return loop
            }
        }
        tracker = MobileTracker(dependencies: dependencies, locationProvider: locationProvider)
    }

    /// A tracker with a session whose delivery has halted: the server has refused its key for the event A.
    static func halted(_ faults: OutboxFaults) async throws -> SessionFixture {
        let fixture = try SessionFixture(faults: faults) {
            $0.isEvent && $0.header("X-API-Key") == "key-1234" ? .status(401) : nil
        }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()
        return fixture
    }

    /// The same folder and server as seen by the next process, as far as one process can show it.
    func restarted(isClocked: Bool? = nil, faults: OutboxFaults? = nil) -> SessionFixture {
        SessionFixture(
            backend, sessions, directory, clock, isClocked ?? self.isClocked, locationProvider,
            faults ?? self.faults)
    }

    /// Answers otherwise from now on; the sessions are counted on.
    func answer(_ exception: @escaping Exception = { _ in nil }) { backend.answer(sessions.rule(exception)) }

    /// A configuration for the server: retries come soon, and the times for a request and for `initialize` never pass
    /// by themselves.
    func config(_ change: (inout TrackerConfig) -> Void = { _ in }) -> TrackerConfig {
        let delivery = DeliveryOptions(
            storageDirectory: directory.path("state"), requestTimeout: .seconds(60), retryDelay: .milliseconds(10),
            cooldown: .milliseconds(10), maxCooldown: .milliseconds(20))
        var config = TrackerConfig(
            apiUrl: backend.url, xApiKey: "key-1234", initTimeout: .seconds(60), delivery: delivery)
        change(&config)
        return config
    }

    /// A configuration under which a request that failed is not sent again by itself.
    var patientConfig: TrackerConfig {
        config {
            $0.delivery.retryDelay = .seconds(3600)
            $0.delivery.cooldown = .seconds(3600)
            $0.delivery.maxCooldown = .seconds(3600)
        }
    }

    /// A configuration under which `initialize` fails, since its state folder cannot be made.
    var brokenConfig: TrackerConfig { config { $0.delivery.storageDirectory = "/dev/null/state" } }

    /// Initialises with these options.
    func start(_ config: TrackerConfig? = nil, brandId: String = "925") async throws {
        try await tracker.initialize(brandId: brandId, config: config ?? self.config())
    }

    /// Initialises, and gives the error of that; `nil` if there is none.
    func failure(_ config: TrackerConfig?, brandId: String = "925") async -> TrackerError? {
        do {
            try await tracker.initialize(brandId: brandId, config: config)
            return nil
        } catch {
            return error
        }
    }

    /// Tracks events in this order without waiting for any.
    func trackAndGoOn(_ names: [String]) {
        for name in names { tracker.enqueue(.track(name)) }
    }

    /// Leaves the user without waiting for that.
    func resetAndGoOn() { tracker.reset() }

    /// Sends what is queued, however often it takes.
    func drain() async {
        var report: FlushReport
        repeat {
            tracker.networkDidChange()
            report = await tracker.flush(timeout: .seconds(60))
        } while report.stoppedBy == .retryWait || report.stoppedBy == .breakerOpen
    }

    /// Sends until a request has failed and the next one waits: then nothing is on the wire.
    func drainToWait() async throws {
        try await withGuard("a failure") { [tracker] in
            while ![.retryWait, .breakerOpen].contains(await tracker.flush(timeout: .seconds(60)).stoppedBy) {
                try Task.checkCancellation()
            }
        }
    }

    /// The requests so far, in the order in which they came.
    var requests: [LoopbackRequest] { backend.server.requests }

    /// The requests for a session.
    var creations: [LoopbackRequest] { requests.filter(\.isCreation) }

    /// The requests that carry events.
    var events: [LoopbackRequest] { requests.filter(\.isEvent) }

    /// The names of the events that have come, in their order.
    var names: [String] { events.compactMap { $0.json["event_name"]?.stringValue } }

    /// The sessions that the tracker tells of from now on; `nil` where it has left one.
    func reportedSessions() -> Recorder<SessionID?> {
        let heard = Recorder<SessionID?>()
        tracker.control.observe { if case .session(let session) = $0 { heard.record(session) } }
        return heard
    }

    /// What the tracker tells of its lane from now on.
    func reportedLanes() -> Recorder<String> {
        let heard = Recorder<String>()
        tracker.control.observe { if case .lane(let message) = $0 { heard.record(message) } }
        return heard
    }

    /// The loop of a clocked tracker.
    func loop() async throws -> ClockedLoop {
        let loops = try await loops.values(atLeast: 1)
        return loops[loops.count - 1]
    }
}

/// Makes sessions for a backend.
private final class Sessions: Sendable {
    private let made = Atomic(0)

    func rule(_ exception: @escaping SessionFixture.Exception) -> Backend.Rule {
        { [self] request in
            if let answer = exception(request) { return answer }
            guard request.isCreation else { return .status(200, body: "{}") }
            return .session("S\(made.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
    }
}

extension LoopbackAnswer {
    /// A session was made, or is named.
    static func session(_ id: String) -> LoopbackAnswer { .status(200, body: #"{"data":{"id":"\#(id)"}}"#) }
}

extension LoopbackRequest {
    /// Whether it asks for a session.
    var isCreation: Bool { path.hasSuffix("/v2/tracking-session") }

    /// Whether it carries an event.
    var isEvent: Bool { path.hasSuffix("/v2/tracking-session-data") }

    /// Whether it carries a profile.
    var isProfile: Bool { path.hasSuffix("/v1/customer-profiles/set") }

    /// The method and the path.
    var line: String { "\(method) \(path)" }
}

/// Counts how often it is asked for the device's place.
struct CountingProvider: LocationProvider {
    let asked = Recorder<Bool>()

    func location() async throws -> LocationData {
        asked.record(true)
        return LocationData(latitude: 1, longitude: 2, accuracy: 3)
    }
}

/// The system's clocks, of which a test sets the calendar forward or back.
final class ShiftedClock: TrackerClock {
    private let shift = Mutex(Duration.zero)
    private let system = SystemClock()

    var wall: Timestamp { system.wall.advanced(by: shift.withLock { $0 }) }
    var uptime: Duration { system.uptime }

    func advance(by duration: Duration) { shift.withLock { $0 += duration } }
}

extension MobileTracker {
    /// A member of the debug info, by the way to it.
    func info(_ path: String...) -> JSONValue? {
        path.reduce(.object(debugInfo())) { $0?[$1] }
    }

    /// How many records of each reason were dropped.
    var dropped: JSONValue? { info("account", "dropped") }

    /// Whether everything that was accepted is accounted for.
    var isBalanced: Bool {
        guard case .object(let account)? = info("account") else { return false }
        let dropped = account["dropped"]?.objectValue?.values.compactMap(\.intValue).reduce(0, +) ?? 0
        let term = { (name: String) in account[name]?.intValue ?? 0 }
        return term("accepted") + term("recovered") + term("requeued") == term("delivered") + term("queued") + dropped
    }
}

extension TrackOutcome {
    /// Whether the call is on disk and may be sent.
    var isQueued: Bool { if case .queued = self { true } else { false } }

    /// Whether the call is on disk and waits for a session or for consent.
    var isPending: Bool { if case .pending = self { true } else { false } }
}
