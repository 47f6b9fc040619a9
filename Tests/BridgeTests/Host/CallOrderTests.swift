import TestSupport
import Testing

@testable import Bridge
@testable import JSONRPC

@Suite("CallOrder")
struct CallOrderTests {
    private let session: HostSession
    /// The methods whose calls were carried out, and where the connection was to stop.
    private let answered: Recorder<String>

    init() {
        let answered = Recorder<String>()
        self.answered = answered
        session = HostSession(
            settings: HostSettings(appName: "order", storageDirectory: nil, maxMessageBytes: 1),
            log: HostLog(descriptor: -1, least: nil), notify: { _ in }, stop: { answered.record("stop") })
    }

    /// Makes a call without params, which is answered as soon as it is carried out.
    private func call(_ method: String) {
        session.respond(to: Request(method: method), reply: Reply { [answered] _ in answered.record(method) })
    }

    @Test(
        "has a call wait for the queries whose answers it changes, and for no other",
        arguments: [
            ("setConsent", .state, true), ("continueSession", .state, true), ("basic.identify", .user, true),
            ("analytics.identify", .user, true), ("analytics.group", .user, true), ("analytics.alias", .user, true),
            ("setConsent", .user, true), ("track", .counts, true), ("track", .user, false), ("track", .state, false),
            ("analytics.track", .user, false), ("basic.track", .user, false), ("analytics.identify", .state, false),
            ("host.info", .counts, false),
        ] as [(String, CallEffect, Bool)])
    func waits(method: String, effect: CallEffect, waits: Bool) {
        session.order.beginQuestion(changedBy: effect)
        session.order.beginQuestion(changedBy: effect)

        call(method)
        session.order.endQuestion(changedBy: effect, on: session)
        #expect(answered.all == (waits ? [] : [method]))
        session.order.endQuestion(changedBy: effect, on: session)

        #expect(answered.all == [method])
    }

    @Test("lets the end pass the calls that wait, and answers it after all of them")
    func end() async {
        session.order.beginQuestion(changedBy: .state)

        call("setConsent")
        call("host.info")
        call("host.shutdown")
        call("host.shutdown")

        #expect(answered.all == ["stop", "stop"])
        session.order.endQuestion(changedBy: .state, on: session)
        #expect(answered.all.dropFirst(2) == ["setConsent", "host.info"])
        await withCheckedContinuation { done in session.shutdown(by: .now + .seconds(60)) { done.resume() } }
        #expect(answered.all.dropFirst(4) == ["host.shutdown", "host.shutdown"])
        call("host.shutdown")
        #expect(answered.all.dropFirst(6) == ["host.shutdown", "stop"])
    }

    @Test("answers the end in its time, though a call before it waits")
    func endInTime() async throws {
        session.order.beginQuestion(changedBy: .state)
        call("setConsent")
        call("host.shutdown")

        session.willShutDown(by: .now, isServers: false)

        #expect(try await answered.values(atLeast: 3) == ["stop", "setConsent", "host.shutdown"])
    }
}
