import TrackerModels

/// How records leave the queue by their numbers.
extension QueueTransaction {
    mutating func settleDelivered(_ records: [RemovedRecord], _ bytes: WireBytes) throws(StorageError) {
        var rest = records.sorted { $0.id < $1.id }[...]
        for range in Self.ranges(rest.map(\.id), within: row.key.records) {
            let expected = rest.drop { $0.id.number < range.lowerBound }.prefix { $0.id.number <= range.upperBound }
            rest = rest[expected.endIndex...]
            try account(for: try database.deleteRecords(range, expecting: Array(expected)), as: nil)
        }
        row.counters.bytes.before += bytes.before
        row.counters.bytes.after += bytes.after
    }

    /// Removes those of the records that are still there, and reports them.
    mutating func drop(
        _ ids: [Record.ID], _ reason: DropReason, _ rejection: Rejection?
    ) throws(StorageError) {
        for range in Self.ranges(ids, within: row.key.records) {
            if reason.isRefusal { try keep(range, reason, rejection) }
            try report(try database.deleteRecords(range), reason)
        }
    }
}
