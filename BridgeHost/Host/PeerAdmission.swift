import JSONRPC
import TrackerPlatform

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
