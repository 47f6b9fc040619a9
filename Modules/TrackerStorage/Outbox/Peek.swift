package import TrackerModels

/// The oldest records of a lane, and the lane in the same instant.
package struct Peek: Sendable {
    package var state: LaneState
    /// The oldest records, oldest first.
    package var records: [Record]
    /// What the records' generations are bound to.
    package var entries: [Generation: GenerationEntry]
    /// Groups of records that may have gone out in one request, and whose answer is not known.
    package var groups: [GroupExtent]
    /// With it ``LaneOutbox/isUnchanged(since:)`` says later whether anything was written; `nil` if it cannot.
    package var version: LaneVersion?

    package init(
        state: LaneState, records: [Record], entries: [Generation: GenerationEntry], groups: [GroupExtent] = [],
        version: LaneVersion? = nil
    ) {
        self.version = version
        self.state = state
        self.records = records
        self.entries = entries
        self.groups = groups
    }
}

/// The version of what a read has seen. Reads of the same version see the same.
package struct LaneVersion: Hashable, Sendable {
    /// Which opening of the database it was.
    let opening: Int
    /// What the database counts of the changes by others.
    let changes: Int64
}

/// Which records travel together in one request, and so which key it has.
package struct GroupExtent: Hashable, Sendable {
    /// The oldest of them.
    package var first: Record.ID
    /// The newest of them.
    package var last: Record.ID
    package var count: Int

    package init(first: Record.ID, last: Record.ID, count: Int) {
        self.first = first
        self.last = last
        self.count = count
    }
}
