import Foundation
import Synchronization
import TrackerModels

@testable import TrackerStorage

/// What an outbox has told unasked.
final class EventLog: Sendable {
    private let log = Mutex<[OutboxEvent]>([])

    var events: [OutboxEvent] { log.withLock { $0 } }

    /// The events that are not about backups: a backup fails while the database is being replaced, is reported and tried
    /// again.
    var ofRecords: [OutboxEvent] {
        events.filter { event in
            switch event {
            case .backupFailed, .backupRecovered: false
            default: true
            }
        }
    }

    func record(_ event: OutboxEvent) { log.withLock { $0.append(event) } }
}

/// A wall clock that is set by hand; it begins at the time it is, which other processes see too.
final class HandClock: Sendable {
    private let time = Mutex(Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))

    var now: Timestamp { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

extension LaneIdentity {
    static let sample = LaneIdentity(kind: .session, owner: "925", origin: "https://api.example.com")

    /// A lane without sessions, at a host of that name.
    static func endpoint(_ name: String) -> LaneIdentity {
        LaneIdentity(kind: .endpoint, owner: "", origin: "https://\(name).example.com")
    }

    static func session(_ origin: String) -> LaneIdentity {
        LaneIdentity(kind: .session, owner: "925", origin: origin)
    }
}

/// Both places where an outbox can live.
enum Place: CaseIterable {
    case disk
    case memory
}

extension OutboxConfiguration {
    /// An outbox's configuration, which keeps the folder alive.
    static func sample(
        _ folder: TemporaryFolder, _ place: Place = .disk, lane: LaneIdentity = .sample, clock: HandClock = HandClock(),
        log: EventLog = EventLog(), change: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> OutboxConfiguration {
        var configuration = OutboxConfiguration(
            location: place == .disk ? .folder(folder.path) : .memory(MemoryDatabase()), lane: lane,
            keyPrefix: "__GT_925_",
            initialConsent: .granted, bindsSessions: true, wallClock: { clock.now },
            observer: { event in withExtendedLifetime(folder) { log.record(event) } }
        )
        change(&configuration)
        return configuration
    }
}

extension SQLiteOutbox {
    /// Makes an outbox that is closed when the test ends.
    static func made(_ configuration: OutboxConfiguration) -> SQLiteOutbox {
        let outbox = SQLiteOutbox(configuration)
        ClosingOutboxes.registry?.withLock { $0.append(outbox) }
        return outbox
    }

    /// Opens an outbox, and waits for it and for its first backup.
    static func opened(_ configuration: OutboxConfiguration) async throws -> SQLiteOutbox {
        let outbox = made(configuration)
        _ = try await outbox.open().get()
        await outbox.finishBackups()
        return outbox
    }

    /// Waits until the backups that are scheduled are written and reported: until then they read the database.
    func finishBackups() async {
        await withCheckedContinuation { continuation in
            backupQueue.async { self.queue.async { continuation.resume() } }
        }
    }

    func open() async -> Result<Opening, StorageError> {
        await withCheckedContinuation { continuation in open { continuation.resume(returning: $0) } }
    }

    func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }

    @discardableResult
    func commit(_ change: LaneChange, of database: DatabaseID? = nil) async -> ChangeResult {
        await withCheckedContinuation { continuation in
            stage(change, of: database) { continuation.resume(returning: $0) }
        }
    }

    /// Stages changes together and waits for all.
    @discardableResult
    func commit(_ changes: [LaneChange]) async -> [ChangeResult] {
        guard !changes.isEmpty else { return [] }
        let results = Mutex<[Int: ChangeResult]>([:])
        return await withCheckedContinuation { continuation in
            for (index, change) in changes.enumerated() {
                stage(change) { result in
                    let all = results.withLock { results in
                        results[index] = result
                        return results.count == changes.count ? results : nil
                    }
                    if let all { continuation.resume(returning: changes.indices.compactMap { all[$0] }) }
                }
            }
        }
    }

    /// The ids of all that waits.
    func queue() throws -> [String] { try peek(limit: .max, maxBytes: .max).records.map(\.messageID.text) }

    /// All that waits.
    func records() throws -> [Record] { try peek(limit: .max, maxBytes: .max).records }

    /// The rows of all that waits.
    func ids() throws -> [Record.ID] { try records().map(\.id) }
}

extension LaneChange {
    /// What removes records that were read before.
    static func delivered(_ records: [Record], bytes: WireBytes = WireBytes(before: 0, after: 0)) -> LaneChange {
        .delivered(records.map { RemovedRecord($0) }, bytes: bytes)
    }

    static func append(
        _ id: String, given: Bool = false, body: String = #"{"event":"x"}"#
    ) -> LaneChange {
        .append(Draft.sample(id, given: given, body: body))
    }

    /// Queues a record of a call that was made then, on the monotonic clock.
    static func append(_ id: String, at acceptedAt: Duration) -> LaneChange {
        let body = known(try? JSONText(validating: #"{"event":"x"}"#))
        return .append(
            Draft(
                CallStamp(messageID: known(MessageID(id)), occurredAt: Draft.time, acceptedAt: acceptedAt),
                Draft.Content(.event, .complete(body))))
    }

    /// Queues a record that tells the lane's user and id, and changes the user first.
    static func telling(_ id: String, given: Bool = false, _ users: String?...) -> LaneChange {
        let body = BodyTemplate([.fixed(known(try? JSONText(validating: #"{"n":1}"#))), user, ownID])
        let values = users.map { ValueChange(.own("user"), $0) }
        return .append(Draft.sample(id, given: given, .template(body), values: values))
    }

    // As in a client, all records have the same parts.
    private static let user = BodyTemplate.Member.value("user", .own("user"))
    private static let ownID = BodyTemplate.Member.id("id", .own("id"))

    static func bind(_ generation: Int64, _ session: String) -> LaneChange {
        .bind(Generation(generation), known(SessionID(session)))
    }
}

extension Draft {
    /// When the sample's calls were made.
    fileprivate static let time = Timestamp(milliseconds: 1_700_000_000_000)

    static func sample(
        _ id: String, given: Bool = false, body: String = #"{"event":"x"}"#, sessionMetadata: JSONText? = nil,
        values: [ValueChange] = []
    ) -> Draft {
        let body = known(try? JSONText(validating: body))
        return sample(id, given: given, .complete(body), sessionMetadata: sessionMetadata, values: values)
    }

    static func sample(
        _ id: String, given: Bool = false, _ body: Body, sessionMetadata: JSONText? = nil, values: [ValueChange] = []
    ) -> Draft {
        Draft(
            CallStamp(messageID: known(MessageID(id)), hasCallerKey: given, occurredAt: time, acceptedAt: .seconds(1)),
            Draft.Content(.event, body, sessionMetadata: sessionMetadata, values: values))
    }
}

extension ChangeResult.Effect {
    var isFailure: Bool { if case .failed = self { true } else { false } }
}

extension ChangeResult {
    /// The lane after the change, if the change took effect.
    var state: LaneState? {
        switch effect {
        case .done, .queued, .pending, .repeated, .changed: lane
        case .refused, .failed: nil
        }
    }

    /// The result without the lane.
    var summary: String {
        switch effect {
        case .done: "done"
        case .queued: "queued"
        case .pending: "pending"
        case .repeated: "repeated"
        case .changed(let count): "changed \(count)"
        case .refused(let reason): "refused \(reason)"
        case .failed(let error): "failed \(error.kind)"
        }
    }
}

/// A value that a test knows to be there.
func known<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("The test's own value is not valid") }
    return value
}

extension Account {
    /// An account without bytes.
    static func sample(
        accepted: Int = 0, recovered: Int = 0, requeued: Int = 0, delivered: Int = 0, queued: Int = 0,
        dropped: [DropReason: Int] = [:]
    ) -> Account {
        Account(
            accepted: accepted, recovered: recovered, requeued: requeued, delivered: delivered, queued: queued,
            dropped: dropped,
            bytes: WireBytes(before: 0, after: 0)
        )
    }
}
