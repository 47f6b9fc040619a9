import TrackerModels

/// What the server has refused is kept apart, in the transaction that removes it from the queue.
extension QueueTransaction {
    /// Keeps records of a range that are about to leave the queue.
    mutating func keep(
        _ numbers: ClosedRange<Int64>, _ reason: DropReason, _ rejection: Rejection?
    ) throws(StorageError) {
        guard refused.maxRecords > 0 else { return }
        try database.keepRefused(
            numbers, reason, rejection ?? Rejection(status: nil, attempts: 0), at: now, in: row.key)
        keepsRefused = true
    }

    /// Keeps a call that breaks the plan. It is never queued: its number is a gap, as that of a drop.
    mutating func keepBroken(
        _ record: StagedRecord, of group: StagedGroup, _ body: ArraySlice<UInt8>, _ why: String
    ) throws(StorageError) {
        guard refused.maxRecords > 0,
            body.count <= min(limits.maxRecordBytes, refused.maxBytes)
        else { return }
        let number = row.key.record(nextSequence())
        try database.insert(record, of: group, number: number, generation: row.generation, body: body, run: run)
        try keep(number...number, .plan, Rejection(status: nil, body: why.utf8, attempts: 0))
        _ = try database.deleteRecords(number...number)
    }

    /// Removes what is too old, then the oldest until the rest is within its bounds.
    func boundRefused() throws(StorageError) {
        let limits = refused
        let oldest = limits.oldest(at: now)
        var kept = try database.refusedSizes(of: row.key)
        if kept.contains(where: { $0.refusedAt < oldest }) {
            try database.deleteRefused(before: oldest, of: row.key)
            kept.removeAll { $0.refusedAt < oldest }
        }
        var (records, bytes, last) = (0, 0, nil as Int64?)
        // One that alone is past the bound leaves the others their room.
        for large in kept where large.bytes > limits.maxBytes {
            try database.deleteRefused(large.number...large.number)
        }
        // From the newest: what is past the bounds goes, with all that is older.
        for kept in kept where kept.bytes <= limits.maxBytes {
            records += 1
            bytes += kept.bytes
            if records > limits.maxRecords || bytes > limits.maxBytes {
                last = kept.number
                break
            }
        }
        if let last { try database.deleteRefused(row.key.records.lowerBound...last) }
    }

    /// Queues a record again, at the end of the queue, with its id.
    ///
    /// - Returns: Its number; `nil` if a caller's id has been used again meanwhile: it is on its way already.
    mutating func requeue(_ kept: KeptRecord, _ id: Record.ID) throws(StorageError) -> Int64? {
        if kept.hasCallerKey, try !database.reclaim(kept.messageID, in: row.key) {
            try database.deleteRefused(id.number...id.number)
            return nil
        }
        let number = row.key.record(nextSequence())
        try database.requeue(id.number, as: number)
        row.counters.queued += 1
        row.counters.queuedBytes += kept.bytes
        requeued += 1
        return number
    }

    func dropRefused(_ ids: [Record.ID]) throws(StorageError) -> Int {
        var count = 0
        for id in ids where row.key.records.contains(id.number) {
            guard try database.kept(id.number) != nil else { continue }
            try database.deleteRefused(id.number...id.number)
            count += 1
        }
        return count
    }
}

extension RefusedLimits {
    /// The time before which nothing is kept.
    func oldest(at now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds - Int64(clamping: Int(min(ttl / .milliseconds(1), 1e15))))
    }
}
