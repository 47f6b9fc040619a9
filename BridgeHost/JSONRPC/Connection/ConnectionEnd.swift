/// How a connection ended.
public struct ConnectionEnd: Hashable, Sendable {
    /// Why nothing more was read.
    public enum Reason: Hashable, Sendable {
        /// The client closed its side.
        case endOfInput
        /// ``Connection/stop(_:)`` was called with this text.
        case stopped(String)
        /// The input could not be read, with this error number of the system.
        case inputFailed(errno: Int32)
    }

    /// Why nothing more was read.
    public let reason: Reason
    /// Whether all that was read was answered, and all answers were written, in time.
    public let isComplete: Bool
}
