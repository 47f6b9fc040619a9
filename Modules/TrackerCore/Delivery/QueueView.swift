import TrackerModels
import TrackerStorage

/// What a dialect sees: the front of the queue, without what is under way already.
struct QueueView: Sendable {
    var state: LaneState
    var records: ArraySlice<Record>
    var entries: [Generation: GenerationEntry]
    var now: MonotonicInstant
    var wall: Timestamp
    /// The highest sequence number to be sent now, for a flush or because it is due.
    var wantedThrough: Int64
    /// Groups that may have gone out before: records of such a group travel together again.
    var groups: [GroupExtent] = []
}
