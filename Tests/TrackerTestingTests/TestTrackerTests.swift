import Testing
import TrackerCore
import TrackerModels

@testable import TrackerTesting

@Suite("A test tracker")
struct TestTrackerTests {
    private let test = TestTracker(log: SilentLog())

    @Test("records the calls of all clients, in the order in which they were made, with their outcomes")
    func records() async throws {
        test.tracker.enqueue(.track("PURCHASE", ["total": 149.99], metadata: ["flow": "checkout"]))
        test.analytics.track("Order Completed", properties: ["total": 149.99])
        test.basic.screen(name: "Home")
        test.tracker.enqueue(.track(" "))

        let calls = await test.calls

        #expect(calls.map(\.client) == [.tracker, .analytics, .basic, .tracker])
        #expect(calls.map(\.title) == ["PURCHASE", "Order Completed", "Home", " "])
        #expect(calls[0].metadata == ["flow": "checkout"])
        #expect(calls.prefix(3).allSatisfy { $0.outcome?.messageID != nil })
        #expect(calls[3].outcome == .dropped(.invalidEventName))
    }

    @Test("knows whose an event is, exactly as it would be sent")
    func author() async throws {
        test.analytics.track("Before")
        test.analytics.identify("user-1")
        test.analytics.group("acme")
        test.analytics.track("After")
        test.analytics.track("Other", options: CallOptions(userId: "user-2", context: ["ip": "192.0.2.1"]))

        let before = try #require(await test.find("Before").first)
        #expect(before.userId == nil && before.anonymousId != nil)
        try await test.expect("After", userId: "user-1", groupId: "acme")
        let other = try #require(await test.find("Other", userId: "user-2").first)
        #expect(other.anonymousId == nil && other.groupId == nil)
        #expect(other.context?["ip"] == "192.0.2.1")
        test.basic.identify(userId: "user-3")
        test.basic.track(event: "Clicked")
        try await test.expect("Clicked", userId: "user-3", client: .basic)
    }

    @Test("needs no server and no state folder, and delivers everything")
    func offline() async throws {
        try await test.tracker.initialize(
            brandId: "925", config: TrackerConfig(apiUrl: "https://api.example.com", xApiKey: "key"))
        let outcome = await test.tracker.track(eventName: "PURCHASE")
        let report = await test.tracker.flush(timeout: .seconds(30))

        #expect(outcome.messageID != nil && test.tracker.sessionId == "session-1")
        #expect(report.remaining == 0 && report.stoppedBy == nil)
        await test.tracker.resetAndWait(all: false)
        await test.tracker.track(eventName: "LOGIN")
        _ = await test.tracker.flush(timeout: .seconds(30))
        #expect(test.tracker.sessionId == "session-2")
    }

    @Test("has a session from the start, so that its first call is queued", arguments: [true, false])
    func session(_ isInitialized: Bool) async throws {
        if isInitialized {
            try await test.tracker.initialize(
                brandId: "925", config: TrackerConfig(apiUrl: "https://api.example.com", xApiKey: "key"))
        }
        guard case .queued = await test.tracker.track(eventName: "PURCHASE") else {
            Issue.record("It is not queued.")
            return
        }
        #expect(test.tracker.sessionId == "session-1" && test.tracker.deviceId != nil)
    }

    @Test("keeps calls without consent as the product does")
    func consent() async {
        let test = TestTracker(config: TrackerConfig(consent: .pending), log: SilentLog())
        guard case .pending = await test.tracker.track(eventName: "PURCHASE") else {
            Issue.record("It is not pending.")
            return
        }
        #expect(test.tracker.sessionId == nil)
    }

