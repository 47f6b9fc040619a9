import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The properties of the basic tracker", .serialized)
struct BasicPropertyTests {
    // Feature: mobile-tracking-sdk, Property 1: Initialization enables tracking
    @Test("initialization enables tracking", arguments: Seeds.cases(of: "Property 1"))
    func initializationEnablesTracking(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture()
        let path = generator.pick(["", "/", "/events", "/a/b/", "/%C3%A9"])

        try fixture.tracker.initialize(
            apiKey: generator.pick(["k", "key with spaces", "ключ", "a\"b\\c"]), endpoint: fixture.backend.url + path,
            appVersion: generator.once(in: 2) ? nil : generator.name(), options: fixture.options)
        let outcomes = [
            await fixture.tracker.track(event: generator.name(), properties: Properties(generator.object())).outcome,
            await fixture.tracker.identify(userId: generator.name(), traits: Properties(generator.object())).outcome,
            await fixture.tracker.screen(name: generator.name(), properties: Properties(generator.object())).outcome,
        ]

        #expect(outcomes.allSatisfy { if case .queued = $0 { true } else { false } }, "seed \(seed)")
    }

    // Feature: mobile-tracking-sdk, Property 2: Invalid initialization is rejected
    @Test("invalid initialization is rejected", arguments: Seeds.cases(of: "Property 2"))
    func invalidInitializationIsRejected(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        let word = String(generator.next(), radix: 36)
        let keys: [String?] = [nil, "", "   ", "\t", "\(word)\n\(word)", "\(word)\u{0}", "\u{7F}\(word)"]
        let endpoints: [String?] = [
            nil, "", "  ", word, "/\(word)", "ftp://\(word).com/", "https://", "https://\(word) x.com", "//\(word).com",
            "http://\(word).com/events", "https://u:p@\(word).com", "https://\(word).com?a=\(word)",
            "https://\(word).com/#\(word)", "https://\(word).com:99999", "https://\(word).com/%zz",
            "https:/\(word).com",
        ]
        let isKey = generator.once(in: 2)
        let key = isKey ? generator.pick(keys) : "key-1234"
        let endpoint = isKey ? fixture.backend.url : generator.pick(endpoints)

        let error = #expect(throws: TrackerError.self, "seed \(seed)") {
            try fixture.tracker.initialize(apiKey: key, endpoint: endpoint, options: fixture.options)
        }
        let outcome = await fixture.tracker.track(event: "A").outcome

