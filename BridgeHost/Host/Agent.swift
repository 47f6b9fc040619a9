import Bridge
import Dispatch
import JSONRPC
import Synchronization
import TrackerCore
import TrackerModels

/// One host for many programs of a machine: serves the connections to a socket until a signal ends it.
///
/// Each connection has its own clients. Their lanes are shared, and go on without them.
final class Agent: Sendable {
    /// The share of the time for ending that connections may take; the rest is for what waits to be sent.
    private static let connectionsShare = 0.5

    private let socket: AgentSocket
    private let server: SocketServer
    private let settings: HostSettings
    private let log: HostLog
    private let metrics: HostMetrics
    private let lanes: OpenLanes
    private let timeout: Duration
    /// When everything must be over.
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)

    /// - Throws: Why it cannot listen.
    init(
        path: String, options: HostOptions, settings: HostSettings, log: HostLog, metrics: HostMetrics,
        lanes: OpenLanes
    ) throws(AgentFault) {
        self.settings = settings
        self.log = log
        self.metrics = metrics
        self.lanes = lanes
        timeout = options.limits.shutdownTimeout
        socket = try AgentSocket(path: path, mode: options.listenMode)
        var limits = SocketServer.Limits()
        limits.connection = options.limits
        limits.maxConnections = options.maxConnections
        server = SocketServer(
            listener: socket.descriptor, limits: limits,
            admits: { [admission = socket.admission] in admission.refusal(of: $0) },
            makeResponder: { link in
                HostSession(
                    settings: settings, log: log, metrics: metrics, notify: { link.notify($0) },
                    together: link.together, lanes: lanes, after: { link.after($0, $1) },
                    stop: { link.stop() })
            })
        guard server.canStop else {
            socket.remove()
            throw AgentFault("there are too few file descriptors: raise the limit (ulimit -n)", isPassing: true)
        }
    }

    /// A session without a connection, which shares the lanes of the others.
    func session() -> HostSession {
        HostSession(settings: settings, log: log, metrics: metrics, notify: { _ in }, lanes: lanes, stop: {})
    }

    /// Takes the socket away; for an agent that ends before it serves.
    func removeSocket() { socket.remove() }

    /// Serves until ``stop()``, and then sends what can be sent in time.
    ///
    /// - Returns: When everything must be over.
    func run() -> ContinuousClock.Instant {
        log.log(.info, "Listening at \(socket.place).")
        Systemd.notify("READY=1")
        server.run()
        socket.remove()
        metrics.willEnd()
        let deadline = deadline.withLock { $0 } ?? .now
        let rest = max(.zero, ContinuousClock.now.duration(to: deadline) - timeout / Host.metricsShare)
        let closing = DispatchGroup()
        closing.enter()
        lanes.end(within: rest) { closing.leave() }
        _ = closing.wait(timeout: .now() + rest / .seconds(1))
        return deadline
    }

    /// Takes no more connections, and ends those that there are.
    func stop() {
        deadline.withLock { $0 = $0 ?? ContinuousClock.now + timeout }
        Systemd.notify("STOPPING=1")
        server.stop(within: timeout * Self.connectionsShare)
    }
}
