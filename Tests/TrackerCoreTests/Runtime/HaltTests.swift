import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("A refused key or address halts delivery, and keeps what is queued")
struct HaltTests {
    @Test(
        "an analytics client goes on queueing, says why and until when, and delivers all once the server is well again",
        arguments: [401, 403, 404, 410])
    func analytics(status: Int) async throws {
        let clocked = try ClockedAnalytics { _ in .status(status) }
        let (client, server) = (clocked.client, clocked.server)
        await client.initializeAndWait(with: clocked.fixture.options(flushAt: 1))
        let loop = try clocked.loop

        client.track("A")
        #expect(
            await client.flush(timeout: .seconds(60)) == FlushReport(delivered: 0, remaining: 1, stoppedBy: .halted))
        #expect(await client.track("B").outcome.isPending)
        #expect(client.info("lifecycle") == "halted")
        #expect(client.info("halted", "reason")?.stringValue?.contains("answered \(status): the server") == true)
        #expect(client.info("halted", "nextTryInMs") == 300_000)
        #expect(client.info("halted", "since")?.stringValue?.hasSuffix("Z") == true)
        let errors = clocked.fixture.log.lines.all.filter { $0.hasPrefix("error:") }
        #expect(errors.count == 1 && errors[0].hasSuffix("in 300 s, finds the server well."))

        // Not before its time, and one request then.
        loop.advance(by: .seconds(299))
        await loop.turn()
        #expect(server.requests.count == 1)
        loop.advance(by: .seconds(1))
        try await server.requests(atLeast: 2)
        try await loop.timer(at: .seconds(600))
        #expect(server.requests.count == 2)
        #expect(clocked.fixture.log.lines.all.count { $0.hasPrefix("error:") } == 1)

