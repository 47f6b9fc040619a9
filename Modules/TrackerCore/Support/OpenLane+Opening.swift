import TrackerModels
import TrackerNetworking
import TrackerStorage

extension OpenLane {
    /// Puts together what delivers a lane; nothing is opened or sent yet.
    ///
    /// - Parameter observer: Told of what the engine does.
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
        self.init(
            outbox: outbox, engine: DeliveryEngine(parts, delivery: state, observer: observer), loop: loop)
    }
}
