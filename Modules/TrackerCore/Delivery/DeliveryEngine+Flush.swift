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
        /// What the engine had delivered itself when the flush began.
        var sentBefore = 0
        /// Why it is over, once it only waits for what was delivered to be on disk.
        var end: StopReason??
        let completion: @Sendable (FlushReport) -> Void
    }

    /// Sends what is queued now and tells when that is settled, when it must wait, or when the time has passed.
    func flush(timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        let deadline = parts.loop.now.advanced(by: max(timeout, .zero))
        let flush = state.withLock { state in
            defer { state.nextFlush += 1 }
            let flush = Flush(id: state.nextFlush, deadline: deadline, completion: completion)
            if !state.isClosed { state.flushes.append(flush) }
            return (id: flush.id, isAccepted: !state.isClosed)
        }
        guard flush.isAccepted else { return completion(.notInitialized) }
        // A loop that is closed runs nothing more: whoever waits is told so.
        guard parts.loop.post({ [self] in advance() }) else { return end(flush.id, .notInitialized) }
        parts.outbox.stage(.barrier) { [self] result in
            let isOpen = parts.loop.post { [self] in
                begin(flush.id, result)
                advance()
            }
            if !isOpen { end(flush.id, .notInitialized) }
        }
    }

    /// Tells the flushes that have come to their end, once what was delivered is on disk and counts.
    func updateFlushes() {
        let now = parts.loop.now
        let isAnyOver = state.withLock { state in
            for index in state.flushes.indices where state.flushes[index].end == nil {
                state.flushes[index].end = reasonToEnd(state.flushes[index], state)
            }
            return state.flushes.contains { $0.end != nil }
        }
        if isAnyOver { recordDelivered() }
        let (ended, reason) = state.withLock { state in
            let isRecorded = state.unsettled == 0
            let ended = state.flushes.filter { ($0.end != nil && isRecorded) || $0.deadline <= now }
            state.flushes.removeAll { flush in ended.contains { $0.id == flush.id } }
            return (ended, state.rest == .otherProcess ? StopReason.otherProcess : .timeout)
        }
        for flush in ended { report(flush, flush.end ?? reason) }
    }

    /// Whether a flush is over, and why; `nil` while it is not.
    private func reasonToEnd(_ flush: Flush, _ state: State) -> StopReason?? {
        if flush.through != nil, state.delivery.phase == .firstSession { return .some(.notInitialized) }
        if flush.through != nil, let reason = state.rest, reason != .otherProcess, state.delivery.inFlight.isEmpty {
            return .some(reason)
        }
        return isSettled(flush, state) ? .some(nil) : nil
    }

    /// Tells one flush what it came to, from what is on disk.
    func report(_ flush: Flush, _ reason: StopReason?) {
        recordDelivered()
        let remaining = remaining(of: flush)
        let account = (try? parts.outbox.account())?.delivered ?? flush.deliveredBefore
        let sent = state.withLock { $0.sent }
        // What the disk refuses to record has been delivered all the same.
        let deliveredNow = max(account - flush.deliveredBefore, sent - flush.sentBefore, 0)
        let delivered = min(deliveredNow, max(0, flush.queued - remaining))
        let stoppedBy = remaining == 0 ? nil : reason ?? .timeout
        flush.completion(FlushReport(delivered: delivered, remaining: remaining, stoppedBy: stoppedBy))
    }

    /// How many records that a flush is about are still queued.
    private func remaining(of flush: Flush) -> Int {
        // One that the disk has kept from beginning is about all there is.
        guard let through = flush.through else { return (try? parts.outbox.state())?.queuedRecords ?? 0 }
        // A disk that cannot be read leaves the report at what was known when the flush began.
        return (try? parts.outbox.queuedRecords(through: through)) ?? flush.queued
    }

    /// Whether nothing that the flush is about waits or is under way.
    private func isSettled(_ flush: Flush, _ state: State) -> Bool {
        guard let through = flush.through, state.rest == nil || state.rest == .otherProcess,
            state.front.map({ $0 > through }) ?? true
        else { return false }
        return !state.delivery.inFlight.values.contains { $0.records.contains { $0.sequence <= through } }
    }

    private func begin(_ id: Int, _ result: ChangeResult) {
        // A disk that takes no writes may yet be read: what it holds can be sent.
        let lane = if case .done(let lane) = result { lane } else { try? parts.outbox.state() }
        guard let lane else { return end(id, .storage) }
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
            state.flushes[index].sentBefore = state.sent
        }
    }

    /// Tells a flush, unless it has been told already.
    private func end(_ id: Int, _ reason: StopReason?) {
        let flush = state.withLock { state -> Flush? in
            guard let index = state.flushes.firstIndex(where: { $0.id == id }) else { return nil }
            return state.flushes.remove(at: index)
        }
        guard let flush else { return }
        // Nothing waits for its deadline any more.
        arm()
        report(flush, reason)
    }
}
