import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The identity of an analytics client")
struct AnalyticsIdentityTests {
    @Test("outlives a restart, whole")
    func persists() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        fixture.client.identify("u1")
        fixture.client.group("g1")
        await _ = fixture.client.setAdvertisingId("ad-1").outcome
        let id = fixture.client.info("anonymousId")
        await fixture.client.shutdown(timeout: .seconds(5))

        let next = fixture.restarted()
        await next.start()
        next.client.track("A")
        _ = await next.client.flush(timeout: .seconds(60))

        let event = try #require(fixture.backend.events.last)
        #expect(event["anonymousId"] == id)
        #expect(event["userId"] == "u1")
        #expect(event["groupId"] == "g1")
        #expect(event["context"]?["device"]?["advertisingId"] == "ad-1")
    }

    @Test("is one for all clients that start on a folder at once")
    func oneForAll() async throws {
        let fixture = try AnalyticsFixture()
        let clients = (0..<6).map { _ in fixture.restarted() }

        await withTaskGroup(of: Void.self) { group in
            for other in clients { group.addTask { await other.start() } }
        }

        #expect(Set(clients.map { $0.client.info("anonymousId")?.stringValue }).count == 1)
    }

    @Test("belongs to the write key and the host")
    func perLane() async throws {
        let fixture = try AnalyticsFixture()
        let other = fixture.restarted()

        await fixture.start()
        await other.start(fixture.options(writeKey: "another-key"))

        #expect(fixture.client.info("anonymousId") != other.client.info("anonymousId"))
    }

    @Test("takes and loses the advertising id in the order of the calls; a blank one changes nothing")
    func advertisingID() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()

        fixture.client.track("None")
        fixture.client.setAdvertisingId("ad-1")
        fixture.client.track("First")
        fixture.client.setAdvertisingId("  ")
        fixture.client.track("Still")
        fixture.client.clearAdvertisingId()
        fixture.client.track("Cleared")
        fixture.client.setAdvertisingId("ad-2")
        fixture.client.setAdvertisingId(nil)
        fixture.client.track("Nil")
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(
            fixture.backend.events.map { $0["context"]?["device"]?["advertisingId"] }
                == [nil, "ad-1", "ad-1", nil, nil])
        #expect(fixture.log.lines.all.filter { $0.hasPrefix("warning:") }.count == 1)
        #expect(!fixture.log.lines.all.contains { $0.contains("ad-1") })
    }

    @Test("is cleared by a reset: the next has another anonymous id and nothing else")
    func reset() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        fixture.client.identify("u1")
        fixture.client.group("g1")
        fixture.client.setAdvertisingId("ad-1")
        let id = fixture.client.info("anonymousId")

        await fixture.client.resetAndWait()
        #expect(fixture.client.info("lifecycle") == "idle")
        #expect(fixture.client.info("anonymousId") == .null)
        await fixture.start()
        fixture.client.track("A")
        _ = await fixture.client.flush(timeout: .seconds(60))

        let event = try #require(fixture.backend.events.last)
        #expect(event["anonymousId"] != id)
        #expect(event["userId"] == nil)
        #expect(event["groupId"] == nil)
        #expect(event["context"]?["device"]?["advertisingId"] == nil)
    }

    @Test("is new for every client on the lane once one of them has reset it")
    func resetElsewhere() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let other = fixture.restarted()
        await other.start()
        fixture.client.identify("u1")
        _ = await fixture.client.track("A").outcome

        await other.client.resetAndWait()
        _ = await fixture.client.track("B").outcome
        _ = await fixture.client.track("C").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))
        await other.start()

        let last = try #require(fixture.backend.events.last)
        #expect(last["event"] == "C")
        #expect(last["userId"] == nil)
        #expect(last["anonymousId"] == other.client.info("anonymousId"))
    }

    @Test("a reset before initialize clears what an earlier run left")
    func resetBeforeInitialize() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start()
        _ = await fixture.client.identify("u1").outcome
        await fixture.client.shutdown(timeout: .zero)
        fixture.backend.answer { _ in .status(200) }

        let next = fixture.restarted()
        let dropped = next.client.track("Before")
        next.client.reset()
        await next.start()
        next.client.track("After")
        _ = await next.client.flush(timeout: .seconds(60))

        #expect(await dropped.outcome == .dropped(.notInitialized))
        let delivered = fixture.backend.server.requests.last?.events ?? []
        #expect(delivered.map { $0["event"] } == ["After"])
        #expect(delivered.first?["userId"] == nil)
        #expect(next.client.info("account", "dropped", "reset") == 1)
    }
}
