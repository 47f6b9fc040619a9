import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The bridge and the native basic tracker", .serialized)
struct BasicParityTests {
    private struct Silence: TrackerLog {
        func log(_ level: LogLevel, _ message: String) {}
    }

    private static let seed = Seeds.base(of: "BasicParityTests")

    /// Options under which a request that failed is not sent again by itself, or is after a wait.
    private static func options(_ folder: TemporaryDirectory, wait: Duration = .seconds(3600)) -> DeliveryOptions {
        DeliveryOptions(
            storageDirectory: folder.path("state"), retryDelay: wait, cooldown: wait, maxCooldown: wait)
    }

    // Feature: mobile-tracking-sdk, Property 12: Bridge data preservation
    @Test("data that crosses the bridge arrives as it was spelled", arguments: 0..<100)
    func dataPreservation(number: Int) async throws {
        var chance = Chance(random: SeededGenerator(seed: Self.seed + UInt64(number)))
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let client = try BridgeClient()
        let version = chance.name()
        let key = "key-\(number)"
        let config = Self.options(folder).json
        let texts = (0..<3).map { _ in chance.objectText() }

        try await client.call(
            "basic.initialize", [.string(key), .string(backend.server.url), .string(version), .object(config)])
        let answers = [
            client.start("basic.track", text: #"["Track",\#(texts[0])]"#),
            client.start("basic.identify", text: #"{"userId":"User","traits":\#(texts[1])}"#),
            client.start("basic.screen", text: #"["Screen",\#(texts[2])]"#),
        ]
        for answer in answers { #expect(try await answer.value["status"] == "queued") }
        let events = try await backend.basicEvents(atLeast: 3)

        #expect(events.map { $0["type"]?.stringValue } == ["track", "identify", "screen"])
        #expect(events[0]["properties"]?.text == texts[0])
        #expect(events[1]["traits"]?.text == texts[1] && events[1]["userId"]?.stringValue == "User")
        #expect(events[2]["properties"]?.text == texts[2] && events[2]["traits"]?.text == texts[1])
        #expect(events[2]["name"]?.stringValue == "Screen")
        #expect(events[0]["context"]?["appVersion"]?.stringValue == version)
        #expect(backend.server.requests[0].header("X-API-Key") == key)
    }

    // Feature: mobile-tracking-sdk, Property 13: Cross-platform payload equivalence
    @Test("the same calls give the same payloads", arguments: 0..<100)
    func payloadEquivalence(number: Int) async throws {
        let seed = Self.seed + UInt64(number)
        async let native = Self.payloads(seed) { BasicTracker(log: Silence()) }
        async let bridged = Self.payloads(seed) { try BridgedBasic() }
        let (expected, seen) = try await (native, bridged)

        #expect(expected == seen)
    }

    // Feature: mobile-tracking-sdk, Property 14: Cross-platform queue consistency
    @Test("the same calls give the same queue", arguments: 0..<100)
    func queueConsistency(number: Int) async throws {
        let seed = Self.seed + UInt64(number)
        async let native = Self.queue(seed) { BasicTracker(log: Silence()) }
        async let bridged = Self.queue(seed) { try BridgedBasic() }
        let (expected, seen) = try await (native, bridged)

        #expect(expected == seen)
    }

    @Test(
        "refuse the same arguments",
        arguments: [
            (nil, "https://a.example"), ("", "https://a.example"), ("a\nb", "https://a.example"), ("k", nil), ("k", ""),
            ("k", "ftp://a.example"), ("k", "http://a.example"), ("k", "https://a.example?q"), (nil, nil),
        ] as [(String?, String?)])
    func refusals(apiKey: String?, endpoint: String?) async throws {
        let options = DeliveryOptions(persistence: .memory)
        let (native, bridged) = (BasicTracker(log: Silence()), try BridgedBasic())

        let expected = await #expect(throws: TrackerError.self) {
            try await Self.initialize(native, apiKey, endpoint, options)
        }
        let seen = await #expect(throws: TrackerError.self) {
            try await Self.initialize(bridged, apiKey, endpoint, options)
        }

        #expect(seen?.description == expected?.description)
        #expect(await bridged.flush(timeout: .seconds(1)) == native.flush(timeout: .seconds(1)))
        #expect(await bridged.debugInfo()["lifecycle"] == native.debugInfo()["lifecycle"])
        #expect(await bridged.track(event: "A", properties: nil, messageId: nil).outcome == .dropped(.notInitialized))
    }

    private static func initialize(
        _ tracker: some BasicSurface, _ apiKey: String?, _ endpoint: String?, _ options: DeliveryOptions
    ) async throws {
        try await tracker.begin(
            apiKey: apiKey, endpoint: endpoint, appVersion: nil, maxQueueSize: nil, options: options, debug: true)
    }

    /// Makes calls by chance, and gives their outcomes and the events that arrive.
    private static func payloads(_ seed: UInt64, _ make: () throws -> any BasicSurface) async throws -> ParityTrace {
        var chance = Chance(random: SeededGenerator(seed: seed))
        let folder = try TemporaryDirectory()
        let backend = try Backend()
        let tracker = try make()
        try await tracker.begin(
            apiKey: "key", endpoint: backend.server.url + "/in", appVersion: chance.flip() ? chance.name() : nil,
            maxQueueSize: nil, options: options(folder), debug: false)
        var results: [String] = []
        var accepted = 0
        for _ in 0..<Int.random(in: 1...12, using: &chance.random) {
            let outcome = await chance.basicCall(on: tracker).outcome
            if case .queued = outcome { accepted += 1 }
            results.append("\(outcome)")
        }
        results += try await backend.basicEvents(atLeast: accepted).map(\.text)
        results.append("\(await tracker.flush(timeout: .seconds(60)).remaining)")
        let info = await tracker.debugInfo()
        results.append(info.map(\.key).sorted().joined(separator: " "))
        results += ["lifecycle", "endpoint", "maxQueueSize", "userId", "queueLength", "account", "refused", "config"]
            .map { "\($0): \(info[$0] ?? .null)" }
        await tracker.shutdown(timeout: .seconds(60))
        return ParityTrace(results, folder: folder.path, host: "127.0.0.1:\(backend.server.port)")
    }

    /// Fills a queue while the server is down, and gives what it delivers when the server is up again.
    private static func queue(_ seed: UInt64, _ make: () throws -> any BasicSurface) async throws -> [String] {
        var chance = Chance(random: SeededGenerator(seed: seed))
        let size = Int.random(in: 1...8, using: &chance.random)
        let count = Int.random(in: 0...12, using: &chance.random)
        let folder = try TemporaryDirectory()
        let isUp = Switch()
        let taken = Recorder<String>()
        let backend = try Backend { request in
            guard isUp.isOn else { return .status(503) }
            for event in request.json.arrayValue ?? [] { taken.record(event["name"]?.stringValue ?? "") }
            return nil
        }
        let tracker = try make()
        try await tracker.begin(
            apiKey: "key", endpoint: backend.server.url, appVersion: nil, maxQueueSize: size,
            options: options(folder, wait: .milliseconds(10)), debug: false)
        for number in 0..<count {
            _ = await tracker.track(event: "E\(number)", properties: nil, messageId: nil).outcome
        }
        isUp.turnOn()
        // What was on the wire when it was evicted may still arrive, before the others.
        var names: [String] = []
        while count > 0, names.last != "E\(count - 1)" { names = try await taken.values(atLeast: names.count + 1) }
        names = names.suffix(size)
        await tracker.shutdown(timeout: .seconds(60))
        #expect(names == (0..<count).suffix(size).map { "E\($0)" })
        return names
    }
}

extension Chance {
    fileprivate mutating func basicCall(on tracker: any BasicSurface) -> CallReceipt {
        let id = flip(1, in: 4) ? CallerKey("chosen-\(Int.random(in: 0..<1_000_000, using: &random))") : nil
        let values = maybeObject().map { Properties($0) }
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: tracker.track(event: name(), properties: values, messageId: id)
        case 1: tracker.identify(userId: name(), traits: values, messageId: id)
        default: tracker.screen(name: name(), properties: values, messageId: id)
        }
    }
}

extension Backend {
    /// The events that came in arrays.
    fileprivate func basicEvents() -> [JSONText] {
        server.requests.flatMap { ((try? JSONText(validating: $0.text)) ?? .null).elements }
    }

    /// The events that came in arrays, once there are so many.
    fileprivate func basicEvents(atLeast count: Int) async throws -> [JSONText] {
        while true {
            let requests = server.requests.count
            let events = basicEvents()
            if events.count >= count { return events }
            try await server.requests(atLeast: requests + 1)
        }
    }
}
