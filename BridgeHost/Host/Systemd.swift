import TrackerPlatform

/// What systemd passes on to a service that it starts, and what it is told (sd_listen_fds(3), sd_notify(3)).
enum Systemd {
    /// The number of the first descriptor that is passed on.
    private static let firstDescriptor: Int32 = 3

    /// The socket that systemd listens at for this process; `nil` if it does not.
    static func takeSocket() throws(AgentFault) -> Int32? {
        guard let process = variable("LISTEN_PID"), process == String(getpid()) else { return nil }
        let count = variable("LISTEN_FDS").flatMap { Int($0) } ?? 0
        unsafe unsetenv("LISTEN_PID")
        unsafe unsetenv("LISTEN_FDS")
        guard count > 0 else { return nil }
        guard count == 1 else {
            throw AgentFault("systemd passes on \(count) sockets, and an agent serves one: use one ListenStream=")
        }
        var isListening: Int32 = 0
        var length = socklen_t(4)
        guard unsafe getsockopt(firstDescriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0,
            isListening == 1
        else { throw AgentFault("what systemd passes on is no socket that listens: use ListenStream=") }
        _ = fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC)
        return firstDescriptor
    }

    /// Tells systemd, if it has started this process and waits for that.
    ///
    /// - Parameter state: Such as `READY=1`.
    static func notify(_ state: String) {
        guard let address = variable("NOTIFY_SOCKET"), address.hasPrefix("/") || address.hasPrefix("@") else { return }
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        // A service that cannot tell systemd serves all the same.
        _ = unsafe SocketAddress.with(address) { pointer, length in
            unsafe bytes.withUnsafeBytes { unsafe sendto(descriptor, $0.baseAddress, $0.count, 0, pointer, length) }
        }
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
