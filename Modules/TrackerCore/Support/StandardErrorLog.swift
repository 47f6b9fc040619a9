public import TrackerModels
import TrackerPlatform

/// Writes each message as one line to standard error.
///
/// It never waits for a reader. A message that does not fit into a full pipe is left out, and the next one that fits says
/// how many were.
public struct StandardErrorLog: TrackerLog {
    private static let output = LineOutput(STDERR_FILENO) {
        "[MobileTracker] warning: \($0.counted("log message was", "log messages were")) left out"
    }

    /// Makes the log.
    public init() {}

    /// Writes `[MobileTracker] level: message`.
    public func log(_ level: LogLevel, _ message: String) { write(level, message, of: "MobileTracker") }

    /// Writes `[client] level: message`.
    public func log(_ entry: LogEntry) { write(entry.level, entry.message, of: entry.client) }

    private func write(_ level: LogLevel, _ message: String, of client: String) {
        Self.output.write("[\(client)] \(level.rawValue): \(message)")
    }
}
