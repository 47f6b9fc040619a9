import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What delivers one lane.
struct DeliveryParts: Sendable {
    let outbox: any LaneOutbox
    let engine: DeliveryEngine
    let loop: any DeliveryLoop
    let plan: PlanGuard?

    init(
        _ dependencies: Dependencies, _ settings: some ClientSettings, log: LevelledLog, hub: DiagnosticsHub,
        outbox: OutboxConfiguration, observer: @escaping @Sendable (DeliveryEvent) -> Void,
        beforeLook: @escaping @Sendable (MonotonicInstant, _ asks: Bool) -> Void,
        leader: (@Sendable () -> Int)? = nil
    ) throws(TrackerError) {
        let delivery = settings.delivery
        let plan = try PlanGuard(delivery.plan)
        let loop = try dependencies.startLoop(delivery)
        let kicks = KickGate()
        var configuration = outbox
        configuration.answering = { [answering = dependencies.answering] completions in
            kicks.gather { answering(completions) }
        }
        if let plan { configuration.inspect = { plan.inspect($0, $1, $2) } }
        let outbox = dependencies.makeOutbox(configuration)
        let state = DeliveryState(
            dialect: settings.dialect(ids: dependencies.ids), breaker: delivery.breaker,
            maxConcurrentRequests: delivery.maxConcurrentRequests,
            eventTTL: delivery.eventTTL, haltRetry: delivery.haltRetry.flatMap { $0 > .zero ? $0 : nil },
            poisonAfter: delivery.poisonAfter.flatMap { $0 > .zero ? $0 : nil }, jitter: dependencies.jitter)
        var parts = DeliveryEngine.Parts(
            outbox: outbox, loop: loop, clock: dependencies.clock, log: log, diagnostics: hub, kicks: kicks,
            aboutRefused: configuration.aboutRefused)
        parts.beforeLook = beforeLook
        parts.leader = leader
        parts.needsKey = dependencies.recorder == nil
        self.plan = plan
        self.outbox = outbox
        self.loop = loop
        engine = DeliveryEngine(parts, delivery: state, observer: observer)
    }

    /// What the lane's debug information and its metrics show of the disk.
    struct Reading: Sendable {
        let state: LaneState
        let account: Account
        let refused: RefusedCount

        /// Whether the disk refuses to be written.
        var isDiskFailing: Bool { state.isAwaitingDisk || state.writeFailure != nil }
    }

    func read() throws(StorageError) -> Reading {
        Reading(state: try outbox.state(), account: try outbox.account(), refused: try outbox.refusedCount())
    }

    func close(within patience: Duration, completion: @escaping @Sendable () -> Void) {
        close(by: loop.now.advanced(by: patience), completion: completion)
    }

    /// - Parameter deadline: Until when a request under way may be answered, by the loop's clock; `nil` cancels it.
    func close(by deadline: MonotonicInstant? = nil, completion: @escaping @Sendable () -> Void) {
        engine.close(by: deadline) { [outbox] in outbox.close(completion: completion) }
    }

    /// Sends what can be sent within the time, then closes everything.
    ///
    /// - Parameters:
    ///   - look: Called with the last figures, before the lane is closed.
    ///   - completion: Called when every lock is free; a disk that stalls makes it late.
    func end(
        within timeout: Duration, look: @escaping @Sendable (QueueMetrics) -> Void,
        completion: @escaping @Sendable () -> Void
    ) {
        // If delivery has not begun, nothing can be sent, and a flush would wait for nothing.
        engine.goWithoutSession()
        // The last tenth of the time is for the disk: deliveries are recorded before another process may send them again.
        let deadline = loop.now.advanced(by: timeout * 0.9)
        engine.flush(timeout: timeout * 0.8) { _ in
            engine.close(by: deadline) {
                // Answered on the way to the end, once what was delivered is written.
                outbox.stage(.barrier) { _ in look(QueueMetrics(self)) }
                outbox.close(completion: completion)
            }
        }
    }
}

extension OutboxConfiguration {
    /// Where to find what the server refuses, as a sentence; `nil` if it is not kept.
    fileprivate var aboutRefused: String? {
        guard refused.maxRecords > 0 else { return nil }
        return switch location {
        case .folder(let path):
            #"What the server refuses is kept: `mobile-tracker refused list --storage-dir "\#(path)"` shows it."#
        case .memory: "What the server refuses is kept in memory: the list of refused events shows it."
        }
    }
}
