/// A shared lock that shows that a lane is open here. It ends with its process.
///
/// While one process has a lane open, no other takes over its records.
struct OpenMark: ~Copyable {
    private let path: String
    private var lock: FileLock?

    init(_ folder: StateFolder, _ lane: LaneIdentity) {
        path = folder.openLock(of: lane)
    }

    /// Takes the lock, unless it is taken already. For the writer, under the writers' lock.
    ///
    /// If its file cannot be made, no other process can take records over either.
    mutating func show() {
        if lock?.isCurrent == true { return }
        lock = try? FileLock(path)
        try? lock?.share()
    }

    mutating func hide() { lock = nil }
}
