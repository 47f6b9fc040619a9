import TrackerModels

/// The point from which an outbox counts: when it opened the lane, or when it found another database in its place.
struct LaneOrigin: Hashable, Sendable {
    /// The lane's counters then.
    var counters = LaneCounters()
    /// How many records were found.
    var recovered = 0

    /// Counts records that the counters have as lost by now among those that were found.
    mutating func find(_ lost: Int) {
        guard lost > 0 else { return }
        recovered += lost
        counters.dropped[.lost, default: 0] -= lost
    }

    /// What has happened since.
    ///
    /// A counter that has fallen belongs to another database, which the next commit opens. Until then the account begins
    /// with what is found there.
    func account(_ now: LaneCounters) -> Account {
        let account = difference(now)
        return account.isBalanced ? account : LaneOrigin(counters: now, recovered: now.queued).difference(now)
    }

    private func difference(_ now: LaneCounters) -> Account {
        let accepted = now.accepted - counters.accepted
        return Account(
            // Records that another lane took over were first of those that were found.
            accepted: max(0, accepted), recovered: recovered + min(0, accepted),
            delivered: now.delivered - counters.delivered, queued: now.queued,
            dropped: now.dropped.merging(counters.dropped.mapValues(-)) { $0 + $1 }.filter { $0.value != 0 },
            bytes: WireBytes(
                before: now.bytes.before - counters.bytes.before, after: now.bytes.after - counters.bytes.after
            )
        )
    }
}
