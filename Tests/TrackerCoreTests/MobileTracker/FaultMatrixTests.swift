import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

/// What a session tracker does with an answer to its first event, A, with another, B, behind it.
struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: LoopbackAnswer
    /// The events as they come in the end, with repeats.
    let names: [String]
    let dropped: JSONValue
    var halts = false
    /// Whether the transport sends it again by itself: a connection that was used before may have died unseen.
    var isTriedAnew = false
    /// The sessions that the events name.
    var sessions = ["S1", "S1"]
    /// How many requests are answered so.
    var count = 1

    static func delivered(_ status: Int) -> Fault {
        Fault(
            testDescription: "\(status)", answer: .status(status, body: status == 204 ? "" : "{}"), names: ["A", "B"],
            dropped: [:])
    }

    static func retried(_ name: String, _ answer: LoopbackAnswer) -> Fault {
        Fault(
            testDescription: name, answer: answer, names: ["A", "A", "B"], dropped: [:], sessions: ["S1", "S1", "S1"])
    }

    static func triedAnew(_ name: String, _ answer: LoopbackAnswer) -> Fault {
        var fault = retried(name, answer)
        fault.isTriedAnew = true
        return fault
    }

    static func failingTwice(_ name: String, _ answer: LoopbackAnswer) -> Fault {
        Fault(
            testDescription: name + ", twice", answer: answer, names: ["A", "A", "A", "B"], dropped: [:],
            sessions: ["S1", "S1", "S1", "S1"], count: 2)
    }

    static func dropped(_ status: Int, _ reason: String) -> Fault {
        Fault(
            testDescription: "\(status)", answer: .status(status), names: ["A", "B"],
            dropped: .object([reason: 1]))
    }

    static func halted(_ status: Int) -> Fault {
        Fault(
            testDescription: "\(status)", answer: .status(status), names: ["A"], dropped: [:], halts: true,
            sessions: ["S1"])
    }

    static func gone(_ status: Int) -> Fault {
        Fault(
            testDescription: "\(status)", answer: .status(status), names: ["A", "A", "B"], dropped: [:],
            sessions: ["S1", "S2", "S2"])
    }

    static let all: [Fault] =
        [200, 201, 202, 204, 299].map(delivered)
        + [500, 501, 502, 503, 504, 507, 599, 408, 429].map { retried("\($0)", .status($0)) }
        + [400, 402, 405, 406, 409, 415, 422, 451].map { dropped($0, "rejected(\($0))") }
        + [dropped(304, "rejected(304)"), dropped(413, "tooLarge"), halted(401), halted(403), gone(404), gone(410)]
        + [
            triedAnew("dropped after reading", .nothing(then: .close)),
            triedAnew("reset after reading", .nothing(then: .reset)),
            failingTwice("dropped after reading", .nothing(then: .close)),
            failingTwice("reset after reading", .nothing(then: .reset)),
            retried("half a header", .text("HTTP/1.1 200 OK\r\nContent-Le", then: .close)),
            retried("no HTTP", .text("220 mail.example ESMTP\r\n\r\n", then: .close)),
            retried("a redirect without a target", .status(302)), retried("a choice", .status(300)),
            retried("a redirect elsewhere", .redirect(to: "http://localhost:9/v2/tracking-session-data")),
            retried("a redirect to another scheme", .redirect(to: "ftp://127.0.0.1/x")),
            retried("a status of no class", .status(700)),
        ]
}

@Suite("What a session tracker does with an answer")
struct FaultMatrixTests {
    /// Where the breaker stands when the event is sent.
    enum Circuit: CaseIterable {
        case closed
        /// One request has failed before, and the event's is the probe.
        case halfOpen
    }

