/// Where log messages go.
///
/// Warnings and errors are always logged, info and debug only with `debug: true`. A message begins with the client that
/// speaks, as in `AnalyticsClient: Not initialized. Call initialize() first.` It never holds a key, and no personal data
/// above debug level. `log` is called from several threads, must not block for long, and may call the tracker.
public protocol TrackerLog: Sendable {
    /// Takes a message.
    func log(_ level: LogLevel, _ message: String)

    /// Takes a message as data.
    ///
    /// By default ``log(_:_:)`` gets its level and, after the client's name, its sentence. Implement this method to leave
    /// out dropped calls, if your program reports outcomes itself, or to show the client in another way.
    func log(_ entry: LogEntry)
}

extension TrackerLog {
    /// Logs the entry as `client: message`.
    public func log(_ entry: LogEntry) { log(entry.level, "\(entry.client): \(entry.message)") }
}
