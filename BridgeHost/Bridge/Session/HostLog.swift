import TrackerCore
package import TrackerModels
import TrackerPlatform

/// Writes log messages as lines to a file descriptor, and never waits for their reader.
///
/// A host's standard error is often a pipe that its parent does not read. When it is full, messages are left out; the
/// next one that fits says how many.
package final class HostLog: Sendable {
    package enum Format: String, CaseIterable, Sendable {
        /// `[MobileTracker] level: message`.
        case text
        /// An object, the params of a `log` notification: for a client that reads the log.
        case json
    }

    private let output: LineOutput
    private let least: LogLevel?
    private let format: Format

    /// - Parameters:
    ///   - descriptor: Where to write; it is neither closed nor made non-blocking.
    ///   - least: The lowest level that is written. With `nil` nothing is written.
    ///   - format: How messages are written.
    package init(descriptor: Int32, least: LogLevel?, format: Format = .text) {
        output = LineOutput(descriptor) { count in
            HostLogEntry(.warning, "\(count.counted("log message was", "log messages were")) left out").line(format)
        }
        self.least = least
        self.format = format
    }

    /// Writes what the host itself has to say.
    package func log(_ level: LogLevel, _ message: String) { log(HostLogEntry(level, message)) }

    /// Writes an entry, if its level is high enough and there is room.
    func log(_ entry: HostLogEntry) {
        guard let least, entry.level >= least else { return }
        output.write(entry.line(format), isCounted: entry.isNews)
    }
}

/// A log message as the clients of a host receive it.
struct HostLogEntry {
    let level: LogLevel
    let message: String
    private let time = SystemClock().wall
    /// What an answer says as well: the reason of a drop with its fault, or the code of an error.
    private let answered: JSONObject

    init(_ level: LogLevel, _ message: String, answered: JSONObject = [:]) {
        self.level = level
        self.message = message
        self.answered = answered
    }

    /// Whether nobody learns it from the answer to a call.
    var isNews: Bool { answered.isEmpty }

    /// The params of the `log` notification.
    var params: JSONText {
        var object: JSONObject = [
            "level": .string(level.rawValue), "message": .string(message),
            "at": .string(time.description),
        ]
        object.merge(answered)
        return JSONText(tree: object)
    }

    fileprivate func line(_ format: HostLog.Format) -> String {
        switch format {
        case .text: "[MobileTracker] \(level.rawValue): \(message)"
        case .json: params.text
        }
    }
}

/// Passes each message to the host's own log, and to the client if it listens.
///
/// A message begins with what stands before the names of the native client's methods, as in `analytics: …`.
struct SharedLog: TrackerLog {
    let log: HostLog?
    let publisher: NotificationPublisher?
    /// What stands before the names of the methods of this native client.
    let prefix: String
    /// What a client of the host calls to initialise this native client.
    let initializer: String

    func log(_ level: LogLevel, _ message: String) { pass(HostLogEntry(level, prefix + message)) }

    func log(_ entry: LogEntry) {
        let message = prefix + entry.message(initializer: initializer, naming: \.key)
        pass(HostLogEntry(entry.level, message, answered: entry.answered))
    }

    private func pass(_ entry: HostLogEntry) {
        log?.log(entry)
        publisher?.report(entry)
    }
}

extension LogEntry {
    /// What an answer to a client says as well.
    fileprivate var answered: JSONObject {
        switch content {
        case .text: return [:]
        case .drops(let reason, _): return ["reason": .string(reason.rawValue)]
        case .refused(let call, let refusal):
            var members = refusal.members
            members["call"] = .string(call)
            return members
        case .failed(let error): return ["code": .string(error.code.rawValue)]
        }
    }
}