    @Test("to an event, by status and fault, whatever the breaker", arguments: Fault.all, Circuit.allCases)
    func event(fault: Fault, circuit: Circuit) async throws {
        let fixture = try SessionFixture(isClocked: true)
        var config = fixture.patientConfig
        if circuit == .halfOpen { config.delivery.failureThreshold = 1 }
        try await fixture.start(config)
        let failed = circuit == .halfOpen ? 1 : 0
        let failing = Recorder<Int>()
        fixture.answer { request in
            guard request.isEvent, failing.all.count < failed + fault.count else { return nil }
            failing.record(request.number)
            return failing.all.count <= failed ? .status(503) : fault.answer
        }

        // Held back together, so that B is behind A when the answer comes.
        await fixture.tracker.setConsent(.pending)
        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        await fixture.tracker.setConsent(.granted)
        if circuit == .halfOpen {
            #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .breakerOpen)
            #expect(fixture.tracker.info("circuitState") == "open")
            fixture.tracker.networkDidChange()
        }
        let first = await fixture.tracker.flush(timeout: .seconds(60))
        // After a change of the network the connection is a new one.
        let isTriedAnew = fault.isTriedAnew && circuit == .closed
        let isRetried =
            fault.names.first == fault.names.dropFirst().first && fault.sessions.last == "S1" && !isTriedAnew
        let wait = circuit == .halfOpen ? StopReason.breakerOpen : .retryWait
        #expect(first.stoppedBy == (fault.halts ? .halted : isRetried ? wait : nil))
        let isOpen = isRetried && circuit == .halfOpen
        #expect(fixture.tracker.info("circuitState") == (isOpen ? "open" : "closed"))
        await fixture.drain()

        let before = Array(repeating: "A", count: failed)
        #expect(fixture.names == before + fault.names)
        #expect(
            fixture.events.compactMap { $0.json["session_id"]?.stringValue } == before.map { _ in "S1" }
                + fault.sessions)
        #expect(fixture.tracker.dropped == fault.dropped)
        #expect(fixture.tracker.info("queueLength") == (fault.halts ? 2 : 0))
        #expect(fixture.tracker.info("lifecycle") == (fault.halts ? "halted" : "ready"))
        #expect(fixture.tracker.isBalanced)
        let keys = fixture.events.map { $0.header("Idempotency-Key") }
        #expect(Set(keys).count == Set(fault.names).count)
        for (name, key) in zip(fixture.names, keys) { #expect((key == keys.first) == (name == "A")) }
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test(
        "to an event, for as long as Retry-After says, at least a second after a 429, at most an hour",
        arguments: [
            (503, "90", 90), (503, "0", 5), (429, "0", 5), (503, "1", 5), (503, "7200", 3600), (503, "nonsense", 5),
            (503, "-1", 5), (429, "30", 30), (408, "30", 30), (500, "30", 30), (407, "30", 30), (302, "30", 30),
            (503, "Sun, 06 Nov 1994 08:50:37 GMT", 60), (503, "Sunday, 06-Nov-94 08:50:37 GMT", 60),
            (503, "Sun Nov  6 08:50:37 1994", 60), (503, "Sun, 06 Nov 1994 08:49:00 GMT", 5),
        ])
    func retryAfter(status: Int, value: String, seconds: Double) async throws {
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start(
            fixture.config {
                $0.delivery = fixture.patientConfig.delivery
                $0.delivery.retryDelay = .seconds(5)
                $0.delivery.jitter = 0
            })
        fixture.answer { request in
            request.isEvent
                ? .status(
                    status,
                    headers: [
                        ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Retry-After", value),
                        ("Location", "http://localhost:9/elsewhere"),
                    ]) : nil
        }
        let loop = try await fixture.loop()

        await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))
        #expect(report.stoppedBy == .retryWait)
        #expect(fixture.tracker.info("circuitRemainingMs") == JSONValue(Int(seconds * 1000)))
        fixture.answer()
        loop.advance(by: .seconds(seconds) - .milliseconds(1))
        await loop.turn()
        #expect(fixture.names == ["A"])
        loop.advance(by: .milliseconds(1))
        try await fixture.backend.server.requests(atLeast: 3)

