import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerJSON

@testable import JSONRPC

@Suite("The end of a connection", .timeLimit(.minutes(5)))
struct ConnectionEndTests {
    private static let call = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#

    @Test("comes when all is answered, the responder is done and the answers are read")
    func waitsForAnswers() async throws {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .seconds(60)

        try await onThread { [limits] in
            let (told, toldWriter) = Session.pipe()
            let responder = HeldResponder(completesShutdown: false) { if $0 == .shutdown { toldWriter.write("!") } }
            let session = Session(limits: limits)
            session.start(responder)
            session.input.write(framed(Self.call, .lines))
            session.input.close()
            _ = told.readSome()

            responder.answer("m")
            responder.completeShutdown()
            let output = session.finish()

            #expect(String(decoding: output, as: UTF8.self) == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
            #expect(responder.events == [.call("m"), .willShutDown, .shutdown])
        }
    }

    @Test("is seen without a pipe to wake the thread that reads: it looks up by itself")
    func looksUp() async throws {
        try await onThread {
            let (reader, writer) = Session.pipe()
            for hangUp in [false, true] {
                let readiness = ByteStream(descriptor: reader.descriptor)
                    .wait(forInput: !hangUp, orHangUp: hangUp, or: -1, until: nil)
                #expect(!readiness.isReadable && !readiness.isHungUp && !readiness.isWoken)
            }
            writer.close()
        }
    }

    @Test("comes in time though nothing is answered", arguments: [true, false])
    func endsUnanswered(completesShutdown: Bool) async throws {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .milliseconds(50)
        let responder = HeldResponder(completesShutdown: completesShutdown)

        let output = try await Session.transcript(of: framed(Self.call, .lines), limits: limits, to: responder)

        #expect(output.isEmpty)
        responder.answer("m")
    }

    @Test("comes in time though more was read than may be unanswered")
    func endsPaused() async throws {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .milliseconds(50)
        limits.maxUnansweredCalls = 1
        let responder = HeldResponder()

        let sent = Array(repeatElement(framed(Self.call, .lines), count: 3).joined())
        _ = try await Session.transcript(of: sent, limits: limits, to: responder)

        #expect(responder.calls == ["m"])
    }

    @Test("comes in time in the midst of a batch whose calls are answered at once")
    func endsInBatch() async throws {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .zero
        let calls = Recorder<String>()
        try await onThread { [limits] in
            let (closed, closing) = Session.pipe()
            let session = Session(limits: limits)
            session.start(
                ClosureResponder { request, reply in
                    if calls.all.isEmpty { _ = closed.readSome() }
                    calls.record(request.method)
                    reply.succeed(with: .null)
                })
            session.input.write("[\(repeatElement(Self.call, count: 10_000).joined(separator: ","))]\n")
            session.input.close()
            closing.write("!")
            _ = session.finish()
        }
        #expect(calls.all.count < 10_000)
    }

    @Test("comes in time though the client does not read")
    func endsUnread() async throws {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .milliseconds(50)
        let long = JSONText(String(repeating: "x", count: 1 << 20))

        try await onThread { [limits] in
            let ended = Session.pipe()
            let session = Session(limits: limits)
            Thread.detachNewThread {
                session.connection.run(ClosureResponder { _, reply in reply.succeed(with: long) })
                ended.writer.write("ended")
            }
            session.input.write(framed(Self.call, .lines))
            session.input.close()

            #expect(String(decoding: ended.reader.readSome(), as: UTF8.self) == "ended")
            session.output.close()
        }
    }

    @Test("does not come by a client that reads no more: calls are carried out, answers discarded")
    func survivesClosedOutput() async throws {
        try await onThread {
            let handled = Atomic(0)
            let session = Session()
            session.output.close()
            session.start(
                ClosureResponder { _, reply in
                    handled.add(1, ordering: .relaxed)
                    reply.succeed(with: .emptyObject)
                }
            )
            let (ended, endedWriter) = Session.pipe()
            Thread.detachNewThread {
                session.input.write(Array(repeatElement(framed(Self.call, .lines), count: 20_000).joined()))
                session.input.close()
                while !session.hasEnded { sched_yield() }
                endedWriter.write("!")
            }

            _ = ended.readSome()

            #expect(handled.load(ordering: .relaxed) == 20_000)
        }
    }

    @Test("comes when it is asked for: what was read is answered, and no more is read")
    func stops() async throws {
        try await onThread {
            let session = Session()
            let names = Mutex<[String]>([])
            session.input.write(
                ["a", "stop", "b"].flatMap { framed(#"{"jsonrpc":"2.0","id":"\#($0)","method":"\#($0)"}"#, .lines) }
            )
            session.start(
                ClosureResponder { [connection = session.connection] request, reply in
                    names.withLock { $0.append(request.method) }
                    if request.method == "stop" {
                        connection.stop()
                        connection.stop()
                    }
                    reply.succeed(with: .emptyObject)
                }
            )
            let output = session.finish()

            let answers = try unframed(output, .lines)
            #expect(answers.count == 3)
            #expect(names.withLock { $0 } == ["a", "stop", "b"])
        }
    }

    @Test("comes when it is asked for while nothing is sent")
    func stopsIdle() async throws {
        try await onThread {
            let session = Session()
            session.start(EchoResponder())
            session.input.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}"#, .lines))
            _ = session.line()

            session.connection.stop()

            let output = session.finish()
            #expect(output.isEmpty)
        }
    }

    @Test("comes at once without an input")
    func needsInput() async throws {
        let responder = HeldResponder()

        _ = try await onThread { Connection(input: -1, output: -1).run(responder) }

        #expect(responder.events == [.willShutDown, .shutdown])

    }

    @Test(
        "finds an answer for the last message without an end",
        arguments: ["{", #"{"jsonrpc":"2.0","id":1,"method":"x"}"#])
    func answersLastLine(_ text: String) async throws {
        let output = try await Session.transcript(of: Array(text.utf8), to: EchoResponder())

        #expect(try unframed(output, .lines).count == 1)
    }

    @Test("answers a message that the end cuts short", arguments: ["Content-Length: 3\r\n\r\n{", "Content-Length: 3"])
    func answersTruncated(_ text: String) async throws {
        let output = try await Session.transcript(of: Array(text.utf8), to: EchoResponder())

        let answers = try unframed(output, .headers).map { try JSONText(validating: $0) }
        #expect(answers.map { $0["error"]?["code"]?.text } == ["-32700"])
    }

    @Test("ignores what is answered after it")
    func ignoresLateAnswers() async throws {
        var limits = ConnectionLimits()
        limits.shutdownTimeout = .zero
        let responder = HeldResponder(completesShutdown: false)

        let output = try await Session.transcript(of: framed(Self.call, .lines), limits: limits, to: responder)
        responder.answer("m")
        responder.completeShutdown()

        #expect(output.isEmpty)
    }
}
