package struct Opening: Hashable, Sendable {
    package var state: LaneState
    /// Records that were moved here from lanes of the same tenant that never had a session.
    package var movedRecords: Int
    /// Records carried over from, and lost with, a damaged database.
    package var recovery: DatabaseRecovery?
    /// Why the folder can be read but not written; `nil` if it can. Values are kept in memory until a write works. The
    /// observer has been called.
    package var writeFailure: StorageError?

    package init(
        state: LaneState, movedRecords: Int = 0, recovery: DatabaseRecovery? = nil, writeFailure: StorageError? = nil
    ) {
        self.state = state
        self.movedRecords = movedRecords
        self.recovery = recovery
        self.writeFailure = writeFailure
    }
}
