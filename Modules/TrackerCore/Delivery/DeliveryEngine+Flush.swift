import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// Somebody who waits until what was queued has been settled.
    struct Flush: Sendable {
        let id: Int
        let deadline: MonotonicInstant
        /// The last record it is about; `nil` until what was staged before the call is on disk.
        var through: Int64?
        var queued = 0
        var deliveredBefore = 0
        let completion: @Sendable (FlushReport) -> Void
    }

    /// Sends what is queued now and tells when that is settled, when it must wait, or when the time has passed.
    func flush(timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        let deadline = parts.loop.now.advanced(by: max(timeout, .zero))
        let id = state.withLock { state in
            defer { state.nextFlush += 1 }
            state.flushes.append(Flush(id: state.nextFlush, deadline: deadline, completion: completion))
            return state.nextFlush
        }
        let isOpen = parts.loop.post { [self] in advance() }
        guard isOpen else { return abandonFlush(id) }
        parts.outbox.stage(.barrier) { [self] result in
            parts.loop.post { [self] in
                begin(id, result)
                advance()
            }
        }
    }

    /// Tells the flushes that have come to their end.
    func updateFlushes() {
        let now = parts.loop.now
        let (ended, late) = state.withLock { state in
            var ended: [(Flush, StopReason?)] = []
            var late: [(Flush, StopReason)] = []
            var waiting: [Flush] = []
            for flush in state.flushes {
                if flush.deadline <= now {
                    late.append((flush, state.isElsewhere ? .otherProcess : .timeout))
                } else if flush.through != nil, let reason = state.rest, reason != .otherProcess,
                    state.delivery.inFlight.isEmpty
                {
                    ended.append((flush, reason))
                } else if isSettled(flush, state) {
                    ended.append((flush, nil))
                } else {
                    waiting.append(flush)
                }
            }
            state.flushes = waiting
            return (ended, late)
        }
        for (flush, reason) in late { report(flush, reason) }
        for (flush, reason) in ended {
            // What has just been delivered is staged: it is counted once it is on disk.
            parts.outbox.stage(.barrier) { [self] _ in report(flush, reason) }
        }
    }

    /// Tells one flush what it came to, from what is on disk.
    func report(_ flush: Flush, _ reason: StopReason?) {
        // A disk that cannot be read leaves the report at what was known when the flush began.
        let remaining = flush.through.flatMap { try? parts.outbox.queuedRecords(through: $0) } ?? flush.queued
        let deliveredNow = (try? parts.outbox.account())?.delivered ?? flush.deliveredBefore
        let delivered = min(max(0, deliveredNow - flush.deliveredBefore), max(0, flush.queued - remaining))
        let stoppedBy = remaining == 0 && flush.through != nil ? nil : reason ?? .timeout
        flush.completion(FlushReport(delivered: delivered, remaining: remaining, stoppedBy: stoppedBy))
    }

    /// Whether nothing that the flush is about waits or is under way.
    private func isSettled(_ flush: Flush, _ state: State) -> Bool {
        guard let through = flush.through, state.rest == nil, state.front.map({ $0 > through }) ?? true else {
            return false
        }
        return !state.delivery.inFlight.values.contains { $0.records.contains { $0.sequence <= through } }
    }

    private func begin(_ id: Int, _ result: ChangeResult) {
        guard case .done(let lane) = result else { return end(id, .storage) }
        let queued = (try? parts.outbox.queuedRecords(through: lane.lastSequence)) ?? lane.queuedRecords
        let delivered = (try? parts.outbox.account())?.delivered ?? 0
        state.withLock { state in
            state.isInterested = true
            // What is at the front is not known until the next look.
            state.front = 0
            guard let index = state.flushes.firstIndex(where: { $0.id == id }) else { return }
            state.flushes[index].through = lane.lastSequence
            state.flushes[index].queued = queued
            state.flushes[index].deliveredBefore = delivered
        }
    }

    private func end(_ id: Int, _ reason: StopReason) {
        if let flush = removeFlush(id) { report(flush, reason) }
    }

    /// The loop has ended: nothing will be sent any more.
    private func abandonFlush(_ id: Int) {
        if let flush = removeFlush(id) { report(flush, .notInitialized) }
    }

    private func removeFlush(_ id: Int) -> Flush? {
        state.withLock { state in
            guard let index = state.flushes.firstIndex(where: { $0.id == id }) else { return nil }
            return state.flushes.remove(at: index)
        }
    }
}
