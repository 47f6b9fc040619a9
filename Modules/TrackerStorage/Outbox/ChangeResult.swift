package import TrackerModels

/// What became of a change.
package struct ChangeResult: Hashable, Sendable {
    package var effect: Effect
    /// The lane right after the transaction; `nil` if there was none.
    package var lane: LaneState?

    package init(_ effect: Effect, _ lane: LaneState? = nil) {
        self.effect = effect
        self.lane = lane
    }
}

extension ChangeResult {
    package enum Effect: Hashable, Sendable {
        /// The change is on disk.
        case done
        /// The record is on disk, or was there already under the same key of the caller. Its values are stored as well. If
        /// their backup failed, that is reported and tried again.
        case queued
        /// The record is on disk, as with `queued`, and waits for a session or for consent.
        case pending
        /// A change with this id has taken effect before: nothing was done.
        case repeated
        /// The change concerned so many records.
        case changed(Int)
        case refused(RefusalReason)
        /// The disk did not take the change, or not all of it.
        ///
        /// The change holds in memory, and is written first once the disk works. Until then a reset or a consent keeps
        /// everything else waiting, a value is shown, and delivered or dropped records are not read again. A record, or a
        /// change of the client's own values, is `refused` instead.
        ///
        /// A save whose backup failed, and an erasure that another process's read interrupts, also get this answer. They
        /// have taken effect, and are tried again by themselves.
        case failed(StorageError)
    }
}

extension ChangeResult.Effect {
    /// Whether a transaction has written something for it.
    var hasTakenEffect: Bool {
        switch self {
        case .done, .queued, .pending, .changed: true
        case .repeated, .refused, .failed: false
        }
    }
}
