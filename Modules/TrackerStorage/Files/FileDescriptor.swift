import TrackerPlatform

/// An open file, closed when it goes out of scope; child processes do not inherit it.
struct FileDescriptor: ~Copyable {
    let number: Int32
    private let path: String

    /// - Parameters:
    ///   - path: Which file; one that is made is readable and writable by its owner alone, whatever the umask.
    ///     A symbolic link is not followed, unless it leads to a folder: whoever may write beside our files could make us
    ///     change others.
    ///   - flags: As `open(2)` takes them.
    init(opening path: String, _ flags: Int32) throws(StorageError) {
        let flags = flags & O_DIRECTORY == 0 ? flags | O_NOFOLLOW | O_CLOEXEC : flags | O_CLOEXEC
        var number: Int32
        repeat {
            number = unsafe open(path, flags, 0o600)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw StorageError(errno: errno, "open", path) }
        self.number = number
        self.path = path
        // A umask can have taken rights away; on a file of another owner this fails, and does not matter.
        if flags & O_CREAT != 0 { fchmod(number, 0o600) }
    }

    deinit { close(number) }

    /// Makes an empty file, readable and writable by its owner alone, unless there is a file already.
    ///
    /// SQLite would make a database's file readable by all, and the files beside it like it. One that exists is not
    /// opened: closing it would drop the locks that SQLite has on it in this process.
    static func make(_ path: String) throws(StorageError) {
        if try FileIdentity(ofPath: path) != nil { return }
        do throws(StorageError) {
            _ = try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_EXCL)
        } catch {
            // Another process can have made it meanwhile.
            guard try FileIdentity(ofPath: path) != nil else { throw error }
        }
    }

    var identity: FileIdentity? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? FileIdentity(status) : nil
    }

    /// Reads from where the file stands to its end.
    ///
    /// - Parameter limit: Larger files are an error.
    func readToEnd(limit: Int) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StorageError(errno: errno, "read", path) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw StorageError(.corrupt, "\(path) is too large") }
            bytes += buffer[..<count]
        }
    }

    /// Writes all bytes, from where the file stands or from an offset.
    func write(_ bytes: [UInt8], at offset: Int64? = nil) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                guard let offset else { return unsafe systemWrite(number, rest.baseAddress, rest.count) }
                return unsafe pwrite(number, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StorageError(errno: errno, "write", path) }
            written += count
        }
    }

    /// Waits until what was written is on the medium.
    func synchronize() throws(StorageError) {
        guard fsync(number) == 0 else { throw StorageError(errno: errno, "sync", path) }
    }
}

/// `write(2)`, whose name the method above takes.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
