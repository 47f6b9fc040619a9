import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// A lane that several clients of the process have open.
///
/// Consent, identity, session and queue are in the lane's rows, and so every client sees the same. The credentials are
/// those of the client that was initialised last; the other options are those of the client that opened the lane, or of
/// one that has it alone.
final class SharedLane: Sendable {
    enum Event: Sendable {
        /// It cannot be opened, or the server has disabled it.
        case isUnusable
        /// Its last client has left.
        case isLeft
    }

    /// How far the lane is, for all of its clients.
    private enum Progress: Sendable {
        case opening
        /// A session is being made for which some of them wait.
        case firstSession
        /// No session could be made, and none of them has begun to deliver.
        case withoutSession
        case started
    }

    private enum Database: Sendable {
        case unopened
        case opening([@Sendable (Result<Opening, StorageError>) -> Void])
        case open
        case failed(StorageError)
    }

    private struct State {
        var progress = Progress.opening
        var database = Database.unopened
        var credentials: SharedCredentials
        /// How the queue is delivered with credentials.
        var dialect: @Sendable (SharedCredentials.Value) -> any Dialect
        /// What else its options say of that.
        var options: [String]
        /// Whether it was left before it was open: it is delivered once it is.
        var startsWhenOpen = false
        /// How many pauses each client has not released, by the clients' numbers.
        var pauses: [Int: Int] = [:]
    }

    let parts: DeliveryParts
    private let audience: Audience
    private let log: LevelledLog
    /// The options of the client that opened the lane.
    private let delivery: DeliveryOptions
    /// The engine is told of other credentials while this is held, so that it takes them in their order. It calls nobody back.
    private let state: Mutex<State>
    private let isClosing = Flag(false)
    private let report: @Sendable (SharedLane, Event) -> Void

    /// - Parameters:
    ///   - name: What the log calls the clients.
    ///   - report: Called with what the registry has to know; not under a lock.
    init(
        _ dependencies: Dependencies, _ settings: some ClientSettings, _ name: String,
        outbox: (@escaping @Sendable (OutboxEvent) -> Void) -> OutboxConfiguration,
        report: @escaping @Sendable (SharedLane, Event) -> Void
    ) throws(TrackerError) {
        let audience = Audience(log: dependencies.sharing?.log ?? dependencies.log)
        let log = LevelledLog(audience, of: name, isVerbose: settings.isVerbose)
        let hub = DiagnosticsHub()
        hub.observe { audience.hear($0) }
        hub.observeDeliveries()
        let reporter = ClientReporter(log: log, hub: hub, full: FullQueue())
        parts = try DeliveryParts(
            dependencies, settings, log: log, hub: hub,
            outbox: outbox { event in
                reporter.report(event)
                audience.hear(event)
            },
            observer: { event in
                reporter.report(event)
                audience.hear(event)
            },
            beforeLook: { audience.look(at: $0, asks: $1) }, leader: { audience.leader })
        self.audience = audience
        self.log = log
        self.report = report
        delivery = settings.delivery
        state = Mutex(
            State(
                credentials: SharedCredentials(.init(settings)), dialect: Self.dialect(settings, dependencies.ids),
                options: settings.laneOptions))
        audience.connect {
            [weak self] in
            self?.follow($0) ?? true
        } alone: {
            [weak self] in
            self?.lookAlone(at: $0)
        } kick: {
            [weak self] in
            self?.parts.engine.kick()
        }
    }

    // MARK: Who uses it

    func add(_ member: AudienceMember) -> Int {
        let number = audience.add(member)
        state.withLock { $0.pauses[number] = 0 }
        return number
    }

    func isLeading(_ member: Int) -> Bool { audience.leader == member }

    /// Whether it is delivered with this key.
    func uses(_ key: Secret) -> Bool { state.withLock { $0.credentials.value.key == key } }

    var isLeft: Bool { audience.isEmpty }

    /// How many clients have had it so far.
    var joins: Int { audience.joins }

    var hasSeveral: Bool { audience.hasSeveral }

    var isEmpty: Bool { (try? parts.outbox.state())?.queuedRecords == 0 && parts.outbox.unwrittenRecords == 0 }

