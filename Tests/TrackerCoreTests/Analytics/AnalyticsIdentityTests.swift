import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The identity of an analytics client")
struct AnalyticsIdentityTests {
    @Test("a user whose id only looks like that of the last one is another")
    func exactUser() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        for user in ["Zo\u{e9}", "Zoe\u{301}"] {
            _ = await fixture.client.identify(user).outcome
            _ = await fixture.client.track("E").outcome
        }
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        let users = fixture.backend.events.filter { $0["event"] == "E" }.compactMap { $0["userId"]?.stringValue }
        #expect(users.map(\.unicodeScalars.count) == [3, 4])
        await fixture.client.shutdown()
    }

    @Test("outlives a restart, whole")
    func persists() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        fixture.client.identify("u1")
        fixture.client.group("g1")
        await _ = fixture.client.setAdvertisingId("ad-1").outcome
        let id = fixture.client.info("anonymousId")
        await fixture.client.shutdown(timeout: .seconds(60))

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

        let ids = Set(clients.map { $0.client.info("anonymousId")?.stringValue ?? "" })
        #expect(ids.count == 1)
        #expect(ids.allSatisfy { UUID(uuidString: $0) != nil }, "\(ids)")
    }

    @Test("belongs to the write key and the host")
    func perLane() async throws {
        let fixture = try AnalyticsFixture()
        let (otherKey, otherHost, same) = (fixture.restarted(), fixture.restarted(), fixture.restarted())
        var elsewhere = fixture.options()
        elsewhere.ingestionHost += "/elsewhere"

        await fixture.start()
        await otherKey.start(fixture.options(writeKey: "another-key"))
        await otherHost.start(elsewhere)
        await same.start()

        let ids = [fixture, otherKey, otherHost, same].map { $0.client.info("anonymousId")?.stringValue }
        #expect(Set(ids).count == 3 && !ids.contains(nil), "\(ids)")
        #expect(ids.first == ids.last)
    }

    @Test("has no place for the advertising id in a device that is no object: it stays as the options say")
    func foreignDevice() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options(context: ["device": "kiosk", "page": ["path": "/"]]))

        fixture.client.track("None")
        fixture.client.setAdvertisingId("ad-1")
        fixture.client.track("Some")
        _ = await fixture.client.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.map { $0["context"]?["device"] } == ["kiosk", "kiosk"])
        #expect(fixture.backend.server.requests.map { $0.text.ranges(of: #""device""#).count } == [2])
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

    @Test("is changed once by a call that is made again under its id, as after a crash")
    func changesOnce() async throws {
        let fixture = try AnalyticsFixture()
        let script: @Sendable (AnalyticsClient) -> Void = { client in
            client.enqueue(.identify(userId: "ALICE", traits: nil), messageId: "m1")
            client.enqueue(.setAdvertisingId("ad-1"), messageId: "m2")
            client.enqueue(.group(groupId: "g1", traits: nil), messageId: "m3")
            client.reset(messageId: "m4")
        }
        await fixture.start()
        script(fixture.client)
        await fixture.start()
        _ = await fixture.client.track("First").outcome
        let id = fixture.client.info("anonymousId")
        await fixture.client.shutdown()

        let next = fixture.restarted()
        next.client.initialize(with: next.options())
        script(next.client)
        await next.start()
        next.client.track("After")
        #expect(await next.client.flush(timeout: .seconds(60)).remaining == 0)

        let event = try #require(fixture.backend.events.last { $0["event"] == "After" })
        #expect(event["userId"] == nil && event["groupId"] == nil)
        #expect(event["context"]?["device"]?["advertisingId"] == nil)
        #expect(event["anonymousId"] == id)
        #expect(fixture.backend.events.contains { $0["event"] == "First" })
        await next.client.shutdown()
    }

    @Test("stays the later one when an earlier call is made again under its id")
    func keepsTheLater() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let identify = { (user: String, id: String) in
            fixture.client.enqueue(.identify(userId: user, traits: nil), messageId: CallerKey(id))
        }
        let advertise = { (ad: String, id: String) in
            fixture.client.enqueue(.setAdvertisingId(ad), messageId: CallerKey(id))
        }

        _ = identify("BOB", "b")
        _ = advertise("ad-b", "x")
        _ = identify("CAROL", "c")
        _ = advertise("ad-c", "y")
        let again = identify("BOB", "b")
        let adAgain = advertise("ad-b", "x")
        fixture.client.track("After")
        _ = await fixture.client.flush(timeout: .seconds(60))

        let event = try #require(fixture.backend.events.last)
        #expect(event["userId"] == "CAROL")
        #expect(event["context"]?["device"]?["advertisingId"] == "ad-c")
        #expect(await again.outcome == .queued(.of("b")))
        #expect(await adAgain.outcome == .queued(.of("x")))
        #expect(fixture.backend.events.count == 3)
        await fixture.client.shutdown()
    }

    @Test("is set under the ids of other calls, and not under those of resets")
    func sharesIDs() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        _ = await fixture.client.enqueue(.setAdvertisingId("ad-1"), messageId: "m1").outcome
        fixture.client.enqueue(.track(event: "A", properties: nil), messageId: "m1")
        fixture.client.enqueue(.track(event: "B", properties: nil), messageId: "m2")
        fixture.client.enqueue(.setAdvertisingId("ad-2"), messageId: "m2")
        fixture.client.track("C")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        #expect(fixture.backend.events.map { $0["event"] } == ["B", "C"])
        #expect(fixture.backend.events.last?["context"]?["device"]?["advertisingId"] == "ad-1")

        _ = await fixture.client.reset(messageId: "m1").outcome

        #expect(fixture.client.info("lifecycle") == "idle")
        await fixture.client.shutdown()
    }

    @Test("of an event is the one on disk when it is committed, whichever client on the folder has said it")
    func saidElsewhere() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let other = fixture.restarted()
        await other.start()

        _ = await other.client.identify("u1").outcome
        _ = await other.client.setAdvertisingId("ad-1").outcome
        _ = await fixture.client.track("A").outcome
        _ = await fixture.client.group("g1").outcome
        _ = await other.client.track("B").outcome
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        let events = fixture.backend.events.filter { $0["type"] == "track" }
        #expect(events.map { $0["event"] } == ["A", "B"])
        #expect(events.map { $0["userId"] } == ["u1", "u1"])
        #expect(events.map { $0["groupId"] } == [nil, "g1"])
        #expect(events.allSatisfy { $0["context"]?["device"]?["advertisingId"] == "ad-1" })
        #expect(fixture.client.info("userId") == "u1")
        await fixture.client.shutdown()
        await other.client.shutdown()
    }

    @Test("is new for every client on the lane once one has reset it: no event says the old one, and all keep order")
    func resetElsewhere() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let other = fixture.restarted()
        await other.start()
        fixture.client.identify("u1")
        _ = await fixture.client.track("Before").outcome

        await other.client.resetAndWait()
        // All calls are on their way before the disk takes the first.
        let lock = try LockedFile(fixture.directory.path("state/writer.lock"))
        fixture.client.setAdvertisingId("ad-2")
        let receipts = (0..<50).map { number in
            if number == 20 { fixture.client.identify("u2") }
            return fixture.client.track("E\(number)")
        }
        lock.unlock()
        let report = await fixture.client.flush(timeout: .seconds(60))
        await other.start()

        let events = fixture.backend.events.filter { $0["type"] == "track" }
        #expect(report.remaining == 0 && report.stoppedBy == nil)
        #expect(events.map { $0["event"] } == (0..<50).map { .string("E\($0)") })
        #expect(events.map { $0["userId"] } == (0..<50).map { $0 < 20 ? nil : "u2" })
        #expect(Set(events.map { $0["anonymousId"] }) == [other.client.info("anonymousId")])
        #expect(events.allSatisfy { $0["context"]?["device"]?["advertisingId"] == "ad-2" })
        #expect(fixture.client.info("userId") == "u2")
        for receipt in receipts { #expect(await receipt.outcome.messageID != nil) }
        #expect(fixture.client.isBalanced)
        await fixture.client.shutdown()
        await other.client.shutdown()
    }

    @Test("that was reset elsewhere: questions wait for the calls before them, and a reset of one's own drops those")
    func resetElsewhereAndHere() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        let other = fixture.restarted()
        await other.start()
        await other.client.resetAndWait()

        let first = fixture.client.track("A")
        let queued = Recorder<JSONValue?>()
        fixture.client.control.afterEarlierCalls { queued.record(fixture.client.info("queueLength")) }
        #expect(try await queued.values(atLeast: 1) == [1])
        #expect(await first.outcome.messageID != nil)
        await other.start()
        await other.client.resetAndWait()
        fixture.client.track("B")
        await fixture.client.resetAndWait()
        await fixture.start()
        _ = await fixture.client.flush(timeout: .seconds(60))

        // What is queued when a client starts is sent at once, so that A may have gone before the reset.
        #expect(!fixture.names.contains("B"))
        #expect(fixture.client.isBalanced)
        await fixture.client.shutdown()
        await other.client.shutdown()
    }

    @Test("a reset is kept over an initialize that fails on the disk, and after shutdown", arguments: [true, false])
    func resetKept(isAfterShutdown: Bool) async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start()
        _ = await fixture.client.identify("u1").outcome
        let id = fixture.client.info("anonymousId")
        await fixture.client.shutdown()

        let next = isAfterShutdown ? fixture : fixture.restarted()
        await next.client.resetAndWait()
        if !isAfterShutdown {
            await next.start(next.options { $0.storageDirectory = "/dev/null/state" })
            #expect(next.client.info("lifecycle") == "disabled")
        }
        await next.start()
        next.client.track("After")
        _ = await next.client.flush(timeout: .seconds(60))
        let renewed = next.client.info("anonymousId")
        await next.client.shutdown()
        await next.start()

        let event = try #require(fixture.backend.events.last)
        #expect(event["userId"] == nil)
        #expect(event["anonymousId"] == renewed && renewed != id)
        #expect(next.client.info("anonymousId") == renewed)
        await next.client.shutdown()
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