    @Test("checks what the program initialises a client with, and what it tracks, as the product does")
    func checks() async throws {
        let error = await #expect(throws: TrackerError.self) {
            try await test.tracker.initialize(brandId: "925", config: TrackerConfig(apiUrl: "nowhere", xApiKey: "key"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(await test.tracker.track(eventName: "PURCHASE") == .dropped(.notInitialized))
        let large = await test.analytics.track(
            "Big", properties: ["text": .string(String(repeating: "x", count: 600_000))]
        )
        .outcome
        #expect(large == .dropped(.tooLarge))
        try await test.expect("Big", droppedAs: .tooLarge, count: 1)
    }

    @Test("shows a call as beforeSend has left it")
    func filtered() async throws {
        let test = TestTracker(
            config: TrackerConfig(beforeSend: { call in
                var call = call
                call.properties?["email"] = nil
                return call.name == "SECRET" ? nil : call
            }), log: SilentLog())

        await test.tracker.track(eventName: "SIGNUP", attributes: ["email": "ada@example.com", "plan": "pro"])
        await test.tracker.track(eventName: "SECRET")

        let signup = try #require(await test.find("SIGNUP").first)
        #expect(signup.properties == ["plan": "pro"])
        try await test.expect("SECRET", droppedAs: .beforeSend)
    }

    @Test("goes on with what the program initialises a client with after its first calls")
    func initialisedLate() async throws {
        let hide: BeforeSend = { call in
            var call = call
            call.properties?["email"] = nil
            return call
        }
        for name in ["Early", "Late"] {
            let values: Properties = ["email": "ada@example.com", "plan": "pro"]
            await test.tracker.track(eventName: name, attributes: values)
            test.analytics.track(name, properties: values)
            test.basic.track(event: name, properties: values)
            guard name == "Early" else { break }
            test.analytics.identify("user-1")
            let config = TrackerConfig(apiUrl: "https://api.example.com", xApiKey: "key", beforeSend: hide)
            try await test.tracker.initialize(brandId: "925", config: config)
            var options = InitOptions(writeKey: "key", ingestionHost: "https://in.example.com")
            options.beforeSend = hide
            await test.analytics.initializeAndWait(with: options)
            try test.basic.initialize(apiKey: "key", endpoint: "https://in.example.com/events", beforeSend: hide)
        }

        #expect(await test.find("Early", ["email": "ada@example.com"]).count == 3)
        let late = await test.find("Late", ["plan": "pro"])
        #expect(late.map { $0.properties?["email"] } == [nil, nil, nil])
        try await test.expect("Late", userId: "user-1", client: .analytics, count: 1)
    }

    @Test(
        "keeps what it has recorded over a shutdown, and is initialised by no call after it", arguments: [true, false])
    func shutDown(_ isUsed: Bool) async throws {
        if isUsed { await test.tracker.track(eventName: "Before") }
        await test.tracker.shutdown()

        #expect(await test.tracker.track(eventName: "After") == .dropped(.notInitialized))

        #expect(await test.calls.map(\.name) == (isUsed ? ["Before", "After"] : ["After"]))
        try await test.tracker.initialize(
            brandId: "925", config: TrackerConfig(apiUrl: "https://api.example.com", xApiKey: "key"))
        #expect(await test.tracker.track(eventName: "Again").messageID != nil)
        try await test.expect("Again", count: 1)
    }

    @Test("knows the events of two clients apart that have the same id")
    func sharedID() async throws {
        let isRight: Set<Bool> = Set(
            await withTaskGroup(of: Bool?.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let test = TestTracker(log: SilentLog())
                        test.analytics.track("A", options: CallOptions(userId: "user-1"), messageId: "key-1")
                        test.basic.track(event: "B", messageId: "key-1")
                        return await test.find("A").first.map { $0.event?["event"] == "A" }
                    }
                }
                return await group.reduce(into: []) { $0.append($1 ?? false) }
            })

        #expect(isRight == [true])
    }

    @Test(
        "plays a refusal until it is told otherwise", arguments: [RefusalReason.storage, .queueFull, .notInitialized])
    func refusals(_ reason: RefusalReason) async throws {
        test.fail(reason)
        #expect(await test.analytics.track("A").outcome == .dropped(reason))
        #expect(await test.tracker.track(eventName: " ") == .dropped(.invalidEventName))
        #expect(await test.basic.track(event: " ").outcome == .dropped(.invalidEventName))
        #expect(
            await test.basic.track(event: "A", properties: ["n": JSONValue(Double.nan)]).outcome
                == .dropped(.serialization))
        test.fail(nil)
        #expect(await test.analytics.track("A").outcome.messageID != nil)
        test.fail(reason)
        test.clear()
        #expect(await test.analytics.track("A").outcome.messageID != nil)
        #expect(await test.calls.count == 1)
    }

    @Test("counts a call with an id that was used before as one that was made")
    func repeated() async throws {
        for _ in 0..<2 { await test.tracker.track(eventName: "PURCHASE", messageId: "order-1") }
        #expect(await test.calls.map(\.outcome?.messageID?.text) == ["order-1", "order-1"])
        await test.tracker.track(eventName: "PURCHASE", messageId: "two\nlines")
        try await test.expect("PURCHASE", droppedAs: .invalidValue)
    }

    @Test("leaves calls without an outcome that wait for the client")
    func waiting() async throws {
        test.analytics.track("A")
        await test.analytics.resetAndWait()
        test.analytics.track("B")
        #expect(await test.calls.map { $0.outcome == nil } == [false, true])
    }

    @Test("shares nothing with another one")
    func apart() async throws {
        let other = TestTracker(log: SilentLog())
        await test.tracker.setConsent(.denied)
        #expect(await other.tracker.track(eventName: "A").messageID != nil)
        #expect(await test.tracker.track(eventName: "A") == .dropped(.trackingNotAllowed))
        #expect(await other.calls.count == 1)
    }
}

/// Keeps the output of a test run short.
struct SilentLog: TrackerLog {
    func log(_: LogLevel, _: String) {}
}
