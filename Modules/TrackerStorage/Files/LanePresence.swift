/// The sign that a lane is open here, which processes share and which dies with them.
///
/// As long as somebody has a lane open, nobody else takes over what waits in it.
struct LanePresence: ~Copyable {
    private let path: String
    private var lock: FileLock?

    /// Names the sign of a lane.
    init(_ folder: StateFolder, _ lane: LaneIdentity) {
        path = folder.openLock(of: lane)
    }

    /// Shows the sign, unless it is shown already. For the writer, under the writers' lock.
    ///
    /// Where its file cannot be made, no other process could take records over either.
    mutating func show() {
        if lock?.isCurrent == true { return }
        lock = try? FileLock(path)
        try? lock?.share()
    }
}
