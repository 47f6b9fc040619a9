import Synchronization
public import TrackerModels
import TrackerPlatform

/// Writes each message as one line to standard error.
public struct StandardErrorLog: TrackerLog {
    /// Makes the log.
    public init() {}

    /// Writes `[MobileTracker] level: message`.
    public func log(_ level: LogLevel, _ message: String) {
        let line = Array("[MobileTracker] \(level.rawValue): \(message)\n".utf8)
        // One write, so that lines of several threads and processes do not mix. A log that cannot be written is lost.
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// A log that passes on info and debug only when verbose.
final class LevelledLog: TrackerLog {
    private let destination: Mutex<Destination>
    private let isVerbose: Flag
    private let streaks = RefusalStreaks()

    // In a struct: an existential that is a mutex's whole value cannot be replaced in it.
    private struct Destination { var log: any TrackerLog }

    private var log: any TrackerLog { destination.withLock { $0.log } }

    init(_ log: any TrackerLog, isVerbose: Bool) {
        destination = Mutex(Destination(log: log))
        self.isVerbose = Flag(isVerbose)
    }

    /// Sends messages elsewhere from now on.
    func send(to log: any TrackerLog) { destination.withLock { $0.log = log } }

    /// Turns info and debug on or off.
    func setVerbose(_ value: Bool) { isVerbose.set(value) }

    func log(_ level: LogLevel, _ message: String) {
        guard level >= .warning || isVerbose.value else { return }
        log.log(level, message)
    }

    /// Logs a dropped call. If the client's state is the reason, it logs the first such call and counts the others
    /// until ``endRefusals()``.
    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String) {
        guard !reason.isOfState || streaks.begins(reason) else { return }
        log.logRefusal(reason, level, message)
    }

    /// Logs once why all calls are dropped from now on. ``endRefusals()`` logs how many there were.
    func announceRefusals(_ reason: RefusalReason, _ message: String) {
        streaks.announce(reason)
        log.logRefusal(reason, .warning, message)
    }

    /// Logs how many calls were dropped, if more than one. Called when a call is accepted, and when the client starts
    /// or closes.
    func endRefusals() {
        for (reason, count) in streaks.end() {
            log.logRefusal(reason, .warning, "\(count) calls were dropped: \(reason.rawValue)")
        }
    }

    /// Logs a message at a level that is mostly off: the message is made only if it is logged.
    func verbose(_ level: LogLevel, _ message: () -> String) {
        guard isVerbose.value else { return }
        log.log(level, message())
    }
}

/// Counts dropped calls by reason, so that a thousand of them are one message.
private final class RefusalStreaks: Sendable {
    /// How many were dropped for each reason; the first has its message.
    private let counts = Mutex<[RefusalReason: Int]>([:])
    /// Spares an accepted call the lock.
    private let isEmpty = Flag(true)

    /// Counts a dropped call.
    ///
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
    /// Whether the reason is the client's state, so that it holds for other calls as well. A full queue has a count of
    /// its own (``FullQueue``), which ends when the queue is empty.
    fileprivate var isOfState: Bool {
        [.notInitialized, .trackingNotAllowed, .disabled].contains(self)
    }
}
