import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerJSON

@testable import JSONRPC

@Suite("Connection", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("answers under the id as it was spelled", arguments: Framing.allCases)
    func echoesIDs(in framing: Framing) async throws {
        let ids = [
            "1", "1.0", "1e3", "-0", "123456789012345678901234567890", "null", #""\u0061\ud83d\ude00""#, #""é""#,
        ]

        let sent = ids.flatMap { framed(#"{"jsonrpc":"2.0","id":\#($0),"method":"echo","params":[]}"#, framing) }
        let output = try await Session.transcript(of: sent, to: EchoResponder())

        let answers = try unframed(output, framing).map { String(decoding: $0, as: UTF8.self) }
        #expect(answers == ids.map { #"{"jsonrpc":"2.0","id":\#($0),"result":[]}"# })
    }

    @Test("keeps an answer on one line, and otherwise as it is", arguments: Framing.allCases)
    func keepsLines(in framing: Framing) async throws {
        let responder = ClosureResponder { _, reply in
            reply.succeed(with: JSONText(accepted: Array("{\r\n\t\"a\":\n\"\\n\"}".utf8)))
        }

        let sent = framed(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, framing)
        let output = try await Session.transcript(of: sent, to: responder)

        let result = framing == .lines ? "{  \t\"a\": \"\\n\"}" : "{\r\n\t\"a\":\n\"\\n\"}"
        let answers = try unframed(output, framing).map { String(decoding: $0, as: UTF8.self) }
        #expect(answers == [#"{"jsonrpc":"2.0","id":1,"result":\#(result)}"#])
    }

    @Test("is not harmed by bad messages between good ones", arguments: Framing.allCases)
    func survivesBadMessages(in framing: Framing) async throws {
        let bad = ["{", "\u{0}", "[", "}", #"{"a":"\ud800"}"#, "nonsense", "\u{FEFF}{}", "[[[[", "{\"\u{1}\":1}"]
        let good = #"{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}"#

        let sent = bad.flatMap { framed($0, framing) + framed(good, framing) }
        let output = try await Session.transcript(of: sent, to: EchoResponder())

        let answers = try unframed(output, framing).map { String(decoding: $0, as: UTF8.self) }
        #expect(answers.count == 2 * bad.count)
        #expect(answers.count { $0 == #"{"jsonrpc":"2.0","id":1,"result":[]}"# } == bad.count)
        #expect(answers.count { $0.contains(#""id":null,"error":{"code":-32700,"#) } == bad.count)
    }

    @Test("answers bytes that are not UTF-8 with a parse error", arguments: Framing.allCases)
    func answersInvalidUTF8(in framing: Framing) async throws {
        var bytes = framed(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["?"]}"#, framing)
        bytes.replace([UInt8(ascii: "?")], with: [0xFF])

        let output = try await Session.transcript(of: bytes, to: EchoResponder())

        #expect(String(decoding: output, as: UTF8.self).contains(#""id":1,"error":{"code":-32700,"#))
    }

    @Test("refuses five million open brackets, and goes on", arguments: Framing.allCases)
    func survivesBrackets(in framing: Framing) async throws {
        let sent =
            framed(String(repeating: "[", count: 5_000_000), framing)
            + framed(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}"#, framing)

        let output = try await Session.transcript(of: sent, to: EchoResponder())

        let answers = try unframed(output, framing).map { String(decoding: $0, as: UTF8.self) }
        #expect(answers.count == 2)
        #expect(answers.first?.contains(#""id":null,"error":{"code":-32700,"#) == true)
        #expect(answers.last == #"{"jsonrpc":"2.0","id":1,"result":[]}"#)
    }

    @Test("tells the responder of params that cannot be passed on")
    func handsOnLoneSurrogates() async throws {
        let responder = ClosureResponder { request, reply in
            reply.succeed(with: request.params.form == .notSerializable(.loneSurrogate) ? JSONText("noted") : .null)
        }

        let sent = framed(#"{"jsonrpc":"2.0","id":7,"method":"m","params":["\ud800"]}"#, .lines)
        let output = try await Session.transcript(of: sent, to: responder)

        #expect(String(decoding: output, as: UTF8.self) == "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"noted\"}\n")
    }

    @Test("ignores notifications that are the protocol's own, and knows no such calls")
    func ignoresProtocolNotifications() async throws {
        let responder = HeldResponder()
        let sent = [
            #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#, #"{"jsonrpc":"2.0","method":"$/x"}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"$/x"}"#,
        ].flatMap { framed($0, .lines) }

        let output = try await Session.transcript(of: sent, to: responder)

        let answers = try unframed(output, .lines).map { String(decoding: $0, as: UTF8.self) }
        #expect(answers.count == 1)
        #expect(answers.first?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"#) == true)
        #expect(responder.calls.isEmpty)
    }

    @Test("hands on calls in the order in which they came, and answers no notification")
    func keepsOrder() async throws {
        let names = (0..<100).map { "m\($0)" }
        let calls = Mutex<[String]>([])

        let sent = names.flatMap { framed(#"{"jsonrpc":"2.0","method":"\#($0)"}"#, .lines) }
        let output = try await Session.transcript(
            of: sent,
            to: ClosureResponder { request, reply in
                calls.withLock { $0.append(request.method) }
                reply.succeed(with: .null)
            }
        )

        #expect(calls.withLock { $0 } == names)
        #expect(output.isEmpty)
    }

    @Test("gives answers in the order in which they are ready")
    func answersOutOfOrder() async throws {
        try await onThread {
            let (ready, readyWriter) = Session.pipe()
            let responder = HeldResponder { if $0 == .call("c") { readyWriter.write("!") } }
            let session = Session()
            session.start(responder)
            for name in ["a", "b", "c"] {
                session.input.write(framed(#"{"jsonrpc":"2.0","id":"\#(name)","method":"\#(name)"}"#, .lines))
            }
            _ = ready.readSome()

            for name in ["b", "c", "a"] { responder.answer(name) }

            let ids = (0..<3).map { _ in session.line().flatMap { try? JSONText(validating: $0)["id"]?.stringValue } }
            #expect(ids == ["b", "c", "a"])
            session.input.close()
            #expect(session.finish().isEmpty)
        }
    }

    @Test("counts the first answer alone")
    func countsFirstAnswer() async throws {
        let responder = ClosureResponder { _, reply in
            reply.succeed(with: JSONText("first"))
            reply.fail(with: .internalError("second"))
            reply.mayBeLate()
        }

        let sent = framed(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, .lines)
        let output = try await Session.transcript(of: sent, to: responder)

        #expect(String(decoding: output, as: UTF8.self) == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"first\"}\n")
    }

    @Test("writes the answers to what was read at once in one piece")
    func writesTogether() async throws {
        try await onThread {
            let session = Session(packets: true)
            let sent = (1...10).flatMap {
                framed(#"{"jsonrpc":"2.0","id":\#($0),"method":"echo","params":[]}"#, .lines)
            }
            session.input.write(sent)
            session.start(EchoResponder())

            let first = session.output.readSome()

            let answers = try unframed(first, .lines)
            #expect(answers.count == 10)
            session.input.close()
            #expect(session.finish().isEmpty)
        }
    }

    @Test("writes answers that are given together in one piece")
    func writesGivenTogether() async throws {
        try await onThread {
            let (ready, readyWriter) = Session.pipe()
            let responder = HeldResponder { if $0 == .call("m10") { readyWriter.write("!") } }
            let session = Session(packets: true)
            session.start(responder)
            for id in 1...10 {
                session.input.write(framed(#"{"jsonrpc":"2.0","id":\#(id),"method":"m\#(id)"}"#, .lines))
            }
            _ = ready.readSome()

            session.connection.together { for id in 1...10 { responder.answer("m\(id)") } }

            let answers = try unframed(session.output.readSome(), .lines)
            #expect(answers.count == 10)
            session.input.close()
            #expect(session.finish().isEmpty)
        }
    }

    @Test("works over one socket for both directions")
    func worksOverSocket() async throws {
        try await onThread {
            let session = Session(overSocket: true)
            session.start(EchoResponder())

            session.input.write(framed(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}"#, .headers))
            shutdown(session.input.descriptor, Int32(SHUT_WR))

            let output = session.finish()
            let answers = try unframed(output, .headers)
            #expect(answers.count == 1)
        }
    }

    @Test("answers 100,000 calls that were all written before one answer is read")
    func answersAllAtOnce() async throws {
        let count = 100_000
        try await onThread {
            let session = Session()
            session.start(EchoResponder())
            let call = framed(#"{"jsonrpc":"2.0","id":"00001","method":"echo","params":["PURCHASE"]}"#, .lines)

            for _ in 0..<count / 100 { session.input.write(Array(repeatElement(call, count: 100).joined())) }
            session.input.close()

            let output = session.finish()
            #expect(output.count { $0 == UInt8(ascii: "\n") } == count)
        }
    }
}
