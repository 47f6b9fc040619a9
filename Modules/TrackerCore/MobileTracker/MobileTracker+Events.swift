import Synchronization
import TrackerModels
import TrackerStorage

extension MobileTracker {
    /// Takes note of what the engine did.
    func note(_ event: DeliveryEvent) {
        self.reporter.note(event)
        switch event {
        case .sessionMade(let session):
            sessionWasMade(session)
        case .sessionChanged(let session):
            tell(session)
        case .halted(let halt):
            log.log(.error, "\(halt.message). Delivery is halted and the queue kept; call initialize() again.")
        case .retried, .dropped, .unidentified, .disabled, .idle:
            break
        }
    }

    /// Takes note of what happened in the outbox.
    func note(_ event: OutboxEvent) {
        reporter.note(event)
        if case .recovered = event { lane?.engine.kick() }
    }

    /// Tells of the session that the lane has, if listeners know of another; on the outbox's queue, in the order of what
    /// changes it.
    func tell(_ session: SessionID?) {
        let isNews = state.withLock { state in
            defer { state.toldSession = session }
            return state.toldSession != session
        }
        if isNews { hub.report(.session(session)) }
    }

    /// A session was created: says so, and asks for the device's place.
    func sessionWasMade(_ session: SessionID) {
        tell(session)
        guard let locationProvider else { return }
        // Ends with the provider's answer; it is not waited for, and nothing follows it but one accepted call.
        Task { [weak self] in
            do {
                let location = try await locationProvider.location()
                self?.accept(.updateLocation(location))
            } catch {
                self?.log.log(.warning, "The device's place is not to be had: \(error)")
            }
        }
    }
}
