/// Serves JSON-RPC 2.0 to many clients over a listening socket.
///
/// One thread reads all connections, and none of them can keep it: it reads a little of each in turn, and never waits
/// for an answer or for a client that does not read. Each connection has its own framing, order, limits and end.
package final class SocketServer: Sendable {
    /// What is taken from all clients together.
    package struct Limits: Hashable, Sendable {
        package var connection = ConnectionLimits()
        /// How many clients may be connected.
        package var maxConnections = 1_024
        /// How many bytes all clients together may leave with the server: messages that are not finished, calls without
        /// an answer, and answers that are not read.
        ///
        /// Once a quarter of it is taken, a client that takes more than its share of that quarter is not read. If more is
        /// taken than may be, the client that takes the most is refused.
        package var maxHeldBytes = 256 << 20

        package init() {}
    }

    /// What a responder may do with its connection, from any thread; each returns at once.
    package struct Link: Sendable {
        let number: Int
        let queue: OutputQueue
        let mailbox: ServerMailbox
        let gathering: WriteGathering

        /// Sends a notification, as ``Connection/notify(_:)`` does.
        package func notify(_ notification: Notification) { queue.notify(notification) }

        /// Sends the answers that a closure gives in one write for each connection of the server. It may be kept longer
        /// than the connection.
        package var together: @Sendable (() -> Void) -> Void { { [gathering] in gathering.gather($0) } }

        /// Stops reading; what was read is still answered.
        package func stop() { queue.stop() }

        /// Runs something after a while on the thread that reads, or as soon as the connection has ended.
        package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
            mailbox.post(.timer(number, ContinuousClock.now + delay, work))
        }
    }

    private let listener: SocketDescriptor
    private let limits: Limits
    private let mailbox = ServerMailbox()
    private let held: HeldBytes
    private let gathering = WriteGathering()
    private let admits: @Sendable (_ descriptor: Int32) -> RPCError?
    private let makeResponder: @Sendable (Link) -> any Responder

    /// It makes the process ignore SIGPIPE.
    ///
    /// - Parameters:
    ///   - listener: A socket that listens. It is closed with the server.
    ///   - limits: What is taken from clients.
    ///   - admits: Says why a client, whose socket it is given, is refused; `nil` admits the client.
    ///   - makeResponder: Makes what answers the calls of a connection.
    package init(
        listener: Int32, limits: Limits, admits: @escaping @Sendable (_ descriptor: Int32) -> RPCError? = { _ in nil },
        makeResponder: @escaping @Sendable (Link) -> any Responder
    ) {
        ByteStream.reportBrokenPipes()
        self.listener = SocketDescriptor(listener)
        self.limits = limits
        held = HeldBytes(limit: limits.maxHeldBytes, connections: limits.maxConnections) { [mailbox] in
            mailbox.post(.held($0))
        }
        self.admits = admits
        self.makeResponder = makeResponder
    }

    /// How many bytes all clients together leave with the server now.
    var heldBytes: Int { held.count }

    /// Whether ``stop(within:)`` has an effect: without file descriptors there is nothing to wake the server with.
    package var canStop: Bool { mailbox.descriptor >= 0 }

    /// Serves until ``stop(within:)`` is called, and then until every connection has ended or the time is over.
    ///
    /// Call it once, on a thread that may block.
    package func run() {
        var loop = ServerLoop(
            listener: listener, limits: limits, mailbox: mailbox, held: held, gathering: gathering, admits: admits,
            makeResponder: makeResponder)
        loop.run()
    }

    /// Takes no more clients, and ends every connection; what was read is still answered.
    ///
    /// - Parameter timeout: How long that may take.
    package func stop(within timeout: Duration) { mailbox.post(.stop(timeout)) }
}
