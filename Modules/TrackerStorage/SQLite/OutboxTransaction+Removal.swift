import TrackerModels

/// How records leave the queue.
extension OutboxTransaction {
    mutating func settleDelivered(_ records: [RemovedRecord], _ bytes: WireBytes) throws(StorageError) {
        try queue.settleDelivered(records, bytes)
    }

    mutating func drop(
        _ ids: [Record.ID], _ reason: DropReason, _ rejection: Rejection?
    ) throws(StorageError) {
        try queue.drop(ids, reason, rejection)
    }

    mutating func dropUnbound(_ reason: DropReason) throws(StorageError) {
        try queue.report(try database.deleteUnboundRecords(of: row.key), reason)
    }

    mutating func dropAll(_ reason: DropReason, erases: Bool) throws(StorageError) {
        if erases {
            erasure = erasure ?? .whole
            row.erased = row.generation.number
            try database.deleteRefused(row.key.records)
        }
        try queue.report(try database.deleteRecords(of: row.key), reason)
    }
}
