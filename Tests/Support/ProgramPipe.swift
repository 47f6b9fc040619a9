import Foundation
import Synchronization

/// The two ends of a pipe. No program has them open to which they are not given.
public struct ProgramPipe: Sendable {
    /// What was written can be read here.
    public let reader: End
    /// What is written here can be read.
    public let writer: End

    /// Makes a pipe. From then on, writing without a reader is an error in this process, not its end.
    public init() throws {
        var ends: [Int32] = [-1, -1]
        signal(SIGPIPE, SIG_IGN)
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        // A process that another test starts would keep the pipe from ending.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = End(ends[0])
        writer = End(ends[1])
    }

    /// One end, closed once.
    public final class End: Sendable {
        /// Its descriptor.
        public let number: Int32
        private let isOpen = Mutex(true)

        init(_ number: Int32) { self.number = number }

        deinit { close() }

        /// Closes it, unless it is.
        public func close() {
            isOpen.withLock { isOpen in
                if isOpen { Foundation.close(number) }
                isOpen = false
            }
        }

        /// Reads what is there, or waits for it; empty at the end.
        public func read(atMost count: Int = 1 << 16) -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: count)
            var got = -1
            repeat { got = unsafe Foundation.read(number, &buffer, count) } while got == -1 && errno == EINTR
            return Array(buffer.prefix(max(0, got)))
        }

        /// Reads to the end.
        public func readAll() -> [UInt8] {
            var bytes: [UInt8] = []
            while case let more = read(), !more.isEmpty { bytes += more }
            return bytes
        }

        /// Whether there is room for something, or will be within so many milliseconds.
        public func isWritable(within milliseconds: Int32) -> Bool {
            var polled = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&polled, 1, milliseconds) > 0
        }

        /// Writes all of it; waits until there is room.
        ///
        /// - Returns: Whether somebody could still read it.
        @discardableResult
        public func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(number, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { return false }
                rest = rest.dropFirst(max(0, count))
            }
            return true
        }
    }
}
