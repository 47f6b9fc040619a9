import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("Forgetting a person of an analytics client")
struct AnalyticsForgetTests {
    @Test("erases what waits of them alone, drops what comes later, and takes it again once that is taken back")
    func forgets() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(flushAt: 1000))
        let client = fixture.client
        _ = await client.track("First", options: CallOptions(userId: "u0")).outcome
        _ = await client.flush(timeout: .seconds(60))
        client.track("A", options: CallOptions(userId: "u1"))
        client.track("B", options: CallOptions(userId: "u2"))
        client.track("C", options: CallOptions(userId: "u1"))
        client.track("D", options: CallOptions(anonymousId: "v1"))

        let report = try await client.forget(userId: "u1", anonymousId: "v1")

        #expect(report == ForgetReport(erased: 3, deliveredOfAnyone: 1))
        let dropped = await client.track("E", options: CallOptions(userId: "u1")).outcome
        #expect(dropped == .dropped(.forgotten))
        #expect(fixture.log.lines.all.contains { $0.contains("E was dropped: FORGOTTEN. It is of a person who was") })
        #expect(await client.identify("u1").outcome == .dropped(.forgotten))
        try await client.unforget(userId: "u1")
        #expect(await client.track("F", options: CallOptions(userId: "u1")).outcome.messageID != nil)
        #expect(await client.track("G", options: CallOptions(anonymousId: "v1")).outcome == .dropped(.forgotten))

        let flushed = await client.flush(timeout: .seconds(60))

        // What waits behind a gap in the numbers may be sent at once.
        #expect(flushed.remaining == 0 && client.info("account", "delivered") == 3)
        #expect(fixture.names == ["First", "B", "F"])
        #expect(client.info("account", "dropped", "forgotten") == 3)
        #expect(client.info("refused", "FORGOTTEN") == 3)
        #expect(client.isBalanced)
        await client.shutdown()
    }

    @Test("that is the client's own has it begin as another visitor")
    func ownUser() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(flushAt: 1000))
        fixture.client.identify("u1", traits: ["plan": "pro"])
        fixture.client.group("g1")
        fixture.client.setAdvertisingId("ad-1")
        _ = await fixture.client.track("A").outcome
        let visitor = fixture.client.info("anonymousId")

        #expect(try await fixture.client.forget(userId: "u1").erased == 3)
        #expect(await fixture.client.track("B").outcome.messageID != nil)
        _ = await fixture.client.flush(timeout: .seconds(60))

        let event = try #require(fixture.backend.events.first)
        #expect(fixture.backend.events.count == 1 && event["event"] == "B")
        #expect(event["userId"] == nil && event["groupId"] == nil && event["anonymousId"] != visitor)
        #expect(event["context"]?["device"]?["advertisingId"] == nil)
        await fixture.client.shutdown()
    }

    @Test("sends nothing of what was read ahead, and puts nothing back that is on its way")
    func requestUnderWay() async throws {
        let gate = try Gate()
        let fixture = try AnalyticsFixture { _ in .gated(gate, .status(503, retryAfter: "0")) }
        await fixture.start(fixture.options(flushAt: 2, maxBatchSize: 2))
        for name in ["A", "B", "C", "D"] { fixture.client.track(name, options: CallOptions(userId: "u-\(name)")) }
        try await fixture.backend.server.requests(atLeast: 1)

        let report = try await fixture.client.forget(userId: "u-A")
        _ = try await fixture.client.forget(userId: "u-C")
        gate.open()
        fixture.backend.answer { _ in .status(200) }
        // The flush would end with the wait before the next try.
        try await fixture.backend.server.requests(atLeast: 2)
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(report.erased == 1)
        let later = fixture.backend.server.requests.dropFirst().flatMap(\.events).map { $0["event"]?.stringValue }
        #expect(later == ["B", "D"])
        #expect(fixture.client.info("account", "delivered") == 2)
        #expect(fixture.client.info("account", "dropped", "forgotten") == 2)
        #expect(fixture.client.isBalanced)
        await fixture.client.shutdown()
    }

    @Test("holds in other clients of the folder: of sessions, of basic events, in other processes and later ones")
    func otherClients() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        let options = fixture.options(flushAt: 1000)
        await fixture.start(options)
        let basic = BasicTracker(dependencies: .system(log: fixture.log))
        try basic.initialize(
            apiKey: "key", endpoint: fixture.backend.url + "/events", options: options.delivery)
        _ = await basic.identify(userId: "u1").outcome
        _ = await basic.track(event: "A").outcome
        let other = fixture.restarted()
        await other.start(other.options(writeKey: "wk-other", flushAt: 1000))
        _ = await other.client.track("B", options: CallOptions(userId: "u1")).outcome

        #expect(try await fixture.client.forget(userId: "u1").erased == 3)

        #expect(await basic.track(event: "C").outcome == .dropped(.forgotten))
        #expect(await other.client.track("D", options: CallOptions(userId: "u1")).outcome == .dropped(.forgotten))
        #expect(other.client.info("queueLength") == 0)
        await fixture.client.shutdown()
        let next = fixture.restarted()
        await next.start(options)
        #expect(await next.client.track("E", options: CallOptions(userId: "u1")).outcome == .dropped(.forgotten))
        await next.client.shutdown()
        await other.client.shutdown()
        await basic.shutdown()
    }

    @Test("takes its turn while the client is being set up, and needs a client that is")
    func phases() async throws {
        let fixture = try AnalyticsFixture()
        await #expect(throws: TrackerError.notInitialized) { try await fixture.client.forget(userId: "u1") }
        fixture.client.track("A", options: CallOptions(userId: "u1"))
        fixture.client.initialize(with: fixture.options(flushAt: 1000))

        #expect(try await fixture.client.forget(userId: "u1").erased == 1)

        await fixture.client.resetAndWait()
        await #expect(throws: TrackerError.notInitialized) { try await fixture.client.forget(userId: "u1") }
        var off = fixture.options()
        off.enabled = false
        await fixture.start(off)
        #expect(try await fixture.client.forget(userId: "u1") == ForgetReport(erased: 0, deliveredOfAnyone: 0))
        await fixture.client.shutdown()
        await #expect(throws: TrackerError.notInitialized) { try await fixture.client.unforget(userId: "u1") }
    }

    @Test("needs an id that can be one")
    func ids() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let nobody: String? = nil
        let client = fixture.client

        let errors = [
            await #expect(throws: TrackerError.self) { try await client.forget() },
            await #expect(throws: TrackerError.self) { try await client.forget(userId: nobody) },
            await #expect(throws: TrackerError.self) { try await client.forget(userId: "u1", anonymousId: " ") },
            await #expect(throws: TrackerError.self) {
                try await client.unforget(anonymousId: String(repeating: "x", count: 1025))
            },
        ]
        #expect(errors.allSatisfy { $0?.code == .invalidValue })
        #expect(try await client.forget(userId: 7).erased == 0)
        #expect(await client.track("A", options: CallOptions(userId: "7")).outcome == .dropped(.forgotten))
        await client.shutdown()
    }
}
