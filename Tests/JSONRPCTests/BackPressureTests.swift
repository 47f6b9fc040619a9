import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerJSON

@testable import JSONRPC

@Suite("Back-pressure", .timeLimit(.minutes(5)), .serialized)
struct BackPressureTests {
    /// More than pipes and buffers hold.
    private static let aLot = 20_000
    private static let call = framed(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["0123456789"]}"#, .lines)

    @Test("pauses reading while the client does not read, and goes on when it does")
    func pausesOnUnread() async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnreadBytes = 64 << 10
        let handled = Atomic(0)
        let responder = ClosureResponder { _, reply in
            handled.add(1, ordering: .relaxed)
            reply.succeed(with: .emptyObject)
        }

        try await onThread { [limits] in
            let session = Session(limits: limits)
            session.start(responder)
            let rest = session.input.writeUntilFull(Array(repeatElement(Self.call, count: Self.aLot).joined()))

            // The answers that may wait, one read's in the buffer of the output's pipe, and one more.
            let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#.utf8.count + 1
            #expect(!rest.isEmpty)
            #expect(handled.load(ordering: .relaxed) <= ((64 << 10) + (64 << 10)) / answer + 2)

            Thread.detachNewThread {
                session.input.write(rest)
                session.input.close()
            }
            let output = session.finish()
            #expect(output.count { $0 == UInt8(ascii: "\n") } == Self.aLot)
        }
    }

    @Test("pauses reading while too many calls are unanswered, and goes on when they are answered")
    func pausesOnUnanswered() async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnansweredCalls = 100
        let held = HeldReplies()
        let (taken, takenWriter) = Session.pipe()
        let responder = ClosureResponder { _, reply in
            held.append(reply)
            #expect(held.count <= 100)
            takenWriter.write("!")
        }

        try await onThread { [limits] in
            let session = Session(limits: limits)
            session.start(responder)
            Thread.detachNewThread {
                session.input.write(Array(repeatElement(Self.call, count: 1_000).joined()))
                session.input.close()
            }
            var count = 0
            while count < 100 { count += taken.readSome(atMost: 100).count }
            #expect(held.count == 100)
            held.answerAll()
            while count < 1_000 {
                count += taken.readSome(atMost: 100).count
                held.answerAll()
            }
            let output = session.finish()
            #expect(output.count { $0 == UInt8(ascii: "\n") } == 1_000)
        }
    }

    @Test("pauses reading while unanswered calls are too long")
    func pausesOnBytes() async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnansweredBytes = 4 * Self.call.count
        let held = HeldReplies()
        let (taken, takenWriter) = Session.pipe()
        let responder = ClosureResponder { _, reply in
            held.append(reply)
            #expect(held.count <= 5)
            takenWriter.write("!")
        }

        try await onThread { [limits] in
            let session = Session(limits: limits)
            session.start(responder)
            session.input.write(Array(repeatElement(Self.call, count: 10).joined()))
            session.input.close()
            var count = 0
            while count < 5 { count += taken.readSome(atMost: 5).count }
            #expect(held.count == 5)
            held.answerAll()
            while count < 10 {
                count += taken.readSome(atMost: 5).count
                held.answerAll()
            }
            let answers = try unframed(session.finish(), .lines)
            #expect(answers.count == 10)
        }
    }

    @Test("does not pause for calls that may be answered late")
    func passesLateCalls() async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnansweredCalls = 1
        let responder = HeldResponder()

        try await onThread { [limits] in
            let session = Session(limits: limits)
            session.start(
                ClosureResponder { request, reply in
                    if request.method == "echo" { return reply.succeed(with: .null) }
                    responder.respond(to: request, reply: reply)
                }
            )
            session.input.write(framed(#"{"jsonrpc":"2.0","id":"init","method":"late1"}"#, .lines))
            session.input.write(framed(#"{"jsonrpc":"2.0","id":"flush","method":"late2"}"#, .lines))
            session.input.write(Self.call)

            #expect(session.line() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)

            responder.answer("late2")
            #expect(session.line() == #"{"jsonrpc":"2.0","id":"flush","result":{}}"#)
            responder.answer("late1")
            session.input.close()
            #expect(session.finish() == framed(#"{"jsonrpc":"2.0","id":"init","result":{}}"#, .lines))
        }
    }

    @Test("sees the end of its input while it is paused", arguments: [false, true])
    func seesEndWhilePaused(overSocket: Bool) async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnansweredCalls = 1
        limits.shutdownTimeout = .seconds(60)

        try await onThread { [limits] in
            let (told, toldWriter) = Session.pipe()
            let responder = HeldResponder { if $0 != .shutdown { toldWriter.write("!") } }
            let session = Session(limits: limits, overSocket: overSocket)
            session.start(responder)
            for name in ["a", "b"] {
                session.input.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"\#(name)"}"#, .lines))
            }
            _ = told.readSome(atMost: 1)
            if overSocket { shutdown(session.input.descriptor, Int32(SHUT_WR)) } else { session.input.close() }
            _ = told.readSome(atMost: 1)

            #expect(responder.calls == ["a"])
            responder.answer("a")
            _ = told.readSome(atMost: 1)
            responder.answer("b")
            let output = session.finish()
            #expect(output.count { $0 == UInt8(ascii: "\n") } == 2)
            #expect(responder.events == [.call("a"), .willShutDown, .call("b"), .shutdown])
        }
    }

    @Test("leaves out notifications that are not read, and says how many")
    func leavesOutNotifications() async throws {
        var limits = ConnectionLimits.patient
        limits.maxBytesBeforeNotifications = 100_000

        try await onThread { [limits] in
            let session = Session(limits: limits)
            let notification = Notification("log", try JSONText(validating: #"{"message":"something happened"}"#))
            for _ in 0..<10_000 { session.connection.notify(notification) }
            session.start(EchoResponder())
            session.input.close()

            let messages = try unframed(session.finish(), .lines).map { try JSONText(validating: $0) }
            let lost = messages.compactMap {
                $0["method"]?.stringValue == "$/lost" ? $0["params"]?["count"]?.intValue : nil
            }
            #expect(!lost.isEmpty)
            #expect(messages.count - lost.count + Int(lost.reduce(0, +)) == 10_000)
        }
    }
}
