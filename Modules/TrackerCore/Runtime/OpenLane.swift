import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One open lane of a client: its outbox, its engine and its loop, which it may share with other clients of the process.
struct OpenLane: Sendable {
    /// What a lane tells its client.
    struct Listener: Sendable {
        /// What the log calls the client.
        let name: String
        let log: LevelledLog
        let hub: DiagnosticsHub
        /// Called with what the engine does.
        let delivery: @Sendable (DeliveryEvent) -> Void
        /// Called with what happens to the outbox.
        let storage: @Sendable (OutboxEvent) -> Void
        /// Called on the loop before the queue is read, and in a halt whenever the lane is woken: whether it is time to look
        /// at the key file, and whether to ask the program for credentials.
        let beforeLook: @Sendable (_ isDue: Bool, _ asks: Bool) -> Void
    }

    let parts: DeliveryParts
    let keyFile: KeyFile?
    /// The client's share, if others may use the lane too.
    let share: Membership?
    /// Where the lanes of the process are counted and this one is in memory: its place among them.
    private let place: Reservation?

    var outbox: any LaneOutbox { parts.outbox }
    var engine: DeliveryEngine { parts.engine }
    var loop: any DeliveryLoop { parts.loop }

    /// Makes the parts that deliver a lane, or joins those that the process has already. Nothing is opened or sent yet.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether the client leaves another lane for it.
    ///   - outbox: Describes the outbox, given who is told what happens to it.
    /// - Throws: `invalidConfiguration`, or `initializationFailed` if the transport cannot start or the process has as many
    ///   lanes as it may.
    init(
        _ dependencies: Dependencies, _ settings: some ClientSettings, listener: Listener, reporter: ClientReporter,
        isReplacing: Bool = false,
        outbox: (@escaping @Sendable (OutboxEvent) -> Void) -> OutboxConfiguration
    ) throws(TrackerError) {
        let keyFile = settings.delivery.keyFile.map(KeyFile.init)
        self.keyFile = keyFile
        if let sharing = dependencies.sharing, let key = OpenLanes.Key(settings) {
            let share = try sharing.registry.join(
                key, dependencies, settings, listener, keyFile, isReplacing: isReplacing, outbox: outbox)
            self.share = share
            place = nil
            parts = share.lane.parts
        } else {
            share = nil
            place = try dependencies.sharing?.registry.place(isReplacing: isReplacing)
            parts = try DeliveryParts(
                dependencies, settings, log: listener.log, hub: listener.hub,
                outbox: outbox { event in
                    reporter.report(event)
                    listener.storage(event)
                },
                observer: listener.delivery,
                beforeLook: { listener.beforeLook(keyFile?.isDue(at: $0) ?? false, $1) })
        }
    }

    /// How long a lane that is left waits for the answers to its requests: what has arrived is recorded then, and the
    /// next run does not send it again.
    static let patience = Duration.seconds(5)

    /// Whether this client opens the lane, and no other had it open.
    var isOpener: Bool { share?.isOpener ?? true }

    /// Whether another client has given it another key.
    func hasOtherKey(than key: Secret) -> Bool { share?.lane.uses(key) == false }

    /// Why delivery of a lane that others may use too has halted, and until when; `nil` if it has not.
    var refusal: (message: String, nextTry: Duration?)? {
        guard share != nil else { return nil }
        return engine.snapshot.halt.map { ($0.reason, $0.nextTry.map { max(.zero, loop.now.duration(to: $0)) }) }
    }

    /// Whether other clients use it now: what is queued may be theirs.
    var hasOthers: Bool { share?.lane.hasSeveral ?? false }

    /// Whether the lane is delivered with this client's credentials. It speaks for the others too, in the log and when
    /// credentials are asked for.
    var isLeading: Bool { share.map { $0.lane.isLeading($0.member) } ?? true }

    /// Opens the database, or finds it open.
    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        if let share { share.lane.open(completion: completion) } else { outbox.open(completion: completion) }
    }

    /// Makes the session for which `initialize` waits.
    func makeFirstSession(
        _ settings: some ClientSettings, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        if let share {
            share.lane.makeFirstSession(for: share.member, settings, completion: completion)
        } else {
            engine.makeFirstSession(completion: completion)
        }
    }

    func start(_ settings: some ClientSettings, ids: any IDGenerator) {
        if let share { share.lane.start(share.member, settings, ids) } else { engine.start() }
    }

    /// Delivers with other credentials. With the same ones a halt ends, and no other wait.
    func update(_ settings: some ClientSettings, isSame: Bool, ids: any IDGenerator) {
        if let share { return share.lane.update(share.member, settings, isSame: isSame, ids) }
        if !isSame || engine.snapshot.halt != nil { engine.resume(with: settings.dialect(ids: ids)) }
    }

    /// Sends nothing from now on, unless another client has begun to deliver: this one makes no session.
    func goWithoutSession() {
        if let share { return share.lane.goWithoutSession(share.member) }
        engine.goWithoutSession()
        outbox.offerUnbound()
    }

    /// Sends nothing until ``release(withoutKey:)``, which also the end of this client's share is.
    ///
    /// - Parameter isCancelling: Whether the requests under way are cancelled.
    func pause(cancelling isCancelling: Bool = true) {
        guard let share else { return engine.pause(cancelling: isCancelling) }
        share.lane.pause(share.member, cancelling: isCancelling)
    }

    /// Ends one ``pause(cancelling:)``.
    ///
    /// - Parameter lack: Why there is no key to send anything with, if so: delivery halts.
    func release(withoutKey lack: String? = nil) {
        guard let share else { return engine.release(withoutKey: lack) }
        share.lane.release(share.member, withoutKey: lack)
    }

    /// Turns timers off or on. A shared lane has none as long as all its clients are in the background.
    func setInBackground(_ isInBackground: Bool) {
        guard let share else { return engine.setInBackground(isInBackground) }
        share.lane.setInBackground(share.member, isInBackground)
    }

    /// The client's log passes on other messages than before.
    func updateVerbosity() { share?.lane.updateVerbosity() }

    /// Sends nothing more, waits for the requests under way, then closes what is kept. A shared lane is only left.
    ///
    /// - Parameter patience: How long to wait for the answers; after that the requests are cancelled.
    func close(within patience: Duration, completion: @escaping @Sendable () -> Void) {
        if let share { return share.lane.leave(share.member, completion) }
        parts.close(within: patience, completion: completion)
    }

    /// Stops delivery, then closes what is kept. A shared lane is only left.
    ///
    /// - Parameter completion: Called when every lock is free.
    func close(completion: @escaping @Sendable () -> Void) {
        if let share { share.lane.leave(share.member, completion) } else { parts.close(completion: completion) }
    }

    /// Sends what can be sent within the time, then closes everything. A shared lane is only left: it goes on.
    ///
    /// - Parameters:
    ///   - look: Called with the last figures, before the lane is closed.
    ///   - completion: Called when every lock is free; a disk that stalls makes it late.
    func end(
        within timeout: Duration, look: @escaping @Sendable (QueueMetrics) -> Void,
        completion: @escaping @Sendable () -> Void
    ) {
        if let share { return share.lane.leave(share.member, completion) }
        parts.end(within: timeout, look: look, completion: completion)
    }
}
