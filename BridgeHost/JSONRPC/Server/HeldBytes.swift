import Synchronization

/// How many bytes the connections of a server keep of its memory together: unfinished messages, calls without an answer,
/// and answers that are not read.
///
/// As long as little is kept, each connection has the limits of its own. Above that, one that keeps more than its share
/// is not read. So what some clients leave unread takes nothing from the others.
final class HeldBytes: Sendable {
    /// The part of the limit above which connections must keep to their shares. What is left is for the messages and
    /// answers that are larger than a share.
    private static let crowdedPart = 4

    /// What the thread that changes the sum reports.
    enum Event: Sendable {
        /// More is kept than may be.
        case exceedsLimit
        /// Connections need not keep to their shares any more.
        case hasRoom
    }

    private let limit: Int
    private let crowdedLimit: Int
    /// How much each connection may keep however much the others do.
    let share: Int
    private let total = Atomic(0)
    private let report: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - limit: How many bytes may be kept.
    ///   - connections: How many connections there may be.
    ///   - report: Called by the thread that changes the sum; must return at once.
    init(limit: Int, connections: Int, report: @escaping @Sendable (Event) -> Void) {
        self.limit = limit
        self.report = report
        crowdedLimit = limit / Self.crowdedPart
        share = crowdedLimit / max(1, connections)
    }

    var count: Int { total.load(ordering: .relaxed) }

    /// Whether connections must keep to their shares.
    var isCrowded: Bool { count > crowdedLimit }

    /// Whether more is kept than may be.
    var isExceeded: Bool { count > limit }

    /// Records that a connection keeps so much more, or less.
    func add(_ change: Int) {
        guard change != 0 else { return }
        let (old, new) = total.add(change, ordering: .relaxed)
        if old <= limit, new > limit { report(.exceedsLimit) }
        if old > crowdedLimit, new <= crowdedLimit { report(.hasRoom) }
    }
}
