/// A client that speaks JSON-RPC 2.0 over two byte streams.
///
/// The thread that reads never waits until an answer is made or read. It pauses when too much is under way, and even
/// then it sees the end of its input. Calls are passed on in the order in which they were received. Answers go out in
/// the order in which they are ready.
package final class Connection: Sendable {
    private let input: ByteStream
    private let wake = WakePipe()
    private let limits: ConnectionLimits
    private let queue: OutputQueue

    /// It makes the process ignore SIGPIPE: from then on, writing to a pipe without a reader is an error and does not
    /// end the process.
    ///
    /// - Parameters:
    ///   - input: An open file descriptor to read from. It is neither closed nor made non-blocking.
    ///   - output: An open file descriptor to write to. It is neither closed nor made non-blocking.
    ///   - limits: What is taken from the client before it must wait.
    package init(input: Int32, output: Int32, limits: ConnectionLimits = ConnectionLimits()) {
        ByteStream.reportBrokenPipes()
        self.input = ByteStream(descriptor: input)
        self.limits = limits
        queue = OutputQueue(channel: StreamChannel(ByteStream(descriptor: output), wake: wake), limits: limits)
    }

    /// Reads and answers until the input ends or ``stop()`` is called.
    ///
    /// Call it once, on a thread that may block, such as the main thread. It returns when all that was read is
    /// answered, the responder is done and the client has read the answers, but not later than `shutdownTimeout` after
    /// the end of the input.
    ///
    /// - Parameter responder: Answers the calls.
    /// - Returns: When `shutdownTimeout` is over.
    @discardableResult
    package func run(_ responder: some Responder) -> ContinuousClock.Instant {
        var reader = ConnectionReader(
            input: input, wake: wake, limits: limits, queue: queue, responder: responder
        )
        return reader.run()
    }

    /// Stops reading; what was read is still answered.
    ///
    /// It can be called from any thread and several times, also by the responder, and returns at once.
    package func stop() {
        queue.stop()
    }

    /// Sends the answers and notifications that a closure gives in one write.
    ///
    /// Nothing is written while the closure runs. You may call it from any thread. The thread that reads does not need
    /// it: its answers go out together anyway.
    package func together<Result>(_ body: () throws -> Result) rethrows -> Result {
        queue.hold()
        defer { queue.release() }
        return try body()
    }

    /// It can be called from any thread and returns at once. If the client has left too much unread, the
    /// notification is left out; another tells how many were, once there is room.
    package func notify(_ notification: Notification) {
        queue.notify(notification)
    }
}
