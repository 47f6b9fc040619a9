/// The importance of a log message.
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
/// Warnings and errors are always logged, info and debug only with `debug: true`. A message begins with the client that
/// speaks, as in `AnalyticsClient: The event name is empty`. It never holds a key, and no
/// personal data above debug level. `log` is called from several threads, must not block for long, and may call the
/// tracker.
public protocol TrackerLog: Sendable {
    /// Takes a message.
    func log(_ level: LogLevel, _ message: String)

    /// Takes a message about calls that were dropped, which their outcomes report as well.
    ///
    /// By default it is logged like any other. Implement this method to leave such messages out, if your program
    /// reports outcomes itself.
    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String)
}

extension TrackerLog {
    /// Logs the message like any other.
    public func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String) { log(level, message) }
}

/// A log that says in its own way which client speaks.
package protocol ClientLog: TrackerLog {
    /// How a program initialises the client.
    var initializer: String { get }

    /// Takes a message of a client.
    func log(_ level: LogLevel, _ message: String, of client: String)

    /// Takes a message of a client about calls that were dropped.
    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String, of client: String)

    /// Takes why `initialize` has failed.
    func logFailure(_ error: TrackerError, of client: String)
}

extension ClientLog {
    /// The native method.
    package var initializer: String { "initialize()" }

    /// Logs the error's own message.
    package func logFailure(_ error: TrackerError, of client: String) { log(.error, error.failureLine, of: client) }
}

extension TrackerError {
    /// The line about an `initialize` that has failed.
    package var failureLine: String { "Initialization failed: \(message)" }
}
