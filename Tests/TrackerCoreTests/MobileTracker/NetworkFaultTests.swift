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
        /// The time for a request: a fault ends by itself, unless ``timesOut`` says otherwise.
        private(set) var requestTimeout = Duration.seconds(60)

        init(_ name: String, answer: LoopbackAnswer) {
            testDescription = name
            self.answer = answer
        }

        init(_ name: String, greeting: LoopbackGreeting) {
            testDescription = name
            self.greeting = greeting
        }

        /// A fault that only the time for a request ends. The sound requests beside it must be answered within it, too.
        var timesOut: Fault {
            var fault = self
            fault.requestTimeout = .seconds(5)
            return fault
        }
    }

    static let faults: [Fault] = [
        Fault("stalls in the headers", answer: .text("HTTP/1.1 200 OK\r\nContent-Le", then: .stall)).timesOut,
        Fault(
            "never ends its headers",
            answer: .endless(Array("HTTP/1.1 200 OK\r\n".utf8), repeating: Array("X-More: and more\r\n".utf8))),
        Fault("closes before it reads", greeting: .send([], then: .close)),
        Fault("resets before it reads", greeting: .send([], then: .reset)),
        Fault("never reads", greeting: .send([], then: .stall)).timesOut,
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
                $0.delivery.requestTimeout = fault.requestTimeout
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

    static let cutAnswers: [Fault] = [
        Fault("stalls after the headers", answer: .lying(announced: 10, sent: 0, then: .stall)).timesOut,
        Fault("stalls in the body", answer: .lying(announced: 10, sent: 5, then: .stall)).timesOut,
        Fault("closes in the body", answer: .lying(announced: 100, sent: 10)),
        Fault(
            "never ends its body",
            answer: .endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), repeating: Array(repeating: 0x78, count: 4096))),
        Fault(
            "drips past the time for a request",
            answer: .endless(
                Array("HTTP/1.1 200 OK\r\n\r\n".utf8), repeating: [0x78], pause: .milliseconds(20))
        ).timesOut,
    ]

    @Test("takes a 2xx for what it is, whatever becomes of its body", arguments: cutAnswers)
    func takesStatuses(fault: Fault) async throws {
        let fixture = try SessionFixture(isClocked: true) { request in request.isEvent ? fault.answer : nil }
        try await fixture.start(fixture.config { $0.delivery.requestTimeout = fault.requestTimeout })

        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        let report = await fixture.tracker.flush(timeout: .seconds(600))

        #expect(report.remaining == 0)
        #expect(fixture.names == ["A", "B"])
        #expect(fixture.tracker.info("account", "delivered") == 2)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("takes a refusal for what it is, though its body is larger than is read")
    func takesRefusals() async throws {
        let head = Array("HTTP/1.1 422 No\r\n\r\n".utf8)
        let fixture = try SessionFixture(isClocked: true) { request in
            request.text.contains("BAD") ? .endless(head, repeating: Array(repeating: 0x78, count: 4096)) : nil
        }
        try await fixture.start()

        for name in ["BAD", "GOOD"] { await fixture.tracker.track(eventName: name) }
        let report = await fixture.tracker.flush(timeout: .seconds(600))

        #expect(report.remaining == 0)
        #expect(fixture.names == ["BAD", "GOOD"])
        #expect(fixture.tracker.dropped == ["rejected(422)": 1])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("makes no session of an answer whose body is cut short, though it has its id")
    func cutSession() async throws {
        let body = #"{"data":{"id":"S1"}}"#
        let fixture = try SessionFixture { request in
            request.isCreation
                ? .text("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count + 9)\r\n\r\n\(body)", then: .close) : nil
        }

        let error = await #expect(throws: TrackerError.self) { try await fixture.start() }

        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.cause == .unreadableAnswer)
        #expect(error?.message.contains("cut short") == true)
        await fixture.tracker.shutdown()
    }

    @Test("drops, and counts, what makes a request that no server takes, and goes on")
    func hugeUser() async throws {
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start()

        await fixture.tracker.identify(userId: String(repeating: "é", count: 100_000))
        await fixture.tracker.track(eventName: "B")
        let report = await fixture.tracker.flush(timeout: .seconds(600))

        #expect(report.remaining == 0)
        #expect(fixture.names == ["B"])
        #expect(fixture.tracker.dropped == ["tooLarge": 1])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("keeps what a proxy refuses, names the proxy, and delivers it once the proxy lets it through")
    func proxy() async throws {
        let fixture = try SessionFixture(isClocked: true)
        let proxy = try LoopbackRelay(to: .proxy(credentials: "ada:hunter2"))
        try await fixture.start()
        let refused = fixture.restarted()
        try await refused.start(refused.config { $0.delivery.proxy = "http://ada:wrong@127.0.0.1:\(proxy.port)" })

        for name in ["A", "B"] { await refused.tracker.track(eventName: name) }
        let report = await refused.tracker.flush(timeout: .seconds(600))
        let error = refused.tracker.info("lastError", "message")?.stringValue
        await refused.tracker.shutdown()
        await fixture.tracker.shutdown()
        let passed = refused.restarted()
        try await passed.start(
            passed.config { $0.delivery.proxy = "http://ada:hunter2@127.0.0.1:\(proxy.port)" })
        await passed.drain()

        #expect(report == FlushReport(delivered: 0, remaining: 2, stoppedBy: .retryWait))
        #expect(error?.contains("The proxy 127.0.0.1:\(proxy.port) refused (407)") == true)
        #expect(fixture.names == ["A", "B"])
        #expect(passed.tracker.dropped == [:])
        await passed.tracker.shutdown()
    }
}
