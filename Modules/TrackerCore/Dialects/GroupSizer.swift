import TrackerModels
import TrackerStorage

/// Decides how many records travel together: fewer after a 413, in halves while a bad one is looked for, and the same
/// ones again when a request is repeated, so that its key stays the same.
///
/// Groups are known by their last record, so that records may leave the queue meanwhile.
struct GroupSizer: Sendable {
    let maxRecords: Int
    /// How many bytes a request's body has at most; a larger record travels alone.
    let maxBytes: Int
    /// How many bytes each record costs besides its own body.
    let recordOverhead: Int
    /// How many bytes a body has without records.
    let frame: Int
    /// How many records travel now.
    private(set) var limit: Int
    /// How many records may travel for a while, since more were refused as too large.
    private var ceiling: Int?
    /// How many records arrived together since groups were last refused as too large, at most.
    private var arrivedSize: Int?
    /// How many groups of ``limit`` records have arrived since that changed.
    private var successes = 0
    /// The last records of groups that have been planned or split and still wait, in order.
    private var ends: [Record.ID] = []
    /// The first records of groups that may have gone out, maybe from a process that lets more records travel together,
    /// by their ends.
    private var sent: [Record.ID: Record.ID] = [:]
    /// The groups that need not travel together again, by their answer.
    private var released: Set<GroupExtent> = []

    /// How many ends are remembered: those of groups whose records were evicted are never removed.
    private static let memory = 1024
    /// How many groups must arrive before a larger one is tried.
    private static let patience = 10
    /// How many before one is tried that is larger than ``ceiling``: each such try may waste a request.
    private static let longPatience = 100

    init(maxRecords: Int, maxBytes: Int, recordOverhead: Int = 0, frame: Int = 0) {
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        self.recordOverhead = recordOverhead
        self.frame = frame
        limit = maxRecords
    }

    /// How much of the queue's front it needs to see.
    var window: Window { Window(records: maxRecords, bytes: maxBytes) }

    /// The records of the next group, at least one if there are any.
    ///
    /// - Parameter size: How many bytes a record takes, besides ``recordOverhead``.
    @inline(__always) mutating func next(
        of records: some Collection<Record>, size: (Record) -> Int = { $0.body.byteCount }
    ) -> [Record] {
        guard let first = records.first else { return [] }
        let end = ends.first { $0 >= first.id }
        // Its key names all of them, even if the limits are smaller here, or have become so since.
        let isBound = end.map { sent[$0] != first.id } ?? true
        var group: [Record] = []
        var bytes = frame
        for record in records.prefix(isBound ? limit : .max) {
            if let end, record.id > end { break }
            bytes += size(record) + recordOverhead
            if isBound, !group.isEmpty, bytes > maxBytes { break }
            group.append(record)
        }
        if let last = group.last {
            sent[last.id] = first.id
            addEnd(last.id)
        }
        return group
    }

    /// The end of the group that has gone out and begins with the first of these records, if there is one.
    func sentEnd(of records: some Collection<Record>) -> Record.ID? {
        guard let first = records.first, let end = ends.first(where: { $0 >= first.id }) else { return nil }
        return sent[end] == first.id ? end : nil
    }

    /// Puts the records of groups together again that were sent before, maybe by another process.
    ///
    /// A group that has lost a record meanwhile is left out: its key can never be sent again. What waits before a group,
    /// since that was tried out of its turn, does not join it: its answer may have been lost.
    mutating func recall(_ groups: [GroupExtent], in records: some BidirectionalCollection<Record>) {
        for group in groups where !released.contains(group) {
            let before = records.prefix { $0.id < group.first }
            let members = records.dropFirst(before.count).prefix { $0.id <= group.last }
            guard members.count == group.count, members.first?.id == group.first else { continue }
            if let last = before.last { addEnd(last.id) }
            // Another process may have sent it since this one has found an end within it.
            ends.removeAll { group.first <= $0 && $0 < group.last }
            addEnd(group.last)
            sent[group.last] = group.first
        }
    }

    /// The group arrived: after some more, groups may grow again.
    mutating func arrived(_ group: [Record]) {
        removeEnd(of: group)
        // That a smaller group arrived does not show that a larger one would.
        guard limit < maxRecords, group.count >= limit else { return }
        arrivedSize = group.count
        successes += 1
        let isAtCeiling = ceiling.map { limit >= $0 } ?? false
        guard successes >= (isAtCeiling ? Self.longPatience : Self.patience) else { return }
        if isAtCeiling { ceiling = nil }
        limit = min(ceiling ?? maxRecords, maxRecords, limit + max(1, limit / 8))
        successes = 0
    }

    /// The group, of one, was dropped.
    mutating func dropped(_ group: [Record]) { removeEnd(of: group) }

    /// The group was refused because of the credentials: its records may be grouped differently next time.
    mutating func turnedAway(_ group: [Record]) { release(group) }

    /// The group was too large as a whole.
    mutating func tooLarge(_ group: [Record]) {
        release(group)
        // The largest group that arrived is small enough; without one, any smaller group may be.
        ceiling = max(1, min(arrivedSize ?? .max, group.count - 1))
        limit = max(1, group.count / 2)
        successes = 0
    }

    /// The group holds a record that the server refuses: it goes again in halves.
    mutating func refused(_ group: [Record]) {
        guard let last = group.last, group.count > 1 else { return removeEnd(of: group) }
        release(group)
        addEnd(last.id)
        addEnd(group[group.count / 2 - 1].id)
    }

    /// Continues for another one: the groups that have gone out stay as they are.
    mutating func follow(_ other: GroupSizer) {
        (ends, sent, released) = (other.ends, other.sent, other.released)
        (limit, ceiling) = (min(other.limit, maxRecords), other.ceiling)
        (arrivedSize, successes) = (other.arrivedSize, other.successes)
    }

    mutating func forget() {
        ends = []
        sent = [:]
        released = []
        limit = maxRecords
        ceiling = nil
        arrivedSize = nil
        successes = 0
    }

    private mutating func addEnd(_ end: Record.ID) {
        let index = ends.firstIndex { $0 >= end } ?? ends.endIndex
        if index < ends.endIndex, ends[index] == end { return }
        ends.insert(end, at: index)
        if ends.count > Self.memory { sent[ends.removeFirst()] = nil }
    }

    private mutating func release(_ group: [Record]) {
        removeEnd(of: group)
        if released.count == Self.memory { released = [] }
        if let extent = GroupExtent(group) { released.insert(extent) }
    }

    private mutating func removeEnd(of group: [Record]) {
        guard let last = group.last else { return }
        ends.removeAll { $0 == last.id }
        sent[last.id] = nil
    }
}
