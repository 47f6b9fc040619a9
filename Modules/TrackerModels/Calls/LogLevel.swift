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
