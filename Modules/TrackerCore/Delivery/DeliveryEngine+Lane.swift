import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// How often a lane that another process delivers is tried, while something of ours is in it.
    private static let patience = Duration.milliseconds(500)

    /// Becomes the lane's deliverer, unless another process is.
    func takeLane(at now: MonotonicInstant) -> Bool {
        if state.withLock({ $0.isLocked }) { return true }
        guard claimLane() else {
            // A lane that needs nothing is not looked at again: then every process on it may sleep.
            let isWaiting = state.withLock { $0.isInterested || !$0.flushes.isEmpty }
            let peek = isWaiting ? try? parts.outbox.peek(limit: 1, maxBytes: 0) : nil
            // A disk that cannot tell is asked again.
            let hasWork = isWaiting && peek?.records.isEmpty != true
            state.withLock { state in
                state.rest = hasWork ? .otherProcess : nil
                state.front = peek?.records.first?.sequence
                if hasWork {
                    state.wakeAt = now.advanced(by: Self.patience)
                    if peek == nil { state.front = 0 }
                } else {
                    state.isInterested = false
                }
            }
            return false
        }
        return true
    }

    /// Takes the lane's lock, unless another process has it.
    func claimLane() -> Bool {
        guard parts.outbox.acquireDelivery() else {
            let wasHere = state.withLock { state in
                state.isElsewhere = true
                defer { state.isDeliverer = false }
                return state.isDeliverer == true
            }
            if wasHere { parts.diagnostics.report(.lane("Another process delivers the lane now.")) }
            return false
        }
        let wasElsewhere = state.withLock { state in
            state.isLocked = true
            state.isElsewhere = false
            state.delivery.forgetAhead()
            defer { state.isDeliverer = true }
            return state.isDeliverer == false
        }
        if wasElsewhere { parts.diagnostics.report(.lane("This process delivers the lane now.")) }
        return true
    }

    /// Lets another process deliver, as soon as nothing is under way and what was delivered, dropped or bound here is on
    /// disk: else it would be sent again, or a second session be made.
    ///
    /// - Returns: Whether nothing is held any more.
    @discardableResult
    func letGo() -> Bool {
        recordDelivered()
        let (wasLocked, isFree) = state.withLock { state in
            state.isLeaving = state.isLocked && (state.unsettled > 0 || !state.delivery.inFlight.isEmpty)
            guard !state.isLeaving else { return (false, false) }
            defer { state.isLocked = false }
            return (state.isLocked, true)
        }
        if wasLocked { parts.outbox.releaseDelivery() }
        return isFree
    }

    /// Sets the timer to the first instant at which something is due.
    func arm() {
        let (old, next) = state.withLock { state in
            let instants =
                [state.wakeAt, state.recordAt, state.ending?.deadline].compactMap { $0 } + state.flushes.map(\.deadline)
            let next = state.isClosed ? nil : instants.min()
            guard state.timer?.at != next else { return (nil as TimerID?, nil as MonotonicInstant?) }
            defer { state.timer = nil }
            return (state.timer?.id, next)
        }
        if let old { parts.loop.cancel(old) }
        guard let next else { return }
        let id = parts.loop.schedule(at: next) { [self] in
            state.withLock { $0.timer = nil }
            advance()
        }
        state.withLock { $0.timer = (id, next) }
    }
}
