/// The lock that the writers of a folder's database queue on, over all processes.
struct WriterLock: ~Copyable {
    /// How often a lock whose file is replaced meanwhile is taken anew.
    static let attempts = 8

    private let folder: StateFolder
    private var lock: FileLock?

    /// Names the lock; its file is made with the first use.
    init(_ folder: StateFolder) {
        self.folder = folder
    }

    /// Waits for the lock.
    ///
    /// The wait has no end of its own: it ends when those before have committed or died, and the caller is free
    /// meanwhile. A file that was replaced is opened anew, since later processes lock the new one. On a file system
    /// that gives a file another number at each look every file seems replaced; after some attempts the lock counts.
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

    /// Gives the lock up.
    func giveUp() { lock?.unlock() }
}

extension FileLock {
    fileprivate func passes(_ test: (borrowing FileLock) -> Bool) -> Bool { test(self) }
}
