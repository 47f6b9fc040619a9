import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One open lane of a client: its outbox, its engine and its loop.
struct OpenLane: Sendable {
    let outbox: any LaneOutbox
    let engine: DeliveryEngine
    let loop: any DeliveryLoop
    let keyFile: KeyFile?

    /// Makes the parts that deliver a lane, without opening or sending anything yet.
    ///
    /// - Parameters:
    ///   - observer: Called with what the engine does.
    ///   - beforeLook: Called on the loop before the queue is read: whether it is time to look at the key file, and
    ///     whether to ask the program for credentials.
    /// - Throws: `invalidConfiguration` or `initializationFailed` if the transport cannot start.
    init(
        _ dependencies: Dependencies, delivery: DeliveryOptions, dialect: any Dialect, outbox: OutboxConfiguration,
        log: LevelledLog, hub: DiagnosticsHub, observer: @escaping @Sendable (DeliveryEvent) -> Void,
        beforeLook: @escaping @Sendable (_ isDue: Bool, _ asks: Bool) -> Void
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
            eventTTL: delivery.eventTTL, haltRetry: delivery.haltRetry.flatMap { $0 > .zero ? $0 : nil },
            poisonAfter: delivery.poisonAfter.flatMap { $0 > .zero ? $0 : nil }, jitter: dependencies.jitter)
        let keyFile = delivery.keyFile.map(KeyFile.init)
        var parts = DeliveryEngine.Parts(
            outbox: outbox, loop: loop, clock: dependencies.clock, log: log, diagnostics: hub, kicks: kicks,
            aboutRefused: configuration.aboutRefused)
        parts.beforeLook = { beforeLook(keyFile?.isDue(at: $0) ?? false, $1) }
        self.keyFile = keyFile
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

    /// How long a lane that is left waits for the answers to its requests: what has arrived is recorded then, and the
    /// next run does not send it again.
    static let patience = Duration.seconds(5)

    /// Sends nothing more, waits for the requests under way, then closes what is kept.
    ///
    /// - Parameter patience: How long to wait for the answers; after that the requests are cancelled.
    func close(within patience: Duration, completion: @escaping @Sendable () -> Void) {
        close(by: loop.now.advanced(by: patience), completion: completion)
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
    /// - Parameters:
    ///   - look: Called with the last figures, before the lane is closed.
    ///   - completion: Called when every lock is free; a disk that stalls makes it late.
    func end(
        within timeout: Duration, look: @escaping @Sendable (LaneMetrics) -> Void,
        completion: @escaping @Sendable () -> Void
    ) {
        // If delivery has not begun, nothing can be sent, and a flush would wait for nothing.
        engine.goWithoutSession()
        // The last tenth of the time is for the disk: deliveries are recorded before another process may send them again.
        let deadline = loop.now.advanced(by: timeout * 0.9)
        engine.flush(timeout: timeout * 0.8) { _ in
            engine.close(by: deadline) {
                // Answered on the way to the end, once what was delivered is written.
                outbox.stage(.barrier) { _ in look(LaneMetrics(self)) }
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
        case .memory: "What the server refuses is kept in memory: `refused()` lists it."
        }
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
