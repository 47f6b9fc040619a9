import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One attempt to make a session while `initialize` waits, outside the breaker. Runs on the lane's loop.
///
/// Whoever makes a session for the lane, in whatever process, holds its session lock and looks again first.
struct SessionMaking: Sendable {
    let settings: TrackerSettings
    let lane: OpenLane
    let ids: any IDGenerator
    /// Whether `initialize` still waits.
    let isCurrent: @Sendable () -> Bool
    /// Told of the request, so that it can be cancelled.
    let note: @Sendable ((any DeliveryLoop, TransferID)) -> Void
    /// Told of the session that was made; `nil` if there is one already, or none may be made.
    let completion: @Sendable (Result<SessionID?, TrackerError>) -> Void

    /// How often another process that makes the session is looked after.
    private static let patience = Duration.milliseconds(50)

    /// Makes the session, or finds it made.
    func make() {
        guard isCurrent() else { return }
        guard lane.outbox.acquireSessionCreation() else {
            if isSettled() { return completion(.success(nil)) }
            lane.loop.schedule(at: lane.loop.now.advanced(by: Self.patience)) { make() }
            return
        }
        guard !isSettled() else { return finish(.success(nil)) }
        lane.outbox.stage(.ensureDevice) { result in
            lane.loop.post { send(after: result) }
        }
    }

    private func isSettled() -> Bool {
        guard let state = try? lane.outbox.state() else { return false }
        return state.entry.session != nil || state.consent != .granted
    }

    private func send(after result: ChangeResult) {
        guard isCurrent() else { return lane.outbox.releaseSessionCreation() }
        // A disk that does not take the device id keeps it in memory, where the lane's state shows it.
        let found: LaneState? = if case .done(let state) = result { state } else { try? lane.outbox.state() }
        guard let found, let device = found.entry.device else {
            return finish(.failure(TrackerError(.storage, "The state folder cannot be used")))
        }
        let info = DeviceInfo(
            deviceId: device.text, osName: settings.device.osName, deviceType: settings.device.deviceType)
        let request = settings.requests.create(for: info, key: ids.uuid())
        let transfer = lane.loop.submit(request) { answer in
            settle(answer, found.generation, request.url)
        }
        note((lane.loop, transfer))
    }

    private func settle(_ answer: Answer, _ generation: Generation, _ url: String) {
        guard isCurrent() else { return lane.outbox.releaseSessionCreation() }
        switch answer {
        case .failure(let error):
            finish(.failure(Self.failure(error.message, error.kind == .timeout ? .timeout : .network(error.message))))
        case .success(let response) where !(200..<300).contains(response.status):
            finish(
                .failure(
                    Self.failure(
                        AnswerTable.sentence(response.status, from: url), .status(response.status))))
        case .success(let response):
            guard let session = SessionAnswer.sessionID(in: response.body) else {
                return finish(.failure(Self.failure("the answer has no data.id", .unreadableAnswer)))
            }
            lane.outbox.stage(.bind(generation, session)) { result in
                lane.loop.post { bound(session, result, generation) }
            }
        }
    }

    private func bound(_ session: SessionID, _ result: ChangeResult, _ generation: Generation) {
        let found: LaneState? = if case .done(let state) = result { state } else { try? lane.outbox.state() }
        // A reset meanwhile has ended the generation: its session is of no use to the next.
        if let found, found.generation != generation || found.entry.session == nil, found.consent == .granted {
            lane.outbox.releaseSessionCreation()
            return make()
        }
        finish(.success(session))
    }

    private func finish(_ result: Result<SessionID?, TrackerError>) {
        lane.outbox.releaseSessionCreation()
        completion(result)
    }

    private static func failure(_ reason: String, _ cause: TrackerError.Cause) -> TrackerError {
        TrackerError(.sessionCreationFailed, "No session could be created: \(reason)", cause: cause)
    }
}
