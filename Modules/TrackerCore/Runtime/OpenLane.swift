import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One lane of a client: where its calls go, and who delivers them.
struct OpenLane: Sendable {
    let outbox: any Outbox
    let engine: DeliveryEngine
    let loop: any DeliveryLoop

    init(outbox: any Outbox, engine: DeliveryEngine, loop: any DeliveryLoop) {
        self.outbox = outbox
        self.engine = engine
        self.loop = loop
    }

    /// Puts together what delivers a lane; nothing is opened or sent yet.
    ///
    /// - Parameter observer: Called with what the engine does.
    /// - Throws: `invalidConfiguration` or `initializationFailed` if the transport cannot start.
    init(
        _ dependencies: Dependencies, delivery: DeliveryOptions, dialect: any Dialect, outbox: OutboxConfiguration,
        log: LevelledLog, hub: DiagnosticsHub, observer: @escaping @Sendable (DeliveryEvent) -> Void
    ) throws(TrackerError) {
        let loop = try dependencies.startLoop(delivery)
        let kicks = KickGate()
        var configuration = outbox
        configuration.answering = { [answering = dependencies.answering] completions in
            kicks.gather { answering(completions) }
        }
        let outbox = dependencies.makeOutbox(configuration)
        let state = DeliveryState(
            dialect: dialect, breaker: delivery.breaker, maxConcurrentRequests: delivery.maxConcurrentRequests,
            eventTTL: delivery.eventTTL, jitter: dependencies.jitter)
        let parts = DeliveryEngine.Parts(
            outbox: outbox, loop: loop, clock: dependencies.clock, log: log, diagnostics: hub, kicks: kicks)
        self.init(outbox: outbox, engine: DeliveryEngine(parts, delivery: state, observer: observer), loop: loop)
    }

    /// Stops delivery, then closes what is kept.
    ///
    /// - Parameters:
    ///   - deadline: Until when a request under way may be answered, by the loop's clock; `nil` cancels it.
    ///   - completion: Called when every lock is free.
    func close(by deadline: MonotonicInstant? = nil, completion: @escaping @Sendable () -> Void) {
        engine.close(by: deadline) { [outbox] in outbox.close(completion: completion) }
    }

    /// Sends what can be sent within the time, then closes everything.
    ///
    /// - Parameter completion: Called when every lock is free; a disk that stalls makes it late.
    func end(within timeout: Duration, completion: @escaping @Sendable () -> Void) {
        // A client that has not come so far as to begin sends nothing, and its flush waits for nothing.
        engine.goWithoutSession()
        // The last tenth is for the disk: what has just been delivered is recorded before another process may send it.
        let deadline = loop.now.advanced(by: timeout * 0.9)
        engine.flush(timeout: timeout * 0.8) { _ in close(by: deadline, completion: completion) }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}

/// Has an engine look at its lane once for many who ask for it.
///
/// While the calls of one transaction are answered each of them asks, and all are served by one look after the last.
final class KickGate: Sendable {
    private static let kicked: UInt8 = 1
    private static let gathering: UInt8 = 2

    private let state = Atomic<UInt8>(0)
    private let look = Mutex<(@Sendable () -> Void)?>(nil)

    /// Says what a look is; it must begin with ``lower()``.
    func connect(_ look: @escaping @Sendable () -> Void) { self.look.withLock { $0 = look } }

    /// Asks for a look.
    func kick() {
        if state.bitwiseOr(Self.kicked, ordering: .acquiringAndReleasing).oldValue == 0 { begin() }
    }

    /// Runs `body`, and has all who ask meanwhile served by one look afterwards.
    func gather(_ body: () -> Void) {
        state.bitwiseOr(Self.gathering, ordering: .acquiringAndReleasing)
        body()
        let old = state.bitwiseAnd(~Self.gathering, ordering: .acquiringAndReleasing).oldValue
        if old & Self.kicked != 0 { begin() }
    }

    /// Notes that a look begins: who asks from now on needs another.
    func lower() { state.bitwiseAnd(~Self.kicked, ordering: .acquiringAndReleasing) }

    private func begin() { look.withLock(\.self)?() }
}
