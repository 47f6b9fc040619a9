import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Finds the anonymous id of a lane, or makes it. Runs on the lane's loop.
///
/// Of several processes on a lane one makes it, under a lock, and the others find it.
struct IdentityMaking: Sendable {
    let outbox: any Outbox
    let loop: any DeliveryLoop
    let ids: any IDGenerator
    let generation: Generation
    /// Whether somebody still waits for it.
    let isCurrent: @Sendable () -> Bool
    let completion: @Sendable (AnalyticsIdentity) -> Void

    /// How often another process that makes it is looked after.
    private static let patience = Duration.milliseconds(50)

    /// Finds or makes it.
    func make() {
        guard isCurrent() else { return }
        if let id = outbox.value(for: .anonymousID) { return finish(id) }
        guard outbox.acquireSessionCreation() else {
            loop.schedule(at: loop.now.advanced(by: Self.patience)) { make() }
            return
        }
        if let id = outbox.value(for: .anonymousID) {
            outbox.releaseSessionCreation()
            return finish(id)
        }
        let id = ids.uuid()
        outbox.stage(.store(.anonymousID, id, generation)) { _ in
            outbox.releaseSessionCreation()
            // A disk that does not take it keeps it in memory; without that, it holds for this run.
            loop.post { finish(outbox.value(for: .anonymousID) ?? id) }
        }
    }

    private func finish(_ id: String) {
        completion(AnalyticsIdentity(anonymousId: id, from: outbox))
    }
}
