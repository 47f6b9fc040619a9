import TrackerModels
import TrackerStorage

/// The resets and decisions that were made while no lane was open, in their order.
///
/// They are staged in each lane that `initialize` opens until one has opened: a lane that never does takes them with it.
/// Each has a key, so a lane that was given one twice takes it once.
struct EarlyChanges: Sendable {
    private struct Entry: Sendable {
        var change: LaneChange
        /// The run of `initialize` whose lane was the first that it was, or will be, staged in.
        var attempt: Int
    }

    private var entries: [Entry] = []
    /// The latest run of `initialize` whose lane has opened.
    private var opened = 0

    /// What a new lane is to be told first.
    var changes: [LaneChange] { entries.map(\.change) }

    /// The last decision among them.
    var consent: Consent? {
        for entry in entries.reversed() {
            if case .consent(let consent, _) = entry.change { return consent }
        }
        return nil
    }

    /// Whether the lane of that run has opened, and takes what it is given.
    func isOpen(_ attempt: Int) -> Bool { attempt <= opened }

    /// Keeps a change for the lane of that run and, should it not open, for those that come after it.
    mutating func keep(_ change: LaneChange, for attempt: Int) {
        entries.append(Entry(change: change, attempt: attempt))
    }

    /// Notes that the lane of that run has opened.
    mutating func noteOpened(_ attempt: Int) {
        opened = max(opened, attempt)
        entries.removeAll { $0.attempt <= attempt }
    }
}
