import Synchronization

/// Writes lines to a descriptor, such as that of standard error. It never waits for the reader, and survives its end.
///
/// Standard error is often a pipe that nobody reads. When it is full, lines are left out; the next one that fits says
/// how many.
package final class LineOutput: Sendable {
    /// As many bytes as a pipe takes without waiting, if it takes any (POSIX, PIPE_BUF on Linux).
    private static let pieceSize = 4096

    private let descriptor: Int32
    /// Makes the line that says how many were left out.
    private let report: @Sendable (Int) -> String
    private let leftOut = Mutex(0)

    /// Makes an output; the descriptor is neither closed nor made non-blocking.
    package init(_ descriptor: Int32, report: @escaping @Sendable (_ leftOut: Int) -> String) {
        self.descriptor = descriptor
        self.report = report
    }

    /// Writes a line, or leaves it out.
    ///
    /// - Parameter isCounted: Whether it is counted if it is left out.
    package func write(_ line: String, isCounted: Bool = true) {
        leftOut.withLock { leftOut in
            if leftOut > 0, put(report(leftOut)) { leftOut = 0 }
            if leftOut > 0 || !put(line), isCounted { leftOut += 1 }
        }
    }

    /// Writes a line, or as much of it as there is room for.
    ///
    /// - Returns: Whether there was room for its beginning.
    private func put(_ line: String) -> Bool {
        var rest = Array("\(line)\n".utf8)[...]
        var isBegun = false
        while !rest.isEmpty {
            guard isWritable else { return isBegun }
            // One write for a usual line, so that lines of several threads and processes do not mix.
            let count = unsafe rest.prefix(Self.pieceSize).withUnsafeBytes { unsafe writeQuietly(descriptor, $0) }
            guard count > 0 || errno == EINTR else { return true }
            rest = rest.dropFirst(max(0, count))
            isBegun = true
        }
        return true
    }

    private var isWritable: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A closed descriptor has no reader: the line counts as written.
        return unsafe poll(&polled, 1, 0) > 0
    }
}

/// Writes without the signal that a pipe without a reader sends to the writer.
private func writeQuietly(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    var (pipeSignal, pending, usual) = (sigset_t(), sigset_t(), sigset_t())
    unsafe sigemptyset(&pipeSignal)
    unsafe sigaddset(&pipeSignal, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, &usual)
    unsafe sigpending(&pending)
    let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    let count = unsafe write(descriptor, bytes.baseAddress, bytes.count)
    let error = errno
    if count < 0, error == EPIPE, !wasPending {
        // The signal is for this thread, and waits for it: it is taken before it can act.
        var signal: Int32 = 0
        unsafe sigwait(&pipeSignal, &signal)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &usual, nil)
    errno = error
    return count
}
