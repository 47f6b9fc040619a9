import Foundation
import Synchronization
import TestSupport
import TrackerModels

/// An error that the host answered with.
struct BridgeFailure: Error, Hashable, CustomStringConvertible {
    let number: Int
    let message: String
    let data: JSONValue

    init(_ error: JSONValue) {
        number = error["code"]?.intValue.map { Int($0) } ?? 0
        message = error["message"]?.stringValue ?? ""
        data = error["data"] ?? .null
    }

    /// `data.code`.
    var code: String { data["code"]?.stringValue ?? "" }

    var description: String { "\(number) \(code): \(message) \(data)" }
}

/// An answer that is on its way.
struct Answer: Sendable {
    fileprivate let arrival = Recorder<Result<JSONValue, BridgeFailure>>()

    /// The result, once it is there.
    ///
    /// - Throws: ``BridgeFailure`` for an error, or as one with the code GONE if the host ended without an answer.
    var value: JSONValue {
        get async throws { try await arrival.values(atLeast: 1)[0].get() }
    }

    /// The error, once it is there; `nil` for a result.
    var failure: BridgeFailure? {
        get async throws {
            guard case .failure(let failure) = try await arrival.values(atLeast: 1)[0] else { return nil }
            return failure
        }
    }

    /// Whether it has arrived.
    var isThere: Bool { !arrival.all.isEmpty }
}

/// A JSON-RPC client: numbers its calls, and matches the answers.
///
/// The host is killed when the test releases it.
final class BridgeClient: Sendable {
    /// How messages are told apart.
    enum Framing: CaseIterable, Sendable {
        case lines
        case headers
    }

    let host: HostProcess
    /// What the host sent of its own accord: notifications, and answers to what was sent by ``send(_:)``.
    var others: Recorder<JSONValue> { inbox.others }
    private let framing: Framing
    private let inbox = Inbox()

    init(_ host: HostProcess, framing: Framing = .lines) {
        self.host = host
        self.framing = framing
        // The thread must not hold the client: it ends with the host, and that ends with the client.
        Thread.detachNewThread { [inbox, output = host.output.reader] in inbox.fill(from: output, framing) }
    }

    /// Starts a host and connects to it. It has time to end, unless `arguments` say otherwise.
    convenience init(
        _ arguments: [String] = [], environment: [String: String] = [:], framing: Framing = .lines
    ) throws {
        self.init(try HostProcess(HostProcess.patience + arguments, environment: environment), framing: framing)
    }

    /// Calls a method and waits for its result.
    @discardableResult
    func call(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        try await start(method, params).value
    }

    /// Calls a method; later calls follow it whenever it is answered.
    @discardableResult
    func start(_ method: String, _ params: JSONValue? = nil) -> Answer {
        start(method, text: params.map(\.description))
    }

    /// Calls a method with params as text.
    func start(_ method: String, text params: String?) -> Answer {
        let (id, answer) = inbox.expectAnswer()
        let body = params.map { #","params":\#($0)"# } ?? ""
        send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(body)}"#)
        return answer
    }

    /// Sends a message as it is.
    func send(_ message: String) {
        let bytes = Array(message.utf8)
        switch framing {
        case .lines: host.input.writer.write(bytes + [0x0A])
        case .headers: host.input.writer.write(Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes)
        }
    }

    /// Closes the host's input and waits for its end.
    @discardableResult
    func finish() async throws -> Program.Ending {
        host.input.writer.close()
        return try await host.end()
    }
}

/// What a client has got, and what it waits for.
private final class Inbox: Sendable {
    private struct State {
        var next = 1
        var waiting: [Int: Answer] = [:]
        var hasEnded = false
    }

    let others = Recorder<JSONValue>()
    private let state = Mutex(State())

    /// Makes an id for a call, and the place for its answer.
    func expectAnswer() -> (Int, Answer) {
        let answer = Answer()
        let (id, hasEnded) = state.withLock { state in
            defer { state.next += 1 }
            state.waiting[state.next] = answer
            return (state.next, state.hasEnded)
        }
        if hasEnded { answer.arrival.record(.failure(Self.gone)) }
        return (id, answer)
    }

    /// Reads until the host ends.
    func fill(from output: ProgramPipe.End, _ framing: BridgeClient.Framing) {
        var buffer: [UInt8] = []
        while case let bytes = output.read(), !bytes.isEmpty {
            buffer += bytes
            var taken = 0
            while let message = Self.takeMessage(from: buffer, &taken, framing) { handle(message) }
            buffer.removeFirst(taken)
        }
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for answer in waiting { answer.arrival.record(.failure(Self.gone)) }
    }

    private static let gone = BridgeFailure([
        "code": 0, "message": "The host has ended", "data": ["code": "GONE"],
    ])

    private static func takeMessage(
        from buffer: [UInt8], _ taken: inout Int, _ framing: BridgeClient.Framing
    ) -> JSONValue? {
        let rest = buffer[taken...]
        let body: ArraySlice<UInt8>
        switch framing {
        case .lines:
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            body = rest[..<end]
            taken = end + 1
        case .headers:
            guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let header = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard header.hasPrefix("Content-Length: "), let count = Int(header.dropFirst(16)) else {
                taken = buffer.count
                return .null
            }
            guard rest.endIndex >= end.upperBound + count else { return nil }
            body = rest[end.upperBound..<end.upperBound + count]
            taken = end.upperBound + count
        }
        // What is no JSON stands out as null, which is no message.
        return (try? JSONText(validating: body, maxDepth: 1024)).map { JSONValue($0) } ?? .null
    }

    private func handle(_ message: JSONValue) {
        let id = message["id"]?.intValue.map { Int($0) }
        guard let id, let answer = state.withLock({ $0.waiting.removeValue(forKey: id) }) else {
            return others.record(message)
        }
        if let error = message["error"] {
            answer.arrival.record(.failure(BridgeFailure(error)))
        } else {
            answer.arrival.record(.success(message["result"] ?? .null))
        }
    }
}
