import TrackerPlatform

/// The identity of a file, whatever its path: different identities are different files.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Reads the file at a path.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: Why it cannot be seen.
    init?(ofPath path: String) throws(StorageError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if StorageError.isAbsence(errno) { return nil }
            throw StorageError(errno: errno, "look at", path)
        }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
