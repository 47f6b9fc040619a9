import CCurl
import Synchronization
import TrackerPlatform

/// The sockets of one multi handle's connections: libcurl has them opened and closed here.
///
/// Child processes do not inherit them. And connections can be ended, for which libcurl has no call: it notices that
/// they have ended, and drops them.
final class OpenSockets: Sendable {
    private struct State {
        var current: Set<Int32> = []
        var retired: Set<Int32> = []
    }

    private let state = Mutex(State())

    /// Opens a socket for an address.
    ///
    /// - Returns: Its descriptor, or -1.
    @unsafe func open(_ address: curl_sockaddr) -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(address.family, address.socktype, address.protocol)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #else
            let descriptor = socket(
                address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        #endif
        if descriptor >= 0 { state.withLock { _ = $0.current.insert(descriptor) } }
        return descriptor
    }

    /// Closes a socket that was opened by the ``OpenSockets`` at `context`.
    static func close(_ context: UnsafeMutableRawPointer?, _ descriptor: Int32) -> Int32 {
        guard let context = unsafe context else { return -1 }
        return unsafe Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
    }

    /// Marks all that are open: they belong to connections that no new request is to use.
    func retire() {
        state.withLock { state in
            state.retired.formUnion(state.current)
            state.current = []
        }
    }

    /// Ends the connections of those that are marked.
    func shutDownRetired() {
        state.withLock { state in
            for descriptor in state.retired { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func close(_ descriptor: Int32) -> Int32 {
        state.withLock { state in
            state.current.remove(descriptor)
            state.retired.remove(descriptor)
            // Under the lock: once it is closed, another file may get the same number.
            return closeDescriptor(descriptor)
        }
    }
}
