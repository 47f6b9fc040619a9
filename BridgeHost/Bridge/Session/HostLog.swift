package import TrackerModels
import TrackerPlatform

/// Writes log messages as lines to a file descriptor, and never waits for their reader.
///
/// A host's standard error is often a pipe that its parent does not read. When it is full, messages are left out; the
/// next one that fits says how many.
package final class HostLog: TrackerLog {
    private let output: LineOutput
    private let least: LogLevel?
    private let omitsOutcomes: Bool

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - descriptor: Where to write; it is neither closed nor made non-blocking.
    ///   - least: The lowest level that is written. With `nil` nothing is written.
    ///   - omitsOutcomes: Whether messages about dropped calls and failed initialisations are left out, since the client
    ///     reports them itself.
    package init(descriptor: Int32, least: LogLevel?, omitsOutcomes: Bool = false) {
        output = LineOutput(descriptor) { "[MobileTracker] warning: \($0) log message(s) were left out" }
        self.least = least
        self.omitsOutcomes = omitsOutcomes
    }

    /// Writes a message about what a client of the host was answered, unless those are left out.
    func logOutcome(_ level: LogLevel, _ message: String) {
        if !omitsOutcomes { log(level, message) }
    }

    /// Writes `[MobileTracker] level: message`, if the level is high enough and there is room.
    package func log(_ level: LogLevel, _ message: String) {
        guard let least, level >= least else { return }
        output.write("[MobileTracker] \(level.rawValue): \(message)")
    }
}

/// Passes each message to the host's own log, and to the client if it listens.
///
/// A message begins with what stands before the names of the native client's methods, as in `analytics: …`.
struct SharedLog: ClientLog {
    let log: HostLog
    let publisher: NotificationPublisher
    /// What stands before the names of the methods of this native client.
    let prefix: String
    /// What a client of the host calls to initialise this native client.
    let initializer: String

    func log(_ level: LogLevel, _ message: String, of _: String) { log(level, message) }

    func logFailure(_ error: TrackerError, of _: String) { logOutcome(.error, error.inJSON.failureLine) }

    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String, of _: String) {
        logRefusal(reason, level, message)
    }

    func log(_ level: LogLevel, _ message: String) {
        let message = prefix + message
        log.log(level, message)
        publisher.report(level, message)
    }

    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String) {
        logOutcome(level, message)
    }

    private func logOutcome(_ level: LogLevel, _ message: String) {
        let message = prefix + message
        log.logOutcome(level, message)
        publisher.report(level, message)
    }
}
