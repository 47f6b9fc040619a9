import TrackerStorage

/// The record behind the front that is tried instead of it; see ``Suspicion``.
struct NextProbe: Sendable {
    /// How many records are tried before the first of them is tried again: they may be at fault too.
    private static let most = 8

    private(set) var record: Record.ID?
    /// The number of its request, once that is under way.
    private var request: Int?
    /// Records that were tried so and failed: another one is next.
    private var failed: [Record.ID] = []

    /// Chooses one that has not failed; `nil` if all have.
    mutating func choose(from candidates: some Sequence<Record>) -> Record? {
        if failed.count >= Self.most { failed = [] }
        guard let next = candidates.first(where: { !failed.contains($0.id) }) else {
            failed = []
            return nil
        }
        (record, request) = (next.id, nil)
        return next
    }

    mutating func depart(as request: Int) {
        if record != nil { self.request = request }
    }

    /// Takes the record away whose request was answered.
    ///
    /// - Returns: `nil` if it was another request.
    mutating func take(_ request: Int) -> Record.ID? {
        guard self.request == request else { return nil }
        defer { (record, self.request) = (nil, nil) }
        return record
    }

    mutating func fail(_ record: Record.ID) { failed.append(record) }
}
