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
