import TrackerModels
import TrackerNetworking
import TrackerStorage

/// A flush under way: it ends when every record queued at its call has left the queue or must wait.
struct Flush: Sendable {
    /// What a flush is about, and what the report counts from.
    struct Scope: Sendable {
        /// The last record.
        let through: Int64
        let queued: Int
        /// How many records the lane's account counted as delivered.
        let accounted: Int
        /// How many records this engine had delivered.
        let delivered: Int
    }

    enum End: Hashable, Sendable {
        /// Everything that it is about has left the queue.
        case complete
        case stopped(StopReason)
    }

    let number: Int
    var deadline: MonotonicInstant
    /// What it is about; `nil` until what was staged before the call is on disk.
    var scope: Scope?
    /// How many records that are not of it this engine has delivered meanwhile.
    var deliveredBeside = 0
    /// How it ends, once it only waits for what was delivered to be on disk.
    var end: End?

    /// The report, with the numbers on disk.
    ///
    /// - Parameters:
    ///   - remaining: How many records that it is about still wait.
    ///   - accounted: How many records the lane's account counts as delivered; `nil` if it cannot be read.
    ///   - delivered: How many records this engine has delivered. They count even if the disk refuses to record them.
    ///   - isDisabled: Whether the server has refused the client, and so its queue was dropped.
    func report(remaining: Int, accounted: Int?, delivered: Int, isDisabled: Bool) -> FlushReport {
        guard let scope else { return FlushReport(delivered: 0, remaining: remaining, stoppedBy: reason) }
        let all = max((accounted ?? scope.accounted) - scope.accounted, delivered - scope.delivered)
        let arrived = max(0, all - deliveredBeside)
        let sent = min(arrived, max(0, scope.queued - remaining))
        if isDisabled, end != .complete {
            // What the server's refusal has dropped was not delivered.
            return FlushReport(delivered: sent, remaining: scope.queued - sent, stoppedBy: .halted)
        }
        return FlushReport(delivered: sent, remaining: remaining, stoppedBy: reason)
    }

    private var reason: StopReason { if case .stopped(let reason)? = end { reason } else { .timeout } }
}

extension DeliveryState {
    mutating func addFlush(_ number: Int, by deadline: MonotonicInstant) {
        let index = flushes.firstIndex { $0.number > number } ?? flushes.endIndex
        flushes.insert(Flush(number: number, deadline: deadline), at: index)
    }

    /// Changes a flush that is still under way.
    mutating func updateFlush(_ number: Int, _ change: (inout Flush) -> Void) {
        if let index = flushes.firstIndex(where: { $0.number == number }) { change(&flushes[index]) }
    }

    /// What was staged before a flush is on disk.
    ///
    /// - Parameters:
    ///   - lane: The lane; `nil` if the disk cannot be read.
    ///   - queued: How many records it is about; `nil` if they were not counted.
    mutating func beginFlush(_ number: Int, _ lane: LaneState?, queued: Int?, accounted: Int?) {
        guard let lane else { return updateFlush(number) { $0.end = .stopped(.storage) } }
        wake()
        front = .unknown
        forgetAhead()
        let scope = Flush.Scope(
            through: lane.lastSequence, queued: queued ?? lane.queuedRecords, accounted: accounted ?? 0,
            delivered: delivered)
        updateFlush(number) { $0.scope = scope }
    }

    /// Counts what was delivered beside the flushes: with several requests under way, later calls may arrive first.
    mutating func countBesideFlushes(_ records: [Record]) {
        for index in flushes.indices {
            guard let through = flushes[index].scope?.through else { continue }
            flushes[index].deliveredBeside += records.count { $0.sequence > through }
        }
    }

    /// Decides which flushes are over.
    ///
    /// - Returns: Whether some may be reported, once the deliveries are recorded.
    mutating func decideFlushes(at now: MonotonicInstant) -> Bool {
        for index in flushes.indices where flushes[index].end == nil { flushes[index].end = end(of: flushes[index]) }
        return flushes.contains { $0.end != nil || $0.deadline <= now }
    }

    /// Removes the flushes that are over, in the order of their calls.
    ///
    /// - Parameter isWritten: Whether everything delivered is on disk, or held in memory since the disk refuses it.
    mutating func takeFlushes(isWritten: Bool, at now: MonotonicInstant) -> [Flush] {
        let isOver = { (flush: Flush) in flush.end != nil && isWritten || flush.deadline <= now }
        var ended = flushes.filter(isOver)
        flushes.removeAll(where: isOver)
        let late: StopReason = rest.reason == .otherProcess ? .otherProcess : .timeout
        for index in ended.indices { ended[index].end = ended[index].end ?? .stopped(late) }
        return ended
    }

    /// How a flush ends, if it is over.
    private func end(of flush: Flush) -> Flush.End? {
        guard let through = flush.scope?.through else { return nil }
        if extent == .session { return .stopped(.notInitialized) }
        if let reason = rest.reason, reason != .otherProcess {
            return inFlight.isEmpty ? .stopped(reason) : nil
        }
        let isUnderWay = inFlight.values.contains { $0.records.contains { $0.sequence <= through } }
        return front.isPast(through) && !isUnderWay ? .complete : nil
    }
}
