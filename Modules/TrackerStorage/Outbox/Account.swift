package import TrackerModels

/// A lane's counters: `accepted + recovered + requeued == delivered + queued + dropped`, summed over the reasons.
package struct Account: Hashable, Sendable {
    /// Records committed since this outbox was opened, by any process.
    package var accepted: Int
    /// Records that were found when this outbox was opened, lost ones included, without those that another lane has
    /// taken over. If the database was damaged, removed or replaced since, the account has begun anew, with the records
    /// that were found then.
    package var recovered: Int
    /// Records that were queued again since, after the server had refused them.
    package var requeued: Int
    package var delivered: Int
    package var queued: Int
    /// Records dropped since, by reason.
    package var dropped: [DropReason: Int]
    /// Bytes of the delivered requests' bodies.
    package var bytes: WireBytes

    package init(
        accepted: Int, recovered: Int, requeued: Int = 0, delivered: Int, queued: Int, dropped: [DropReason: Int],
        bytes: WireBytes
    ) {
        self.accepted = accepted
        self.recovered = recovered
        self.requeued = requeued
        self.delivered = delivered
        self.queued = queued
        self.dropped = dropped
        self.bytes = bytes
    }

    /// Whether every record is accounted for, and nothing is counted below zero.
    package var isBalanced: Bool {
        accepted + recovered + requeued == delivered + queued + dropped.values.reduce(0, +)
            && [accepted, recovered, requeued, delivered, queued, bytes.before, bytes.after].allSatisfy { $0 >= 0 }
            && dropped.values.allSatisfy { $0 >= 0 }
    }
}
