import Foundation
import TestSupport

@testable import JSONRPC

/// A server at a socket of its own, and clients for it.
final class ServedSocket: Sendable {
    let server: SocketServer
    /// Has an element once the server has ended.
    let ended = Recorder<Bool>()
    private let folder: TemporaryDirectory
    private let path: String

    /// Starts a server.
    ///
    /// - Parameter makeResponder: Makes what answers the calls of a connection.
    init(
        _ limits: SocketServer.Limits = .patient,
        makeResponder: @escaping @Sendable (SocketServer.Link) -> any Responder = { _ in EchoResponder() }
    ) throws {
        folder = try TemporaryDirectory()
        path = folder.path("s")
        let listener = Self.stream()
        try unsafe Self.with(path) { unsafe bind(listener, $0, $1) }
        guard listen(listener, 1_024) == 0 else { throw POSIXError(.EINVAL) }
        server = SocketServer(listener: listener, limits: limits, makeResponder: makeResponder)
        Thread.detachNewThread { [server, ended] in
            server.run()
            ended.record(true)
        }
    }

    deinit { server.stop(within: .zero) }

    /// One more client.
    func connect() throws -> ServedClient {
        let descriptor = Self.stream()
        try unsafe Self.with(path) { unsafe Foundation.connect(descriptor, $0, $1) }
        return ServedClient(descriptor)
    }

    private static func stream() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

    private static func with(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}

/// A client of a server, which speaks in lines.
final class ServedClient: Sendable {
    let stream: Endpoint

    init(_ descriptor: Int32) { stream = Endpoint(descriptor) }

    /// Reads the next answer; `nil` at the end.
    func line() -> String? { stream.line() }

    /// Makes a call and gives the answer to it.
    func call(_ id: Int, _ text: String = "x") -> String? {
        stream.write(Self.echo(id, text))
        return line()
    }

    /// Reads answers until there are so many.
    ///
    /// - Returns: How many there were; fewer at the end of the stream.
    func readLines(_ count: Int) -> Int {
        var found = stream.takeUnread().count { $0 == UInt8(ascii: "\n") }
        while found < count, case let more = stream.readSome(), !more.isEmpty {
            found += more.count { $0 == UInt8(ascii: "\n") }
        }
        return found
    }

    /// Writes no more.
    func endWriting() { shutdown(stream.descriptor, Int32(SHUT_WR)) }

    /// Whether there is something to read, be it the end.
    var isReadable: Bool {
        ByteStream(descriptor: stream.descriptor).wait(forInput: true, or: -1, until: .now).isReadable
    }

    /// A call whose answer is as long as itself.
    static func echo(_ id: Int, _ text: String = "x") -> [UInt8] {
        framed(#"{"jsonrpc":"2.0","id":\#(id),"method":"echo","params":["\#(text)"]}"#, .lines)
    }

    /// The answer to that call.
    static func answer(_ id: Int, _ text: String = "x") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":["\#(text)"]}"#
    }
}

extension SocketServer.Limits {
    /// The usual limits, but with time enough to end on the slowest machine.
    static let patient = {
        var limits = SocketServer.Limits()
        limits.connection = .patient
        return limits
    }()
}
