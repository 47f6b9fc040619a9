import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("The basic tracker")
struct BasicTrackerTests {
    @Test("events are exactly as documented, and what is absent is left out")
    func payloads() async throws {
        let fixture = try BasicFixture()
        try fixture.start()

        fixture.tracker.track(event: "Plain")
        fixture.tracker.identify(userId: "user123", traits: ["email": "user@example.com", "plan": "pro"])
        fixture.tracker.track(event: "Button Clicked", properties: ["button_name": "signup", "screen": "home"])
        fixture.tracker.identify(userId: "user456")
        fixture.tracker.screen(name: "Home", properties: [:])
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let context: JSONValue = [
            "platform": .string(SystemDescription.osName.lowercased()),
            "osVersion": .string(SystemDescription.osVersion),
            "appVersion": "1.2.3",
        ]
        let times = fixture.backend.events.map { $0["timestamp"] ?? nil }
        let traits: JSONValue = ["email": "user@example.com", "plan": "pro"]
        #expect(
            fixture.backend.events == [
                ["type": "track", "name": "Plain", "context": context, "timestamp": times[0]],
                ["type": "identify", "userId": "user123", "traits": traits, "context": context, "timestamp": times[1]],
                [
                    "type": "track", "name": "Button Clicked", "userId": "user123", "traits": traits,
                    "properties": ["button_name": "signup", "screen": "home"], "context": context,
                    "timestamp": times[2],
                ],
                ["type": "identify", "userId": "user456", "context": context, "timestamp": times[3]],
                [
                    "type": "screen", "name": "Home", "userId": "user456", "properties": [:], "context": context,
                    "timestamp": times[4],
                ],
            ])
    }

    @Test("requests carry the key, the group's idempotency key and the first sequence number")
    func headers() async throws {
        let fixture = try BasicFixture()
        fixture.backend.answer { $0.number == 0 ? .status(503) : .status(200) }
        try fixture.start(path: "/in/")

        for name in ["A", "B"] { fixture.tracker.track(event: name, messageId: "id-\(name)") }
        let requests = try await fixture.backend.server.requests(atLeast: 2)
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(requests[0].method == "POST")
        #expect(requests[0].target == "/in/")
        #expect(requests[0].header("X-API-Key") == "key-1234")
        #expect(requests[0].header("X-Sequence") == "1")
        #expect(requests[0].header("X-Occurred-At") == nil)
        #expect(requests[0].header("Idempotency-Key")?.hasPrefix("id-A:id-") == true)
        #expect(requests[1].header("Idempotency-Key") == requests[0].header("Idempotency-Key"))
    }

    @Test(
        "a blank name or id, and a value that JSON cannot hold, drop the call and no other",
        arguments: [
            (BasicCall.track(event: "", properties: nil), RefusalReason.invalidEventName),
            (.screen(name: " ", properties: nil), .invalidEventName),
            (.identify(userId: "", traits: nil), .invalidUserId),
            (.track(event: "A", properties: .of("[]")), .serialization),
        ])
    func refusals(call: BasicCall, reason: RefusalReason) async throws {
        let fixture = try BasicFixture()
        try fixture.start()

        let outcome = await withCheckedContinuation { continuation in
            fixture.tracker.enqueue(call, caller: Caller { continuation.resume(returning: $0.outcome) })
        }
        let nan: [String: Any] = ["deep": [1, Double.infinity] as [Any]]
        let unwritable = await fixture.tracker.track(event: "A", properties: nan).outcome
        fixture.tracker.track(event: "Good")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(outcome == .dropped(reason))
        #expect(unwritable == .dropped(.serialization))
        #expect(fixture.log.lines.all.contains { $0.contains("deep[1]") })
        #expect(fixture.backend.events.map { $0["name"] } == ["Good"])
        #expect(fixture.backend.events.first?["userId"] == nil)
    }

    @Test("a message id that is not valid drops its call")
    func invalidKey() async throws {
        let fixture = try BasicFixture()
        try fixture.start()

        let outcome = await fixture.tracker.track(event: "A", messageId: "").outcome

        #expect(outcome == .dropped(.invalidValue))
    }

    @Test("an event that is too large is refused and leaves no trace, not in the user either")
    func tooLarge() async throws {
        let fixture = try BasicFixture()
        var options = fixture.options
        options.maxEventBytes = 1000
        try fixture.tracker.initialize(apiKey: "k", endpoint: fixture.backend.url, options: options)

        let filler = JSONValue.string(String(repeating: "x", count: 1000))
        let outcome = await fixture.tracker.identify(userId: "u1", traits: ["filler": filler]).outcome
        fixture.tracker.track(event: "After")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(outcome == .dropped(.tooLarge))
        #expect(
            fixture.log.lines.all.contains {
                $0.hasSuffix(" TOO_LARGE. As JSON it is larger than maxEventBytes allows, 1,000 bytes.")
            })
        #expect(fixture.backend.events.map { $0["userId"] } == [nil])
    }

    @Test("an identify that the queue refuses names the user of what follows, and its traits go with nothing")
    func refusedIdentify() async throws {
        let fixture = try BasicFixture { _ in .status(503) }
        var options = fixture.patientOptions
        options.overflow = .refuseNew
        try fixture.tracker.initialize(
            apiKey: "key-1234", endpoint: fixture.backend.url + "/events", maxQueueSize: 1, options: options)
        fixture.tracker.track(event: "A")
        let refused = fixture.tracker.identify(userId: "user-1", traits: ["secret": "1"], messageId: "i-1")
        #expect(await refused.outcome == .dropped(.queueFull))
        _ = await fixture.goOnline()
        // From now on an event may arrive as soon as it is tracked.
        fixture.tracker.track(event: "B")
        _ = await fixture.goOnline()
        let b = try #require(fixture.backend.events.last)
        fixture.tracker.identify(userId: "user-1", traits: ["plan": "pro"], messageId: "i-1")
        _ = await fixture.goOnline()
        let again = try #require(fixture.backend.events.last)

        #expect(b["name"] == "B" && b["userId"] == "user-1" && b["traits"] == nil)
        #expect(again["type"] == "identify" && again["traits"] == ["plan": "pro"])
        await fixture.tracker.shutdown()
    }

    @Test("before initialize, and after shutdown, calls are refused")
    func notInitialized() async throws {
        let fixture = try BasicFixture()

        let before = await fixture.tracker.track(event: "A").outcome
        let flushed = await fixture.tracker.flush()
        try fixture.start()
        await fixture.tracker.shutdown()
        await fixture.tracker.shutdown()
        let after = await fixture.tracker.track(event: "B").outcome

        #expect(before == .dropped(.notInitialized))
        #expect(flushed == FlushReport(delivered: 0, remaining: 0))
        #expect(after == .dropped(.notInitialized))
        #expect(fixture.log.lines.all.contains("warning: Not initialized. Call initialize() first."))
    }

    @Test("a flush ends at once if the state folder cannot be used: nothing waits then")
    func flushWithoutFolder() async throws {
        let fixture = try BasicFixture()
        try fixture.tracker.initialize(
            apiKey: "key-1234", endpoint: fixture.backend.url + "/events",
            options: DeliveryOptions(storageDirectory: "/dev/null/state"))

        let outcome = await fixture.tracker.track(event: "A").outcome
        await withCheckedContinuation { done in fixture.tracker.control.afterEarlierCalls { done.resume() } }
        let report = try await withGuard("the flush") { await fixture.tracker.flush(timeout: .seconds(3600)) }

        #expect(outcome == .dropped(.storage))
        #expect(report == FlushReport(delivered: 0, remaining: 0))
        await fixture.tracker.shutdown()
    }

    @Test("an error of initialize has its documented code and leaves a running tracker as it is")
    func initializeErrors() async throws {
        let fixture = try BasicFixture()
        try fixture.start()

        let errors = [
            Self.error { try fixture.tracker.initialize(apiKey: nil, endpoint: fixture.backend.url) },
            Self.error { try fixture.tracker.initialize(apiKey: "k", endpoint: nil) },
            Self.error { try fixture.tracker.initialize(apiKey: "k", endpoint: "nowhere") },
            Self.error { try fixture.tracker.initialize(apiKey: "k", endpoint: fixture.backend.url, maxQueueSize: 0) },
        ]
        fixture.tracker.track(event: "Still")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(
            errors.map { $0?.code.rawValue } == [
                "INVALID_API_KEY", "INVALID_ENDPOINT", "INVALID_ENDPOINT", "INVALID_CONFIGURATION",
            ])
        #expect(fixture.backend.server.requests.map { $0.header("X-API-Key") } == ["key-1234"])
    }

    /// The tracker's error that `body` throws.
    private static func error(_ body: () throws -> Void) -> TrackerError? {
        do {
            try body()
            return nil
        } catch {
            return error as? TrackerError
        }
    }

    @Test(
        "a refused key halts delivery and keeps the queue; initialize with another resumes it", arguments: [401, 403])
    func halts(status: Int) async throws {
        let fixture = try BasicFixture { $0.header("X-API-Key") == "good" ? .status(200) : .status(status) }
        let lane = Recorder<String>()
        fixture.tracker.control.observe { if case .lane(let message) = $0 { lane.record(message) } }
        try fixture.start(apiKey: "bad-key")
        fixture.tracker.track(event: "A")
        let report = await fixture.tracker.flush(timeout: .seconds(60))
        let held = await fixture.tracker.track(event: "B").outcome

        #expect(report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .halted))
        #expect(fixture.tracker.info("lifecycle") == "halted")
        #expect(held == .pending(try #require(held.messageID)))
        #expect(fixture.log.lines.all.filter { $0.hasPrefix("error:") && $0.contains("\(status)") }.count == 1)
        try fixture.start(apiKey: "good")
        let resumed = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(resumed.remaining == 0)
        #expect(fixture.backend.server.requests.last?.events.map { $0["name"] } == ["A", "B"])
        #expect(lane.all.count == 2)
        #expect(lane.all.first?.contains("\(status)") == true)
        #expect(lane.all.last == "Delivery resumes.")
    }

    @Test("other refusals drop the records that are refused alone", arguments: [400, 404, 410, 422])
    func bisects(status: Int) async throws {
        let fixture = try BasicFixture { $0.text.contains("wrong#") ? .status(status) : .status(200) }
        try fixture.start()

        for number in 0..<30 { fixture.tracker.track(event: number == 11 ? "wrong#" : "E\(number)") }
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        let delivered = fixture.backend.server.requests.filter { !$0.text.contains("wrong#") }.flatMap(\.events)
        #expect(report.remaining == 0)
        #expect(delivered.map { $0["name"] } == (0..<30).filter { $0 != 11 }.map { .string("E\($0)") })
        #expect(fixture.tracker.info("account", "dropped", "rejected(\(status))") == 1)
    }

    @Test("calls from many tasks keep each task's order")
    func orderOfTasks() async throws {
        let fixture = try BasicFixture()
        try fixture.start(maxQueueSize: 1000)

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        fixture.tracker.track(event: "\(task)", properties: ["n": JSONValue(number)])
                    }
                }
            }
        }
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.count == 400)
        for task in 0..<8 {
            let own = fixture.backend.events.filter { $0["name"] == .string("\(task)") }
            #expect(own.compactMap { $0["properties"]?["n"]?.intValue } == Array(0..<50))
        }
    }

    @Test("events outlive the process, which the document's do not")
    func survivesRestart() async throws {
        let fixture = try BasicFixture()
        try fixture.startOffline()
        fixture.tracker.identify(userId: "u1")
        _ = await fixture.tracker.track(event: "A").outcome
        await fixture.tracker.shutdown(timeout: .zero)
        let taken = fixture.backend.takeEverything()

        let next = fixture.restarted()
        try next.start()
        next.tracker.track(event: "B")
        _ = await next.tracker.flush(timeout: .seconds(60))

        #expect(taken.events.map { $0["name"] } == [nil, "A", "B"])
        #expect(taken.events.map { $0["userId"] } == ["u1", "u1", nil])
    }

    @Test("a state folder that cannot be used refuses the calls, and the caller by completion hears of it")
    func storageFailure() async throws {
        let fixture = try BasicFixture()
        var options = fixture.options
        options.storageDirectory = "/dev/null/state"
        let broken = options

        let result = await withCheckedContinuation { continuation in
            fixture.tracker.initialize(
                apiKey: "k", endpoint: fixture.backend.url, appVersion: nil, options: BasicOptions(delivery: broken)
            ) { continuation.resume(returning: $0) }
        }
        let outcome = await fixture.tracker.track(event: "A").outcome

        let error = #expect(throws: TrackerError.self) { try result.get() }
        #expect(error?.code == .storage)
        #expect(outcome == .dropped(.storage))
    }

    @Test("a state folder that could not be used is opened by the next initialize, with the same options")
    func storageRecovers() async throws {
        let fixture = try BasicFixture()
        let obstacle = fixture.directory.path("state")
        try Data().write(to: URL(fileURLWithPath: obstacle))
        try fixture.start()
        #expect(await fixture.tracker.track(event: "A").outcome == .dropped(.storage))

        try FileManager.default.removeItem(atPath: obstacle)
        try fixture.start()
        fixture.tracker.track(event: "B")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.map { $0["name"] } == ["B"])
        await fixture.tracker.shutdown()
    }

    @Test("an identification that is made again under its id does not bring its user back")
    func identifiesOnce() async throws {
        let fixture = try BasicFixture()
        try fixture.start()
        let identify = { (user: String, id: String) in
            fixture.tracker.enqueue(.identify(userId: user, traits: nil), CallerKey(id))
        }

        _ = identify("BOB", "b")
        _ = identify("CAROL", "c")
        let again = identify("BOB", "b")
        #expect(await again.outcome == .queued(.of("b")))
        _ = await identify("BOB", "b").outcome
        fixture.tracker.track(event: "After")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.last?["userId"] == "CAROL")
        #expect(fixture.backend.events.count == 3)
        await fixture.tracker.shutdown()
    }

    @Test("identifications that are made again after a restart tell who the user is, the last of them")
    func identifiesAgain() async throws {
        let fixture = try BasicFixture()
        let identify = { (user: String, id: String) in
            await fixture.tracker.enqueue(.identify(userId: user, traits: nil), CallerKey(id)).outcome
        }
        try fixture.start()
        for (user, id) in [("BOB", "b"), ("CAROL", "c")] { _ = await identify(user, id) }
        await fixture.tracker.shutdown()

        try fixture.start()
        for (user, id) in [("BOB", "b"), ("CAROL", "c")] { _ = await identify(user, id) }
        fixture.tracker.track(event: "After")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(fixture.backend.events.last?["userId"] == "CAROL")
        #expect(fixture.backend.events.count == 3)
        await fixture.tracker.shutdown()
    }

    @Test("the queue holds 100 events in memory and 100,000 on disk by default")
    func standardBound() throws {
        let bound = { (size: Int?, persistence: DeliveryOptions.Persistence) throws(TrackerError) in
            try BasicSettings(
                apiKey: "k", endpoint: "https://a.b", appVersion: nil,
                options: BasicOptions(maxQueueSize: size, delivery: DeliveryOptions(persistence: persistence))
            ).limits
        }

        #expect(try bound(nil, .memory).maxRecords == 100)
        #expect(try bound(nil, .disk).maxRecords == 100_000)
        #expect(try bound(7, .disk).maxRecords == 7)
        #expect(try bound(nil, .disk).overflow == .dropOldest)
    }

    @Test("all of 20,000 events in a tight loop at default options are delivered, in order")
    func tightLoop() async throws {
        let fixture = try BasicFixture()
        try fixture.tracker.initialize(
            apiKey: "k", endpoint: fixture.backend.url,
            options: DeliveryOptions(storageDirectory: fixture.directory.path("state")))

        let receipts = (0..<20_000).map { fixture.tracker.track(event: "E\($0)") }
        var queued = 0
        for receipt in receipts where await receipt.outcome.messageID != nil { queued += 1 }
        let report = await fixture.tracker.flush(timeout: .seconds(60))

        #expect(queued == 20_000)
        #expect(report.remaining == 0)
        #expect(fixture.backend.events.compactMap { $0["name"]?.stringValue } == (0..<20_000).map { "E\($0)" })
    }

    @Test("logs a full queue once, and how many events it has cost once it is empty again")
    func fullQueue() async throws {
        let fixture = try BasicFixture()
        try fixture.startOffline(maxQueueSize: 2)
        for number in 0..<5 { _ = await fixture.tracker.track(event: "E\(number)").outcome }
        let told = { fixture.log.lines.all.filter { $0.contains("The queue") } }
        #expect(told() == ["warning: The queue is full: the oldest events are dropped until it is empty again."])

        // Once it has failed and waits, nothing is on the wire.
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .retryWait)
        fixture.backend.answer { _ in .status(200) }
        fixture.tracker.networkDidChange()
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        await fixture.tracker.shutdown()

        #expect(told().dropFirst() == ["warning: The queue was full: 3 events were dropped in all."])
    }
}
