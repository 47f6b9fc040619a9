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
