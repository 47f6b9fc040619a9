import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("A session tracker on a bad connection")
struct NetworkFaultTests {
    /// What a server does instead of answering, or before it reads.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var answer: LoopbackAnswer?
        var greeting = LoopbackGreeting.serve

        init(_ name: String, answer: LoopbackAnswer) {
            testDescription = name
            self.answer = answer
        }

        init(_ name: String, greeting: LoopbackGreeting) {
            testDescription = name
            self.greeting = greeting
        }
    }

    static let faults: [Fault] = [
        Fault("stalls after the headers", answer: .lying(announced: 10, sent: 0, then: .stall)),
        Fault("stalls in the body", answer: .lying(announced: 10, sent: 5, then: .stall)),
        Fault("stalls in the headers", answer: .text("HTTP/1.1 200 OK\r\nContent-Le", then: .stall)),
        Fault(
            "never ends its body",
            answer: .endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), repeating: Array(repeating: 0x78, count: 4096))),
        Fault(
            "never ends its headers",
            answer: .endless(Array("HTTP/1.1 200 OK\r\n".utf8), repeating: Array("X-More: and more\r\n".utf8))),
        Fault(
            "drips past the time for a request",
            answer: .endless(
                Array("HTTP/1.1 200 OK\r\n\r\n".utf8), repeating: [0x78], pause: .milliseconds(20))),
        Fault("closes before it reads", greeting: .send([], then: .close)),
        Fault("resets before it reads", greeting: .send([], then: .reset)),
        Fault("never reads", greeting: .send([], then: .stall)),
        Fault("speaks before it reads", greeting: .send(Array("220 mail.example ESMTP\r\n".utf8), then: .close)),
    ]

    @Test("loses nothing, asks no more often than its waits allow, and goes on in order", arguments: faults)
    func survives(fault: Fault) async throws {
        let faulty = 1...2
        let failing = Recorder<Int>()
        let server = try LoopbackServer(
            answer: { request in
                // Every fault has a connection of its own, on which libcurl tries nothing anew.
                if request.isCreation { return .status(200, body: #"{"data":{"id":"S1"}}"#, then: .close) }
                guard let answer = fault.answer, failing.all.count < faulty.count else { return .status(200) }
                failing.record(request.number)
                return answer
            }, greet: { faulty.contains($0) ? fault.greeting : .serve })
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start(
            fixture.config {
                $0.apiUrl = server.url
                $0.delivery.requestTimeout = .seconds(1)
                $0.delivery.retryDelay = .seconds(5)
                $0.delivery.cooldown = .seconds(60)
                $0.delivery.maxCooldown = .seconds(60)
            })
        let loop = try await fixture.loop()
        try await server.closings(atLeast: 1)
        await fixture.tracker.setConsent(.pending)
        for name in ["A", "B", "C"] { await fixture.tracker.track(eventName: name) }
        await fixture.tracker.setConsent(.granted)

        for (number, wait) in [(1, 5), (2, 10)] {
            let report = await fixture.tracker.flush(timeout: .seconds(600))
            #expect(report == FlushReport(delivered: 0, remaining: 3, stoppedBy: .retryWait))
            await loop.turn()
            #expect(loop.pending.map { loop.now.duration(to: $0) } == [.seconds(wait)])
            #expect(server.connections == 1 + number)
            #expect(fixture.tracker.info("queueLength") == 3)
            loop.advance(by: .seconds(wait))
        }
        #expect(await fixture.tracker.flush(timeout: .seconds(600)).remaining == 0)

        let events = server.requests.filter(\.isEvent)
        let failed = fault.answer == nil ? [] : ["A", "A"]
        #expect(events.map { $0.json["event_name"]?.stringValue } == failed + ["A", "B", "C"])
        #expect(Set(events.map { $0.header("Idempotency-Key") }).count == 3)
        #expect(server.connections == 4)
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }
}
