import TrackerModels

/// The last 10,000 ids that were inserted, as many as an outbox remembers.
struct RecentIDs: Sendable {
    private static let limit = 10_000

    private var ids: Set<MessageID> = []
    private var ring: [MessageID] = []
    private var next = 0

    func contains(_ id: MessageID) -> Bool { ids.contains(id) }

    mutating func insert(_ id: MessageID) {
        guard ids.insert(id).inserted else { return }
        if ring.count < Self.limit { return ring.append(id) }
        ids.remove(ring[next])
        ring[next] = id
        next = (next + 1) % Self.limit
    }

    /// Takes an id back. Its place stays taken.
    mutating func remove(_ id: MessageID) { ids.remove(id) }
}
