import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// A flush under way: it ends when every record queued at its call has left the queue or must wait.
    struct Flush: Sendable {
        var deadline: MonotonicInstant
        /// What it is about; `nil` until what was staged before the call is on disk.
        var scope: Scope?
        /// How it ends, once it only waits for what was delivered to be on disk.
        var end: End?
        let completion: @Sendable (FlushReport) -> Void

        /// The flushes in the order of their calls.
        static func inOrder(_ flushes: [Int: Flush]) -> [Flush] {
            flushes.sorted { $0.key < $1.key }.map(\.value)
        }

        /// What a flush is about, and what the report counts from.
        struct Scope: Sendable {
            /// The last record.
            let through: Int64
            let queued: Int
            /// How many records the lane's account counted as delivered.
            let delivered: Int
            /// How many records this engine had delivered.
            let sent: Int
        }

        /// How a flush ends.
        enum End: Sendable {
            /// Everything that it is about has left the queue.
            case complete
            case stopped(StopReason)
        }
    }

    /// Sends what is queued now. Reports when that has left the queue, when it must wait, or when the time is over.
    ///
    /// - Parameter cutoff: Ends it before its time.
    func flush(
        timeout: Duration, cutoff: FlushCutoff? = nil, completion: @escaping @Sendable (FlushReport) -> Void
    ) {
        guard !hasEnded.value else { return completion(reportAfterEnd) }
        let number = flushCount.wrappingAdd(1, ordering: .relaxed).newValue
        let flush = Flush(deadline: parts.loop.now.advanced(by: max(timeout, .zero)), completion: completion)
        // Work posted before the loop is closed still runs, and the end of the engine reports all flushes.
        let isOpen = parts.loop.post { [self] in
            onLoop { state in
                guard !state.isClosed else { return completion(reportAfterEnd) }
                state.flushes[number] = flush
                advance(&state)
            }
        }
        guard isOpen else { return completion(reportAfterEnd) }
        parts.outbox.stage(.barrier) { [self] result in perform { self.begin(number, result, &$0) } }
        cutoff?.setEnd { [weak self] in
            guard let self else { return }
            let now = parts.loop.now
            perform { $0.flushes[number]?.deadline = now }
        }
    }

    /// The report of a flush that comes after the engine's end.
    private var reportAfterEnd: FlushReport {
        FlushReport(delivered: 0, remaining: parts.outbox.waitingRecords, stoppedBy: .notInitialized)
    }

    /// Reports the flushes that are over, once their deliveries are on disk and counted.
    func updateFlushes(_ state: inout State, at now: MonotonicInstant) {
        guard !state.flushes.isEmpty else { return }
        for (number, flush) in state.flushes where flush.end == nil {
            let end = end(of: flush, state)
            state.flushes[number]?.end = end
        }
        guard state.flushes.values.contains(where: { $0.end != nil || $0.deadline <= now }) else { return }
        recordDelivered(&state)
        let isWritten = recorder.isWritten
        let ended = state.flushes.filter { ($0.value.end != nil && isWritten) || $0.value.deadline <= now }
        state.flushes = state.flushes.filter { ended[$0.key] == nil }
        let late: StopReason = state.rest == .otherProcess ? .otherProcess : .timeout
        publish(state)
        for flush in Flush.inOrder(ended) { report(flush, flush.end ?? .stopped(late), state) }
    }

    /// How a flush ends, if it is over.
    private func end(of flush: Flush, _ state: State) -> Flush.End? {
        guard let through = flush.scope?.through else { return nil }
        if state.delivery.phase == .firstSession { return .stopped(.notInitialized) }
        if let reason = state.rest, reason != .otherProcess, state.delivery.inFlight.isEmpty { return .stopped(reason) }
        // Nothing that it is about waits or is under way.
        guard state.rest == nil || state.rest == .otherProcess, state.front.map({ $0 > through }) ?? true,
            !state.delivery.inFlight.values.contains(where: { $0.records.contains { $0.sequence <= through } })
        else { return nil }
        return .complete
    }

    /// Reports one flush, with the numbers on disk.
    func report(_ flush: Flush, _ end: Flush.End, _ state: State) {
        let scope = flush.scope
        let remaining = remaining(of: scope)
        var deliveredNow = 0
        if let scope {
            let account = (try? parts.outbox.account())?.delivered ?? scope.delivered
            // A delivery counts even if the disk refuses to record it.
            deliveredNow = max(account - scope.delivered, state.sent - scope.sent, 0)
        }
        let delivered = min(deliveredNow, max(0, (scope?.queued ?? 0) - remaining))
        guard case .stopped(let reason) = end else {
            return flush.completion(FlushReport(delivered: delivered, remaining: remaining, stoppedBy: .timeout))
        }
        if state.delivery.isDisabled, let scope {
            // What the server's refusal has dropped was not delivered.
            return flush.completion(
                FlushReport(delivered: delivered, remaining: scope.queued - delivered, stoppedBy: .halted))
        }
        flush.completion(FlushReport(delivered: delivered, remaining: remaining, stoppedBy: reason))
    }

    /// How many records that a flush is about are still queued.
    private func remaining(of scope: Flush.Scope?) -> Int {
        // If the disk kept the flush from beginning, it is about every record that waits.
        guard let scope else { return parts.outbox.waitingRecords }
        // If the disk cannot be read, the report has the number from the beginning of the flush.
        return (try? parts.outbox.queuedRecords(through: scope.through)) ?? scope.queued
    }

    private func begin(_ number: Int, _ result: ChangeResult, _ state: inout State) {
        guard let flush = state.flushes[number] else { return }
        // A disk that refuses writes may still be readable: its records can be sent.
        guard let lane = result.lane ?? (try? parts.outbox.state()) else {
            state.flushes[number] = nil
            return report(flush, .stopped(.storage), state)
        }
        state.isInterested = true
        // The front is unknown until the next look.
        state.front = 0
        state.delivery.forgetAhead()
        let through = lane.lastSequence
        // Once the server has refused the client, the queue may be dropped by now.
        let queued = state.delivery.isDisabled ? nil : try? parts.outbox.queuedRecords(through: through)
        state.flushes[number]?.scope = Flush.Scope(
            through: through, queued: queued ?? lane.queuedRecords,
            delivered: (try? parts.outbox.account())?.delivered ?? 0, sent: state.sent)
    }
}

extension LaneOutbox {
    /// How many records wait, on disk and in memory.
    var waitingRecords: Int {
        // A queue that cannot be read counts with what waits in memory.
        ((try? state())?.queuedRecords ?? 0) + unwrittenRecords
    }
}

extension ChangeResult {
    /// The lane right after a change; `nil` if it was none, or if the disk has refused it.
    var lane: LaneState? { if case .done(let lane) = self { lane } else { nil } }
}

/// The result of a flush.
public struct FlushReport: Hashable, Sendable {
    /// How many of the events that were queued at the call have been delivered.
    public let delivered: Int
    /// How many of them still wait, in the queue or in memory. If the server refuses the client during the flush, its
    /// queue is dropped: then these are the events that were dropped.
    public let remaining: Int
    /// Why these were not delivered; `nil` if none remain.
    public let stoppedBy: StopReason?

    /// Makes a report. The reason has no effect if none remain.
    public init(delivered: Int, remaining: Int, stoppedBy: StopReason? = nil) {
        self.delivered = delivered
        self.remaining = remaining
        self.stoppedBy = remaining == 0 ? nil : stoppedBy
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
