import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// How often the engine tries a lane that another process delivers, while this process waits for something in it.
    private static let patience = Duration.milliseconds(500)

    /// Becomes the lane's deliverer, unless another process is.
    func takeLane(_ state: inout State, at now: MonotonicInstant) -> Bool {
        if state.isLocked || claimLane(&state) { return true }
        // A lane without work is not looked at again, so that every process that has it open may sleep.
        let isWaiting = state.isInterested || !state.flushes.isEmpty
        let peek = isWaiting ? try? parts.outbox.peek(limit: 1, maxBytes: 0) : nil
        // If the disk cannot be read, the engine tries again.
        let hasWork = isWaiting && peek.map { !$0.records.isEmpty || state.delivery.needsSession($0.state) } ?? true
        state.rest = hasWork ? .otherProcess : nil
        state.front = peek?.records.first?.sequence
        if hasWork {
            state.wakeAt = now.advanced(by: Self.patience)
            if peek == nil { state.front = 0 }
        } else {
            state.isInterested = false
        }
        return false
    }

    /// Takes the lane's lock, unless another process has it.
    func claimLane(_ state: inout State) -> Bool {
        let wasDeliverer = state.isDeliverer
        let isTaken = parts.outbox.acquireDelivery()
        state.isElsewhere = !isTaken
        state.isDeliverer = isTaken
        if isTaken {
            state.isLocked = true
            state.delivery.forgetAhead()
            if wasDeliverer == false { parts.diagnostics.report(.lane("This process delivers the lane now.")) }
        } else if wasDeliverer == true {
            parts.diagnostics.report(.lane("Another process delivers the lane now."))
        }
        return isTaken
    }

    /// Releases the lane to other processes, once nothing is under way and every delivery, drop and session of this
    /// process is on disk. Earlier, another process would send records again or make a second session.
    ///
    /// - Returns: Whether nothing is held any more.
    @discardableResult
    func releaseLane(_ state: inout State) -> Bool {
        recordDelivered(&state)
        guard state.isLocked else { return true }
        // This includes the drop of the whole queue, which is staged when the server disables the client.
        guard recorder.isWritten, state.delivery.inFlight.isEmpty else { return false }
        state.isLocked = false
        parts.outbox.releaseDelivery()
        return true
    }

    /// Sets the timer to the first instant at which something is due.
    func arm(_ state: inout State) {
        var next: MonotonicInstant?
        if !state.isClosed {
            next = [state.wakeAt, state.recordAt, state.ending?.deadline].lazy.compactMap { $0 }.min()
            for flush in state.flushes { next = min(next ?? flush.deadline, flush.deadline) }
        }
        guard state.timer?.at != next else { return }
        if let old = state.timer { parts.loop.cancel(old.id) }
        state.timer = nil
        guard let next else { return }
        let id = parts.loop.schedule(at: next) { [self] in
            onLoop { state in
                state.timer = nil
                advance(&state)
            }
        }
        state.timer = (id, next)
    }
}
