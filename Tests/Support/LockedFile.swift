import Foundation

/// A file that a test has locked, as another process could: every other process waits for the lock as long as this lives.
public final class LockedFile: Sendable {
    private let descriptor: Int32

    /// Locks a file that exists.
    public init(_ path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    deinit { close(descriptor) }

    /// Lets it go.
    public func unlock() { flock(descriptor, LOCK_UN) }
}
