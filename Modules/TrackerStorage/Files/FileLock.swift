#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
            guard error.kind == .readOnly, FileIdentity(ofPath: path) != nil else { throw error }
            descriptor = try FileDescriptor(opening: path, O_RDONLY)
        }
        self.path = path
    }

    /// Whether the path still leads to the file that was opened.
    var isCurrent: Bool {
        guard let identity = descriptor.identity else { return false }
        return FileIdentity(ofPath: path) == identity
    }

    /// Waits for the lock.
    ///
    /// The system wakes all who wait, and promises them no turn; in practice each gets about as much as any other.
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

    /// Gives the lock up.
    func unlock() { flock(descriptor.number, LOCK_UN) }
}