    /// Has a client leave. The lane goes on.
    ///
    /// - Parameter completion: Called once what the client has staged is written.
    func leave(_ member: Int, _ completion: @escaping @Sendable () -> Void) {
        stopWaiting(member)
        let (wasThere, isLeft, isInBackground) = audience.remove(member)
        guard wasThere else { return completion() }
        updateVerbosity()
        parts.outbox.stage(.barrier) { [self] _ in
            endPauses(of: member)
            completion()
        }
        parts.engine.setInBackground(isInBackground)
        guard isLeft else { return }
        goOnAlone()
        report(self, .isLeft)
    }

    /// Logs what its clients want to hear now.
    func updateVerbosity() { audience.updateVerbosity(of: log) }

    /// What a client that has left paused for is written, or holds in memory, and what it was asked it answers no more.
    private func endPauses(of member: Int) {
        let count = state.withLock { state in
            let count = state.pauses.removeValue(forKey: member) ?? 0
            let lack = state.credentials.value.key.isEmpty ? "There is no key: the client that was asked has left" : nil
            for _ in 0..<count { parts.engine.release(withoutKey: lack) }
            return count
        }
        // The client that was asked would have said so.
        if count > 0, !isLeft, let halt = parts.engine.snapshot.halt {
            let nextTry = halt.nextTry.map { max(.zero, parts.loop.now.duration(to: $0)) }
            log.log(.error, DeliveryState.Halt.sentence(halt.reason, nextTry: nextTry))
        }
    }

    /// Delivers what the clients have left.
    private func goOnAlone() {
        let isUnopened = state.withLock { state in
            switch state.database {
            case .unopened, .opening: state.startsWhenOpen = true
            case .open, .failed: break
            }
            if case .unopened = state.database { return true }
            return false
        }
        if isUnopened { open { _ in } } else { startAlone() }
    }

    private func startAlone() {
        let starts = state.withLock { state in
            guard case .open = state.database, state.progress != .started else { return false }
            keepUnbound(state)
            state.progress = .started
            return true
        }
        if starts { parts.engine.start(again: true) }
    }

    // MARK: Its end

    /// Closes it, unless that was done.
    func close(look: (QueueMetrics) -> Void) {
        guard isClosing.raise() else { return }
        look(QueueMetrics(parts))
        parts.close(within: OpenLane.patience) {}
    }

    /// Sends what can be sent within the time, then closes it, unless that was done.
    func end(
        within timeout: Duration, look: @escaping @Sendable (QueueMetrics) -> Void,
        completion: @escaping @Sendable () -> Void
    ) {
        guard isClosing.raise() else { return completion() }
        parts.end(within: timeout, look: look, completion: completion)
    }

    // MARK: What a client does

