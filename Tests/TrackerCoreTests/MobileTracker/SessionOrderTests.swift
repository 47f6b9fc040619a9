import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The order of a session tracker's calls")
struct SessionOrderTests {
    @Test("calls that are not awaited take effect in the order in which they are made")
    func fireAndForget() async throws {
        func call(_ tracker: MobileTracker) {
            for number in 0..<50 { tracker.enqueue(.track("A\(number)")) }
            tracker.enqueue(.identify("user-1"))
            tracker.enqueue(.track("B"))
            tracker.reset()
            tracker.enqueue(.track("C"))
        }
        let fixture = try SessionFixture()
        try await fixture.start()

        call(fixture.tracker)
        await fixture.drain()

        #expect(fixture.names == (0..<50).map { "A\($0)" } + ["B", "C"])
        #expect(fixture.events.last?.json["session_id"] == "S2")
        #expect(fixture.events.dropLast().allSatisfy { $0.json["session_id"] == "S1" })
        let profile = try #require(fixture.requests.firstIndex { $0.isProfile })
        #expect(fixture.requests[profile + 1].json["event_name"] == "B")
        await fixture.tracker.shutdown()
    }

    @Test("a caller's task that is cancelled does not undo its call")
    func cancelled() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        let tracker = fixture.tracker

        let outcome = await withTaskGroup(of: TrackOutcome.self) { group in
            group.cancelAll()
            group.addTask {
                #expect(Task.isCancelled)
                return await tracker.track(eventName: "A")
            }
            return await group.next()
        }
        await fixture.drain()

        #expect(outcome?.isQueued == true)
        #expect(fixture.names == ["A"])
        await tracker.shutdown()
    }

    @Test("over an outage and a restart: an event after identify comes after it, and the numbers go on")
    func outage() async throws {
        let first = try SessionFixture { $0.isCreation ? nil : .status(503) }
        try await first.start(first.patientConfig)
        await first.tracker.track(eventName: "A")
        await first.tracker.identify(userId: "user-1")
        await first.tracker.track(eventName: "B")
        _ = await first.tracker.flush(timeout: .seconds(60))
        await first.tracker.shutdown()
        let seen = first.requests.count
        first.answer()

        let next = first.restarted()
        try await next.start()
        await next.tracker.track(eventName: "C")
        await next.drain()

        let late = Array(next.requests.dropFirst(seen))
        #expect(
            late.map(\.line) == [
                "POST /v2/tracking-session-data", "PUT /v2/tracking-session/S1/identify/user-1",
                "PUT /v1/customer-profiles/set", "POST /v2/tracking-session-data", "POST /v2/tracking-session-data",
            ])
        #expect(late.filter { $0.isEvent }.map { $0.json["event_name"] } == ["A", "B", "C"])
        #expect(late.map { $0.header("X-Sequence") } == ["1", "2", "2", "3", "4"])
        #expect(late.allSatisfy { $0.header("X-Occurred-At")?.hasSuffix("Z") == true })
        #expect(late[0].header("Idempotency-Key") == first.requests[1].header("Idempotency-Key"))
        await next.tracker.shutdown()
    }

    @Test("metadata go with the later events of their session, under an event's own data, and end with it")
    func metadata() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        await fixture.tracker.track(eventName: "A")
        await fixture.tracker.setMetadata(["tier": "gold", "plan": 1])
        await fixture.tracker.setMetadata(["plan": 2])
        await fixture.tracker.track(eventName: "B", attributes: ["tier": "own"], metadata: ["x": nil])
        await fixture.tracker.resetAndWait()
        await fixture.tracker.track(eventName: "C")
        await fixture.drain()

        #expect(
            fixture.events.map { $0.json["data"] } == [nil, ["tier": "own", "plan": 2, "x": nil], nil])
        #expect(
            fixture.requests.filter { $0.isProfile }.map { $0.json["metadata"] } == [
                ["tier": "gold", "plan": 1], ["plan": 2],
            ])
        await fixture.tracker.shutdown()
    }

    @Test("an event that alone makes the server fail is named where one looks for it")
    func poison() async throws {
        let fixture = try SessionFixture { $0.text.contains("\"POISON\"") ? .status(500) : nil }
        try await fixture.start(fixture.patientConfig)

        await fixture.tracker.track(eventName: "POISON", messageId: "poison-1")
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(report.stoppedBy == .retryWait)
        #expect(fixture.tracker.info("lastError", "message")?.stringValue?.contains("poison-1") == true)
        await fixture.tracker.shutdown()
    }
}
