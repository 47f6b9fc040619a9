import TrackerModels
import TrackerStorage

/// Decides how many records travel together: fewer after a 413, and in halves while a bad one is looked for.
struct GroupSizer: Sendable {
    /// How many travel at most.
    let maxRecords: Int
    /// How many bytes of bodies travel at most; a larger record travels alone.
    let maxBytes: Int
    /// How many travel now.
    private(set) var limit: Int
    /// The sizes of the groups that a refused one was split into, the next first.
    private var halves: [Int] = []

    init(maxRecords: Int, maxBytes: Int) {
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        limit = maxRecords
    }

    /// Whether a refused group is being searched for its bad records.
    var isBisecting: Bool { !halves.isEmpty }

    /// The records of the next group.
    func next(of records: [Record]) -> ArraySlice<Record> {
        let count = min(halves.first ?? limit, limit, records.count)
        var bytes = 0
        var end = 0
        while end < count {
            bytes += records[end].body.byteCount
            if end > 0, bytes > maxBytes { break }
            end += 1
        }
        return records[..<end]
    }

    /// A group of `count` arrived: groups may grow again.
    mutating func arrived(_ count: Int) {
        consume(count)
        if limit < maxRecords { limit = min(maxRecords, max(limit, count) * 2) }
    }

    /// A group of one was dropped.
    mutating func dropped() { consume(1) }

    /// A group of `count` was too large as a whole.
    mutating func tooLarge(_ count: Int) {
        limit = max(1, count / 2)
    }

    /// A group of `count` holds a record that the server refuses.
    mutating func refused(_ count: Int) {
        consume(count)
        halves.insert(contentsOf: [count / 2, count - count / 2], at: 0)
    }

    /// Starts over.
    mutating func forget() {
        halves = []
        limit = maxRecords
    }

    private mutating func consume(_ count: Int) {
        guard let first = halves.first else { return }
        // A group may have been smaller than planned, by its bytes or because records were evicted meanwhile.
        if first > count { halves[0] = first - count } else { halves.removeFirst() }
    }
}
