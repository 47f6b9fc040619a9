import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One attempt to make a session while `initialize` waits, outside the breaker. Runs on the lane's loop.
///
/// Whoever makes a session for the lane, in whatever process, holds its session lock and looks again first. A reset or a
/// decision meanwhile begins another round: what the last one has asked for is cancelled, and what comes of it is void.
struct SessionMaking: Sendable {
    let settings: TrackerSettings
    let lane: OpenLane
    let ids: any IDGenerator
    /// Which round it is; `nil` once `initialize` no longer waits.
    let round: @Sendable () -> Int?
    /// Told of the request of a round, so that it can be cancelled; false if that round is over.
    let note: @Sendable (TransferID, Int) -> Bool
    /// Told of a session that was made and is the lane's; on the outbox's queue, in the order of what it tells.
    let made: @Sendable (SessionID) -> Void
    /// Told that there is a session, or that none may be made; or why there is none.
    let completion: @Sendable (Result<Void, TrackerError>) -> Void

    /// How often another process that makes the session is looked after.
    private static let patience = Duration.milliseconds(50)

    /// Makes the session, or finds it made.
    func make() {
        guard let round = round() else { return }
        guard lane.outbox.acquireSessionCreation() else {
            if let state = try? lane.outbox.state(), state.isSettled { return completion(.success(())) }
            return makeLater()
        }
        if let state = try? lane.outbox.state(), state.isSettled { return finish(.success(())) }
        lane.outbox.stage(.ensureDevice) { result in
            lane.loop.post { send(after: result, in: round) }
        }
    }

    private func makeLater() {
        lane.loop.schedule(at: lane.loop.now.advanced(by: Self.patience)) { make() }
    }

    private func send(after result: ChangeResult, in round: Int) {
        guard self.round() != nil else { return lane.outbox.releaseSessionCreation() }
        guard let found = state(after: result) else {
            return finish(.failure(TrackerError(.storage, "The state folder cannot be used")))
        }
        guard !found.isSettled else { return finish(.success(())) }
        guard !found.isAwaitingDisk else {
            // A reset or a decision that the disk has refused is written before anything is sent.
            lane.outbox.releaseSessionCreation()
            return makeLater()
        }
        guard let device = found.entry.device else {
            return finish(.failure(TrackerError(.storage, "The state folder cannot be used")))
        }
        let info = DeviceInfo(
            deviceId: device.text, osName: settings.device.osName, deviceType: settings.device.deviceType)
        let request = settings.requests.create(for: info, key: ids.uuid())
        let transfer = lane.loop.submit(request) { answer in
            settle(answer, found.generation, request.url)
        }
        if !note(transfer, round) { lane.loop.cancel(transfer) }
    }

    private func settle(_ answer: Answer, _ generation: Generation, _ url: String) {
        guard round() != nil else { return lane.outbox.releaseSessionCreation() }
        switch answer {
        case .failure(let error):
            let cause: TrackerError.Cause = error.kind == .timeout ? .timeout : .network(error.message)
            judge(Self.failure(error.message, cause), generation, isCancelled: error.kind == .cancelled)
        case .success(let response) where !(200..<300).contains(response.status):
            judge(
                Self.failure(AnswerTable.sentence(response.status, from: url), .status(response.status)), generation)
        case .success(let response):
            guard let session = SessionAnswer.sessionID(in: response.body) else {
                return judge(Self.failure(SessionAnswer.fault(of: response), .unreadableAnswer), generation)
            }
            lane.outbox.stage(.bindMade(generation, session)) { result in
                let found = state(after: result)
                let isTaken = found?.generation == generation && found?.entry.session == session
                if isTaken { made(session) }
                lane.loop.post {
                    // A reset meanwhile has ended the generation: its session is of no use to the next.
                    if let found, !found.isSettled { again() } else { finish(.success(())) }
                }
            }
        }
    }

    /// Fails, unless that was about what a reset or a decision has made void: what is on its way to the disk counts.
    private func judge(_ error: TrackerError, _ generation: Generation, isCancelled: Bool = false) {
        lane.outbox.stage(.barrier) { result in
            lane.loop.post {
                guard let found = state(after: result) else { return finish(.failure(error)) }
                if found.isSettled { return finish(.success(())) }
                if isCancelled || found.generation != generation { return again() }
                finish(.failure(error))
            }
        }
    }

    private func again() {
        lane.outbox.releaseSessionCreation()
        make()
    }

    private func finish(_ result: Result<Void, TrackerError>) {
        lane.outbox.releaseSessionCreation()
        completion(result)
    }

    /// The lane after a change. A disk that refuses it keeps it in memory, where the lane's state shows it.
    private func state(after result: ChangeResult) -> LaneState? {
        if case .done(let state) = result { state } else { try? lane.outbox.state() }
    }

    private static func failure(_ reason: String, _ cause: TrackerError.Cause) -> TrackerError {
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return TrackerError(
            .sessionCreationFailed, "No session could be created: \(reason). \(inBackgroundAdvice)", cause: cause)
    }

    /// How a program starts without a backend.
    static let inBackgroundAdvice =
        "To start all the same, and have the session made later, set sessionCreation to inBackground."
}

extension LaneState {
    /// Whether no session is to be made: there is one, or there may be none.
    var isSettled: Bool { entry.session != nil || consent != .granted }
}
