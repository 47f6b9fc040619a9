import Synchronization
import TrackerPlatform

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

/// One end of a connected socket, closed when nobody has it any more: its number cannot become another file's while a
/// late answer is on its way.
final class SocketDescriptor: Sendable {
    enum Writing: Sendable {
        case wrote(Int)
        case full
        case failed
    }

    let descriptor: Int32

    /// Takes over an open socket, and makes it non-blocking.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { closeDescriptor(descriptor) }

    /// Writes as much as there is room for.
    func write(_ bytes: [UInt8], from position: Int) -> Writing {
        while true {
            let count = unsafe bytes[position...].withUnsafeBytes {
                unsafe systemWrite(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { return .wrote(count) }
            if errno == EAGAIN { return .full }
            if errno != EINTR { return .failed }
        }
    }

    /// Reads what is there; `nil` if nothing is.
    func read(into buffer: inout [UInt8]) -> ByteStream.Reading? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe systemRead(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EAGAIN { return nil }
            if errno != EINTR { return .failed(errno: errno) }
        }
    }

    /// Tells the other side that this is the end.
    func hangUp() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

// Inside the type, its own methods hide the system calls of the same names.

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
