import Synchronization
public import TrackerModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How much a log message matters.
public enum LogLevel: String, Hashable, Sendable, Comparable, CaseIterable {
    /// Details for finding a fault in the tracker. Only this level may hold personal data.
    case debug
    /// What the tracker does.
    case info
    /// Something is wrong, and the tracker goes on.
    case warning
    /// Something that the caller asked for will not happen.
    case error

    /// Whether `lhs` matters less.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// Where log messages go.
///
/// Warnings and errors are always logged, info and debug only with `debug: true`. A message never holds a key, and no
/// personal data above debug level. `log` is called from several threads, must not block for long, and may call the
/// tracker.
public protocol TrackerLog: Sendable {
    /// Takes a message.
    func log(_ level: LogLevel, _ message: String)

    /// Takes a message about calls that were dropped, which their outcomes report as well.
    ///
    /// It is logged like any other, unless a log has its own implementation: one for a program that warns of outcomes
    /// itself leaves it out.
    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String)
}

extension TrackerLog {
    /// Logs the message like any other.
    public func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String) { log(level, message) }
}

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
    private let log: any TrackerLog
    private let isVerbose: Flag
    private let streaks = RefusalStreaks()

    init(_ log: any TrackerLog, isVerbose: Bool) {
        self.log = log
        self.isVerbose = Flag(isVerbose)
    }

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
            counts[reason, default: 0] += 1
            return counts[reason] == 1
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
