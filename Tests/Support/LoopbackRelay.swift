import Foundation
import Synchronization

/// Passes connections on to a server, byte by byte, as a network does: with TLS, HTTP/2 and all that they hold.
///
/// A test can have the network go away under open connections, or stand for an HTTP proxy. It ends when the test lets go
/// of it.
public final class LoopbackRelay: Sendable {
    /// Where connections go.
    public enum Target: Sendable {
        /// To this port.
        case port(UInt16)
        /// Where each request says, as a proxy for http and with CONNECT; with `name:password`, if that is asked for.
        case proxy(credentials: String? = nil)
    }

    /// What becomes of bytes.
    private enum Passage {
        case open
        /// They vanish without a sign.
        case lost
        /// The next one ends the connection with a reset.
        case torn
    }

    private struct State {
        var connections: [Int32: Passage] = [:]
        var passage = Passage.open
    }

    /// The port that it listens on.
    public let port: UInt16
    /// How many connections it has taken.
    public let accepted = Recorder<Int>()
    private let core: Core

    /// Starts a relay.
    public init(to target: Target) throws {
        let (listener, port) = try LoopbackSocket.listen()
        self.port = port
        core = Core(listener: listener, target: target)
        Thread.detachNewThread { [core, accepted] in core.acceptAll(accepted) }
    }

    deinit { core.stop() }

    /// Its address as a plain web server's.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// Loses what is sent from now on, on open connections and new ones; they stay open, as seen from both sides.
    public func lose() { core.change(to: .lost) }

    /// Passes on what new connections send; what is lost stays lost.
    public func restore() { core.restore() }

    /// Resets every open connection at its next byte, and takes no new one.
    public func tearDown() { core.change(to: .torn) }

    private final class Core: Sendable {
        private let listener: Int32
        private let target: Target
        private let state = Mutex(State())

        init(listener: Int32, target: Target) {
            self.listener = listener
            self.target = target
        }

        deinit { close(listener) }

        func change(to passage: Passage) {
            state.withLock { state in
                state.passage = passage
                for connection in state.connections.keys { state.connections[connection] = passage }
            }
            if passage == .torn { shutdown(listener, Int32(SHUT_RDWR)) }
        }

        func restore() { state.withLock { $0.passage = .open } }

        func stop() {
            shutdown(listener, Int32(SHUT_RDWR))
            state.withLock { state in
                for connection in state.connections.keys { shutdown(connection, Int32(SHUT_RDWR)) }
            }
        }

        func acceptAll(_ accepted: Recorder<Int>) {
            while let connection = LoopbackSocket.accept(listener) {
                let number = state.withLock { state in
                    state.connections[connection] = state.passage
                    return state.connections.count
                }
                accepted.record(number)
                Thread.detachNewThread { self.relay(LoopbackSocket(connection)) }
            }
        }

        private func relay(_ client: LoopbackSocket) {
            defer {
                state.withLock { state in
                    state.connections[client.descriptor] = nil
                    close(client.descriptor)
                }
            }
            guard let server = connect(client) else { return }
            defer { close(server.descriptor) }
            let isAnswered = DispatchGroup()
            isAnswered.enter()
            Thread.detachNewThread {
                while let bytes = server.receive() {
                    if self.passage(of: client) == .open { _ = client.send(bytes) }
                }
                if self.passage(of: client) == .open { shutdown(client.descriptor, Int32(SHUT_WR)) }
                isAnswered.leave()
            }
            while let bytes = client.receive(), passage(of: client) != .torn {
                if passage(of: client) == .open, !server.send(bytes) { break }
            }
            if passage(of: client) == .torn { client.makeCloseReset() }
            shutdown(server.descriptor, Int32(SHUT_RDWR))
            isAnswered.wait()
        }

        private func passage(of client: LoopbackSocket) -> Passage {
            state.withLock { $0.connections[client.descriptor] ?? .lost }
        }

        private func connect(_ client: LoopbackSocket) -> LoopbackSocket? {
            switch target {
            case .port(let port): return LoopbackSocket.connect(port: port)
            case .proxy(let credentials):
                guard let head = Self.head(from: client) else { return nil }
                let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
                let words = lines[0].components(separatedBy: " ")
                if let credentials {
                    let expected = "Proxy-Authorization: Basic " + Data(credentials.utf8).base64EncodedString()
                    guard lines.contains(expected) else {
                        _ = client.send(Array("HTTP/1.1 407 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
                        return nil
                    }
                }
                let isTunnel = words[0] == "CONNECT"
                let url = isTunnel ? "http://" + words[1] : words[1]
                guard let port = URLComponents(string: url)?.port.flatMap(UInt16.init(exactly:)),
                    let server = LoopbackSocket.connect(port: port)
                else { return nil }
                _ = isTunnel ? client.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) : server.send(head)
                return server
            }
        }

        /// The bytes up to the end of a request's head, and what came with them.
        private static func head(from client: LoopbackSocket) -> [UInt8]? {
            var head: [UInt8] = []
            while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
                guard let bytes = client.receive() else { return nil }
                head += bytes
            }
            return head
        }
    }
}
