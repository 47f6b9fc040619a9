import TrackerPlatform

/// A file descriptor, read from and written to by blocking calls.
///
/// It is never made non-blocking: an inherited descriptor shares that setting with the process that opened it.
struct ByteStream: Sendable {
    enum Reading: Equatable, Sendable {
        case bytes(Int)
        case end
        case failed(errno: Int32)
    }

    /// What can be done with a descriptor.
    struct Readiness: Sendable {
        /// There is something to read, be it the end.
        var isReadable = false
        /// The other side has closed it for writing.
        ///
        /// What was written can still be read.
        var isHungUp = false
        /// The other descriptor asked about is readable.
        var isWoken = false
    }

    #if os(Linux) || os(Android)
        /// Reports also that the other side of a socket stops writing. The C library hides it behind a feature macro.
        private static let hangUp: Int16 = 0x2000
    #else
        private static let hangUp: Int16 = 0
    #endif

    /// How long a wait lasts that nothing can end early, in milliseconds: who waits looks up ten times a second.
    private static let longestUnwokenWait: Int32 = 100

    let descriptor: Int32

    /// Makes writing to a pipe without a reader an error; by default it ends the process.
    static func reportBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Reads what is there, up to the size of `buffer`; waits for the first byte.
    func read(into buffer: inout [UInt8]) -> Reading {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0) }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            guard errno == EINTR || errno == EAGAIN else { return .failed(errno: errno) }
            if errno == EAGAIN, !becomesReady(for: POLLIN) { return .failed(errno: errno) }
        }
    }

    /// How much a pipe surely takes that has room at all: less is written in one piece (pipe(7), `PIPE_BUF`).
    static let pageBytes = 4096

    /// Whether this is a pipe. Of other descriptors nobody knows how much they take without waiting.
    var isPipe: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Whether a pipe takes ``pageBytes`` now.
    var hasRoomForPage: Bool {
        var polled = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        return systemPoll(&polled, 0) == 1 && polled[0].revents == Int16(POLLOUT)
    }

    /// Writes all of a range; waits until the other side has room.
    ///
    /// - Returns: Whether that was possible.
    func write(_ bytes: [UInt8], in range: Range<Int>) -> Bool {
        var rest = range
        while !rest.isEmpty {
            let count = unsafe bytes[rest].withUnsafeBytes { unsafe systemWrite(descriptor, $0) }
            if count >= 0 {
                rest = rest.lowerBound + count..<rest.upperBound
            } else if errno == EAGAIN {
                guard becomesReady(for: POLLOUT) else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Waits until this can be read, has been hung up, or another descriptor can be read.
    ///
    /// - Parameters:
    ///   - waitsForInput: Whether to wait for something to read, or for the hang-up alone.
    ///   - waitsForHangUp: Whether to look at this descriptor at all.
    ///   - wake: The other descriptor. If there is none, which a negative one says, the wait ends after
    ///     ``longestUnwokenWait`` milliseconds.
    ///   - deadline: When to return at the latest; `nil` is never.
    func wait(
        forInput waitsForInput: Bool, orHangUp waitsForHangUp: Bool = true, or wake: Int32,
        until deadline: ContinuousClock.Instant?
    ) -> Readiness {
        // `poll` would pass over a descriptor that is none, for ever.
        guard descriptor >= 0 || !waitsForInput && !waitsForHangUp else {
            return Readiness(isReadable: true, isHungUp: true)
        }
        var polled = [
            pollfd(
                fd: waitsForInput || waitsForHangUp ? descriptor : -1,
                events: (waitsForInput ? Int16(POLLIN) : 0) | (waitsForHangUp ? Self.hangUp : 0), revents: 0
            ),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        let rest = Self.milliseconds(until: deadline)
        let isTooLong = wake < 0 && !(0...Self.longestUnwokenWait).contains(rest)
        let count = systemPoll(&polled, isTooLong ? Self.longestUnwokenWait : rest)
        // An interrupted wait is one that found nothing.
        guard count > 0 else { return Readiness() }
        let ended = Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)
        return Readiness(
            isReadable: polled[0].revents & (Int16(POLLIN) | ended) != 0,
            isHungUp: polled[0].revents & (ended | Self.hangUp) != 0,
            isWoken: polled[1].revents != 0
        )
    }

    /// Waits for an inherited descriptor that its owner made non-blocking.
    private func becomesReady(for events: Int32) -> Bool {
        var polled = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
        return systemPoll(&polled, -1) >= 0 || errno == EINTR
    }

    /// How long `poll` may wait, rounded up so that it does not spin at the end.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = ContinuousClock.now.duration(to: deadline)
        return Int32(clamping: max(0, rest.roundedUpMilliseconds))
    }
}

// Inside the type, its own methods hide the system calls of the same names.

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, buffer.baseAddress, buffer.count)
}

private func systemPoll(_ polled: inout [pollfd], _ milliseconds: Int32) -> Int32 {
    unsafe polled.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds) }
}

extension Duration {
    /// Whole milliseconds, a begun one counted in full.
    var roundedUpMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let millisecond: Int64 = 1_000_000_000_000_000
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflows else { return seconds > 0 ? .max : .min }
        return whole &+ (attoseconds + millisecond - 1) / millisecond
    }
}
