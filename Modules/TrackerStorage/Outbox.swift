import Synchronization
// Messages are made of identifiers, timestamps and JSON: one import gives them too.
@_exported public import TrackerModels

/// A queue on disk that outlives the process: append, look, deliver, remove.
///
/// ```swift
/// let outbox = try await Outbox(folder: "/var/lib/shop/mail")
/// try await outbox.append(["to": "a@example.com"])
/// for message in try outbox.peek() {
///     // Deliver it, then:
///     try await outbox.remove([message])
/// }
/// ```
///
/// Messages come out in the order in which they were appended. A crash between delivering and removing delivers a message
/// again, with the same ``Message/id``. All methods may be called from any thread. Several processes may use one folder:
/// all may append, and whoever delivers asks ``acquireDelivery()`` before.
public final class Outbox: Sendable {
    /// What waits in the queue.
    public struct Message: Hashable, Sendable, Identifiable {
        /// Its key: the one that it was appended with, or a UUID.
        public let id: MessageID
        /// Its place in the queue, counting from 1. No number is used twice.
        public let number: Int64
        /// What was appended.
        public let body: JSONObject
        /// When it was appended, by the wall clock.
        public let appendedAt: Timestamp
        fileprivate let record: RemovedRecord
        /// Where it was read: its record's number means nothing in another queue or database.
        fileprivate let lane: LaneIdentity
        fileprivate let database: DatabaseID?
    }

    private let queue: SQLiteOutbox
    private let limits: OutboxLimits
    private let disk: Disk

    /// What the disk has last said.
    private final class Disk: Sendable {
        let failure = Mutex<StorageError?>(nil)

        func observe(_ event: OutboxEvent) {
            if case .writeFailed(let error) = event { failure.withLock { $0 = error } }
        }
    }

    /// Opens a queue, or makes it.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of its folder, which is made with mode 0700 if it is missing.
    ///   - name: Which queue: one folder may have several.
    ///   - limits: How much the queue may hold; 100,000 messages and 64 MiB unless you say otherwise.
    ///   - durability: What an answered ``append(_:id:)`` survives besides the end of the process.
    /// - Throws: Why the folder or its database cannot be used.
    public init(
        folder: String, name: String = "", limits: OutboxLimits = OutboxLimits(),
        durability: DeliveryOptions.Durability = DeliveryOptions().durability
    ) async throws(StorageError) {
        guard folder.hasPrefix("/") else {
            throw StorageError(.folder, "The folder must be an absolute path, and '\(folder)' is not.")
        }
        let disk = Disk()
        (self.limits, self.disk) = (limits, disk)
        let queue = SQLiteOutbox(
            OutboxConfiguration(
                location: .folder(folder), lane: LaneIdentity(kind: .endpoint, owner: name, origin: "outbox"),
                keyPrefix: "outbox_", durability: durability, limits: limits, bindsSessions: false,
                wallClock: { .now }, observer: { disk.observe($0) }))
        self.queue = queue
        let opening = await withCheckedContinuation { opened in queue.open { opened.resume(returning: $0) } }
        if let error = try opening.get().writeFailure { throw error }
    }

    /// Queues a message. When this returns, it is on disk.
    ///
    /// - Parameters:
    ///   - body: What to queue.
    ///   - id: Its key; without one it gets a UUID. Another message with the same key is not queued again.
    /// - Returns: The message's key.
    /// - Throws: ``StorageError/Kind/full`` if the queue or the disk has no room, ``StorageError/Kind/refused`` if the
    ///   body is larger or deeper than one may be, or why the disk did not take it. Then nothing is queued.
    @discardableResult
    public func append(_ body: JSONObject, id: MessageID? = nil) async throws(StorageError) -> MessageID {
        let text: JSONText
        do {
            text = try JSONText(body)
        } catch {
            throw StorageError(.refused, "The body is no valid JSON: \(error)")
        }
        let stamp = CallStamp(messageID: id ?? .random(), hasCallerKey: id != nil, occurredAt: .now)
        switch await commit(.append(Draft(stamp, Draft.Content(.endpoint, .complete(text))))).effect {
        case .queued, .pending, .done, .repeated, .changed: return stamp.messageID
        case .failed(let error): throw error
        case .refused(.tooLarge):
            throw StorageError(
                .refused,
                "A message has \(text.byteCount) bytes; one may have \(limits.maxRecordBytes) (maxRecordBytes).")
        case .refused(.queueFull):
            throw StorageError(
                .full, "The queue is full: it may hold \(limits.maxRecords) messages and \(limits.maxBytes) bytes.")
        case .refused:
            _ = try queue.state()
            throw disk.failure.withLock(\.self) ?? StorageError(.failed, "The message was not queued.")
        }
    }

    /// The oldest messages, oldest first. They stay in the queue.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - maxBytes: How many bytes of bodies at most; the first message comes whatever its size.
    public func peek(limit: Int = 100, maxBytes: Int = 1 << 20) throws(StorageError) -> [Message] {
        let peek = try queue.peek(limit: limit, maxBytes: maxBytes)
        return peek.records.map { record in
            Message(
                id: record.messageID, number: record.sequence, body: JSONObject(record.body) ?? JSONObject(),
                appendedAt: record.occurredAt, record: RemovedRecord(record), lane: queue.configuration.lane,
                database: peek.state.database)
        }
    }

    /// Removes messages, which were delivered. Those of a database that was removed meanwhile have no effect.
    ///
    /// - Parameter messages: What ``peek(limit:maxBytes:)`` has returned.
    /// - Throws: ``StorageError/Kind/refused`` if one is another queue's, or why the disk did not take it. This object then does not show the messages any more, and removes them as
    ///   soon as the disk works; if the process ends before, they wait again.
    public func remove(_ messages: [Message]) async throws(StorageError) {
        guard messages.allSatisfy({ $0.lane == queue.configuration.lane }) else {
            throw StorageError(.refused, "A message of another queue cannot be removed from this one.")
        }
        for (database, messages) in Dictionary(grouping: messages, by: \.database) {
            let change = LaneChange.delivered(messages.map(\.record), bytes: WireBytes(before: 0, after: 0))
            if case .failed(let error) = await commit(change, of: database).effect { throw error }
        }
    }

    /// How many messages wait.
    public var count: Int { get throws(StorageError) { try queue.state().queuedRecords } }

    /// Tries to become the one process, and in it the one object, that delivers the queue; `true` if it is already.
    public func acquireDelivery() -> Bool { queue.acquireDelivery() }

    /// Lets another one deliver.
    public func releaseDelivery() { queue.releaseDelivery() }

    /// Writes what is under way, and closes everything. Whatever is called later fails with ``StorageError/Kind/closed``.
    public func close() async {
        await withCheckedContinuation { closed in queue.close { closed.resume() } }
    }

    private func commit(_ change: LaneChange, of database: DatabaseID? = nil) async -> ChangeResult {
        await withCheckedContinuation { done in queue.stage(change, of: database) { done.resume(returning: $0) } }
    }
}
