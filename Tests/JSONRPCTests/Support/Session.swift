import Foundation
import Synchronization
import TestSupport

@testable import JSONRPC

/// One end of a pipe or socket, for tests: blocking, and closed only once.
final class Endpoint: Sendable {
    let descriptor: Int32
    private let isOpen = Mutex(true)
    /// What was read behind the last line.
    private let unread = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close() }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Foundation.close(descriptor) }
            isOpen = false
        }
    }

    /// Writes all of `bytes`.
    ///
    /// - Returns: Whether somebody could still read them.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        ByteStream(descriptor: descriptor).write(bytes, in: 0..<bytes.count)
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Reads what is there, or waits for it; empty at the end.
    func readSome(atMost count: Int = 1 << 16) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        guard case .bytes(let count) = ByteStream(descriptor: descriptor).read(into: &buffer) else { return [] }
        return Array(buffer[..<count])
    }

    /// Reads the next line; `nil` at the end.
    func line() -> String? {
        var bytes = takeUnread()
        while true {
            if let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                unread.withLock { $0 = Array(bytes[(newline + 1)...]) }
                return String(decoding: bytes[..<newline], as: UTF8.self)
            }
            let more = readSome()
            guard !more.isEmpty else { return nil }
            bytes += more
        }
    }

    /// What was read behind the last line; it is not read again.
    func takeUnread() -> [UInt8] {
        unread.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Reads to the end.
    func readAll() -> [UInt8] {
        var bytes = takeUnread()
        while case let more = readSome(), !more.isEmpty { bytes += more }
        return bytes
    }
}

/// A connection under test with a client's hands on the other ends of its streams.
final class Session: Sendable {
    let connection: Connection
    /// What the client writes to.
    let input: Endpoint
    /// What the client reads from.
    let output: Endpoint
    private let hostEnds: [Endpoint]
    private let ended = Atomic(false)

    /// Opens the streams.
    ///
    /// - Parameters:
    ///   - limits: The connection's.
    ///   - overSocket: Whether both streams are one socket instead of two pipes.
    ///   - packets: Whether each read by the client gives what the host wrote at once, up to 4 KiB.
    init(limits: ConnectionLimits = .patient, overSocket: Bool = false, packets: Bool = false) {
        if overSocket {
            var ends: [Int32] = [0, 0]
            precondition(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let client = Endpoint(ends[0])
            let host = Endpoint(ends[1])
            (input, output, hostEnds) = (client, client, [host, host])
        } else {
            let (toHost, fromHost) = (Session.pipe(), Session.pipe(packets: packets))
            (input, output, hostEnds) = (toHost.writer, fromHost.reader, [toHost.reader, fromHost.writer])
        }
        connection = Connection(input: hostEnds[0].descriptor, output: hostEnds[1].descriptor, limits: limits)
    }

    static func pipe(packets: Bool = false) -> (reader: Endpoint, writer: Endpoint) {
        var ends: [Int32] = [0, 0]
        precondition(unsafe Foundation.pipe(&ends) == 0)
        // O_DIRECT, which makes a pipe keep writes apart, is not visible without a feature macro of the C library.
        if packets { precondition(fcntl(ends[1], F_SETFL, 0o40000) == 0) }
        return (Endpoint(ends[0]), Endpoint(ends[1]))
    }

    /// Runs the connection on a thread; its output is closed when it has ended.
    func start(_ responder: some Responder) {
        Thread.detachNewThread {
            self.connection.run(responder)
            self.ended.store(true, ordering: .releasing)
            for stream in self.hostEnds { stream.close() }
        }
    }

    /// Reads the next answer of a connection that speaks in lines; `nil` at the end.
    func line() -> String? { output.line() }

    /// Whether the connection has ended.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Reads everything up to the connection's end.
    ///
    /// - Returns: What was not read before.
    func finish() -> [UInt8] { output.readAll() }

    /// Sends `bytes`, closes the input and gives everything that was answered.
    ///
    /// - Parameter pieces: How the bytes are cut into writes.
    static func transcript(
        of bytes: [UInt8], limits: ConnectionLimits = .patient, to responder: some Responder
    ) async throws -> [UInt8] {
        try await onThread {
            let session = Session(limits: limits)
            session.start(responder)
            Thread.detachNewThread {
                session.input.write(bytes)
                session.input.close()
            }
            return session.finish()
        }
    }
}

extension Endpoint {
    /// Writes until there is no room for more.
    ///
    /// - Returns: What was not written.
    func writeUntilFull(_ bytes: [UInt8]) -> [UInt8] {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else {
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard unsafe poll(&polled, 1, 200) > 0 else { break }
            }
        }
        return Array(rest)
    }
}

extension ConnectionLimits {
    /// The usual limits, but with time enough to end on the slowest machine.
    static let patient = {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .seconds(120)
        return limits
    }()
}
