import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// A flush under way: it ends when every record queued at its call has left the queue or must wait.
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

    /// Sends what is queued now. Reports when that has left the queue, when it must wait, or when the time is over.
    func flush(timeout: Duration, completion: @escaping @Sendable (FlushReport) -> Void) {
        guard !hasEnded.value else { return completion(.notInitialized) }
        let id = flushCount.wrappingAdd(1, ordering: .relaxed).newValue
        let flush = Flush(
            id: id, deadline: parts.loop.now.advanced(by: max(timeout, .zero)), completion: completion)
        // Work posted before the loop is closed still runs, and the end of the engine reports all flushes.
        let isOpen = parts.loop.post { [self] in
            onLoop { state in
                guard !state.isClosed else { return completion(.notInitialized) }
                state.flushes.append(flush)
                advance(&state)
            }
        }
        guard isOpen else { return completion(.notInitialized) }
        parts.outbox.stage(.barrier) { [self] result in perform { self.begin(id, result, &$0) } }
    }

    /// Reports the flushes that are over, once their deliveries are on disk and counted.
    func updateFlushes(_ state: inout State, at now: MonotonicInstant) {
        guard !state.flushes.isEmpty else { return }
        for index in state.flushes.indices where state.flushes[index].end == nil {
            state.flushes[index].end = reasonToEnd(state.flushes[index], state)
        }
        guard state.flushes.contains(where: { $0.end != nil || $0.deadline <= now }) else { return }
        recordDelivered(&state)
        let isWritten = recorder.isWritten
        let ended = state.flushes.filter { ($0.end != nil && isWritten) || $0.deadline <= now }
        state.flushes.removeAll { flush in ended.contains { $0.id == flush.id } }
        let late: StopReason = state.rest == .otherProcess ? .otherProcess : .timeout
        publish(state)
        for flush in ended { report(flush, flush.end ?? late, state) }
    }

    /// Whether a flush is over, and why; `nil` while it is not.
    private func reasonToEnd(_ flush: Flush, _ state: State) -> StopReason?? {
        if flush.through != nil, state.delivery.phase == .firstSession { return .some(.notInitialized) }
        if flush.through != nil, let reason = state.rest, reason != .otherProcess, state.delivery.inFlight.isEmpty {
            return .some(reason)
        }
        return isSettled(flush, state) ? .some(nil) : nil
    }

    /// Reports one flush, with the numbers on disk.
    func report(_ flush: Flush, _ reason: StopReason?, _ state: State) {
        let remaining = remaining(of: flush)
        let account = (try? parts.outbox.account())?.delivered ?? flush.deliveredBefore
        // A delivery counts even if the disk refuses to record it.
        let deliveredNow = max(account - flush.deliveredBefore, state.sent - flush.sentBefore, 0)
        let delivered = min(deliveredNow, max(0, flush.queued - remaining))
        // While the lane is being opened, the number of staged records is unknown.
        let isSettled = remaining == 0 && (flush.through != nil || state.delivery.phase != .opening)
        let stoppedBy = isSettled ? nil : reason ?? .timeout
        flush.completion(FlushReport(delivered: delivered, remaining: remaining, stoppedBy: stoppedBy))
    }

    /// How many records that a flush is about are still queued.
    private func remaining(of flush: Flush) -> Int {
        // If the disk kept the flush from beginning, it is about every queued record.
        guard let through = flush.through else { return (try? parts.outbox.state())?.queuedRecords ?? 0 }
        // If the disk cannot be read, the report has the number from the beginning of the flush.
        return (try? parts.outbox.queuedRecords(through: through)) ?? flush.queued
    }

    /// Whether nothing that the flush is about waits or is under way.
    private func isSettled(_ flush: Flush, _ state: State) -> Bool {
        guard let through = flush.through, state.rest == nil || state.rest == .otherProcess,
            state.front.map({ $0 > through }) ?? true
        else { return false }
        return !state.delivery.inFlight.values.contains { $0.records.contains { $0.sequence <= through } }
    }

    private func begin(_ id: Int, _ result: ChangeResult, _ state: inout State) {
        guard let index = state.flushes.firstIndex(where: { $0.id == id }) else { return }
        // A disk that refuses writes may still be readable: its records can be sent.
        guard let lane = result.lane ?? (try? parts.outbox.state()) else {
            return report(state.flushes.remove(at: index), .storage, state)
        }
        state.isInterested = true
        // The front is unknown until the next look.
        state.front = 0
        state.delivery.forgetAhead()
        state.flushes[index].through = lane.lastSequence
        state.flushes[index].queued =
            (try? parts.outbox.queuedRecords(through: lane.lastSequence)) ?? lane.queuedRecords
        state.flushes[index].deliveredBefore = (try? parts.outbox.account())?.delivered ?? 0
        state.flushes[index].sentBefore = state.sent
    }
}

extension ChangeResult {
    /// The lane right after a change; `nil` if it was none, or if the disk has refused it.
    var lane: LaneState? { if case .done(let lane) = self { lane } else { nil } }
}

/// The result of a flush.
public struct FlushReport: Hashable, Sendable {
    /// How many of the events that were queued at the call have been delivered.
    public var delivered: Int
    /// How many of them still wait in the queue.
    public var remaining: Int
    /// Why these still wait; `nil` if none remain.
    public var stoppedBy: StopReason?

    /// Nothing is open that could be flushed.
    static let notInitialized = FlushReport(delivered: 0, remaining: 0, stoppedBy: .notInitialized)

    /// Makes a report.
    public init(delivered: Int, remaining: Int, stoppedBy: StopReason? = nil) {
        self.delivered = delivered
        self.remaining = remaining
        self.stoppedBy = stoppedBy
    }
}

/// Why events that are queued are not sent at once.
public enum StopReason: String, Hashable, Sendable, CaseIterable {
    /// The timeout of the flush passed.
    case timeout
    /// A request failed, and it is not yet time for the next.
    case retryWait
    /// The circuit breaker is open: after several failures nothing is sent for a while.
    case breakerOpen
    /// The server refused the credentials, or to make a session.
    case halted
    /// The user has not granted consent.
    case noConsent
    /// `initialize` failed because no session could be created.
    case noSession
    /// `initialize` was not called, has failed, or still waits for its session.
    case notInitialized
    /// Another process delivers this queue.
    case otherProcess
    /// The disk cannot be read, or has not taken a reset or a consent yet.
    case storage
}