        clocked.fixture.backend.answer { _ in .status(200) }
        loop.advance(by: .seconds(300))
        try await server.requests(atLeast: 3)
        #expect(await client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(clocked.fixture.names.suffix(2) == ["A", "B"])
        #expect(client.info("lifecycle") == "ready" && client.info("halted") == nil)
        #expect(client.info("account", "dropped") == [:] && client.isBalanced)
        #expect(!(await client.track("C").outcome.isPending))
        await client.shutdown()
    }

    @Test("a session tracker's refused key halts, and so does a session that is refused; the trial ends both")
    func session() async throws {
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .status(403) : nil }
        try await fixture.start()
        let loop = try await fixture.loop()
        #expect(await fixture.tracker.track(eventName: "A").isQueued)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(await fixture.tracker.track(eventName: "B").isPending)
        // The new generation's session is refused by the next try.
        fixture.answer { $0.isCreation ? .status(422) : nil }
        _ = await fixture.tracker.resetAndWait()
        await loop.turn()
        #expect(await fixture.tracker.track(eventName: "C").isPending)
        // Who only sees the folder knows of the halt also after the reset.
        let state = try StateInspection(StateFolder(path: fixture.directory.path("state")))
        #expect(state.lanes.first?.halt != nil)

        loop.advance(by: .seconds(300))
        try await fixture.backend.server.requests(atLeast: 3)
        try await loop.timer(at: .seconds(600))
        #expect(fixture.tracker.info("lifecycle") == "halted")
        fixture.answer()
        loop.advance(by: .seconds(300))
        await loop.turn()
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.names == ["A", "A", "B", "C"])
        #expect(fixture.tracker.info("lifecycle") == "ready" && fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("the next start tries at once, and so does an initialize with another key", arguments: [true, false])
    func resumes(byStart: Bool) async throws {
        let fixture = try AnalyticsFixture { $0.text.contains("wk-bad") ? .status(401) : .status(200) }
        await fixture.start(fixture.options(writeKey: "wk-bad"))
        for name in ["A", "B"] { _ = await fixture.client.track(name).outcome }
        #expect(await fixture.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        fixture.backend.answer { _ in .status(200) }
        if byStart { await fixture.client.shutdown() }
        let next = byStart ? fixture.restarted() : fixture
        // With the same key too: whoever calls it wants a try now.
        await next.start(next.options(writeKey: "wk-bad"))
        #expect(await next.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.names.suffix(2) == ["A", "B"])
        #expect(next.client.info("lifecycle") == "ready")
        await next.client.shutdown()
    }

    @Test("who halts lets another process with a good key deliver, and sends nothing of what that one delivered")
    func otherProcess() async throws {
        let fixture = try SessionFixture(isClocked: true) { request in
            request.isEvent && request.header("X-API-Key") == "key-1234" ? .status(401) : nil
        }
        try await fixture.start()
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        await fixture.tracker.track(eventName: "B")

        let other = fixture.restarted(isClocked: false)
        try await other.start(other.config { $0.xApiKey = "key-5678" })
        #expect(await other.tracker.flush(timeout: .seconds(60)).remaining == 0)
        await other.tracker.shutdown()
        #expect(fixture.names == ["A", "A", "B"])

        // The halted one finds nothing to try with, and sleeps until there is something.
        loop.advance(by: .seconds(300))
        await loop.turn()
        #expect(loop.pending.isEmpty)
        fixture.answer()
        await fixture.tracker.track(eventName: "C")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        #expect(fixture.names == ["A", "A", "B", "C"])
        #expect(fixture.tracker.info("lifecycle") == "ready")
        await fixture.tracker.shutdown()
    }

    @Test(
        "what waits under a mistyped write key goes out under the right one, as the same visitor and user",
        arguments: [false, true])
    func writeKey(isInMemory: Bool) async throws {
        let fixture = try AnalyticsFixture { $0.events.first?["writeKey"] == "wk-typo" ? .status(401) : .status(200) }
        let options = { fixture.options(writeKey: $0) { if isInMemory { $0.persistence = .memory } } }
        await fixture.start(options("wk-typo"))
        fixture.client.identify("u1")
        fixture.client.track("A")
        #expect(await fixture.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(await fixture.client.track("B").outcome.isPending)
        let visitor = fixture.client.info("anonymousId")

        await fixture.start(options("wk-right"))
        fixture.client.track("C")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.names == ["A", "A", "B", "C"])
        let last = try #require(fixture.backend.events.last)
        #expect(last["writeKey"] == "wk-right" && last["userId"] == "u1" && last["anonymousId"] == visitor)
        #expect(fixture.client.info("lifecycle") == "ready" && fixture.client.isBalanced)
        await fixture.client.shutdown()
    }

    @Test(
        "a user who is named right before another write key is given is that of what follows", arguments: [false, true])
    func lastUser(isInMemory: Bool) async throws {
        let fixture = try AnalyticsFixture { $0.events.first?["writeKey"] == "wk-typo" ? .status(401) : .status(200) }
        let options = { fixture.options(writeKey: $0) { if isInMemory { $0.persistence = .memory } } }
        await fixture.start(options("wk-typo"))
        fixture.client.identify("u1")
        #expect(await fixture.client.flush(timeout: .seconds(60)).stoppedBy == .halted)

        for _ in 0..<200 { fixture.client.track("A") }
        fixture.client.identify("u2")
        await fixture.start(options("wk-right"))
        fixture.client.track("B")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.backend.events.last?["event"] == "B" && fixture.backend.events.last?["userId"] == "u2")
        #expect(fixture.client.info("userId") == "u2")
        await fixture.client.shutdown()
    }

    @Test("a session tracker takes another brand, and leaves with a warning what waits for the first")
    func otherBrand() async throws {
        let fixture = try SessionFixture { $0.isCreation && $0.json["brand_id"] == 925 ? .status(422) : nil }
        try await fixture.start(fixture.config { $0.sessionCreation = .inBackground })
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)

        try await fixture.start(brandId: "926")
        await fixture.tracker.track(eventName: "B")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.tracker.brandId == "926" && fixture.names == ["B"])
        #expect(fixture.log.lines.all.contains { $0.contains("1 event of MobileTracker, brand 925, waits") })
        #expect(fixture.tracker.info("otherLanes")?.arrayValue?.count == 1)
        await fixture.tracker.shutdown()
    }

    @Test("of the options: at least 10 s, and 0 for never over the bridge")
    func bounds() throws {
        for (retry, isValid) in [(.seconds(10), true), (nil, true), (.seconds(9), false)] as [(Duration?, Bool)] {
            let options = DeliveryOptions(haltRetry: retry)
            #expect(((try? options.validate()) != nil) == isValid)
        }
    }
}
