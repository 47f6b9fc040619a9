import TrackerModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How much a log message matters.
public enum LogLevel: String, Hashable, Sendable, Comparable, CaseIterable {
    /// For whoever looks for a fault in the tracker. The only level that may hold personal data.
    case debug
    /// What the tracker does.
    case info
    /// Something is not as it should be, and the tracker goes on.
    case warning
    /// Something the caller asked for will not happen.
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
/// Warnings and errors always come; info and debug only with `debug: true`. A message never holds a key, and no
/// personal data above debug level. `log` is called from several threads, must not block for long, and may call the
/// tracker.
public protocol TrackerLog: Sendable {
    /// Takes a message.
    func log(_ level: LogLevel, _ message: String)
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

/// A log that lets info and debug through only when asked to.
final class LevelledLog: TrackerLog {
    private let log: any TrackerLog
    private let isVerbose: Flag

    init(_ log: any TrackerLog, isVerbose: Bool) {
        self.log = log
        self.isVerbose = Flag(isVerbose)
    }

    /// Lets info and debug through from now on, or no longer.
    func setVerbose(_ value: Bool) { isVerbose.set(value) }

    func log(_ level: LogLevel, _ message: String) {
        guard level >= .warning || isVerbose.value else { return }
        log.log(level, message)
    }

    /// A message at a level that is off most of the time: it is only made when it is wanted.
    func verbose(_ level: LogLevel, _ message: () -> String) {
        guard isVerbose.value else { return }
        log.log(level, message())
    }
}
