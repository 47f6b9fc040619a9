import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("How a session tracker is initialised")
struct InitializeTests {
    @Test("it asks once for a session, and stores what it is given")
    func creates() async throws {
        let fixture = try SessionFixture()

        try await fixture.start(
            fixture.config {
                $0.apiUrl = fixture.backend.url + "/base/"
                $0.device = TrackerConfig.Device(osName: "Linux", deviceType: "Desktop")
            }, brandId: "007")

        let request = try #require(fixture.requests.first)
        let device = try #require(fixture.tracker.deviceId)
        #expect(fixture.requests.count == 1)
        #expect(request.line == "POST /base/v2/tracking-session")
        #expect(
            request.text == #"{"device_id":"\#(device)","os_name":"Linux","device_type":"Desktop","brand_id":7}"#)
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("X-API-Key") == "key-1234")
        #expect(request.header("Idempotency-Key")?.count == 36)
        #expect(request.header("User-Agent")?.hasPrefix("mobile-tracker/") == true)
        #expect(fixture.tracker.sessionId == "S1")
        #expect(fixture.tracker.brandId == "7")
        #expect(fixture.tracker.info("lifecycle") == "ready")
        await fixture.tracker.shutdown()
    }

    @Test("a session id may be a number, and is taken as it is spelled", arguments: ["12345678901234567890", "7"])
    func numericSession(id: String) async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(201, body: #"{"data":{"id":\#(id)}}"#) : nil }

        try await fixture.start()
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        #expect(fixture.tracker.sessionId == id)
        #expect(fixture.events.map { $0.json["session_id"] } == [.string(id)])
        await fixture.tracker.shutdown()
    }

    @Test("a failed one is started afresh, and what was held meanwhile goes out in order")
    func again() async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(500) : nil }

        async let failing = fixture.failure(fixture.config())
        _ = await failing
        for name in ["A", "B"] { #expect(await fixture.tracker.track(eventName: name).isPending) }
        fixture.answer()
        async let starting: Void = fixture.start()
        try await starting
        #expect(await fixture.tracker.track(eventName: "C").isQueued)
        await fixture.drain()

        #expect(fixture.creations.count == 2)
        #expect(Set(fixture.creations.map { $0.header("Idempotency-Key") }).count == 2)
        #expect(fixture.names == ["A", "B", "C"])
        #expect(fixture.events.map { $0.header("X-Sequence") } == ["1", "2", "3"])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("calls made while it is under way are held, and come after nothing")
    func heldMeanwhile() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }

        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        let outcome = await fixture.tracker.track(eventName: "A")
        fixture.tracker.enqueue(.track("B"))
        gate.open()
        try await starting
        await fixture.tracker.track(eventName: "C")
        await fixture.drain()

        #expect(outcome.isPending)
        #expect(fixture.names == ["A", "B", "C"])
        #expect(fixture.events.allSatisfy { $0.json["session_id"] == "S1" })
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "one that has succeeded is not repeated; other arguments are ignored with a warning", arguments: [true, false])
    func already(isOther: Bool) async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        try await fixture.start(fixture.config { $0.xApiKey = isOther ? "key-other" : "key-1234" })

        #expect(fixture.creations.count == 1)
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("warning: Already initialized") } == isOther)
        await fixture.tracker.shutdown()
    }

    @Test(
        "arguments are checked also once it has succeeded, and another brand is refused by its name; nothing is harmed")
    func checkedAgain() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        let brand = await fixture.failure(fixture.config(), brandId: "x")
        let config = await fixture.failure(fixture.config { $0.initTimeout = .zero })
        let missing = await fixture.failure(nil)
        let other = await fixture.failure(fixture.config(), brandId: "926")
        let outcome = await fixture.tracker.track(eventName: "A")
        await fixture.drain()

        #expect(brand?.code == .invalidBrandId)
        #expect([config?.code, missing?.code] == [.invalidConfiguration, .invalidConfiguration])
        #expect(other?.code == .initializationFailed)
        #expect(
            ["925", "926", "Reset everything", "shut the tracker down"].allSatisfy {
                other?.message.contains($0) == true
            })
        #expect(outcome.isQueued)
        #expect(fixture.creations.count == 1)
        #expect(fixture.events.map { $0.json["brand_id"] } == [925])
        await fixture.tracker.resetAndWait(all: true)
        try await fixture.start(brandId: "926")
        #expect(fixture.tracker.brandId == "926")
        await fixture.tracker.shutdown()
    }

    @Test("another brand is refused while it is under way, which goes on")
    func otherBrandMeanwhile() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }

        async let starting: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        let other = await fixture.failure(fixture.config(), brandId: "926")
        gate.open()
        try await starting

        #expect(other?.code == .initializationFailed)
        #expect(fixture.tracker.sessionId == "S1")
        await fixture.tracker.shutdown()
    }

    @Test(
        "one that a reset of everything and another call have overtaken is answered at once, and not as the other one is",
        arguments: ["926", "none"])
    func overtaken(brandId: String) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }
        async let first = fixture.failure(fixture.config())
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.tracker.resetAndWait(all: true)

        async let second = fixture.failure(fixture.config(), brandId: brandId)

        #expect(await first?.message.contains("reset of everything") == true)
        gate.open()
        #expect(await second?.code == (brandId == "926" ? nil : .invalidBrandId))
        #expect(fixture.tracker.brandId == (brandId == "926" ? "926" : nil))
        await fixture.tracker.shutdown()
    }

    @Test("one for another brand keeps what waits for that, whatever was reset while the first one was opening")
    func resetOfFirstBrand() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig, brandId: "926")
        await fixture.tracker.track(eventName: "WAITS")
        try await fixture.drainToWait()
        await fixture.tracker.shutdown(timeout: .seconds(60))
        fixture.answer()
        let next = fixture.restarted()

        next.tracker.initialize(brandId: "925", config: next.config()) { _ in }
        next.tracker.reset(all: true, messageId: nil)
        try await next.start(brandId: "926")
        await next.drain()

        #expect(next.tracker.dropped?["reset"] == nil)
        #expect(next.names.last == "WAITS")
        await next.tracker.shutdown()
    }

    @Test("a thousand calls before it are one line in the log, and one with their count once it comes")
    func callsBefore() async throws {
        let fixture = try SessionFixture()

        for _ in 0..<1000 { fixture.tracker.enqueue(.track("EARLY")) }
        let before = fixture.log.lines.all
        try await fixture.start()

        #expect(before == ["warning: Not initialized. Call initialize() first."])
        let after = fixture.log.lines.all.dropFirst()
        #expect(after.filter { $0.hasPrefix("warning: 1000 calls were dropped") }.count == 1)
        #expect(!after.contains { $0.contains("Not initialized") })
        #expect(fixture.tracker.info("refused", "NOT_INITIALIZED") == 1000)
        await fixture.tracker.shutdown()
    }

    @Test("what waits for another brand, and nobody delivers, is named")
    func otherBrandWaits() async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig)
        await fixture.tracker.track(eventName: "WAITS")
        try await fixture.drainToWait()
        // Without time it may end before the lane's locks are free.
        await fixture.tracker.shutdown(timeout: .seconds(60))

        let next = fixture.restarted()
        try await next.start(next.patientConfig, brandId: "926")

        #expect(next.tracker.info("otherLanes")?.arrayValue?.count == 1)
        let warning =
            "warning: 1 event of MobileTracker, brand 925, waits for \(next.backend.url), and nobody delivers it. "
        #expect(next.log.lines.all.contains("\(warning)To deliver it, initialize a client with that brand."))
        await next.tracker.shutdown(timeout: .zero)
    }

    @Test("a second call while it is under way gets the same result", arguments: [true, false])
    func joined(succeeds: Bool) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { request in
            request.isCreation ? .gated(gate, succeeds ? .session("S1") : .status(500)) : nil
        }

        async let first = fixture.failure(fixture.config())
        try await fixture.backend.server.requests(atLeast: 1)
        let others = Recorder<TrackerError.Cause?>()
        for brandId in ["925", "0925", "00925"] {
            fixture.tracker.initialize(brandId: brandId, config: fixture.config()) { result in
                if case .failure(let error) = result { others.record(error.cause) } else { others.record(nil) }
            }
        }
        #expect(others.all.isEmpty)
        gate.open()
        let cause = await first?.cause
        let causes = try await others.values(atLeast: 3)

        #expect(cause == (succeeds ? nil : .status(500)))
        #expect(causes == [cause, cause, cause])
        #expect(fixture.creations.count == 1)
        await fixture.tracker.shutdown()
    }

    @Test("after the key was refused it runs in full, and the queue goes out with the new key", arguments: [401, 403])
    func afterHalt(status: Int) async throws {
        let fixture = try SessionFixture { request in
            request.isEvent && request.header("X-API-Key") == "key-1234" ? .status(status) : nil
        }
        let lane = fixture.reportedLanes()
        try await fixture.start()
        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        let report = await fixture.tracker.flush()
        #expect(report == FlushReport(delivered: 0, remaining: 2, stoppedBy: .halted))
        #expect(fixture.tracker.info("lifecycle") == "halted")
        // The call has other names in other languages: the advice does without them.
        let advice =
            "Delivery is halted and the queue kept until the client is initialized again or gets other credentials, or the "
            + "next try, in 300 s, finds the server well."
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("error:") && $0.hasSuffix(advice) })
        #expect(await fixture.tracker.track(eventName: "C").isPending)

        try await fixture.start(fixture.config { $0.xApiKey = "key-5678" })
        await fixture.drain()

        #expect(fixture.names == ["A", "A", "B", "C"])
        #expect(fixture.creations.count == 1)
        #expect(fixture.tracker.info("queueLength") == 0)
        #expect(fixture.tracker.info("config", "xApiKey") == "****5678")
        #expect(fixture.tracker.isBalanced)
        #expect(lane.all.count == 2)
        #expect(lane.all.first?.contains("\(status)") == true)
        #expect(lane.all.last == "Delivery resumes.")
        await fixture.tracker.shutdown()
    }

    @Test("it asks for no session while the disk has yet to take a reset or a decision")
    func awaitsDisk() async throws {
        let faults = OutboxFaults()
        let fixture = try SessionFixture(isClocked: true, faults: faults)
        faults.setAwaitingDisk(true)

        async let starting: Void = fixture.start()
        let loop = try await fixture.loop()
        try await loop.timer(at: MonotonicInstant(nanoseconds: 50_000_000))
        #expect(fixture.requests.isEmpty)
        faults.setAwaitingDisk(false)
        loop.advance(by: .milliseconds(50))
        try await starting

        #expect(fixture.creations.count == 1)
        #expect(fixture.tracker.sessionId == "S1")
        await fixture.tracker.shutdown()
    }

    @Test("after reset(all: true) it runs in full, with another device and session")
    func afterResetAll() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let device = fixture.tracker.deviceId
        await fixture.tracker.resetAndWait(all: true)
        #expect(fixture.tracker.brandId == nil)

        try await fixture.start(brandId: "926")
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        #expect(fixture.tracker.brandId == "926")
        #expect(fixture.tracker.deviceId != device)
        #expect(fixture.events.map { $0.json["brand_id"] } == [926])
        #expect(fixture.creations.last?.json["brand_id"] == 926)
        await fixture.tracker.shutdown()
    }

    @Test("a request that is under way when it runs in full is waited for, and its event is not sent again")
    func waitsForRequest() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isEvent ? .gated(gate, .status(200, body: "{}")) : nil }
        try await fixture.start()
        await fixture.tracker.resetAndWait(all: true)
        await fixture.tracker.track(eventName: "E")
        try await fixture.backend.server.requests(atLeast: 3)

        let results = Recorder<Bool>()
        fixture.tracker.initialize(brandId: "925", config: fixture.config()) {
            results.record((try? $0.get()) != nil)
        }
        gate.open()
        #expect(try await results.values(atLeast: 1) == [true])
        await fixture.drain()

        #expect(fixture.names == ["E"])
        await fixture.tracker.shutdown()
    }

    @Test("after shutdown it runs in full, and finds the session it had")
    func afterShutdown() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        await fixture.tracker.shutdown()
        await fixture.tracker.shutdown()
        #expect(await fixture.tracker.track(eventName: "LOST") == .dropped(.notInitialized))

        try await fixture.start()
        #expect(await fixture.tracker.track(eventName: "E").isQueued)
        await fixture.drain()

        #expect(fixture.creations.count == 1)
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1"])
        await fixture.tracker.shutdown()
    }

    @Test("calls that wait for a session are taken over by the next initialize, though their tracker lives on")
    func heldElsewhere() async throws {
        let fixture = try SessionFixture { $0.isCreation ? .status(500) : nil }
        #expect(await fixture.failure(fixture.config())?.code == .sessionCreationFailed)
        for name in ["A", "B"] { #expect(await fixture.tracker.track(eventName: name).isPending) }
        let other = try SessionFixture()
        let config = other.config { $0.delivery.storageDirectory = fixture.directory.path("state") }

        try await other.start(config)
        await other.tracker.track(eventName: "C")
        await other.drain()

        #expect(other.names == ["A", "B", "C"])
        #expect(other.log.lines.all.contains { $0.contains("Took over 2 events that were queued") })
        #expect(await fixture.tracker.track(eventName: "D").isPending)
        #expect(fixture.tracker.info("queueLength") == 1)
        #expect(fixture.tracker.isBalanced && other.tracker.isBalanced)
        await other.tracker.shutdown()
        await fixture.tracker.shutdown(timeout: .zero)
    }

    @Test("calls that wait for a session stay while it is being made, though another tracker initializes")
    func heldHere() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }
        async let start: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)
        #expect(await fixture.tracker.track(eventName: "A").isPending)
        let other = try SessionFixture()

        try await other.start(other.config { $0.delivery.storageDirectory = fixture.directory.path("state") })
        gate.open()
        try await start
        await fixture.drain()
        await other.drain()

        #expect(fixture.names == ["A"])
        #expect(other.names.isEmpty)
        await other.tracker.shutdown()
        await fixture.tracker.shutdown()
    }

    @Test("records that never had a session take their metadata to another address, where nothing of it is left")
    func metadataMoves() async throws {
        let fixture = try SessionFixture { $0.isCreation && !$0.path.hasPrefix("/b") ? .status(503) : nil }
        #expect(await fixture.failure(fixture.config())?.code == .sessionCreationFailed)
        await fixture.tracker.setMetadata(["plan": "pro", "site": 1])
        await fixture.tracker.track(eventName: "HELD")

        try await fixture.start(fixture.config { $0.apiUrl = fixture.backend.url + "/b" })
        await fixture.tracker.setMetadata(["site": 2])
        await fixture.tracker.track(eventName: "LATER")
        await fixture.drain()
        #expect(fixture.events.map { $0.json["data"] } == [["plan": "pro", "site": 1], ["plan": "pro", "site": 2]])
        await fixture.tracker.shutdown()

        fixture.answer()
        let next = fixture.restarted()
        try await next.start()
        await next.tracker.track(eventName: "OTHER")
        await next.drain()
        #expect(next.events.last?.json["data"] == nil)
        await next.tracker.shutdown()
    }

    @Test("another base URL is another lane, which starts without the session of the first")
    func otherLane() async throws {
        let fixture = try SessionFixture { $0.isEvent && !$0.path.hasPrefix("/b") ? .status(503) : nil }
        try await fixture.start(fixture.patientConfig)
        await fixture.tracker.updateSessionEmail("a@b.example")
        await fixture.drain()
        await fixture.tracker.track(eventName: "STRANDED")
        _ = await fixture.tracker.flush(timeout: .seconds(60))
        await fixture.tracker.shutdown(timeout: .seconds(60))

        let next = fixture.restarted()
        try await next.start(next.config { $0.apiUrl = next.backend.url + "/b" })

        #expect(next.tracker.sessionId == "S2")
        #expect(next.tracker.sessionEmail == nil)
        #expect(next.tracker.info("otherLanes")?.arrayValue?.count == 1)
        let warning = "warning: 1 event of MobileTracker, brand 925, waits for \(next.backend.url)"
        #expect(next.log.lines.all.contains { $0.hasPrefix(warning) && $0.contains("with that apiUrl") })
        await next.tracker.shutdown()
    }
}
