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

    private func session(
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { Alarm(after: $0, $1) }
    ) -> HostSession {
        HostSession(
            settings: HostSettings(appName: "end", storageDirectory: nil, maxMessageBytes: 1),
            log: HostLog(descriptor: -1, least: nil), notify: { _ in }, after: after, stop: {})
    }

    @Test("a call that a client has passed on just before it is answered too", arguments: [true, false])
    func lateCall(isLate: Bool) throws {
        let answer = try answer { reply in
            let calls = OpenCalls()
            calls.close()

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

        calls.close()
        _ = calls.add(Reply { _ in events.record("answered") }, isLate: true)
        calls.whenNoneIsLate { events.record("none is late") }

        #expect(events.all == ["answered", "none is late", "answered", "none is late"])
    }

    @Test("a call that would wait for a query is answered too")
    func waitingCall() throws {
        let answer = try answer { reply in
            let session = session()
            session.order.beginQuestion(changedBy: .state)
            session.order.close { $0.fail(with: .notTaken) }

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

    @Test("calls that wait for a query still when the clients close are not taken")
    func closedClients() async throws {
        let session = session()
        let events = Recorder<String>()
        session.order.beginQuestion(changedBy: .state)
        session.respond(
            to: Request(method: "setConsent"),
            reply: Reply { if case .failure(let error) = $0 { events.record(error.code) } })

        session.shutdown(by: .now) { events.record("closed") }

        #expect(try await events.values(atLeast: 2) == ["STORAGE_ERROR", "closed"])
        session.order.endQuestion(changedBy: .state, on: session)
        #expect(events.all.count == 2)
    }

    @Test(
        "an agent that is stopped leaves what it cuts short to the next one, and the client's own end after it",
        arguments: [
            (TrackerError(.sessionCreationFailed, "", cause: .shutdown), true),
            (TrackerError(.initializationFailed, "", cause: .shutdown), true),
            (TrackerError(.notInitialized, ""), true),
            (TrackerError(.sessionCreationFailed, "", cause: .status(503)), false),
        ])
    func leaves(error: TrackerError, isCut: Bool) async throws {
        let session = session { _, _ in }
        let events = Recorder<String>()
        // What code of this process gets of a call that is left is STORAGE_ERROR.
        func reply(_ name: String) -> Reply {
            Reply { result in
                if case .failure(let error) = result {
                    events.record("\(name): \(error.code)")
                } else {
                    events.record("\(name): done")
                }
            }
        }
        session.willShutDown(by: .now + .seconds(600), isServers: true)

        session.answeringInitialization(reply("init")).completion(.failure(error))
        session.end(answering: reply("end"))
        session.shutdown(by: .now + .seconds(600)) {}

        let expected = isCut ? ["STORAGE_ERROR", "STORAGE_ERROR"] : [error.code.rawValue, "done"]
        #expect(try await events.values(atLeast: 2) == ["init: \(expected[0])", "end: \(expected[1])"])
    }
}
