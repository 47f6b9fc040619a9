import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import Bridge
@testable import JSONRPC

@Suite("The end of a host's session")
struct HostSessionEndTests {
    private let pipe = Pipe()

    /// What the reply is answered with once everything that had it is released.
    private func answer(_ act: (Reply) -> Void) throws -> JSONText {
        let output = ByteStream(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let queue = OutputQueue(channel: StreamChannel(output, wake: WakePipe()), limits: ConnectionLimits())
        #expect(queue.admit(0, isInBatch: false, parks: false))

        act(Reply(id: Array("1".utf8), byteCount: 0, destination: .connection, queue: queue))

        return try JSONText(validating: Array(pipe.fileHandleForReading.availableData.dropLast()))
    }

    private func session() -> HostSession {
        HostSession(
            settings: HostSettings(appName: "end", storageDirectory: nil, maxMessageBytes: 1),
            log: HostLog(descriptor: -1, least: nil), notify: { _ in }, stop: {})
    }

    @Test("a call that a client has passed on just before it is answered too", arguments: [true, false])
    func lateCall(isLate: Bool) throws {
        let answer = try answer { reply in
            let calls = OpenCalls()
            calls.close(with: .notTaken)

            calls.remove(calls.add(reply, isLate: isLate))
        }

        #expect(answer["error"]?["code"]?.intValue == 1009)
    }

    @Test("calls that the end has answered keep no session waiting, those that come later among them")
    func answeredCalls() {
        let events = Recorder<String>()
        let calls = OpenCalls()
        _ = calls.add(Reply { _ in events.record("answered") }, isLate: true)
        calls.whenNoneIsLate { events.record("none is late") }

        calls.close(with: .notTaken)
        _ = calls.add(Reply { _ in events.record("answered") }, isLate: true)
        calls.whenNoneIsLate { events.record("none is late") }

        #expect(events.all == ["answered", "none is late", "answered", "none is late"])
    }

    @Test("a call that would wait for a query is answered too")
    func waitingCall() throws {
        let answer = try answer { reply in
            let session = session()
            session.order.beginQuestion(changedBy: .state)
            session.order.close(with: .notTaken)

            session.respond(to: Request(method: "reset"), reply: reply)
        }

        #expect(answer["error"]?["code"]?.intValue == 1009)
    }

    @Test("calls that wait for a query are carried out before the clients close")
    func callsBehindQuery() async throws {
        let session = session()
        let events = Recorder<String>()
        session.order.beginQuestion(changedBy: .state)
        session.respond(to: Request(method: "reset"), reply: Reply { _ in events.record("reset") })

        session.shutdown(by: ContinuousClock.now + .seconds(60)) { events.record("closed") }
        session.order.endQuestion(changedBy: .state, on: session)

        #expect(try await events.values(atLeast: 2) == ["reset", "closed"])
    }
}
