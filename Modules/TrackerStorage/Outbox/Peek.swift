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
    package var version: ReadVersion?

    package init(
        state: LaneState, records: [Record], entries: [Generation: GenerationEntry], groups: [GroupExtent] = [],
        version: ReadVersion? = nil
    ) {
        self.version = version
        self.state = state
        self.records = records
        self.entries = entries
        self.groups = groups
    }
}
