import Foundation
import Synchronization

/// The listening socket of a ``LoopbackServer`` and its connections, each served by a thread of its own.
final class LoopbackListener: Sendable {
    let port: UInt16
    let requests = Recorder<LoopbackRequest>()
    let connections = Recorder<Int>()
    let closings = Recorder<Int>()

    private struct State {
        var open: Set<Int32> = []
        var accepted = 0
        var read = 0
        var isStopped = false
    }

    private let socket: Int32
    private let state = Mutex(State())
    private let greet: @Sendable (Int) -> LoopbackGreeting
    private let answer: @Sendable (LoopbackRequest) -> LoopbackAnswer

    init(
        port: UInt16,
        greet: @escaping @Sendable (Int) -> LoopbackGreeting,
        answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) throws {
        (socket, self.port) = try LoopbackSocket.listen(port: port)
        self.greet = greet
        self.answer = answer
    }

    deinit { close(socket) }

    func start() {
        Thread.detachNewThread { self.acceptAll() }
    }

    func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        state.withLock { state in
            state.isStopped = true
            // Their threads see the end, and close them: not before this is done, since the number of one that is
            // closed may be any other connection's.
            for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptAll() {
        while let connection = LoopbackSocket.accept(socket) {
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.open.insert(connection)
                state.accepted += 1
                return state.accepted - 1
            }
            guard let number else {
                close(connection)
                return
            }
            connections.record(number)
            Thread.detachNewThread { self.serve(LoopbackSocket(connection), number) }
        }
    }

    private func serve(_ socket: LoopbackSocket, _ number: Int) {
        var end = LoopbackEnd.keepAlive
        if case .send(let bytes, let then) = greet(number) {
            end = socket.send(bytes) ? then : .close
        }
        var reader = LoopbackReader(socket)
        while case .keepAlive = end {
            guard let message = reader.next() else { break }
            let request = state.withLock { state -> LoopbackRequest in
                defer { state.read += 1 }
                return message.request(number: state.read, connection: number)
            }
            // Before the test hears of the request: a change of the answers that follows is meant for the next one.
            let answer = answer(request)
            requests.record(request)
            end = perform(answer, on: socket)
        }
        finish(socket, end)
        closings.record(number)
    }

    private func perform(_ answer: LoopbackAnswer, on socket: LoopbackSocket) -> LoopbackEnd {
        switch answer {
        case .raw(let bytes, let then):
            return socket.send(bytes) ? then : .close
        case .endless(let head, let part, let pause):
            guard socket.send(head) else { return .close }
            while socket.send(part) {
                if pause > .zero, socket.waitUntilGone(atMost: pause) { break }
            }
            return .close
        case .gated(let gate, let rest):
            gate.wait(orUntilGone: socket.descriptor)
            return perform(rest, on: socket)
        }
    }

    private func finish(_ socket: LoopbackSocket, _ end: LoopbackEnd) {
        switch end {
        case .stall: _ = socket.waitUntilGone(atMost: nil)
        case .reset: socket.makeCloseReset()
        case .keepAlive, .close: break
        }
        state.withLock { state in
            state.open.remove(socket.descriptor)
            close(socket.descriptor)
        }
    }
}
