import TrackerModels

/// Since when the system refuses to read a damaged database.
///
/// One refused read says little: the next may succeed. A medium with a bad sector refuses it for ever, and the events of
/// today must not wait for those of yesterday.
struct ReadRefusal: Hashable {
    /// How long refused reads are tried again before they count as damage.
    static let patience = Duration.seconds(30)

    /// When the first read was refused, by the wall clock.
    let start: Timestamp

    /// Whether the damaged database is given up, with what cannot be read of it.
    func isForGood(at now: Timestamp) -> Bool { start.advanced(by: Self.patience) <= now }

    /// The refusal after another refused read. A clock that was set back begins anew.
    func extended(at now: Timestamp) -> ReadRefusal { ReadRefusal(start: min(start, now)) }
}

extension StateFolder {
    private var facts: FileKeyValueStore { FileKeyValueStore(directory: backups) }

    /// Since when reads have been refused, in this process or in others.
    var refusal: ReadRefusal? {
        get throws(StorageError) {
            try facts.text(.refusal).flatMap { Int64($0) }.map { ReadRefusal(start: Timestamp(milliseconds: $0)) }
        }
    }

    /// Notes that a read was refused.
    func rememberRefusal(at now: Timestamp) {
        let refusal = (try? refusal)?.extended(at: now) ?? ReadRefusal(start: now)
        // Without the note, the damaged database is only kept for longer.
        try? facts.save(String(refusal.start.milliseconds), .refusal)
    }

    /// Notes that the damaged database was read, or given up.
    func forgetRefusal() throws(StorageError) { try facts.remove(LaneBackup.Fact.refusal.rawValue) }
}
