import TrackerPlatform

/// A small file, read and replaced as a whole.
package struct WholeFile: Sendable {
    package let bytes: [UInt8]
    /// The rights that it gives, such as 0o600.
    package let mode: UInt32
    /// Whether it belongs to the user of this process, or to root.
    package let isOwn: Bool

    /// Why a file cannot be read or written.
    package struct Failure: Error, Hashable, Sendable {
        /// The system's number for it.
        package let code: Int32

        /// It in the system's words.
        package var message: String { unsafe String(cString: strerror(code)) }
    }

    /// - Parameter limit: How many bytes are read at most; what is more stays unread.
    package init(_ path: String, limit: Int) throws(Failure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
        mode = UInt32(status.st_mode) & 0o7777
        isOwn = status.st_uid == geteuid() || status.st_uid == 0
        var bytes = [UInt8](repeating: 0, count: limit)
        var length = 0
        while length < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { [length] buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                return unsafe systemRead(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            if count == 0 { break }
            length += count
        }
        self.bytes = Array(bytes[..<length])
    }

    /// Puts a file of these bytes in the place of any that is there. A reader sees the old one or the new one, and anyone
    /// may read it.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        // A reader of a whole folder knows files by how their names end.
        let temporary = "\(path).\(getpid()).tmp"
        // A leftover, or what others have put there to have it written to, is not used.
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        // The mask of the process takes rights away. A file system without rights has none to give.
        _ = fchmod(descriptor, 0o644)
        do throws(Failure) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor)
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        guard unsafe rename(temporary, path) == 0 else {
            let failure = Failure(code: errno)
            unsafe unlink(temporary)
            throw failure
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            rest = rest.dropFirst(count)
        }
    }
}

/// `read(2)`.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}

/// `write(2)`, whose name a method above has.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
