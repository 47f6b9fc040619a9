import Dispatch
import TestSupport
import Testing
import TrackerJSON

@testable import JSONRPC

@Suite("Batches", .timeLimit(.minutes(5)))
struct BatchTests {
    @Test("are answered as one array when the last call is, in the order of the calls")
    func answersWhenLastIs() async throws {
        try await onThread {
            let (ready, readyWriter) = Session.pipe()
            let responder = HeldResponder { if $0 == .call("d") { readyWriter.write("!") } }
            let session = Session()
            session.start(responder)
            session.input.write(
                framed(
                    """
                    [{"jsonrpc":"2.0","id":1,"method":"lateA"},{"jsonrpc":"2.0","id":2,"method":"b"},\
                    {"jsonrpc":"2.0","method":"notification"},{"jsonrpc":"2.0","id":3,"method":"c"}]
                    """, .lines
                )
            )
            session.input.write(framed(#"{"jsonrpc":"2.0","id":4,"method":"d"}"#, .lines))
            _ = ready.readSome()

            responder.answer("c")
            responder.answer("b")
            responder.answer("d")
            let first = session.line()
            responder.answer("lateA")
            responder.answer("notification")
            let second = session.line()

            #expect(first == #"{"jsonrpc":"2.0","id":4,"result":{}}"#)
            #expect(
                second == "[\((1...3).map { #"{"jsonrpc":"2.0","id":\#($0),"result":{}}"# }.joined(separator: ","))]")
            session.input.close()
            #expect(session.finish().isEmpty)
        }
    }

    @Test("get no answer if they hold notifications alone, however late these are done", arguments: Framing.allCases)
    func answersNoNotifications(in framing: Framing) async throws {
        let notification = #"{"jsonrpc":"2.0","method":"update"}"#

        let sent = framed("[\(notification),\(notification)]", framing)
        let output = try await Session.transcript(of: sent, to: EchoResponder())

        #expect(output.isEmpty)
    }

    @Test("may have members that are no calls, and calls that stay unanswered")
    func answersBadMembers() async throws {
        let sent = framed(
            #"[1,{"jsonrpc":"2.0","id":"x","method":"forget"},[],{"jsonrpc":"2.0","method":"\ud800"}]"#, .lines)

        let output = try await Session.transcript(of: sent, to: EchoResponder())

        let answers = try JSONText(validating: output).elements
        #expect(answers.map { $0["id"]?.text } == ["null", #""x""#, "null", "null"])
        #expect(answers.map { $0["error"]?["code"]?.text } == ["-32600", "-32603", "-32600", "-32700"])
    }

    @Test("of too many calls are refused as a whole")
    func boundsCalls() async throws {
        var limits = ConnectionLimits.patient
        limits.maxBatchCalls = 3

        let sent = framed("[1,2,3]", .lines) + framed("[1,2,3,4]", .lines)
        let output = try await Session.transcript(of: sent, limits: limits, to: EchoResponder())

        let answers = try unframed(output, .lines).map { try JSONText(validating: $0) }
        #expect(answers.map(\.kind) == [.array, .object])
        #expect(answers.last?["error"]?["code"]?.text == "-32600")
        #expect(answers.last?["id"]?.isNull == true)
    }

    @Test("whose answers are too long together get errors for those that do not fit")
    func boundsAnswers() async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnreadBytes = 1_600
        let filler = String(repeating: "x", count: 700)
        let responder = ClosureResponder { _, reply in reply.succeed(with: JSONText(filler)) }

        let calls = (1...3).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"m"}"# }.joined(separator: ",")
        let output = try await Session.transcript(
            of: framed("[\(calls)]", .lines), limits: limits, to: responder)

        let answers = try JSONText(validating: output).elements
        #expect(answers.map { $0["id"]?.intValue } == [1, 2, 3])
        #expect(answers.map { $0["error"]?["data"]?["code"]?.stringValue } == [nil, nil, "INTERNAL_ERROR"])
    }

    @Test("larger than what may be unanswered or unread are carried out to the end")
    func passesLimits() async throws {
        var limits = ConnectionLimits.patient
        limits.maxUnansweredCalls = 2
        limits.maxUnansweredBytes = 10
        limits.maxLateCalls = 2
        limits.maxUnreadBytes = 100
        let responder = ClosureResponder { _, reply in
            reply.mayBeLate()
            DispatchQueue.global().async { reply.succeed(with: .emptyObject) }
        }

        let call = #"{"jsonrpc":"2.0","id":1,"method":"late"}"#
        let sent =
            framed("[\(Array(repeating: call, count: 200).joined(separator: ","))]", .lines) + framed(call, .lines)
        let output = try await Session.transcript(of: sent, limits: limits, to: responder)

        let answers = try unframed(output, .lines).map { try JSONText(validating: $0) }
        #expect(answers.map(\.elements.count) == [200, 0])
    }
}
