import TrackerModels
import TrackerStorage

/// Tells of what happens to one client's calls and records: in the log, and to whoever listens.
struct ClientNews: Sendable {
    let log: LevelledLog
    let hub: DiagnosticsHub

    /// A call was refused at the door.
    func refused(_ call: String, _ refusal: Refusal) {
        switch refusal.reason {
        // The disk's failure is logged once, by whoever found it.
        case .repeatedScreen, .storage: log.verbose(.debug) { refusal.message }
        case .serialization: log.log(.error, refusal.message)
        default: log.log(.warning, refusal.message)
        }
        hub.report(.refused(call: call, refusal.reason))
    }

    /// Something happened in the outbox.
    func note(_ event: OutboxEvent) {
        switch event {
        case .dropped(let ids, let count, let reason):
            hub.report(.dropped(ids, count: count, reason))
            if reason == .evicted {
                log.log(.warning, "The queue is full: \(count) event(s), the oldest, were dropped.")
            }
        case .databaseRecovered(let recovery):
            let lost = recovery.lost.map(String.init) ?? "the others"
            storage(
                .warning,
                "The database was damaged and has been set aside as \(recovery.setAside); "
                    + "\(recovery.carriedOver) event(s) were carried over, \(lost) lost.")
        case .replaced(let lost):
            let loss = lost.map { "\($0) event(s) that waited are lost" } ?? "what waited in it is lost"
            storage(.warning, "The database was removed: \(loss).")
        case .writeFailed(let error):
            storage(.error, "The disk refuses to be written: \(error.message)")
        case .recovered: storage(.warning, "The disk can be written again.")
        case .backupRecovered: storage(.warning, "Backups can be kept again.")
        case .backupFailed(let error): storage(.warning, "A backup could not be kept: \(error.message)")
        }
    }

    /// A lane was opened.
    func note(_ opening: Opening, of outbox: any Outbox) {
        if let recovery = opening.recovery { note(.databaseRecovered(recovery)) }
        if opening.movedRecords > 0 {
            log.log(.warning, "Took over \(opening.movedRecords) event(s) that were queued for another address.")
        }
        // A disk that cannot tell of other lanes does not keep this one from starting.
        for stranded in (try? outbox.strandedLanes()) ?? [] {
            log.log(
                .warning,
                "\(stranded.records) event(s) for \(stranded.identity.origin) wait, and nobody delivers them.")
        }
    }

    /// Why the disk refused a call, or the queue did.
    static func sentence(_ reason: RefusalReason, _ call: String) -> String {
        switch reason {
        case .queueFull: "Event queue full - dropping event: \(call)"
        case .trackingNotAllowed: "Event blocked - consent not granted: \(call)"
        case .tooLarge: "The event is larger than maxEventBytes: \(call)"
        case .notInitialized: "Not initialized. Call initialize() first."
        case .disabled: "The client is disabled - dropping event: \(call)"
        default: "Dropped \(call): \(reason.rawValue)"
        }
    }

    private func storage(_ level: LogLevel, _ sentence: String) {
        log.log(level, sentence)
        hub.report(.storage(sentence))
    }
}
