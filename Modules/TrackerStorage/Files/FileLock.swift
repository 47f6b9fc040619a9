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

    /// Releases the lock.
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

    /// Releases the lock.
    func giveUp() { lock?.unlock() }
}

extension FileLock {
    fileprivate func passes(_ test: (borrowing FileLock) -> Bool) -> Bool { test(self) }
}
