import TrackerModels
import TrackerStorage

/// The front of the queue as it was last read. Its records are sent one after the other.
struct ReadAhead: Sendable {
    /// The lane, as it was when it was last looked at.
    var lane: LaneState
    /// The version of the lane, to find out whether anything has changed since; `nil` if only reading tells.
    var version: ReadVersion?
    let entries: [Generation: GenerationEntry]
    var groups: [GroupExtent]
    /// The request of the first record, made while the one before is under way.
    private(set) var prepared: Plan?
    private let read: [Record]
    private var sent = 0

    init(_ peek: Peek) {
        lane = peek.state
        version = peek.version
        entries = peek.entries
        groups = peek.groups
        read = peek.records
    }

    /// The records that have not been sent.
    var records: ArraySlice<Record> { read[sent...] }

    /// The first that has not been sent.
    var first: Record? { sent < read.count ? read[sent] : nil }

    /// Keeps the request of the first record until its turn comes.
    mutating func prepare(_ plan: Plan?) { prepared = plan }

    /// Removes the first of them, which are under way now.
    mutating func send(_ count: Int) {
        sent += count
        prepared = nil
    }
}
