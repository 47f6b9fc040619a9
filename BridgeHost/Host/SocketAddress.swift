import TrackerPlatform

/// The address of a Unix domain socket.
enum SocketAddress {
    /// How long a path may be; the last byte of the field is zero.
    static let maxPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Makes an address for a call of the system.
    ///
    /// - Parameter path: Of at most ``maxPathBytes`` bytes. An `@` in front names a socket without a file.
    static func with<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            for (index, byte) in path.utf8.prefix(maxPathBytes).enumerated() { unsafe field[index] = byte }
            if path.hasPrefix("@") { unsafe field[0] = 0 }
        }
        // A name without a file has no zero at its end: all that belongs to it is counted.
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        let length = path.hasPrefix("@") ? start + path.utf8.count : MemoryLayout<sockaddr_un>.size
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }

    /// The path at which a socket is; `nil` if it has no file.
    static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isRead = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isRead, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        // A name without a file begins with a zero.
        let bytes = unsafe withUnsafeBytes(of: &address.sun_path) { unsafe Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// A new socket of this family, closed in child processes; -1 if the system gives none.
    static func stream() -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }
}
