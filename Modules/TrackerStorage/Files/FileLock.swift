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