        #expect(error?.code == (isKey ? .invalidAPIKey : .invalidEndpoint), "seed \(seed)")
        #expect(error?.message.isEmpty == false)
        #expect(outcome == .dropped(.notInitialized))
    }

    // Feature: mobile-tracking-sdk, Property 3: Event data preservation
    @Test("event data is preserved", arguments: Seeds.cases(of: "Property 3"))
    func eventDataIsPreserved(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        try fixture.start()
        let calls = (0..<5).map { _ in (generator.name(), generator.object(depth: 1), generator.once(in: 2)) }

        for (name, properties, isScreen) in calls {
            if isScreen {
                fixture.tracker.screen(name: name, properties: Properties(properties))
            } else {
                fixture.tracker.track(event: name, properties: Properties(properties))
            }
        }
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events.map { $0["name"] } == calls.map { .string($0.0) }, "seed \(seed)")
        #expect(events.map { $0["properties"] } == calls.map { .object($0.1) }, "seed \(seed)")
        #expect(events.map { $0["type"] } == calls.map { $0.2 ? "screen" : "track" }, "seed \(seed)")
    }

    // Feature: mobile-tracking-sdk, Property 4: Queue growth on tracking
    @Test("the queue grows by one with each event", arguments: Seeds.cases(of: "Property 4"))
    func queueGrows(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        let bound = generator.number(1...12)
        try fixture.startOffline(maxQueueSize: bound)
        #expect(fixture.tracker.queueLength == 0)

        for number in 1...15 {
            switch generator.number(0...2) {
            case 0: _ = await fixture.tracker.track(event: generator.name()).outcome
            case 1: _ = await fixture.tracker.identify(userId: generator.name()).outcome
            default: _ = await fixture.tracker.screen(name: generator.name()).outcome
            }
            #expect(fixture.tracker.queueLength == min(number, bound), "seed \(seed)")
        }
    }

    // Feature: mobile-tracking-sdk, Property 5: Context enrichment
    @Test("every event carries its context", arguments: Seeds.cases(of: "Property 5"))
    func contextEnrichment(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        let appVersion = generator.once(in: 3) ? nil : generator.name()
        try fixture.tracker.initialize(
            apiKey: "k", endpoint: fixture.backend.url, appVersion: appVersion, options: fixture.options)

        // A timestamp has milliseconds, the rest is cut off.
        let before = Date(timeIntervalSinceNow: -0.001)
        fixture.tracker.track(
            event: generator.name(), properties: generator.once(in: 2) ? nil : Properties(generator.object()))
        fixture.tracker.identify(userId: generator.name())
        fixture.tracker.screen(name: generator.name())
        let after = Date()
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let release = try String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        #expect(fixture.backend.events.count == 3)
        for event in fixture.backend.events {
            #expect(event["context"]?["platform"] == "linux", "seed \(seed)")
            #expect(event["context"]?["osVersion"]?.stringValue == release.trimmingCharacters(in: .newlines))
            #expect(event["context"]?["appVersion"] == appVersion.map(JSONValue.string), "seed \(seed)")
            let time = event["timestamp"]?.stringValue ?? ""
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "seed \(seed)")
            let stamp = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            #expect((before...after).contains(stamp), "seed \(seed)")
        }
    }

    // Feature: mobile-tracking-sdk, Property 6: Nested data structure preservation
    @Test("nested data is preserved", arguments: Seeds.cases(of: "Property 6"))
    func nestedDataIsPreserved(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        try fixture.start()
        let properties: JSONObject = [
            "nested": .object(generator.object(depth: 6)), "list": [generator.value(depth: 6)],
        ]
        let traits: JSONObject = ["nested": .array([generator.value(depth: 6), .object(generator.object(depth: 6))])]

        fixture.tracker.track(event: "A", properties: Properties(properties))
        fixture.tracker.identify(userId: "u", traits: Properties(traits))
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.map { $0["properties"] } == [.object(properties), nil], "seed \(seed)")
        #expect(fixture.backend.events.map { $0["traits"] } == [nil, .object(traits)], "seed \(seed)")
    }

    // Feature: mobile-tracking-sdk, Property 7: User identity persistence
    @Test("the user goes with every later event", arguments: Seeds.cases(of: "Property 7"))
    func userPersists(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        try fixture.start()
        let (user, traits) = (generator.name(), generator.object())
        let count = generator.number(1...6)

        fixture.tracker.track(event: "Before")
        fixture.tracker.identify(userId: user, traits: Properties(traits))
        for _ in 0..<count {
            if generator.once(in: 2) {
                fixture.tracker.track(event: generator.name())
            } else {
                fixture.tracker.screen(name: generator.name())
            }
        }
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(
            events.map { $0["userId"] } == [nil] + Array(repeating: .string(user), count: count + 1), "seed \(seed)")
        #expect(
            events.map { $0["traits"] } == [nil] + Array(repeating: .object(traits), count: count + 1), "seed \(seed)")
    }

    // Feature: mobile-tracking-sdk, Property 8: Identity updates
    @Test("the last identify counts", arguments: Seeds.cases(of: "Property 8"))
    func identityUpdates(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        try fixture.start()
        var expected: [(JSONValue?, JSONValue?)] = []

        for _ in 0..<generator.number(2...6) {
            let user = generator.name()
            let traits = generator.once(in: 3) ? nil : generator.object(depth: 1)
            fixture.tracker.identify(userId: user, traits: traits.map { Properties($0) })
            fixture.tracker.track(event: "After")
            expected += Array(repeating: (.string(user), traits.map(JSONValue.object)), count: 2)
        }
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.map { $0["userId"] } == expected.map(\.0), "seed \(seed)")
        #expect(fixture.backend.events.map { $0["traits"] } == expected.map(\.1), "seed \(seed)")
    }

    // Feature: mobile-tracking-sdk, Property 9: Events are sent to backend
    @Test("events are sent to the endpoint", arguments: Seeds.cases(of: "Property 9"))
    func eventsAreSent(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        let path = generator.pick(["/events", "/v2/in", "/a/"])
        try fixture.start(apiKey: "key-\(seed)", path: path)
        let names = (0..<generator.number(1...45)).map { "E\($0)" }

        for name in names { fixture.tracker.track(event: name) }
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let requests = fixture.backend.server.requests
        #expect(fixture.backend.events.map { $0["name"] } == names.map { .string($0) }, "seed \(seed)")
        #expect(requests.allSatisfy { $0.method == "POST" && $0.target == path }, "seed \(seed)")
        #expect(requests.allSatisfy { $0.header("X-API-Key") == "key-\(seed)" }, "seed \(seed)")
        #expect(requests.allSatisfy { $0.header("Content-Type") == "application/json" }, "seed \(seed)")
        #expect(requests.allSatisfy { (1...20).contains($0.events.count) }, "seed \(seed)")
    }

    // Feature: mobile-tracking-sdk, Property 10: Queue cleanup after send
    @Test("what was delivered leaves the queue, and only that", arguments: Seeds.cases(of: "Property 10"))
    func queueCleanup(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        let failures = generator.number(0...3)
        fixture.backend.answer { $0.number < failures ? .status(503) : .status(200) }
        try fixture.start()
        let count = generator.number(1...30)

        for number in 0..<count { fixture.tracker.track(event: "E\(number)") }
        let requests = try await fixture.backend.server.requests(atLeast: failures + 1)
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.tracker.queueLength == 0, "seed \(seed)")
        #expect(fixture.tracker.info("account", "delivered") == JSONValue(count), "seed \(seed)")
        let delivered = fixture.backend.server.requests.dropFirst(failures).flatMap(\.events)
        #expect(delivered.map { $0["name"] } == (0..<count).map { .string("E\($0)") }, "seed \(seed)")
        #expect(requests.count > failures)
    }

    // Feature: mobile-tracking-sdk, Property 11: Queue eviction policy
    @Test("the oldest leaves a full queue", arguments: Seeds.cases(of: "Property 11"))
    func eviction(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try BasicFixture(.memory)
        let (bound, extra) = (generator.number(1...20), generator.number(1...20))
        try fixture.startOffline(maxQueueSize: bound)
        // The server has refused the first before the others come, so that none is on the wire.
        fixture.tracker.track(event: "E0")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        for number in 1..<bound + extra { _ = await fixture.tracker.track(event: "E\(number)").outcome }
        #expect(fixture.tracker.queueLength == bound, "seed \(seed)")
        #expect(fixture.tracker.info("account", "dropped", "evicted") == JSONValue(extra), "seed \(seed)")
        let delivered = await fixture.goOnline()

        #expect(delivered.map { $0["name"] } == (extra..<bound + extra).map { .string("E\($0)") }, "seed \(seed)")
        #expect(fixture.log.lines.all.contains { $0.hasPrefix("warning:") && $0.contains("full") }, "seed \(seed)")
    }
}
