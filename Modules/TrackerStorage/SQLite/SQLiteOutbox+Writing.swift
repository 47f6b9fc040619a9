import Dispatch
import Synchronization
import TrackerModels

extension SQLiteOutbox {
    /// How long a refused change waits for its next try.
    static let firstRetry = 0.25
    private static let lastRetry = 5.0

    /// Writes the next group; on the writer's queue.
    ///
    /// - Returns: Whether there was one.
    func writeGroup() -> Bool {
        var group = stage.withLock { $0.nextGroup() }
        guard !group.isEmpty else { return false }
        write(group)
        group.clear()
        stage.withLock { $0.reuse(group) }
        return true
    }

    /// Tries to write what the disk has refused, and to read what it has refused.
    func writeUnwritten() {
        if writer.withLock({ !log.isEmpty || $0.isUnreadable || $0.database.owesTransfer }) { write(StagedGroup()) }
    }

    /// Reacts to what other outboxes of the tenant, or this one, could not write or have written.
    func hear(_ notice: UnwrittenLog.Notice) {
        queue.async { [self] in
            guard stage.withLock(\.isOpen) else { return }
            switch notice {
            // The one that was refused may close before the disk works.
            case .waits: scheduleRetry(after: Self.firstRetry)
            case .isWritten:
                let isNews = writer.withLock { writer in
                    defer { publish(writer) }
                    return writer.endFailure()
                }
                if isNews { configuration.observer(.recovered) }
                writeUnwritten()
                configuration.observer(.unwrittenIsWritten)
            }
        }
    }

    /// Tries again what the disk has refused, until it takes it, or has the writer open a database that is behind.
    func scheduleRetry(after delay: Double) {
        let isNew = stage.withLock { stage in
            defer { stage.isRetryScheduled = true }
            return !stage.isRetryScheduled
        }
        guard isNew else { return }
        Alarm(after: .seconds(delay)) { [weak self] in self?.retry(after: delay) }
    }

    private func retry(after delay: Double) {
        queue.async { [self] in
            let (isOpen, isBackupOverdue) = stage.withLock { stage in
                stage.isRetryScheduled = false
                return (stage.isOpen, stage.isBackupOverdue)
            }
            guard isOpen else { return }
            let next = min(delay * 2, Self.lastRetry)
            if isBackupOverdue { scheduleBackup(nextRetry: next) }
            write(StagedGroup(), nextRetry: next)
        }
    }

    /// Writes the backups; no caller waits for them.
    func scheduleBackup(nextRetry: Double = firstRetry) {
        guard folder != nil else { return }
        let isNew = stage.withLock { stage in
            defer { stage.isBackupScheduled = true }
            return !stage.isBackupScheduled
        }
        guard isNew else { return }
        backupQueue.async { [self] in
            stage.withLock { $0.isBackupScheduled = false }
            let error = backUp()
            queue.async { [self] in reportBackup(error, nextRetry: nextRetry) }
        }
    }

    private func write(_ group: StagedGroup, nextRetry: Double = firstRetry) {
        let (outcome, needsRetry, isOpen) = writer.withLock { writer in
            // It catches up when it is opened.
            if stage.withLock(\.isBehind) { writer.database.close() }
            let outcome = writer.commit(group)
            publish(writer, settled: outcome.settled)
            return (outcome, writer.needsRetry, writer.database.lane != nil)
        }
        let wasBehind = stage.withLock { stage in
            stage.finish(group)
            defer { if isOpen { stage.isBehind = false } }
            return stage.isBehind
        }
        delivery.releaseIfGivenUp { isLaneFree }
        for event in outcome.events { configuration.observer(event) }
        if wasBehind, isOpen { configuration.observer(.unwrittenIsWritten) }
        if needsRetry || wasBehind && !isOpen { scheduleRetry(after: nextRetry) }
        answer(group, outcome)
    }

    /// Passes the writer's state on to readers.
    func publish(_ writer: borrowing OutboxWriter, settled: [Record.ID] = []) {
        let (origin, count, failure) = (
            writer.origin, writer.database.count, writer.failure ?? writer.erasureFailure
        )
        stage.withLock { stage in
            stage.commits += 1
            stage.origin = origin
            stage.writeFailure = failure
            stage.useDatabase(count)
            stage.forget(settled)
        }
    }

