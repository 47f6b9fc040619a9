import Synchronization

/// The right to do something for a lane as the only one over all processes: to deliver it, to make its session.
final class LaneLock: Sendable {
    private struct State: ~Copyable {
        var lock: FileLock?
        var isHeld = false
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

    /// Takes the right if nobody has it; true if this one has it already.
    ///
    /// Where the file can be neither made nor read, on a full or read-only disk, the right is taken without it:
    /// delivery must go on, and there is nothing through which another could be asked.
    func acquire() -> Bool {
        guard let path else { return true }
        return state.withLock { state in
            if state.isHeld { return true }
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
    func release() {
        state.withLock { state in
            guard state.isHeld else { return }
            state.isHeld = false
            state.lock?.unlock()
        }
    }
}
