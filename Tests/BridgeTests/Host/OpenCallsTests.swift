import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import Bridge
@testable import JSONRPC

@Suite("The open calls of a connection")
struct OpenCallsTests {
    private let pipe = Pipe()
    private let calls = OpenCalls()
    private let queue: OutputQueue

    init() {
        let output = ByteStream(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        queue = OutputQueue(channel: StreamChannel(output, wake: WakePipe()), limits: ConnectionLimits())
    }

    private func caller(_ id: String?, to destination: Reply.Destination = .connection) -> Caller {
        #expect(queue.admit(10, isInBatch: false, parks: false))
        return calls.caller(
            Reply(id: id.map { Array($0.utf8) }, byteCount: 10, destination: destination, queue: queue))
    }

    /// All that was written.
    private func written() throws -> String {
        try pipe.fileHandleForWriting.close()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The promises of callers who have them, and where each ends.
    private func promises(_ callers: [Caller]) -> (bytes: [UInt8], calls: [(number: Int, end: Int)]) {
        var bytes: [UInt8] = []
        let ends = callers.map { caller in
            caller.receiver?.promise(MessageID(accepted: "m\(caller.call & 0xF)"), of: caller.call, in: &bytes)
            return (number: caller.call, end: bytes.count)
        }
        return (bytes, ends)
    }

    private func answer(_ id: String, _ message: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"status":"queued","messageId":"\#(message)"}}"# + "\n"
    }

    @Test("what was promised goes out together, but for calls that were answered otherwise meanwhile")
    func keepsPromises() throws {
        let callers = (1...4).map { caller("\($0)") }
        let (bytes, ends) = promises(callers)

        callers[1].receive(.failure(Refusal(.queueFull)))
        callers[0].receiver?.keep(bytes[...], of: ends)
        // Each call is answered once.
        callers[2].receive(.failure(Refusal(.storage)))
        callers[0].receiver?.keep(bytes[...], of: ends)

        let lines = try written().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5 && lines[0].contains(#""id":2,"result":{"status":"dropped","reason":"QUEUE_FULL""#))
        #expect(lines[1...3].map { "\($0)\n" } == [answer("1", "m0"), answer("3", "m2"), answer("4", "m3")])
        #expect(queue.isFinishedOrParks() == false, "The responder has not ended")
        queue.finishResponder()
        #expect(queue.isFinishedOrParks())
    }

    @Test("an id is answered as it was spelled, however long", arguments: [1, 24, 25, 200])
    func ids(length: Int) throws {
        let id = "\"" + String(repeating: "7", count: max(length - 2, 0)) + "\""
        let caller = caller(length == 1 ? "7" : id)
        let (bytes, ends) = promises([caller])

        // What has no promise is answered by itself.
        #expect(bytes.isEmpty == (length > 24))
        if bytes.isEmpty {
            caller.receive(.success(.queued(MessageID(accepted: "m0"))))
        } else {
            caller.receiver?.keep(bytes[...], of: ends)
        }

        #expect(try written() == answer(length == 1 ? "7" : id, "m0"))
    }

    @Test("a notification has no promise, and is only counted as answered")
    func notification() throws {
        let caller = caller(nil)
        #expect(promises([caller]).bytes.isEmpty)

        caller.receive(.success(.queued(MessageID(accepted: "m0"))))
        queue.finishResponder()

        #expect(queue.isFinishedOrParks())
        #expect(try written() == "")
    }

    @Test("a call of a batch waits for the others of it")
    func batch() throws {
        let batch = Batch(count: 2, maxBytes: 1_000, queue: queue)
        let callers = [
            caller("1", to: .batch(batch, position: 0)), caller("2", to: .batch(batch, position: 1)),
        ]
        #expect(promises(callers).bytes.isEmpty)

        for caller in callers { caller.receive(.success(.queued(MessageID(accepted: "m0")))) }

        let both = [answer("1", "m0"), answer("2", "m0")].map { $0.dropLast() }
        #expect(try written() == "[\(both.joined(separator: ","))]\n")
    }

    @Test("promises have the connection's framing")
    func headers() throws {
        queue.framing = .headers
        let caller = caller("1")
        let (bytes, ends) = promises([caller])

        caller.receiver?.keep(bytes[...], of: ends)

        let text = answer("1", "m0").dropLast()
        #expect(try written() == "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    @Test("the end answers what is open, and later promises are not kept", arguments: [false, true])
    func end(isServers: Bool) throws {
        let callers = (1...2).map { caller("\($0)") }
        let (bytes, ends) = promises(callers)
        if isServers { calls.cutOff() }

        calls.close()
        callers[0].receiver?.keep(bytes[...], of: ends)
        let late = caller("3")
        late.receive(.success(.queued(MessageID(accepted: "m0"))))

        let lines = try written().split(separator: "\n")
        #expect(lines.map { $0.contains(#""code":1009"#) } == (isServers ? [] : [true, true, true]))
        #expect(calls.hasGivenUp == isServers)
    }
}
