import Synchronization
public import TrackerModels
import TrackerPlatform

/// Writes each message as one line to standard error.
///
/// It never waits for a reader. A message that does not fit into a full pipe is left out, and the next one that fits says
/// how many were.
public struct StandardErrorLog: TrackerLog, ClientLog {
    private static let output = LineOutput(STDERR_FILENO) {
        "[MobileTracker] warning: \($0) log message(s) were left out"
    }

    /// Makes the log.
    public init() {}

    /// Writes `[MobileTracker] level: message`. In the place of `MobileTracker` stands the client that speaks.
    public func log(_ level: LogLevel, _ message: String) { log(level, message, of: "MobileTracker") }

    package func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String, of client: String) {
        log(level, message, of: client)
    }

    package func log(_ level: LogLevel, _ message: String, of client: String) {
        Self.output.write("[\(client)] \(level.rawValue): \(message)")
    }
}

/// A client's log, which passes on info and debug only when verbose.
final class LevelledLog: TrackerLog {
    private let client: String
    private let destination: Mutex<Destination>
    private let isVerbose: Flag
    private let streaks = RefusalStreaks()

    // In a struct: an existential that is a mutex's whole value cannot be replaced in it.
    private struct Destination { var log: any TrackerLog }

    init(_ log: any TrackerLog, of client: String, isVerbose: Bool) {
        self.client = client
        destination = Mutex(Destination(log: log))
        self.isVerbose = Flag(isVerbose)
    }

    /// Sends messages elsewhere from now on.
    func send(to log: any TrackerLog) { destination.withLock { $0.log = log } }

    /// How a program that reads the log initialises the client.
    var initializer: String {
        (destination.withLock { $0.log } as? any ClientLog)?.initializer ?? "initialize()"
    }

    /// Turns info and debug on or off.
    func setVerbose(_ value: Bool) { isVerbose.set(value) }

    func log(_ level: LogLevel, _ message: String) {
        guard level >= .warning || isVerbose.value else { return }
        pass(level, message)
    }

    /// Logs a dropped call. If the client's state is the reason, it logs the first such call and counts the others
    /// until ``endRefusals()``.
    func logRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String) {
        guard !reason.isOfState || streaks.begins(reason) else { return }
        passRefusal(reason, level, message)
    }

    /// Logs once why all calls are dropped from now on. ``endRefusals()`` logs how many there were.
    func announceRefusals(_ reason: RefusalReason, _ message: String) {
        streaks.announce(reason)
        passRefusal(reason, .warning, message)
    }

    /// Logs that `initialize` has failed.
    func logFailure(_ error: TrackerError) {
        let log = destination.withLock { $0.log }
        guard let log = log as? any ClientLog else { return log.log(.error, "\(client): \(error.failureLine)") }
        log.logFailure(error, of: client)
    }

    /// Logs how many calls were dropped, if more than one. Called when a call is accepted, and when the client starts
    /// or closes.
    func endRefusals() {
        for (reason, count) in streaks.end() {
            passRefusal(reason, .warning, "\(count) calls were dropped: \(reason.rawValue)")
        }
    }

    /// Logs a message at a level that is mostly off: the message is made only if it is logged.
    func verbose(_ level: LogLevel, _ message: () -> String) {
        guard isVerbose.value else { return }
        pass(level, message())
    }

    private func pass(_ level: LogLevel, _ message: String) {
        let log = destination.withLock { $0.log }
        guard let log = log as? any ClientLog else { return log.log(level, "\(client): \(message)") }
        log.log(level, message, of: client)
    }

    private func passRefusal(_ reason: RefusalReason, _ level: LogLevel, _ message: String) {
        let log = destination.withLock { $0.log }
        guard let log = log as? any ClientLog else { return log.logRefusal(reason, level, "\(client): \(message)") }
        log.logRefusal(reason, level, message, of: client)
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
