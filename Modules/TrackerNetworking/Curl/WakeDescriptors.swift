import Synchronization
import TrackerPlatform

/// Keeps child processes from inheriting the descriptors that wake a multi handle.
///
/// libcurl makes them itself, inheritable, and does not say which they are.
enum WakeDescriptors {
    /// Keeps loops that start at once from taking each other's descriptors for their own.
    private static let turn = Mutex(())

    /// Runs `make`, and has what it opened closed on exec.
    ///
    /// Another thread may open descriptors meanwhile. Its own are left alone unless they look like libcurl's: a socket,
    /// pipe or event counter that does not block, and that a child would inherit.
    static func closedOnExec<Made>(_ make: () -> Made) -> Made {
        turn.withLock { _ in
            // If they cannot be listed, none is known to be new.
            let before = open().map { Set($0) }
            defer {
                if let before, let after = open() {
                    for descriptor in after where !before.contains(descriptor) && isOfWaking(descriptor) {
                        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    }
                }
            }
            return make()
        }
    }

    private static func isOfWaking(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return (kind == S_IFSOCK || kind == S_IFIFO || kind == 0) && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
            && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
    }

    /// The descriptors that are open now; `nil` if the system does not list them.
    private static func open() -> [Int32]? {
        #if canImport(Darwin)
            let path = "/dev/fd"
        #else
            let path = "/proc/self/fd"
        #endif
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        // It is closed on return, and libcurl may get its number next.
        let own = unsafe dirfd(folder)
        var descriptors: [Int32] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
            }
            if let descriptor = Int32(name), descriptor != own { descriptors.append(descriptor) }
        }
        return descriptors
    }
}
