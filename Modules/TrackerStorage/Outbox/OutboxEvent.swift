package import TrackerModels

package enum OutboxEvent: Hashable, Sendable {
    /// Records left without being delivered. The ids are those that are known; the count is exact.
    case dropped([MessageID], count: Int, DropReason)
    /// The database was damaged and has been set aside. The losses of this lane are also reported as dropped.
    case databaseRecovered(DatabaseRecovery)
    /// Another program has removed the database, and a new one was made. `lost` says how many waiting records of this
    /// lane are gone; they are also reported as dropped. It is `nil` if the number is unknown.
    case replaced(lost: Int?)
    /// The disk refuses writes; reported once until it recovers.
    case writeFailed(StorageError)
    case recovered
    /// All that the disk had refused is written, by this outbox or another one of the process.
    case unwrittenIsWritten
    /// So many records of other lanes have moved to this one, after it was opened.
    case recordsMoved(Int)
    /// Values cannot be written to their backup files; reported once until they can.
    case backupFailed(StorageError)
    /// The backup files are up to date again.
    case backupRecovered
}
