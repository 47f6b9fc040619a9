import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("Events that the server has refused can be seen, sent again and removed")
struct RefusedEventTests {
    @Test("of a session tracker: each arrives once under the id it had, and for the session it had")
    func session() async throws {
        let fixture = try SessionFixture { request in
            guard request.isEvent, request.text.contains("BAD") else { return nil }
            return .status(422, body: #"{"error":"unknown event"}"#)
        }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        await fixture.tracker.track(eventName: "BAD", attributes: ["total": 1], metadata: nil, messageId: "order-1")
        await fixture.tracker.track(eventName: "B")
        #expect(await fixture.tracker.flush().remaining == 0)

        let refused = try fixture.tracker.refused()
        let event = try #require(refused.first)
        #expect(refused.count == 1)
        #expect(event.messageID.text == "order-1" && event.call == "track" && event.name == "BAD")
        #expect(event.reason == .rejected && event.status == 422 && event.attempts == 1)
        #expect(event.answer == #"{"error":"unknown event"}"#)
        #expect(event.sessionID?.text == "S1")
        #expect(event.body.value(forKey: "data")?.text == #"{"total":1}"#)
        #expect(fixture.tracker.info("refusedEvents", "count") == 1)
        #expect(fixture.tracker.info("refusedEvents", "reasons") == ["rejected(422)": 1])
        #expect(fixture.tracker.dropped == ["rejected(422)": 1])

        // The user leaves; the backend is mended.
        _ = await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "C")
        fixture.answer()
        async let first = fixture.tracker.retryRefused(matching: RefusedFilter(names: ["BAD"]))
        async let second = fixture.tracker.retryRefused()
        #expect(try await first + second == 1)
        #expect(await fixture.tracker.flush().remaining == 0)

        #expect(fixture.names == ["A", "BAD", "B", "C", "BAD"])
        let retried = try #require(fixture.events.last)
        #expect(retried.header("Idempotency-Key") == "order-1")
        #expect(retried.json["session_id"] == "S1")
        #expect(fixture.events[3].json["session_id"] == "S2")
        #expect(try fixture.tracker.refused().isEmpty)
        #expect(fixture.tracker.info("account", "requeued") == 1 && fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("from outside, one alone, whatever bounds their client has; and an expired session does not stay")
    func folder() async throws {
        let fixture = try SessionFixture { $0.isEvent && $0.text.contains("BAD") ? .status(422) : nil }
        // Longer ago than refused events stay by default, and longer than this session lasts.
        fixture.clock.advance(by: .seconds(-10 * 86_400))
        let config = fixture.config {
            $0.cookieExpiration = 1
            $0.delivery.refusedTTL = .seconds(30 * 86_400)
        }
        try await fixture.start(config)
        for name in ["BAD1", "BAD2", "BAD3"] { await fixture.tracker.track(eventName: name) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        await fixture.tracker.shutdown()
        let folder = RefusedFolder(path: fixture.directory.path("state"))

        let removed = try folder.change(of: nil, matching: RefusedFilter(names: ["BAD2"]), .drop)
        let left = try folder.events(of: nil, matching: RefusedFilter())
        fixture.clock.advance(by: .seconds(10 * 86_400))
        let next = fixture.restarted()
        try await next.start(config)

        #expect(removed == 1)
        #expect(left.map(\.event.name) == ["BAD1", "BAD3"])
        #expect(try next.tracker.refused().count == 2)
        #expect(next.tracker.sessionId == "S2")
        await next.tracker.shutdown()
    }

    @Test("of batches: the filter says which, and what is removed is gone")
    func batches() async throws {
        // No id in hexadecimal digits holds this word.
        let fixture = try AnalyticsFixture { $0.text.contains("wrong") ? .status(400, body: "why") : .status(200) }
        await fixture.start()
        for name in ["good1", "wrong1", "wrong2", "good2"] { _ = await fixture.client.track(name).outcome }
        _ = await fixture.client.screen("wrong3").outcome
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        let refused = try fixture.client.refused()
        #expect(refused.map(\.name) == ["wrong1", "wrong2", "wrong3"])
        #expect(refused.map(\.call) == ["track", "track", "screen"])
        #expect(refused.allSatisfy { $0.attempts > 1 && $0.answer == "why" && $0.sessionID == nil })
        let filter = RefusedFilter(messageIDs: [refused[0].messageID])
        #expect(try fixture.client.refused(matching: filter) == [refused[0]])
        #expect(try fixture.client.refused(matching: RefusedFilter(statuses: [422])).isEmpty)
        #expect(try fixture.client.refused(matching: RefusedFilter(reasons: [.rejected])).count == 3)
        #expect(try fixture.client.refused(matching: RefusedFilter(until: refused[0].refusedAt)).isEmpty)
        #expect(try fixture.client.refused(matching: RefusedFilter(since: refused[0].refusedAt)).count == 3)

        #expect(try await fixture.client.dropRefused(matching: filter) == 1)
        fixture.backend.answer { _ in .status(200) }
        #expect(try await fixture.client.retryRefused() == 2)
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        #expect(fixture.backend.events.suffix(2).map { $0["event"] } == ["wrong2", "wrong3"])
        #expect(try fixture.client.refused().isEmpty && fixture.client.isBalanced)
        await fixture.client.shutdown()
    }

    @Test("a reset of an analytics client erases them, and without a client there are none")
    func reset() async throws {
        let fixture = try AnalyticsFixture { _ in .status(400) }
        #expect(try fixture.client.refused().isEmpty)
        #expect(try await fixture.client.retryRefused() == 0)
        await fixture.start()
        _ = await fixture.client.track("bad").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))
        #expect(try fixture.client.refused().count == 1)
        await fixture.client.resetAndWait()
        await fixture.start()
        #expect(try fixture.client.refused().isEmpty)
        await fixture.client.shutdown()
    }