    func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        let before = state.withLock { state in
            defer {
                switch state.database {
                case .unopened: state.database = .opening([completion])
                case .opening(let waiting): state.database = .opening(waiting + [completion])
                case .open, .failed: break
                }
            }
            return state.database
        }
        switch before {
        case .unopened: parts.outbox.open { [self] in opened($0) }
        case .opening: break
        case .failed(let error): completion(.failure(error))
        case .open:
            // The state as it is after what other clients have staged before.
            parts.outbox.stage(.barrier) { [self] result in
                do throws(StorageError) {
                    let found = if let lane = result.lane { lane } else { try parts.outbox.state() }
                    completion(.success(Opening(state: found)))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    private func opened(_ result: Result<Opening, StorageError>) {
        let (waiting, startsAlone) = state.withLock { state in
            guard case .opening(let waiting) = state.database else {
                return ([@Sendable (Result<Opening, StorageError>) -> Void](), false)
            }
            switch result {
            case .success: state.database = .open
            case .failure(let error): state.database = .failed(error)
            }
            defer { state.startsWhenOpen = false }
            return (waiting, state.startsWhenOpen)
        }
        if case .failure = result { report(self, .isUnusable) }
        for completion in waiting { completion(result) }
        if startsAlone, isLeft { startAlone() }
    }

    func makeFirstSession(
        for member: Int, _ settings: some ClientSettings,
        completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        let own = SharedCredentials.Value(settings)
        let keyFile = audience.keyFile(of: member)
        let waiter = SharedCredentials.Waiter(member: member, value: own, keyFile: keyFile, completion: completion)
        let isStarted = state.withLock { state in
            let before = state.progress
            state.credentials.add(waiter)
            // A session that is being made is waited for. A lane that delivers nothing is tried with these credentials; one
            // that is halted also if they are the same.
            let isStuck = before == .started && parts.engine.snapshot.halt != nil
            // Nobody else waits with a key of its own where there is none.
            let lacksKey = state.credentials.value.key.isEmpty && !own.key.isEmpty
            let isOther =
                (lacksKey || before != .firstSession && (before != .started || isStuck))
                && (state.credentials.replace(with: own, keyFile) || isStuck && state.credentials.value == own)
            if isOther { use(member, state) }
            switch before {
            case .opening, .withoutSession:
                keepUnbound(state)
                state.progress = .firstSession
                parts.engine.makeFirstSession(again: true) { [weak self] in self?.conclude($0) }
            case .firstSession: break
            // It is tried at once, as without other clients.
            case .started: parts.engine.cutShort(sparingServer: true)
            }
            return before == .started
        }
        // It may have been made before this client began to wait.
        if isStarted, (try? parts.outbox.state())?.needsSession == false { conclude(.success(())) }
    }

    private func conclude(_ result: Result<Void, TrackerError>) {
        let (done, next, isStarted) = state.withLock { state in
            let (done, next) = state.credentials.conclude(result)
            if next == nil, state.progress == .firstSession { state.progress = .opening }
            return (done, next, state.progress == .started)
        }
        if let next { goOn(with: next.member) }
        if case .failure = result { settle() }
        // Delivery was to begin meanwhile, and had to wait for this.
        if isStarted {
            parts.engine.start(again: true)
        } else if next != nil {
            parts.engine.makeFirstSession(again: true) { [weak self] in self?.conclude($0) }
        }
        for waiter in done { waiter.completion(result) }
        if next == nil, isLeft { startAlone() }
    }

    /// Goes back to the credentials with which a client delivers, if nobody tries others any more.
    ///
    /// - Returns: Whether others are used now.
    @discardableResult
    private func settle() -> Bool {
        let member = state.withLock { $0.progress == .started ? $0.credentials.settle() : nil }
        guard let member else { return false }
        goOn(with: member)
        return true
    }

    /// Tries with the credentials in use, which are those of this client now. One without a key is asked for it first.
    private func goOn(with member: Int) {
        let asks = state.withLock { state in
            audience.lead(member)
            return state.credentials.value.key.isEmpty
        }
        if asks { audience.ask(member) }
        state.withLock { use(nil, $0) }
    }

    private func stopWaiting(_ member: Int) {
        state.withLock { $0.credentials.stopWaiting(member) }
        settle()
    }

    /// Delivers with these credentials. A lane that is halted is tried at once, also if they are the same.
    func start(_ member: Int, _ settings: some ClientSettings, _ ids: any IDGenerator) {
        let (given, keyFile) = (SharedCredentials.Value(settings), audience.keyFile(of: member))
        let isAlone = !audience.hasSeveral
        state.withLock { state in
            let isNew = isAlone && state.options != settings.laneOptions
            if isAlone { (state.dialect, state.options) = (Self.dialect(settings, ids), settings.laneOptions) }
            let (isUsed, isOther) = state.credentials.lead(member, given, keyFile, isBeginning: true)
            let resumes = isOther || isNew || isUsed && parts.engine.snapshot.halt != nil
            use(isUsed ? member : nil, state, resumes: resumes)
            keepUnbound(state)
            // During the first session it has no effect, and its end begins delivery.
            if state.progress != .started { parts.engine.start(again: true) }
            state.progress = .started
        }
        var (own, first) = (settings.delivery, delivery)
        (own.headers, own.keyFile, first.headers, first.keyFile) = ([:], nil, [:], nil)
        if own != first || state.withLock({ $0.options != settings.laneOptions }) {
            log.log(
                .warning,
                "The lane is open already, with other options of delivery: those of the client that opened it hold.")
        }
    }

    /// Delivers with other credentials of a client; without a key they replace none that have one. With the same ones a halt
    /// ends, and no other wait.
    func update(_ member: Int, _ settings: some ClientSettings, isSame: Bool, _ ids: any IDGenerator) {
        let (given, keyFile) = (SharedCredentials.Value(settings), audience.keyFile(of: member))
        let isAlone = !audience.hasSeveral
        state.withLock { state in
            if isAlone { (state.dialect, state.options) = (Self.dialect(settings, ids), settings.laneOptions) }
            let (isUsed, isOther) = state.credentials.lead(member, given, keyFile)
            guard isUsed else { return }
            use(member, state, resumes: !isSame || isOther || parts.engine.snapshot.halt != nil)
        }
    }

    private static func dialect<Settings: ClientSettings>(
        _ settings: Settings, _ ids: any IDGenerator
    ) -> @Sendable (SharedCredentials.Value) -> any Dialect {
        { credentials in
            var settings = settings
            (settings.key, settings.headers) = (credentials.key, credentials.headers)
            return settings.dialect(ids: ids)
        }
    }

    /// Goes on with the credentials that are in use now.
    ///
    /// - Parameter member: Whose they are, if that may be another client than before: it leads from now on.
    private func use(_ member: Int?, _ state: State, resumes: Bool = true) {
        if let member { audience.lead(member) }
        if resumes { parts.engine.resume(with: state.dialect(state.credentials.value)) }
    }

    func goWithoutSession(_ member: Int) {
        stopWaiting(member)
        state.withLock { state in
            switch state.progress {
            case .started, .withoutSession: return
            case .firstSession where state.credentials.isAwaited: return
            case .opening, .firstSession: state.progress = .withoutSession
            }
            parts.engine.goWithoutSession()
            parts.outbox.offerUnbound()
        }
    }

    /// The lane may make a session after all: its records wait for that.
    private func keepUnbound(_ state: State) {
        if state.progress == .withoutSession { parts.outbox.keepUnbound() }
    }

    func pause(_ member: Int, cancelling isCancelling: Bool) {
        state.withLock { state in
            guard let count = state.pauses[member] else { return }
            state.pauses[member] = count + 1
            parts.engine.pause(cancelling: isCancelling)
        }
    }

    func release(_ member: Int, withoutKey lack: String?) {
        state.withLock { state in
            guard let count = state.pauses[member], count > 0 else { return }
            state.pauses[member] = count - 1
            // Without that of this client it is delivered with the key of another one.
            parts.engine.release(withoutKey: state.credentials.value.key.isEmpty ? lack : nil)
        }
    }

    func setInBackground(_ member: Int, _ isInBackground: Bool) {
        parts.engine.setInBackground(audience.setInBackground(member, isInBackground))
    }

    // MARK: What happens to it

    /// - Returns: Whether the clients hear it.
    private func follow(_ event: DeliveryEvent) -> Bool {
        switch event {
        case .sessionMade, .sessionChanged(.some): concludeIfStarted(.success(()))
        case .retried(let plan, let answer, _):
            if case .session = plan.purpose { concludeIfStarted(.failure(.noSession(answer, from: plan.request.url))) }
        case .halted(let message, let nextTry, _):
            // A client that reads its key from a file does so when it hears of it.
            if !audience.leaderReadsKey, renewAlone() { return false }
            // With other credentials the halt is over.
            if let halt = parts.engine.snapshot.halt, concludeIfStarted(.failure(.noSession(halt))) { return false }
            // Nobody else says so.
            if isLeft { log.log(.error, DeliveryState.Halt.sentence(message, nextTry: nextTry)) }
        case .disabled: report(self, .isUnusable)
        case .dropped, .unidentified, .sessionChanged, .unauthorized, .resumed, .deliversHere, .grows, .idle: break
        }
        return true
    }

    /// Answers those who wait for a session that is made in the background.
    ///
    /// - Returns: Whether other credentials are used now.
    @discardableResult
    private func concludeIfStarted(_ result: Result<Void, TrackerError>) -> Bool {
        let (done, next) = state.withLock { state in
            state.progress == .started ? state.credentials.conclude(result) : ([], nil)
        }
        var isOther = next != nil
        if let next { goOn(with: next.member) }
        if case .failure = result, settle() { isOther = true }
        for waiter in done { waiter.completion(result) }
        return isOther
    }

    // MARK: Without clients

    /// Ahead of a look at the queue while no client reads the key.
    private func lookAlone(at now: MonotonicInstant) {
        if state.withLock({ $0.credentials.keyFile?.isDue(at: now) ?? false }) { _ = renewAlone() }
    }

    /// Reads the key file of the client that led last, and goes on with its key if that is another one.
    ///
    /// - Returns: Whether it is.
    private func renewAlone() -> Bool {
        guard let file = state.withLock(\.credentials.keyFile),
            let key = file.key(else: { log.log(.warning, "The key stays as it was: 'keyFile' \($0)") })
        else { return false }
        return state.withLock { state in
            guard state.credentials.renew(key, from: file) else { return false }
            use(nil, state)
            return true
        }
    }
}
