import Foundation

/// Holds server threads back until a test opens it.
public final class Gate: Sendable {
    private let pipe: (reading: Int32, writing: Int32)
    private let isOpen = Once()

    /// Makes a closed gate.
    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        // A child process that had the writing end would keep the gate closed.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipe = (ends[0], ends[1])
    }

    deinit {
        open()
        close(pipe.reading)
    }

    /// Lets all through, now and later.
    public func open() {
        // The end of the pipe is what everyone sees who waits for a byte.
        if isOpen.claim() { close(pipe.writing) }
    }

    /// Blocks the thread until the gate is open or the peer of `socket` is gone.
    func wait(orUntilGone socket: Int32) {
        var watched = [
            pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: LoopbackSocket.goneEvents, revents: 0),
        ]
        while unsafe poll(&watched, 2, -1) < 0, errno == EINTR {}
    }
}