    @Test("the first refusal says in the log how to see it, and the others do not", arguments: [1000, 0])
    func told(most: Int) async throws {
        let fixture = try SessionFixture { $0.isEvent ? .status(422) : nil }
        try await fixture.start(fixture.config { $0.delivery.maxRefusedEvents = most })
        for name in ["A", "B"] { await fixture.tracker.track(eventName: name) }
        await fixture.drain()

        let folder = fixture.config().delivery.storageDirectory ?? ""
        let told = fixture.log.lines.all.filter { $0.contains("mobile-tracker refused list --storage-dir") }
        #expect(told.count == (most > 0 ? 1 : 0))
        #expect(told.allSatisfy { $0.hasPrefix("warning:") && $0.contains("\"\(folder)\"") })
        await fixture.tracker.shutdown()
    }

    @Test("while a reset or a shutdown closes the queue there are none")
    func closing() async throws {
        let fixture = try AnalyticsFixture { _ in .status(400) }
        await fixture.start()
        _ = await fixture.client.track("bad").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))
        let outbox = try #require(fixture.client.runtime.lane?.outbox)
        await withCheckedContinuation { continuation in outbox.close { continuation.resume() } }

        #expect(try fixture.client.refused().isEmpty)
        #expect(try await fixture.client.retryRefused() == 0)
        #expect(try await fixture.client.dropRefused() == 0)
        await fixture.client.shutdown()
    }

    @Test("what is kept counts how often it was sent, over failures and halves")
    func attempts() async throws {
        let count = Recorder<Int>()
        let fixture = try SessionFixture { request in
            guard request.isEvent else { return nil }
            count.record(1)
            return .status(count.all.count < 3 ? 503 : 422)
        }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        await fixture.drain()
        #expect(try fixture.tracker.refused().map(\.attempts) == [3])
        await fixture.tracker.shutdown()
    }
}
