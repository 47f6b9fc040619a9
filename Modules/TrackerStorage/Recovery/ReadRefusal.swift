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

    /// How long reads are still tried again before the damaged database is given up, with what cannot be read of it.
    func rest(at now: Timestamp) -> Duration {
        // A note that was damaged may name any time.
        let (waited, isPastAll) = now.milliseconds.subtractingReportingOverflow(start.milliseconds)
        return isPastAll ? .zero : rest(after: .milliseconds(waited))
    }

    private func rest(after waited: Duration) -> Duration {
        min(max(.zero, Self.patience - waited), Self.patience)
    }

    /// The refusal after another refused read. A clock that was set back begins anew.
    func extended(at now: Timestamp) -> ReadRefusal { ReadRefusal(start: min(start, now)) }
}

/// Measures in one run, by a clock that nobody sets, how long reads are refused.
struct RefusalWatch {
    private var seen: (refusal: ReadRefusal, end: MonotonicInstant)?

    /// Looks at the refusal as it is noted now.
    ///
    /// - Returns: Whether it has lasted for so long that the damaged database is given up.
    mutating func isForGood(_ refusal: ReadRefusal?, at wall: Timestamp, _ now: MonotonicInstant) -> Bool {
        if seen?.refusal != refusal { seen = refusal.map { ($0, now.advanced(by: $0.rest(at: wall))) } }
        return seen.map { $0.end <= now } ?? false
    }
}

extension StateFolder {
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
    func forgetRefusal() throws(StorageError) { try facts.remove(BackupFiles.Fact.refusal.rawValue) }
}
