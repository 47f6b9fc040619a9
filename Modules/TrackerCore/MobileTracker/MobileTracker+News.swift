import Synchronization
import TrackerModels
import TrackerStorage

extension MobileTracker {
    /// Takes note of what the engine did.
    func note(_ news: DeliveryState.News) {
        switch news {
        case .sessionMade(_, let session):
            sessionWasMade(session)
        case .halted(let halt):
            log.log(.error, "\(halt.message). Delivery is halted and the queue kept; call initialize() again.")
        case .delivered, .retried, .dropped, .unidentified, .disabled:
            break
        }
    }

    /// Takes note of what happened in the outbox.
    func note(_ event: OutboxEvent) {
        switch event {
        case .dropped(let ids, let count, let reason):
            hub.report(.dropped(ids, count: count, reason))
            if reason == .evicted {
                log.log(.warning, "The queue is full: \(count) event(s), the oldest, were dropped.")
            }
        case .salvaged(let salvage):
            let text =
                "The database was damaged and has been set aside as \(salvage.setAside); "
                + "\(salvage.carriedOver) event(s) were carried over, \(salvage.lost) lost."
            log.log(.warning, text)
            hub.report(.storage(text))
        case .writeFailed(let error):
            log.log(.error, "The disk refuses to be written: \(error.message)")
            hub.report(.storage(error.message))
        case .recovered:
            log.log(.warning, "The disk can be written again.")
            hub.report(.storage("The disk can be written again."))
            lane?.engine.kick()
        case .backupFailed(let error):
            log.log(.warning, "A backup could not be kept: \(error.message)")
            hub.report(.storage(error.message))
        }
    }

    /// A session was created: says so, and asks for the device's place.
    func sessionWasMade(_ session: SessionID?) {
        hub.report(.session(session))
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
