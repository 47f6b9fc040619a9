import TrackerPlatform

/// Why a command of the host has failed.
package struct CommandFailure: Error, Hashable, Sendable {
    package let message: String
    /// Whether another try may succeed although nothing is done about it.
    package var isPassing = false
}

extension CommandFailure {
    /// Checks the state folder that a command is given.
    ///
    /// - Throws: That there is no such folder.
    static func unlessFolder(_ path: String) throws(CommandFailure) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw CommandFailure(
                message: "the state folder \(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure(message: "\(path) is no folder: name the state folder, not a file in it")
        }
    }
}