        #expect(fixture.names == ["A", "A"])
        await fixture.tracker.shutdown()
    }

    @Test(
        "a redirect within the origin is followed with the same method, key and body",
        arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let fixture = try SessionFixture { request in
            request.isEvent ? .redirect(status, to: "/moved?x=1") : nil
        }
        try await fixture.start()

        await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        let (first, second) = (fixture.requests[1], fixture.requests[2])
        #expect(fixture.requests.count == 3)
        #expect(second.target == "/moved?x=1")
        #expect(second.method == "POST")
        #expect(second.body == first.body)
        #expect(second.header("Idempotency-Key") == first.header("Idempotency-Key"))
        #expect(second.header("X-API-Key") == "key-1234")
        #expect(fixture.tracker.info("account", "delivered") == 1)
        await fixture.tracker.shutdown()
    }

    @Test("a redirect to another origin never takes the key there, and is named in the log")
    func foreign() async throws {
        let other = try LoopbackServer()
        let fixture = try SessionFixture { $0.isEvent ? .redirect(to: other.url + "/stolen") : nil }
        try await fixture.start(fixture.patientConfig)

        await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.stoppedBy == .retryWait)
        #expect(other.connections == 0)
        #expect(fixture.tracker.info("queueLength") == 1)
        #expect(fixture.log.lines.all.contains { $0.contains(other.url) })
        fixture.answer()
        await fixture.drain()
        #expect(fixture.names == ["A", "A"])
        await fixture.tracker.shutdown()
    }

    @Test("a redirect in a circle is given up after five steps, and retried like a 5xx")
    func circle() async throws {
        let fixture = try SessionFixture { request in request.isCreation ? nil : .redirect(to: "/round") }
        try await fixture.start(fixture.patientConfig)

        await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.stoppedBy == .retryWait)
        #expect(fixture.requests.filter { $0.path == "/round" }.count == 5)
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("a server that goes silent is given up after requestTimeout, one that has gone away is tried again")
    func stalled() async throws {
        let fixture = try SessionFixture { request in request.number == 1 ? .nothing(then: .stall) : nil }
        try await fixture.start(
            fixture.config {
                $0.delivery = fixture.patientConfig.delivery
                // The other requests must be answered within it, too.
                $0.delivery.requestTimeout = .seconds(5)
            })

        await fixture.tracker.track(eventName: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))
        #expect(report.stoppedBy == .retryWait)
        await fixture.drain()

        #expect(fixture.names == ["A", "A"])
        #expect(fixture.tracker.info("account", "delivered") == 1)
        await fixture.tracker.shutdown()
    }

    @Test("a connection that is torn down before anything is read costs nothing but a new one")
    func tornDown() async throws {
        let server = try LoopbackServer(
            answer: { request in
                guard request.isCreation else { return .status(200) }
                return .status(200, body: #"{"data":{"id":"S1"}}"#, then: .close)
            },
            greet: { $0 == 1 ? .send([], then: .reset) : .serve })
        let fixture = try SessionFixture()
        try await fixture.start(fixture.config { $0.apiUrl = server.url })
        // The first connection has ended, so that the next request needs another, which is reset at once.
        try await server.closings(atLeast: 1)

        await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        #expect(server.requests.filter { $0.isEvent }.count == 1)
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "to an event whose second session is refused too: that event is dropped and counted, the next go on",
        arguments: [404, 410])
    func goneTwice(status: Int) async throws {
        let fixture = try SessionFixture { request in
            request.isEvent && request.text.contains("\"BAD\"") ? .status(status) : nil
        }
        try await fixture.start()
        let device = fixture.tracker.deviceId

        for name in ["A", "BAD", "B"] { await fixture.tracker.track(eventName: name) }
        await fixture.drain()

        #expect(fixture.names == ["A", "BAD", "BAD", "B"])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1", "S1", "S2", "S2"])
        #expect(fixture.tracker.dropped == ["sessionGone": 1])
        #expect(fixture.creations.count == 2)
        #expect(fixture.tracker.deviceId == device)
        #expect(fixture.tracker.sessionId == "S2")
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("to an event of a generation that has ended: it is dropped at the first 404, and no session is made for it")
    func goneOfOld() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { request in
            request.isEvent && request.json["session_id"] == "S1" ? .gated(gate, .status(404)) : nil
        }
        try await fixture.start()
        await fixture.tracker.track(eventName: "OLD1")
        await fixture.tracker.track(eventName: "OLD2")
        try await fixture.backend.server.requests(atLeast: 2)

        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "NEW")
        gate.open()
        await fixture.drain()

        #expect(fixture.creations.count == 2)
        #expect(fixture.tracker.sessionId == "S2")
        #expect(fixture.events.last?.json["session_id"] == "S2")
        #expect(fixture.names.last == "NEW")
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("a success closes the breaker; failures open it, and each probe that fails doubles its wait")
    func breaker() async throws {
        let fixture = try SessionFixture(isClocked: true)
        try await fixture.start(
            fixture.config {
                $0.delivery.retryDelay = .seconds(1)
                $0.delivery.cooldown = .seconds(10)
                $0.delivery.maxCooldown = .seconds(30)
                $0.delivery.jitter = 0
            })
        fixture.answer { $0.isEvent ? .status(503) : nil }
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "A")

        var waits: [JSONValue?] = []
        for _ in 0..<6 {
            _ = await fixture.tracker.flush(timeout: .seconds(60))
            let remaining = fixture.tracker.info("circuitRemainingMs")
            waits.append(remaining)
            loop.advance(by: .milliseconds(remaining?.intValue ?? 0))
            await loop.turn()
        }
        #expect(waits == [1000, 2000, 10_000, 20_000, 30_000, 30_000])
        fixture.answer()
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        fixture.tracker.networkDidChange()
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(fixture.tracker.info("circuitState") == "closed")
        await fixture.tracker.shutdown()
    }
}
