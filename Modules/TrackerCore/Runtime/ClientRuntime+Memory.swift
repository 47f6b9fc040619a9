import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// What a client that keeps its state in memory hands on to its next run. A disk does so by itself.
extension ClientRuntime {
    /// Whether what a run has in memory goes to the next one.
    func handsOn(_ old: Run?, to settings: Model.Settings, movesQueue: Bool) -> Bool {
        guard let old, old.settings.delivery.persistence == .memory, !old.lane.hasOthers else { return false }
        if movesQueue { return true }
        return settings.delivery.persistence == .memory && settings.lane.kind == old.settings.lane.kind
            && settings.lane.owner == old.settings.lane.owner
            && (settings.bindsSessions || settings.lane == old.settings.lane)
    }

    /// Moves the queue in memory to the new lane, once the requests under way are answered. Calls made meanwhile come
    /// after it.
    func move(_ old: Run, to run: Run) {
        old.lane.engine.close(by: old.lane.loop.now.advanced(by: closingTime)) { [self] in
            moveQueue(of: old, to: run)
        }
    }

    private func moveQueue(of old: Run, to run: Run) {
        old.lane.outbox.stage(.barrier) { [self] _ in
            // Memory can always be read.
            let peek = try? old.lane.outbox.peek(limit: .max, maxBytes: .max)
            var records = peek?.records ?? []
            let isSame = old.settings.lane == run.settings.lane
            let hasSession = peek?.state.entry.session != nil
            var values = Model.policy.values
            if Model.policy.movesQueue == .never, !isSame {
                // A session, and what it has, stays with its server.
                values = hasSession ? [.deviceID] : [.deviceID, .sessionMetadata]
            }
            if Model.policy.movesQueue != .always, let lane = peek?.state {
                // What is of a user who has left is not of the next session.
                records.removeAll { $0.generation != lane.generation || !isSame && hasSession }
            }
            let lost = (peek?.records.count ?? 0) - records.count
            if lost > 0 {
                log.log(
                    .warning,
                    "Events that waited for \(isSame ? "an earlier session" : "a session at the address before") are "
                        + "gone, \(lost) in all: 'persistence' memory keeps none for it.")
            }
            handle { contents in
                guard contents.state.isMoving(to: run.number) else { return }
                for key in values {
                    let text = old.lane.outbox.value(for: key)
                    run.lane.outbox.stage(text.map { .store(key, $0, nil) } ?? .remove(key)) { _ in }
                }
                for record in records {
                    let draft = Draft(
                        messageID: record.messageID, hasCallerKey: record.hasCallerKey, route: record.route,
                        body: .complete(record.body), occurredAt: record.occurredAt,
                        acceptedAt: record.acceptedAt ?? dependencies.clock.uptime)
                    run.lane.outbox.stage(.append(draft)) { [self] in reportUnmoved($0) }
                }
                contents.state.moved(run.number)
            }
        }
    }

    /// Counts an accepted event that has no room in the new queue, and reports the first one.
    private func reportUnmoved(_ result: ChangeResult) {
        let reason: RefusalReason
        switch result {
        case .done, .queued, .pending, .repeated, .changed: return
        case .refused(let found): reason = found
        case .failed: reason = .storage
        }
        contents.withLock { $0.refused[reason, default: 0] += 1 }
        hub.report(.refused(call: "initialize", reason))
        guard reason != .storage, reporter.full.add(dropped: 1) else { return }
        log.log(.warning, "The new queue is too small for the events that waited: those that do not fit are dropped.")
    }

    // MARK: Decisions

    /// Remembers a decision for a lane that is kept in memory.
    ///
    /// - Returns: Its number; `nil` if the disk remembers it, or if it is none.
    func decide(by change: LaneChange, in run: Run, _ contents: inout Contents) -> Int? {
        guard case .consent(let consent, _) = change, run.settings.delivery.persistence == .memory else { return nil }
        contents.decisionCount += 1
        contents.decisions[run.settings.lane.owner] = (consent, contents.decisionCount)
        return contents.decisionCount
    }

    /// Goes back to what the lane has decided, after a decision that was made before: it changes nothing. A later one
    /// counts.
    func takeBack(decision number: Int, in run: Run) {
        // Memory can always be read.
        guard let consent = try? run.lane.outbox.state().consent else { return }
        contents.withLock { contents in
            guard contents.decisions[run.settings.lane.owner]?.number == number else { return }
            contents.decisions[run.settings.lane.owner] = (consent, number)
        }
    }

    /// What has been decided for a lane that is kept in memory. What a configuration gives counts for the first start alone.
    func decision(for settings: Model.Settings, _ contents: inout Contents) -> Consent? {
        guard settings.delivery.persistence == .memory else { return nil }
        if let decision = contents.decisions[settings.lane.owner] { return decision.consent }
        contents.decisions[settings.lane.owner] = settings.initialConsent.map { ($0, 0) }
        return nil
    }
}
