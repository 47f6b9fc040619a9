import TrackerModels

/// What the server has refused is queued again, under the rules of sessions.
extension OutboxTransaction {
    /// Queues records again, at the end of the queue, each with its id and its session.
    ///
    /// - Returns: How many. Past the queue's bounds the others stay where they are.
    mutating func requeue(_ ids: [Record.ID]) throws(StorageError) -> Int {
        guard consent != .denied else { return 0 }
        var count = 0
        for id in ids.sorted() where row.key.records.contains(id.number) {
            guard let kept = try database.kept(id.number) else { continue }
            // What waits is worth as much as what is queued again, whatever the queue does when it is full.
            if queue.isFull(for: kept.bytes) { break }
            guard let number = try queue.requeue(kept, id) else { continue }
            if kept.generation < row.generation {
                if try database.entry(of: kept.generation, in: row.key)?.session == nil {
                    try database.save(kept.entry, of: kept.generation, in: row.key)
                }
                try database.keepGeneration(kept.generation, through: number, in: row.key)
            }
            count += 1
        }
        return count
    }
}
