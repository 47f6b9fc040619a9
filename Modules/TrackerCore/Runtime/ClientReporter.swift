import TrackerModels
import TrackerStorage

/// Reports what happens to one client's calls and records, in the log and to listeners.
struct ClientReporter: Sendable {
    let log: LevelledLog
    let hub: DiagnosticsHub
    let full: FullQueue

    func report(_ event: DeliveryEvent) {
        guard case .idle = event else { return }
        let count = full.end()
        if count.refused > 0 { log.logDrops(.queueFull, Self.fullQueueSentence(count.refused)) }
        if count.dropped > 0 { log.log(.warning, Self.fullQueueSentence(count.dropped)) }
    }

    private static func fullQueueSentence(_ count: Int) -> String {
        "The queue was full: \(count.counted("event was", "events were")) dropped in all."
    }

    func refused(_ call: String, _ refusal: Refusal) {
        switch refusal.reason {
        // The code that found the disk's failure has logged it once.
        case .repeatedScreen, .storage, .beforeSend: log.logRefusal(.debug, call, refusal)
        case .queueFull where !full.add(refused: 1): log.logRefusal(.debug, call, refusal)
        case .serialization: log.logRefusal(.error, call, refusal)
        default: log.logRefusal(.warning, call, refusal)
        }
        hub.report(.refused(call: call, refusal.reason))
    }

    func report(_ event: OutboxEvent) {
        switch event {
        case .dropped(let ids, let count, let reason):
            hub.report(.dropped(ids, count: count, reason))
            if reason == .disabled {
                let events = count.counted("queued event was", "queued events were")
                log.log(.error, "\(events) dropped, since the server has disabled the client.")
            }
            if reason == .evicted, full.add(dropped: count) {
                log.log(.warning, "The queue is full: the oldest events are dropped until it is empty again.")
            }
        case .databaseRecovered(let recovery):
            let lost = recovery.lost.map(String.init) ?? "the others"
            storage(
                .warning,
                "The database was damaged and has been set aside as \(recovery.setAside); "
                    + "\(recovery.carriedOver.counted("event was", "events were")) carried over, \(lost) lost.")
        case .replaced(let lost):
            let loss =
                lost.map { "\($0.counted("event that waited is", "events that waited are")) lost" }
                ?? "what waited in it is lost"
            storage(.warning, "The database was removed: \(loss).")
        case .writeFailed(let error):
            storage(.error, "The disk refuses to be written: \(error.message)")
        case .unwrittenIsWritten: break
        case .recordsMoved(let count):
            let events = count.counted("event that was", "events that were")
            log.log(.warning, "Took over \(events) queued for another address.")
        case .recovered: storage(.warning, "The disk can be written again.")
        case .backupRecovered: storage(.warning, "Backups can be kept again.")
        case .backupFailed(let error): storage(.warning, "A backup could not be kept: \(error.message)")
        }
    }

    /// Reports that a lane was opened, and warns of records that wait in others of the same kind of client.
    ///
    /// - Parameter lane: The lane.
    func report(_ opening: Opening, of outbox: any LaneOutbox, _ lane: LaneIdentity) {
        if let recovery = opening.recovery { report(.databaseRecovered(recovery)) }
        if opening.movedRecords > 0 { report(.recordsMoved(opening.movedRecords)) }
        Self.reportOthers(beside: lane, of: outbox, to: log)
    }

    /// Warns of records that wait in other lanes of the same kind of client.
    static func reportOthers(beside lane: LaneIdentity, of outbox: any LaneOutbox, to log: any TrackerLog) {
        // If the other lanes cannot be read, this one starts all the same.
        for other in (try? outbox.strandedLanes()) ?? [] where other.identity.kind == lane.kind {
            log.log(.warning, sentence(other, beside: lane))
        }
    }

    /// How many events wait at another address, for another brand or under another key, and how to have them delivered.
    private static func sentence(_ other: StrandedLane, beside lane: LaneIdentity) -> String {
        let isOthers = other.identity.owner != lane.owner
        let (client, option) =
            switch other.identity.kind {
            case .session: ("MobileTracker, brand \(other.identity.owner),", isOthers ? "brand" : "apiUrl")
            case .batch where isOthers: ("AnalyticsClient with another write key", "key and ingestionHost")
            case .batch: ("AnalyticsClient", "ingestionHost")
            case .endpoint: ("BasicTracker", "endpoint")
            }
        let isOne = other.records == 1
        return "\(other.records) \(isOne ? "event" : "events") of \(client) \(isOne ? "waits" : "wait") for "
            + "\(other.identity.origin), and nobody delivers \(isOne ? "it" : "them"). "
            + "To deliver \(isOne ? "it" : "them"), initialize a client with that \(option)."
    }

    private func storage(_ level: LogLevel, _ sentence: String) {
        log.log(level, sentence)
        hub.report(.storage(sentence))
    }
}
