import TrackerPlatform

/// Ends a wait in `poll` from another thread.
final class WakePipe: Sendable {
    /// Readable once ``wake()`` was called.
    let descriptor: Int32
    private let writer: Int32

    /// Makes a pipe. If the process is out of descriptors, ``wake()`` has no effect, and who waits looks up by itself.
    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress) }
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        writer = ends[1]
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// Ends the wait that is under way, or else the next one.
    func wake() {
        var byte: UInt8 = 0
        // A full pipe wakes as well as one byte.
        _ = unsafe write(writer, &byte, 1)
    }

    func reset() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe bytes.withUnsafeMutableBytes({ unsafe read(descriptor, $0.baseAddress, $0.count) }) == 64 {}
    }
}