    /// Calls the completions in order. A change of a value is answered once its backup is written; only such changes
    /// wait for that. So does a reset or decision that is made again: the process that made it first may have died before
    /// its backups were written.
    private func answer(_ group: StagedGroup, _ outcome: OutboxWriter.Outcome) {
        var waiting: [@Sendable (StorageError?) -> Void] = []
        let waits = folder != nil && group.isLasting
        configuration.answering {
            group.forEach(isAlone: { waits && $0.isLasting }) { index, task in
                let result = ChangeResult(outcome.effects[index], outcome.lane)
                guard waits, isBackupDue(for: task, result.effect, outcome) else {
                    return task.completion(result)
                }
                waiting.append { [completion = task.completion] error in
                    switch (result.effect, error) {
                    case (.done, let error?), (.repeated, let error?):
                        completion(ChangeResult(.failed(error), result.lane))
                    default: completion(result)
                    }
                }
            } records: { range in
                guard waits, outcome.changesValues, group.isLasting(range.lowerBound),
                    outcome.effects[range.lowerBound].hasTakenEffect
                else { return group.answer(range, outcome.effects, in: outcome.lane, orElse: .storage) }
                // A record is queued even if the backup fails.
                let (alone, effect, lane) = (
                    group.alone(range.lowerBound), outcome.effects[range.lowerBound], outcome.lane
                )
                waiting.append { _ in alone.answer(0..<1, [effect], in: lane, orElse: .storage) }
            }
        }
        guard !waiting.isEmpty else {
            if outcome.changesValues { scheduleBackup() }
            return
        }
        backUp(thenAnswer: waiting)
    }

    /// Whether the answer waits for the backup.
    private func isBackupDue(
        for task: StagedTask, _ effect: ChangeResult.Effect, _ outcome: OutboxWriter.Outcome
    ) -> Bool {
        guard task.isLasting else { return false }
        return outcome.changesValues && effect.hasTakenEffect || effect == .repeated && task.task.isDecision
    }

    /// Writes the backups, and answers those who wait for that.
    ///
    /// If that finds the database damaged or being rebuilt, it is done again once the writer has looked into it, unless
    /// the outbox closes.
    private func backUp(thenAnswer waiting: [@Sendable (StorageError?) -> Void], isRepeated: Bool = false) {
        backupQueue.async { [self] in
            let error = backUp()
            let waitsForWriter = error.map { [.corrupt, .refused, .rebuilding].contains($0.kind) } ?? false
            if waitsForWriter, !isRepeated, stage.withLock(\.isOpen) {
                return stage(
                    StagedTask(task: .inspect) { [self] _ in backUp(thenAnswer: waiting, isRepeated: true) })
            }
            queue.async { [self] in
                reportBackup(error)
                for answer in waiting { answer(error) }
            }
        }
    }

    /// Reports backups that cannot be written, once until they can be, and schedules another try.
    private func reportBackup(_ error: StorageError?, nextRetry: Double = firstRetry) {
        let wasOverdue = stage.withLock { stage in
            defer { stage.isBackupOverdue = error != nil }
            return stage.isBackupOverdue
        }
        guard let error else {
            if wasOverdue { configuration.observer(.backupRecovered) }
            return
        }
        if !wasOverdue { configuration.observer(.backupFailed(error)) }
        scheduleRetry(after: nextRetry)
    }

    /// Writes the backup files by the database; on the queue of backups.
    private func backUp() -> StorageError? {
        guard let folder else { return nil }
        do throws(StorageError) {
            let lock = try folder.lockBackups()
            defer { lock.unlock() }
            // Read under the lock, so that the last to write was the last to read.
            let image = try read { (database, key, _) throws(StorageError) in
                try database.backupImage(of: key, configuration.lane, in: folder)
            }
            try image??.write(in: folder)
            return nil
        } catch {
            return error
        }
    }
}

extension WriterTask {
    /// Whether the task is a reset, or the user's decision.
    fileprivate var isDecision: Bool {
        switch self {
        case .change(.reset), .change(.consent): true
        default: false
        }
    }
}
