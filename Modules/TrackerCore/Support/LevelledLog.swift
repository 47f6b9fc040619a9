import Synchronization
import TrackerModels

/// A client's log, which passes on info and debug only when verbose.
final class LevelledLog: TrackerLog {
    private let client: String
    private let destination: Mutex<Destination>
    private let verbosity: Flag
    private let streaks = RefusalStreaks()

    // In a struct: an existential that is a mutex's whole value cannot be replaced in it.
    private struct Destination { var log: any TrackerLog }

    init(_ log: any TrackerLog, of client: String, isVerbose: Bool) {
        self.client = client
        destination = Mutex(Destination(log: log))
        verbosity = Flag(isVerbose)
    }

    var isVerbose: Bool { verbosity.value }

    func send(to log: any TrackerLog) { destination.withLock { $0.log = log } }

    func setVerbose(_ value: Bool) { verbosity.set(value) }

    func log(_ level: LogLevel, _ message: String) { log(LogEntry(level, of: client, .text(message))) }

    func log(_ entry: LogEntry) {
        guard entry.level >= .warning || isVerbose else { return }
        destination.withLock { $0.log }.log(entry)
    }

    /// Logs a dropped call. If the client's state is the reason, it logs the first such call and counts the others
    /// until ``endRefusals()``.
    func logRefusal(_ level: LogLevel, _ call: String, _ refusal: Refusal) {
        guard !refusal.reason.isCounted || streaks.begins(refusal.reason) else { return }
        log(LogEntry(level, of: client, .refused(call: call, refusal)))
    }

    /// Logs once why all calls are dropped from now on. ``endRefusals()`` logs how many there were.
    func announceRefusals(_ reason: RefusalReason, _ message: String) {
        streaks.announce(reason)
        logDrops(reason, message)
    }

    /// Logs what the outcomes of several calls report as well.
    func logDrops(_ reason: RefusalReason, _ message: String) {
        log(LogEntry(.warning, of: client, .drops(reason, message)))
    }

    /// Logs that `initialize` has failed.
    func logFailure(_ error: TrackerError) { log(LogEntry(.error, of: client, .failed(error))) }

    /// Logs how many calls were dropped, if more than one. Called when a call is accepted, and when the client starts
    /// or closes.
    func endRefusals() {
        for (reason, count) in streaks.end() { logDrops(reason, "\(count) calls were dropped: \(reason.rawValue)") }
    }

    /// Logs a message at a level that is mostly off: the message is made only if it is logged.
    func verbose(_ level: LogLevel, _ message: () -> String) {
        if isVerbose { log(level, message()) }
    }
}

/// Counts dropped calls by reason, so that a thousand of them are one message.
private final class RefusalStreaks: Sendable {
    /// How many were dropped for each reason; the first has its message.
    private let counts = Mutex<[RefusalReason: Int]>([:])
    /// Spares an accepted call the lock.
    private let isEmpty = Flag(true)

    /// - Returns: Whether it is the first for its reason.
    func begins(_ reason: RefusalReason) -> Bool {
        counts.withLock { counts in
            isEmpty.set(false)
            defer { counts[reason, default: 0] += 1 }
            return counts[reason] == nil
        }
    }

    /// Counts the calls that are dropped for a reason from now on; none of them is the first.
    func announce(_ reason: RefusalReason) {
        counts.withLock { counts in
            isEmpty.set(false)
            counts[reason] = 0
        }
    }

    /// Begins anew.
    ///
    /// - Returns: The reasons that had more than one call, and how many.
    func end() -> [(RefusalReason, Int)] {
        guard !isEmpty.value else { return [] }
        return counts.withLock { counts in
            isEmpty.set(true)
            defer { counts = [:] }
            return counts.filter { $0.value > 1 }.sorted { $0.key.rawValue < $1.key.rawValue }
        }
    }
}

extension RefusalReason {
    /// Whether the log counts the calls that are dropped for it. A full queue has a count of its own (``FullQueue``),
    /// which ends when the queue is empty, and the disk's failure is logged once by the code that found it.
    fileprivate var isCounted: Bool { holdsForOtherCalls && ![.queueFull, .storage].contains(self) }
}
