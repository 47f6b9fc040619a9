import JSONRPC
import TrackerPlatform

/// The socket of an agent: made at a path, or passed on by systemd.
///
/// A file beside it is locked as long as the agent lives. So a socket that a killed agent has left can be told from one
/// that is served.
struct AgentSocket {
    /// Who may connect, as the mode of the socket's file.
    enum Mode: String, Hashable, Sendable {
        /// The user of the agent.
        case user = "0600"
        /// The user and the group of the agent.
        case group = "0660"

        var bits: mode_t { self == .user ? 0o600 : 0o660 }

        /// Reads a mode as chmod(1) does, for which a 0 in front means nothing.
        init?(argument: String) {
            let digits = argument.drop { $0 == "0" }
            guard argument.count <= 5, let mode = Mode(rawValue: "0\(digits)") else { return nil }
            self = mode
        }
    }

    private static let backlog: Int32 = 1_024

    let descriptor: Int32
    /// Where it is; `nil` if the agent has not made it, and does not remove it.
    private let ownPath: String?
    /// What the agent says of where it listens.
    let place: String
    let admission: PeerAdmission

    /// Takes the socket that systemd has passed on, or makes one.
    ///
    /// - Throws: What is wrong, and what to do.
    init(path: String, mode: Mode) throws(AgentFault) {
        if let passed = try Systemd.takeSocket() {
            descriptor = passed
            ownPath = nil
            place = "the socket passed on by systemd"
            // It need not be where the command line says.
            admission = PeerAdmission(socket: SocketAddress.path(of: passed))
            return
        }
        try Self.checkFolder(of: path)
        try Self.lock(path)
        try Self.removeStale(path)
        descriptor = try Self.listen(at: path, mode)
        ownPath = path
        place = path
        admission = PeerAdmission(socket: path)
    }

    func remove() { if let ownPath { unsafe unlink(ownPath) } }

    /// Refuses a folder in which others could put a socket of their own.
    private static func checkFolder(of path: String) throws(AgentFault) {
        guard path.utf8.count <= SocketAddress.maxPathBytes else {
            throw AgentFault("the path of the socket is longer than \(SocketAddress.maxPathBytes) bytes: \(path)")
        }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            throw AgentFault(
                "the folder of the socket cannot be used", SystemError(folder),
                remedy: "Make it: mkdir -m 0700 -p '\(folder)'")
        }
        guard status.st_mode & 0o022 == 0, status.st_uid == geteuid() || status.st_uid == 0 else {
            throw AgentFault(
                "others can write to \(folder), and could put a socket of their own there. Use a folder of this user's own, "
                    + "such as $XDG_RUNTIME_DIR, or take their right away: chmod go-w \"\(folder)\"")
        }
    }

    /// Locks the file beside the socket until the process ends.
    private static func lock(_ path: String) throws(AgentFault) {
        let file = path + ".lock"
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw AgentFault("the lock cannot be made", SystemError(file)) }
        var wish = flock()
        wish.l_type = Int16(F_WRLCK)
        wish.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(descriptor, F_SETLK, &wish) != 0 else { return }
        defer { close(descriptor) }
        guard errno == EACCES || errno == EAGAIN else {
            throw AgentFault("the lock cannot be taken", SystemError(file))
        }
        var holder = wish
        let isKnown = unsafe fcntl(descriptor, F_GETLK, &holder) == 0 && holder.l_type != Int16(F_UNLCK)
        // A process of another container has no number here.
        throw .isServed(path, by: isKnown && holder.l_pid > 0 ? holder.l_pid : nil)
    }

    /// Removes a socket that nobody serves.
    private static func removeStale(_ path: String) throws(AgentFault) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw AgentFault("\(path) is there already and is no socket: remove it, or use another path")
        }
        let probe = try stream()
        defer { close(probe) }
        // A program that has made it without a lock.
        if unsafe SocketAddress.with(path, { unsafe connect(probe, $0, $1) }) == 0 {
            throw .isServed(path, by: Peer(descriptor: probe)?.process)
        }
        guard unsafe unlink(path) == 0 else {
            throw AgentFault("the old socket cannot be removed", SystemError(path))
        }
    }

    private static func stream() throws(AgentFault) -> Int32 {
        let descriptor = SocketAddress.stream()
        guard descriptor >= 0 else { throw AgentFault("the socket cannot be made", SystemError("socket")) }
        return descriptor
    }

    private static func listen(at path: String, _ mode: Mode) throws(AgentFault) -> Int32 {
        let descriptor = try stream()
        // Nobody else may connect before the mode is set.
        let mask = umask(0o177)
        let isBound = unsafe SocketAddress.with(path) { unsafe bind(descriptor, $0, $1) } == 0
        let bindError = SystemError(path)
        umask(mask)
        guard isBound else {
            close(descriptor)
            throw AgentFault("the socket cannot be made", bindError)
        }
        guard unsafe chmod(path, mode.bits) == 0, systemListen(descriptor, backlog) == 0 else {
            let error = SystemError(path)
            unsafe unlink(path)
            close(descriptor)
            throw AgentFault("the socket cannot be used", error)
        }
        return descriptor
    }
}

// Inside the type, its own method hides the system call of the same name.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
