import Foundation
import Synchronization

/// An HTTP/1.1 server on the loopback interface that does what a test says, well-behaved or not.
///
/// It notes every request and every connection, and takes its answers from a closure. It ends, with its threads and
/// connections, when the test releases it.
public final class LoopbackServer: Sendable {
    /// The port that it listens on.
    public let port: UInt16
    private let listener: LoopbackListener

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: Where to listen, such as where a server was that has stopped; 0: the system chooses.
    ///   - answer: What to do with a request. Called on the connection's own thread.
    ///   - greet: What to do with a connection, counted from 0, before anything is read from it.
    public init(
        port: UInt16 = 0,
        answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer = { _ in .status(200) },
        greet: @escaping @Sendable (_ connection: Int) -> LoopbackGreeting = { _ in .serve }
    ) throws {
        listener = try LoopbackListener(port: port, greet: greet, answer: answer)
        self.port = listener.port
        listener.start()
    }

    /// Starts a server that gives these answers in order, whatever is asked on whichever connection, and then the last
    /// of them for ever.
    public convenience init(script: [LoopbackAnswer]) throws {
        try self.init(answer: { request in script[min(request.number, script.count - 1)] })
    }

    deinit { stop() }

    /// `http://127.0.0.1:port`, without a slash at the end.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The requests so far, in the order in which they were read.
    public var requests: [LoopbackRequest] { listener.requests.all }

    /// How many connections were made so far.
    public var connections: Int { listener.connections.all.count }

    /// Waits until there were that many requests, and gives all there are then.
    @discardableResult
    public func requests(atLeast count: Int) async throws -> [LoopbackRequest] {
        try await listener.requests.values(atLeast: count)
    }

    /// Waits until there were that many connections.
    public func connections(atLeast count: Int) async throws {
        try await listener.connections.values(atLeast: count)
    }

    /// Waits until that many connections have ended, from whichever side.
    public func closings(atLeast count: Int) async throws {
        try await listener.closings.values(atLeast: count)
    }

    /// Ends listening and every connection.
    ///
    /// Later attempts to connect are refused: the port stays taken as long as this lives, but a server that asks for it
    /// gets it.
    public func stop() { listener.stop() }
}

/// One request that a ``LoopbackServer`` has read whole.
public struct LoopbackRequest: Sendable {
    /// Its place among the requests to the server, from 0.
    public let number: Int
    /// The connection that it came on, counted from 0.
    public let connection: Int
    /// The method, such as `POST`.
    public let method: String
    /// The target as it was sent, with its query.
    public let target: String
    /// The header fields in their order.
    public let headers: [(name: String, value: String)]
    /// The body as it was sent.
    public let body: [UInt8]

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The body, unpacked if it came as gzip; `nil` if it cannot be.
    public var decodedBody: [UInt8]? { header("Content-Encoding") == "gzip" ? Gzip.decompress(body) : body }

    /// The decoded body as text.
    public var text: String { decodedBody.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The value of the first header of that name, in any case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
