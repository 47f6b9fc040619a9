import Synchronization

/// Writes to a socket that never blocks: the thread that has an answer writes it. What does not fit waits until the
/// server's loop finds room.
final class SocketChannel: OutputChannel {
    private struct Rest: Sendable {
        var bytes: [UInt8] = []
        var written = 0
    }

    let socket: SocketDescriptor
    private let rest = Mutex(Rest())
    private let gathering: WriteGathering
    private let wake: @Sendable () -> Void
    private let awaitRoom: @Sendable () -> Void

    /// - Parameters:
    ///   - gathering: Has answers that are given together written together.
    ///   - wake: Has the server look at the connection again.
    ///   - awaitRoom: Has the server call ``goOn(of:)`` once the socket has room.
    init(
        _ socket: SocketDescriptor, _ gathering: WriteGathering, wake: @escaping @Sendable () -> Void,
        awaitRoom: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.gathering = gathering
        self.wake = wake
        self.awaitRoom = awaitRoom
    }

    /// Whether something waits for the socket to have room.
    var isWaiting: Bool { rest.withLock { !$0.bytes.isEmpty } }

    /// What is gathered may grow before it is written.
    var directBytes: Int { 0 }

    func wakeReader() { wake() }

    func write(_ first: [UInt8]?, of queue: OutputQueue) {
        gathering.perform { [self] in
            if let next = first ?? queue.takePending(leaving: []) { write(next, from: 0, of: queue) }
        }
    }

    /// Goes on where the socket had no room.
    func goOn(of queue: OutputQueue) {
        let rest = rest.withLock { rest in
            defer { rest = Rest() }
            return rest
        }
        if !rest.bytes.isEmpty { write(rest.bytes, from: rest.written, of: queue) }
    }

    private func write(_ bytes: [UInt8], from start: Int, of queue: OutputQueue) {
        var (bytes, position) = (bytes, start)
        while true {
            while position < bytes.count {
                switch socket.write(bytes, from: position) {
                case .wrote(let count):
                    position += count
                    queue.recordWritten(count)
                case .full:
                    rest.withLock { $0 = Rest(bytes: bytes, written: position) }
                    return awaitRoom()
                case .failed: return queue.breakOff()
                }
            }
            guard let next = queue.takePending(leaving: []) else { return }
            (bytes, position) = (next, 0)
        }
    }
}
