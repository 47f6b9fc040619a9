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

    /// Makes a connection.
    ///
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

    /// Sends a notification.
    ///
    /// It can be called from any thread and returns at once. If the client has left too much unread, the
    /// notification is left out; another tells how many were, once there is room.
    package func notify(_ notification: Notification) {
        queue.notify(notification)
    }
}

/// What a connection takes from a client before the client must wait.
package struct ConnectionLimits: Hashable, Sendable {
    /// The longest message, in bytes.
    ///
    /// Longer ones are refused.
    package var maxMessageBytes = 16 << 20
    /// How many calls a batch may have.
    ///
    /// Larger ones are refused.
    package var maxBatchCalls = 100_000
    /// How many calls may be unanswered before reading pauses.
    package var maxUnansweredCalls = 4_096
    /// How many bytes unanswered calls may have before reading pauses.
    package var maxUnansweredBytes = 4 << 20
    /// How many calls that may answer late may be unanswered before reading pauses.
    package var maxLateCalls = 16_384
    /// How many bytes of answers may wait for the client to read them before reading pauses.
    ///
    /// The answer to one batch is bounded by it, too.
    package var maxUnreadBytes = 32 << 20
    /// How many bytes may wait for the client to read them before notifications are left out.
    package var maxBytesBeforeNotifications = 8 << 20
    /// How long it may take from the end of the input until the connection ends.
    package var shutdownTimeout = Duration.milliseconds(1_500)
    /// The part of it that is kept for the writing of the last answers.
    private static let writingShare = 10

    package init() {}

    /// When answers must be ready to be written before a connection ends.
    func answersDeadline(_ end: ContinuousClock.Instant) -> ContinuousClock.Instant {
        end - shutdownTimeout / Self.writingShare
    }
}

/// Answers the calls of a connection.
///
/// Its methods are called on the thread that reads the connection, one at a time, and must return at once. Answer later
/// what takes time.
package protocol Responder: Sendable {
    /// Takes a call.
    ///
    /// Calls come in the order in which they were received.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - reply: Answers it, now or later and from any thread. A reply that is released without an answer answers with
    ///     INTERNAL_ERROR. Notifications have one, too: completing it says that the call no longer takes memory.
    func respond(to request: Request, reply: Reply)

    /// Called when the end begins: the input has ended, or the connection is to stop.
    ///
    /// Calls that were read already still follow, if there is room for them. Answer with an error, before the deadline,
    /// what cannot be answered otherwise; or give it up, if the client did not ask for the end.
    ///
    /// - Parameters:
    ///   - deadline: Until when answers reach the client.
    ///   - isServers: Whether the server ends, with all its connections. The client will look for the next one.
    func willShutDown(by deadline: ContinuousClock.Instant, isServers: Bool)

    /// Called when no further call will come.
    ///
    /// - Parameters:
    ///   - deadline: Until when answers reach the client, as in ``willShutDown(by:isServers:)``.
    ///   - completion: Call it, from any thread, when there is nothing left to do.
    func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void)
}

extension Responder {
    package func willShutDown(by deadline: ContinuousClock.Instant, isServers: Bool) {}

    /// Has nothing left to do.
    package func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void) {
        completion()
    }
}
