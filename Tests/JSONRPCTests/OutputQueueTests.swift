import Foundation
import TestSupport
import Testing

@testable import JSONRPC

@Suite("OutputQueue", .timeLimit(.minutes(5)))
struct OutputQueueTests {
    private static let answer = "\"small\"\n"

    @Test("writes a small answer to a pipe with room before the thread that gives it goes on")
    func writesAtOnce() async throws {
        try await onThread {
            let (reader, writer) = Session.pipe()
            let queue = Self.queue(to: writer)

            // Another thread would be too late for one of so many.
            for _ in 0..<500 {
                Self.give(Self.answer, to: queue)

                let readiness = ByteStream(descriptor: reader.descriptor).wait(forInput: true, or: -1, until: .now)
                try #require(readiness.isReadable)
                #expect(String(decoding: reader.readSome(), as: UTF8.self) == Self.answer)
            }
        }
    }

    @Test("leaves an answer to another thread if the pipe has no room, and loses none")
    func leavesToAnother() async throws {
        try await onThread {
            let (reader, writer) = Session.pipe()
            let queue = Self.queue(to: writer)
            let space = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
            let count = space.count - writer.writeUntilFull(space).count

            for _ in 0..<3 { Self.give(Self.answer, to: queue) }

            var read: [UInt8] = []
            let expected = space.prefix(count) + String(repeating: Self.answer, count: 3).utf8
            while read.count < expected.count, case let more = reader.readSome(), !more.isEmpty { read += more }
            #expect(read == Array(expected))
        }
    }

    private static func queue(to writer: Endpoint) -> OutputQueue {
        let channel = StreamChannel(ByteStream(descriptor: writer.descriptor), wake: WakePipe())
        return OutputQueue(channel: channel, limits: .patient)
    }

    /// Answers a call, as any thread may.
    private static func give(_ answer: String, to queue: OutputQueue) {
        _ = queue.admit(1, isInBatch: false, parks: false)
        queue.answer(1, isLate: false) { $0 += answer.utf8.dropLast() }
    }
}
