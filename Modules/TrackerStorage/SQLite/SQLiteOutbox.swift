import Dispatch
import Synchronization
import TrackerModels

/// An outbox in an SQLite database that all lanes and processes of a state folder share.
///
/// Changes are staged in order, and one serial queue writes them in groups. Reads use a connection of their own. Values
/// have backups in small files. With ``OutboxConfiguration/Location/memory`` nothing is on disk.
///
/// The writer waits until the processes that came before it have written. Completions wait with it; staging never
/// waits.
package final class SQLiteOutbox: LaneOutbox {
    let configuration: OutboxConfiguration
    let folder: StateFolder?
    let stage: Mutex<Stage>
    let writer: Mutex<OutboxWriter>
    let reader: ReadingConnection?
    /// Names this run in the records it makes.
    private let run: Int64
    let queue = DispatchQueue(label: "tracker.outbox.writer")
    let backupQueue = DispatchQueue(label: "tracker.outbox.backup")
    /// Answers changes that were not even staged: the writer may be busy for long.
    private let refusalQueue = DispatchQueue(label: "tracker.outbox.refusal")
    let delivery: DeliveryLock
    /// What the disk has refused, of this outbox and others of the tenant.
    let log: UnwrittenLog

    /// Describes an outbox; nothing is opened or made until ``open(completion:)``.
    package init(_ configuration: OutboxConfiguration) {
        let folder: StateFolder? =
            switch configuration.location {
            case .folder(let path): StateFolder(path: path)
            case .memory: nil
            }
        let run = Int64.random(in: 1..<1 << 47)
        self.configuration = configuration
        self.folder = folder
        self.run = run
        stage = Mutex(Stage(bound: configuration.limits.maxBytes, overflow: configuration.limits.overflow))
        let reader = folder.map { ReadingConnection($0, configuration.lane) }
        self.reader = reader
        log = UnwrittenLog.log(of: configuration.lane, in: folder)
        writer = Mutex(OutboxWriter(configuration, folder: folder, reader: reader, run: run, log: log))
        delivery = DeliveryLock(path: folder?.deliveryLock(of: configuration.lane))
    }

    /// Opens the database, or makes it. What was staged before is written then.
    ///
    /// After a failure it stays closed, and refuses all that was staged and will be.
    package func open(completion: @escaping @Sendable (Result<Opening, StorageError>) -> Void) {
        queue.async { [self] in
            do throws(StorageError) {
                if stage.withLock({ $0.isClosed }) { throw StorageError(.closed, "The outbox is closed") }
                let (opening, findings) = try writer.withLock { (writer) throws(StorageError) in
                    let opening = try writer.open()
                    publish(writer)
                    if writer.database.lane != nil { stage.withLock { $0.isBehind = false } }
                    return (opening, writer.takeFindings())
                }
                for event in findings { configuration.observer(event) }
                if let error = opening.writeFailure { configuration.observer(.writeFailed(error)) }
                scheduleBackup()
                completion(.success(opening))
                let hasTasks = stage.withLock { $0.enter(.open) }
                log.join(self) { [weak self] notice in self?.hear(notice) }
                writeUnwritten()
                wakeIfNeeded(hasTasks)
            } catch {
                completion(.failure(error))
                refuseAll(error)
            }
        }
    }

    /// Fixes a change's place in the order, and writes it.
    ///
    /// It never waits. The completion is called on the writer's queue, after those of the changes staged before; that of
    /// a value is called once its backup is written. A call that is refused without being written, since the outbox is
    /// closed or too much waits, is answered without waiting for those before it.
    package func stage(
        _ change: LaneChange, of database: DatabaseID?, completion: @escaping @Sendable (ChangeResult) -> Void
    ) {
        guard case .append(let draft) = change else {
            return stage(StagedTask(task: .of(database, .change(change)), completion: completion))
        }
        precondition(database == nil, "A record is decided in no database")
        let owner = NewOwner()
        stage(draft, of: RecordOwner(owner, run: 0)) {
            { records in
                withExtendedLifetime(owner) {
                    for index in records.indices { completion(ChangeResult(records.effect(index), records.lane)) }
                }
            }
        }
    }

    /// Names the owner of one record.
    private final class NewOwner: Sendable {}

    /// Fixes a call's place in the order, and writes its record, as ``stage(_:of:completion:)`` does with a change.
    package func stage(_ draft: Draft, of owner: RecordOwner, answer: () -> @Sendable (AnsweredRecords) -> Void) {
        do throws(StorageError) {
            let addition = try stage.withLock { (stage) throws(StorageError) in
                try stage.add(draft, of: owner, answer: answer)
            }
            finish(addition)
        } catch {
            var refused = StagedGroup()
            refused.append(draft, of: owner, isBare: true, answer: answer)
            refuse(refused, .storage) { _ in .refused(.storage) }
        }
    }

    /// Lets other lanes of the tenant take over the records without a session although this one stays open.
    package func offerUnbound() {
        queue.async { [self] in writer.withLock { $0.setOffersUnbound(true) } }
    }

    package func keepUnbound() {
        queue.async { [self] in
            // Once it is closed it has nothing to keep.
            if stage.withLock(\.isOpen) { writer.withLock { $0.setOffersUnbound(false) } }
        }
    }

    /// Writes what is staged, closes everything, releases the locks; what is staged later is refused.
    package func close(completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            if stage.withLock({ $0.isOpen }) {
                _ = stage.withLock { $0.enter(.closed) }
                // Whoever opens the next lane moves them.
                writer.withLock { $0.database.cancelTransfer() }
                while writeGroup() {}
                writeUnwritten()
            } else {
                refuseAll(StorageError(.closed, "The outbox is closed"))
                _ = stage.withLock { $0.enter(.closed) }
            }
            // Callers that wait for a backup are answered before this comes back: both queues are serial.
            backupQueue.async { [self] in
                queue.async { [self] in
                    log.leave(self)
                    writer.withLock { $0.close() }
                    reader?.shut()
                    delivery.end()
                    completion()
                }
            }
        }
    }

    /// Tries to become the one process that delivers the lane and makes its session; true if it is already.
    package func acquireDelivery() -> Bool { delivery.acquire() }

    /// Lets another process deliver, as soon as it finds on disk all that this one has done.
    ///
    /// - Returns: Whether another may now. If not, it may once what is staged is written, or when this outbox closes.
    @discardableResult
    package func releaseDelivery() -> Bool { delivery.release { isLaneFree } }

    /// Whether another process may deliver the lane now: it finds on disk all that this one has done for that.
    ///
    /// Earlier, it would send records again or make a second session. A session that the disk has refused does not count:
    /// no process could make one if the others waited for that disk.
    var isLaneFree: Bool { stage.withLock(\.isDeliveryDone) && !unwritten.hidesRecordsFromOthers }

    /// How many records are staged and not written yet.
    package var unwrittenRecords: Int { stage.withLock(\.records) }

    /// What the disk has refused, as far as it concerns this lane.
    var unwritten: UnwrittenChanges { log.changes(of: configuration.lane) }

    func stage(_ task: StagedTask) {
        do throws(StorageError) {
            finish(try stage.withLock { (stage) throws(StorageError) in try stage.add(task) })
        } catch {
            let result = task.task.refusal(error)
            refuse(StagedGroup([task]), .storage) { _ in result }
        }
    }

    private func finish(_ addition: Stage.Addition) {
        if let refused = addition.refused { refuse(refused, .queueFull) { _ in .refused(.queueFull) } }
        wakeIfNeeded(addition.wakesWriter)
    }

    /// Answers what will not be written.
    ///
    /// - Parameters:
    ///   - reason: Why its records are refused.
    ///   - effect: The answer to a task.
    private func refuse(
        _ group: StagedGroup, _ reason: RefusalReason, _ effect: @escaping @Sendable (StagedTask) -> ChangeResult.Effect
    ) {
        // They wait for their turn here without the bodies.
        refusalQueue.async { group.answer(effect, orElse: reason) }
    }

    /// Refuses what is staged, and what will be.
    private func refuseAll(_ error: StorageError) {
        _ = stage.withLock { $0.enter(.failed(error)) }
        while case let group = stage.withLock({ $0.nextGroup() }), !group.isEmpty {
            stage.withLock { $0.finish(group) }
            group.answer({ $0.task.refusal(error) }, orElse: .storage)
        }
    }

    func wakeIfNeeded(_ isNeeded: Bool) {
        guard isNeeded else { return }
        queue.async { [self] in
            // One group a turn, so that answers which wait for a backup get theirs.
            wakeIfNeeded(writeGroup())
        }
    }

    /// Reads the lane's database.
    ///
    /// - Parameter body: Gets the database, the lane's rows in it, and this run's number.
    /// - Returns: `nil` if there is no database, or if it does not know the lane.
    func read<Result: Sendable>(
        _ body: @Sendable (OutboxDatabase, RowKey, _ run: Int64) throws(StorageError) -> Result
    ) throws(StorageError) -> Result? {
        do throws(StorageError) {
            if let reader {
                return try reader.read { (database, key) throws(StorageError) in
                    try body(database, key, run)
                } whenBehind: { [self] in
                    stage.withLock { $0.isBehind = true }
                    scheduleRetry(after: Self.firstRetry)
                }
            }
            return try writer.withLock { (writer) throws(StorageError) in
                try writer.read { (database, key) throws(StorageError) in try body(database, key, run) }
            }
        } catch {
            // The writer can repair it.
            if error.kind == .corrupt || error.kind == .refused { stage(StagedTask(task: .inspect)) }
            throw error
        }
    }
}

extension WriterTask {
    /// The answer when the task is not even tried.
    fileprivate func refusal(_ error: StorageError) -> ChangeResult.Effect {
        mayBeRefused ? .refused(.storage) : .failed(error)
    }
}
