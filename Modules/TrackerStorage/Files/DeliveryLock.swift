import Synchronization

/// The right to deliver a lane and to make its session. Only one process has it at a time.
final class DeliveryLock: Sendable {
    private struct State: ~Copyable {
        var lock: FileLock?
        var isHeld = false
        /// Whether it is released as soon as that is allowed.
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
    /// On a full or read-only disk the file may be missing and cannot be made. Then the right is taken without it:
    /// delivery must go on, and no other process can be asked.
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

    /// - Parameter mayGo: Whether another process may have it now. If not, ``releaseIfGivenUp(mayGo:)`` releases it
    ///   later.
    /// - Returns: Whether another process may have it now.
    func release(mayGo: () -> Bool) -> Bool {
        state.withLock { state in
            guard mayGo() else {
                state.isGivenUp = state.isHeld
                return false
            }
            state.unlock()
            return true
        }
    }

    /// Releases the right that was given up earlier, if another process may have it now.
    func releaseIfGivenUp(mayGo: () -> Bool) {
        state.withLock { state in
            if state.isGivenUp, mayGo() { state.unlock() }
        }
    }

    /// Releases the right at once, and closes its file.
    func end() {
        state.withLock { state in
            state.unlock()
            state.lock = nil
        }
    }
}
