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

/// One message of a client's log.
public struct LogEntry: Sendable {
    /// How important it is.
    public let level: LogLevel
    /// The client that speaks, such as `MobileTracker`.
    public let client: String
    package let content: Content

    package init(_ level: LogLevel, of client: String, _ content: Content) {
        self.level = level
        self.client = client
        self.content = content
    }

    /// What an entry is about. Whoever shows it makes the sentence.
    package enum Content: Sendable {
        /// A sentence.
        case text(String)
        /// A sentence about calls that were dropped for one reason.
        case drops(RefusalReason, String)
        /// A call was dropped.
        case refused(call: String, Refusal)
        /// `initialize` has failed.
        case failed(TrackerError)
    }

    /// A sentence for a developer.
    public var message: String { message(initializer: "initialize()", naming: \.option) }

    /// Why calls were dropped, if it is about that. Their outcomes say so as well.
    public var refusal: RefusalReason? {
        switch content {
        case .drops(let reason, _): reason
        case .refused(_, let refusal): refusal.reason
        case .text, .failed: nil
        }
    }

    /// The sentence with the names that things have where it is read.
    ///
    /// - Parameters:
    ///   - initializer: The call that initialises the client.
    ///   - name: What an option is called.
    package func message(initializer: String, naming name: (OptionFault) -> String) -> String {
        switch content {
        case .text(let text), .drops(_, let text): text
        case .refused(let call, let refusal): refusal.message(of: call, initializer: initializer)
        case .failed(let error): "Initialization failed: \(error.message(naming: name))"
        }
    }
}
