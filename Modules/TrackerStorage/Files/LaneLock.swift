import Synchronization

/// The right to deliver a lane and to make its session, as the only one over all processes.
final class LaneLock: Sendable {
    private struct State: ~Copyable {
        var lock: FileLock?
        var isHeld = false
        /// Whether it goes to another as soon as it may.
        var isGivenUp = false

        mutating func unlock() {
            guard isHeld else { return }
            isHeld = false
            isGivenUp = false
            lock?.unlock()
        }
    }

    private let path: String?
    private let state = Mutex(State())

    /// Names the lock.
    ///
    /// - Parameter path: Its file, in a folder that exists by the time the lock is taken; `nil` for a lane that no
    ///   other process can see.
    init(path: String?) {
        self.path = path
    }

    /// Takes the right if it is free; true if this process has it already.
    ///
    /// Where the file can be neither made nor read, on a full or read-only disk, the right is taken without it:
    /// delivery must go on, and there is nothing through which another could be asked.
    func acquire() -> Bool {
        guard let path else { return true }
        return state.withLock { state in
            if state.isHeld {
                state.isGivenUp = false
                return true
            }
            if state.lock?.isCurrent != true {
                do throws(StorageError) {
                    state.lock = try FileLock(path)
                } catch {
                    state.isHeld = error.kind == .readOnly || error.kind == .full
                    return state.isHeld
                }
            }
            state.isHeld = state.lock?.tryLock() ?? false
            return state.isHeld
        }
    }

    /// Gives the right up.
    ///
    /// - Parameter mayGo: Whether it may go to another now. If not, it goes with a later ``releaseIfGivenUp(mayGo:)``.
    func release(mayGo: () -> Bool = { true }) {
        state.withLock { state in
            if mayGo() { state.unlock() } else { state.isGivenUp = state.isHeld }
        }
    }

    /// Lets the right go that was given up earlier, if it may go to another now.
    func releaseIfGivenUp(mayGo: () -> Bool) {
        state.withLock { state in
            if state.isGivenUp, mayGo() { state.unlock() }
        }
    }

    /// Gives the right up at once.
    func end() {
        state.withLock { $0.unlock() }
    }
}

/// The sign that a lane is open here, which processes share and which dies with them.
///
/// While one process has a lane open, no other takes over what waits in it.
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
