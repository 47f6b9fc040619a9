package import TrackerModels

/// What became of a change.
///
/// It is indirect because a result is handed on more often than it is read: the results of a transaction share the lane.
package indirect enum ChangeResult: Hashable, Sendable {
    /// The change is on disk. The state is that of the lane right after the transaction.
    case done(LaneState)
    /// The record is on disk, or was there already under the same key of the caller. Its values are stored as well. If
    /// their backup failed, that is reported and tried again.
    case queued(LaneState)
    /// The record is on disk, as with `queued`, and waits for a session or for consent.
    case pending(LaneState)
    /// A change with this id has taken effect before: nothing was done.
    case repeated(LaneState)
    /// The change concerned so many records.
    case changed(Int, LaneState)
    case refused(RefusalReason)
    /// The disk did not take the change, or not all of it.
    ///
    /// The change holds in memory, and is written first once the disk works. Until then a reset or a consent keeps
    /// everything else waiting, a value is shown, and delivered or dropped records are not read again. A record, or a
    /// change of the client's own values, is `refused` instead.
    ///
    /// A save whose backup failed, and an erasure that another process's read interrupts, also get this answer. They have
    /// taken effect, and are tried again by themselves.
    case failed(StorageError)
}
