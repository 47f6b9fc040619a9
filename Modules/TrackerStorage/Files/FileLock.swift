import Synchronization
import TrackerPlatform

/// A lock between processes that dies with its holder.
///
/// It is held by this open file, not by the process: two locks on one path exclude each other within a process too.
struct FileLock: ~Copyable {
    private let descriptor: FileDescriptor
    private let path: String

    /// Opens the lock's file, which is made if it is missing.
    init(_ path: String) throws(StorageError) {
        do {
            descriptor = try FileDescriptor(opening: path, O_RDWR | O_CREAT)
        } catch {
            // A lock needs no right to write.
            guard error.kind == .readOnly, try FileIdentity(ofPath: path) != nil else { throw error }
            descriptor = try FileDescriptor(opening: path, O_RDONLY)
        }
        self.path = path
    }

    /// Releases the lock. Closing the file does not while a child that was just forked has it open until its `exec`.
    deinit { unlock() }

    /// Whether the path still leads to the file that was opened.
    var isCurrent: Bool {
        guard let identity = descriptor.identity else { return false }
        // If it cannot be seen, opening it again says why.
        return (try? FileIdentity(ofPath: path)) == identity
    }

    /// Waits for the lock.
    ///
    /// The system wakes every waiter and promises no order; in practice each gets about the same share.
    func lock() throws(StorageError) {
        while flock(descriptor.number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw StorageError(errno: errno, "lock", path) }
        }
    }

    /// Takes the lock if it is free.
    func tryLock() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Waits until no other holds the lock exclusively, and shares it.
    func share() throws(StorageError) {
        while flock(descriptor.number, LOCK_SH) != 0 {
            guard errno == EINTR else { throw StorageError(errno: errno, "share", path) }
        }
    }

    func unlock() { flock(descriptor.number, LOCK_UN) }
}

/// The lock that the writers of a folder's database queue on, over all processes.
struct WriterLock: ~Copyable {
    /// How often the lock is taken again because its file was replaced meanwhile.
    static let attempts = 8

    private let folder: StateFolder
    private var lock: FileLock?

    /// Names the lock; its file is made with the first use.
    init(_ folder: StateFolder) {
        self.folder = folder
    }

    /// Waits for the lock.
    ///
    /// The wait has no timeout: it ends when the processes before this one have committed or died. If the lock's file was
    /// replaced, the new one is opened, since later processes lock that. Some file systems give a file another number
    /// at each look, so that it always seems replaced; after some attempts the lock counts all the same.
    ///
    /// - Parameter isCurrent: Whether the lock's path still leads to its file.
    mutating func take(isCurrent: (borrowing FileLock) -> Bool = { $0.isCurrent }) throws(StorageError) {
        for attempt in 1...Self.attempts {
            if lock == nil {
                try folder.make()
                lock = try FileLock(folder.writerLock)
            }
            try lock?.lock()
            if attempt == Self.attempts || lock?.passes(isCurrent) == true { return }
            lock = nil
        }
    }

    /// Takes the lock if it was used before and is free.
    func takeIfFree() -> Bool { lock?.tryLock() ?? false }

    func giveUp() { lock?.unlock() }
}

extension FileLock {
    fileprivate func passes(_ test: (borrowing FileLock) -> Bool) -> Bool { test(self) }
}

/// The right to deliver a lane and to make its session. Only one process has it at a time.
final class LaneLock: Sendable {
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

    /// Releases the right.
    ///
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

/// A shared lock that shows that a lane is open here. It ends with its process.
///
/// While one process has a lane open, no other takes over its records.
struct LanePresence: ~Copyable {
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
}
