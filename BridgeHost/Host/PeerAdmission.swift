import JSONRPC
import TrackerPlatform

/// Who is at the other side of a socket, as the system says.
struct Peer: Hashable, Sendable {
    /// The process that connected, or that listens.
    let process: Int32
    let user: uid_t
    let group: gid_t
    /// The other groups of the process; empty if the system does not tell.
    let groups: [gid_t]

    #if os(Linux) || os(Android)
        private static let peerGroups: Int32 = 59

        init?(descriptor: Int32) {
            // `struct ucred`: process, user, group.
            var credentials: [UInt32] = [0, 0, 0]
            guard Self.option(SO_PEERCRED, of: descriptor, &credentials) == 12 else { return nil }
            process = Int32(bitPattern: credentials[0])
            user = credentials[1]
            group = credentials[2]
            var groups = [UInt32](repeating: 0, count: 1_024)
            let length = Self.option(Self.peerGroups, of: descriptor, &groups) ?? 0
            self.groups = Array(groups.prefix(length / 4))
        }

        /// - Returns: How many bytes the option has; `nil` if the system does not know it.
        private static func option(_ name: Int32, of descriptor: Int32, _ value: inout [UInt32]) -> Int? {
            var length = socklen_t(value.count * 4)
            let result = unsafe value.withUnsafeMutableBytes {
                unsafe getsockopt(descriptor, SOL_SOCKET, name, $0.baseAddress, &length)
            }
            return result == 0 ? Int(length) : nil
        }
    #else
        init?(descriptor: Int32) {
            var (user, group) = (uid_t(0), gid_t(0))
            guard unsafe getpeereid(descriptor, &user, &group) == 0 else { return nil }
            var (process, length) = (pid_t(0), socklen_t(4))
            _ = unsafe getsockopt(descriptor, 0, 2, &process, &length)
            (self.process, self.user, self.group, groups) = (process, user, group, [])
        }
    #endif
}

/// Decides which users an agent serves: its own and root, and those of the socket's group if the mode admits the group.
///
/// The mode of the socket's file keeps others away already. This holds as well where somebody has changed the mode, or
/// where the system does not look at it.
struct PeerAdmission: Hashable, Sendable {
    let user: uid_t
    /// The group whose members might connect when the agent began to listen; `nil` if the mode admitted none.
    private let firstGroup: gid_t?
    /// The socket's file, if it has one.
    private let path: String?

    private init(user: uid_t, group: gid_t?, path: String? = nil) {
        self.user = user
        firstGroup = group
        self.path = path
    }

    /// The group whose members may connect: chgrp(1) may have changed it since.
    private var group: gid_t? {
        var status = stat()
        guard firstGroup != nil, let path, unsafe stat(path, &status) == 0 else { return firstGroup }
        return status.st_gid
    }

    /// - Parameter path: The socket's file; `nil` if it has none.
    init(socket path: String?) {
        var status = stat()
        guard let path, unsafe stat(path, &status) == 0, status.st_mode & 0o060 == 0o060 else {
            self.init(user: geteuid(), group: nil)
            return
        }
        self.init(user: geteuid(), group: status.st_gid, path: path)
    }

    /// - Returns: Why the process at the other side of a socket is refused; `nil` if it is served.
    func refusal(of descriptor: Int32) -> RPCError? {
        guard let peer = Peer(descriptor: descriptor) else {
            return .notAdmitted("The system does not say which user connects.")
        }
        return refusal(of: peer)
    }

    func refusal(of peer: Peer) -> RPCError? {
        if peer.user == user || peer.user == 0 { return nil }
        let group = group
        if let group, peer.group == group || peer.groups.contains(group) { return nil }
        return .notAdmitted(
            "User \(peer.user) may not use this agent: it serves user \(user)"
                + (group.map { " and group \($0)" } ?? ", and with --listen-mode 0660 the socket's group") + ".")
    }
}
