import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A server that takes no gzip")
struct GzipRefusalTests {
    /// Large enough to be packed.
    private static let filler: Properties = ["filler": .string(String(repeating: "filler ", count: 500))]

    /// How a request was packed, after what it carries.
    private func forms(_ requests: [LoopbackRequest], _ name: (JSONValue) -> String?) -> [String] {
        requests.map { request in
            let names = request.json["event_name"]?.stringValue ?? request.events.compactMap(name).joined()
            return names + (request.header("Content-Encoding") == "gzip" ? " packed" : " plain")
        }
    }

    @Test("gets what it refused once more as it is, and all that follows, with nothing dropped", arguments: [415, 400])
    func session(status: Int) async throws {
        let fixture = try SessionFixture { $0.header("Content-Encoding") == "gzip" ? .status(status) : nil }
        try await fixture.start()

        for name in ["A", "B"] { await fixture.tracker.track(eventName: name, attributes: Self.filler) }
        await fixture.drain()

        #expect(forms(fixture.events) { _ in nil } == ["A packed", "A plain", "B plain"])
        #expect(fixture.events[0].header("Idempotency-Key") == fixture.events[1].header("Idempotency-Key"))
        #expect(fixture.events[0].json == fixture.events[1].json)
        #expect(fixture.tracker.dropped == [:])
        #expect(fixture.tracker.info("account", "delivered") == 2)
        await fixture.tracker.shutdown()
    }

    @Test(
        "is distinguished from one that refuses the event: that event is dropped, and the next is compressed again",
        arguments: [415, 400])
    func refusal(status: Int) async throws {
        let fixture = try SessionFixture { $0.text.contains("\"BAD\"") ? .status(status) : nil }
        try await fixture.start()

        for name in ["BAD", "A"] { await fixture.tracker.track(eventName: name, attributes: Self.filler) }
        await fixture.drain()

        #expect(forms(fixture.events) { _ in nil } == ["BAD packed", "BAD plain", "A packed"])
        #expect(fixture.tracker.dropped == .object(["rejected(\(status))": 1]))
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test("is not suspected on a 400 once it has taken gzip")
    func proven() async throws {
        let fixture = try SessionFixture { $0.text.contains("\"BAD\"") ? .status(400) : nil }
        try await fixture.start()

        for name in ["A", "BAD", "B"] { await fixture.tracker.track(eventName: name, attributes: Self.filler) }
        await fixture.drain()

        #expect(forms(fixture.events) { _ in nil } == ["A packed", "BAD packed", "B packed"])
        #expect(fixture.tracker.dropped == ["rejected(400)": 1])
        await fixture.tracker.shutdown()
    }

    @Test("gets a batch once more as it is, before anything is taken apart", arguments: [415, 400])
    func batches(status: Int) async throws {
        let fixture = try AnalyticsFixture { .status($0.header("Content-Encoding") == "gzip" ? status : 200) }
        await fixture.start(fixture.options(flushAt: 3, maxBatchSize: 3))

        for name in ["A", "B", "C"] { _ = await fixture.client.track(name, properties: Self.filler).outcome }
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        for name in ["D", "E"] { _ = await fixture.client.track(name, properties: Self.filler).outcome }
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        let requests = fixture.backend.server.requests
        #expect(forms(requests) { $0["event"]?.stringValue } == ["ABC packed", "ABC plain", "DE plain"])
        #expect(requests[0].header("Idempotency-Key") == requests[1].header("Idempotency-Key"))
        #expect(requests[0].json == requests[1].json)
        #expect(fixture.client.info("account", "dropped") == [:])
        await fixture.client.shutdown()
    }
}
