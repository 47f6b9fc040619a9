import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerTesting

@Suite("A plan at run time")
struct PlanTests {
    private let folder: TemporaryDirectory
    private let log = KeptLog()

    init() throws { folder = try TemporaryDirectory() }

    private static let plan = """
        {"events": {"PURCHASE": {"data": {"type": "object", "properties": {"total": {"type": "number"}},
            "required": ["total"]}}, "LOGIN": {}}, "others": "forbid"}
        """

    /// A test tracker with a plan.
    private func test(_ onBroken: PlanOptions.OnBroken, _ text: String = plan) throws -> TestTracker {
        let path = folder.path("plan.json")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let delivery = DeliveryOptions(plan: PlanOptions(file: path, onBroken: onBroken))
        return TestTracker(
            config: TrackerConfig(delivery: delivery), options: InitOptions(delivery: delivery), basicOptions: delivery,
            log: log)
    }

    @Test("drops an event that breaks it, and keeps it apart with what is wrong with it")
    func drops() async throws {
        let test = try test(.drop)

        #expect(await test.tracker.track(eventName: "PURCHASE", attributes: ["total": 1]).messageID != nil)
        #expect(await test.tracker.track(eventName: "PURCHASE", attributes: ["total": "1"]) == .dropped(.plan))
        #expect(await test.analytics.track("PURCHASE", properties: ["total": nil]).outcome == .dropped(.plan))
        #expect(await test.basic.track(event: "PURCHAS").outcome == .dropped(.plan))

        let event = try #require(try test.tracker.refused().first)
        #expect(event.reason == .plan && event.name == "PURCHASE" && event.status == nil && event.attempts == 0)
        #expect(event.answer == #"data.total is "1"; it must be a number."#)
        #expect(event.body.text.contains(#""total":"1""#))
        #expect(try test.analytics.refused().map(\.answer) == ["data.total is null; it must be a number."])
        #expect(
            try test.basic.refused().map(\.answer) == ["The event is not in the plan; did you mean PURCHASE?"])
        #expect(
            log.warnings.contains(
                #"MobileTracker: PURCHASE was dropped: PLAN. It breaks the plan: data.total must be a number."#
            ))

        #expect(try await test.tracker.retryRefused() == 1)
        #expect(await test.tracker.flush(timeout: .seconds(30)).remaining == 0)
        #expect(try test.tracker.refused().isEmpty)
    }

    @Test("judges the data with the session's metadata, as they are sent")
    func metadata() async throws {
        let test = try test(.drop)
        await test.tracker.setMetadata(["total": 1])
        #expect(await test.tracker.track(eventName: "PURCHASE").messageID != nil)
    }

    @Test("is about events alone if it says nothing else")
    func others() async throws {
        let test = try test(.drop)
        #expect(await test.tracker.identify(userId: "user-1", profileData: ["total": "x"]).messageID != nil)
        #expect(await test.analytics.identify("user-1").outcome.messageID != nil)
        #expect(await test.analytics.screen("Home").outcome.messageID != nil)
        #expect(await test.tracker.screen(name: "Home") == .dropped(.plan))
    }

    private static let ofPeople = """
        {"events": {"LOGIN": {}},
         "screens": {"Home": {"data": {"properties": {"tab": {"type": "integer"}}, "additionalProperties": false}}},
         "identify": {"traits": {"properties": {"name": {"type": "string"}, "seats": {"type": "integer"}},
             "required": ["name"], "additionalProperties": false}},
         "group": {"traits": {"required": ["seats"]}}}
        """

    @Test(
        "keeps the traits of a person that it drops from every later event, awaited or not", arguments: [true, false])
    func droppedTraits(_ isAwaited: Bool) async throws {
        let test = try test(.drop, Self.ofPeople)
        test.basic.identify(userId: "user-1", traits: ["name": "Ada"])

        let identify = test.basic.identify(userId: "user-2", traits: ["name": "Bo", "secret": "1"], messageId: "i-2")
        if isAwaited { _ = await identify.outcome }
        test.basic.track(event: "LOGIN", messageId: "first")
        test.basic.identify(userId: "user-2", traits: ["name": "Bo"], messageId: "i-2")
        test.basic.track(event: "LOGIN", messageId: "second")

        #expect(await identify.outcome == .dropped(.plan))
        let events = await test.find("LOGIN").compactMap(\.event)
        #expect(events.map { $0["userId"] } == ["user-2", "user-2"])
        #expect(events.map { $0["traits"] } == [nil, ["name": "Bo"]])
    }

    @Test("judges the screens of every client, whatever their form")
    func screens() async throws {
        let test = try test(.drop, Self.ofPeople)

        #expect(await test.tracker.screen(name: "Home", properties: ["tab": 1]).messageID != nil)
        #expect(await test.tracker.screenDidAppear(name: "Home", url: "app://home").messageID != nil)
        #expect(await test.tracker.screen(name: "Hme") == .dropped(.plan))
        #expect(await test.tracker.screen(name: "Home", properties: ["tab": "x"]) == .dropped(.plan))
        #expect(await test.analytics.screen("Home", properties: ["tab": "x"]).outcome == .dropped(.plan))
        #expect(await test.analytics.page("Nowhere").outcome.messageID != nil)
        #expect(await test.basic.screen(name: "Home", properties: ["tab": 1]).outcome.messageID != nil)
        #expect(await test.basic.screen(name: "Cart").outcome == .dropped(.plan))

        #expect(
            try test.tracker.refused().map(\.answer) == [
                "The screen is not in the plan; did you mean Home?", #"data.tab is "x"; it must be a whole number."#,
            ])
        #expect(try test.basic.refused().map(\.name) == ["Cart"])
    }

    @Test("judges what is known of users and groups, of `set` only what it has")
    func people() async throws {
        let test = try test(.drop, Self.ofPeople)

        #expect(await test.tracker.identify(userId: "u1", profileData: ["name": "Ada", "seats": 3]).messageID != nil)
        #expect(await test.tracker.identify(userId: "u1", profileData: ["seats": 3]) == .dropped(.plan))
        #expect(await test.tracker.set(profileData: ["seats": 3]).messageID != nil)
        #expect(await test.tracker.set(profileData: ["colour": "red"]) == .dropped(.plan))
        #expect(await test.tracker.setMetadata(["colour": "red"]).messageID != nil)
        #expect(await test.analytics.identify("u1").outcome == .dropped(.plan))
        #expect(await test.analytics.group("g1", traits: ["seats": 1]).outcome.messageID != nil)
        #expect(await test.analytics.group("g1").outcome == .dropped(.plan))
        #expect(await test.basic.identify(userId: "u1", traits: ["name": 1]).outcome == .dropped(.plan))

        #expect(
            try test.tracker.refused().map(\.answer) == [
                "traits.name is missing.", "traits.colour is not in the plan.",
            ])
        #expect(
            try test.analytics.refused().map(\.answer) == ["traits.name is missing.", "traits.seats is missing."])
        #expect(try test.analytics.refused().map(\.call) == ["identify", "group"])
        #expect(
            log.warnings.contains(
                "MobileTracker: identify was dropped: PLAN. It breaks the plan: traits.name is missing."))
    }

    @Test("drops an identification, and what follows is of its user all the same")
    func droppedUser() async throws {
        let test = try test(.drop, Self.ofPeople)
        _ = await test.analytics.identify("u1", traits: ["name": "Ada"]).outcome
        _ = await test.basic.identify(userId: "u1", traits: ["name": "Ada"]).outcome

        #expect(await test.analytics.identify("u2").outcome == .dropped(.plan))
        #expect(await test.analytics.group("g2").outcome == .dropped(.plan))
        _ = await test.analytics.track("LOGIN").outcome
        #expect(await test.basic.identify(userId: "u2").outcome == .dropped(.plan))
        _ = await test.basic.track(event: "LOGIN").outcome

        let login = try #require(await test.find("LOGIN", client: .analytics).first?.event)
        #expect(login["userId"] == "u2" && login["groupId"] == "g2")
        #expect(await test.find("LOGIN", client: .basic).first?.event?["userId"] == "u2")
    }

    @Test("tags traits that break it where the others are")
    func taggedTraits() async throws {
        let test = try test(.tag, Self.ofPeople)
        await test.tracker.identify(userId: "u1", profileData: ["seats": 3])
        _ = await test.analytics.group("g1").outcome
        await test.tracker.screen(name: "Home", properties: ["tab": "x"])

        let events = await test.calls.map(\.event)
        let extra = events[0]?["extra"]?.objectValue
        #expect(extra == ["seats": 3, "plan_violations": ["traits.name is missing."]])
        #expect(events[1]?["traits"] == ["plan_violations": ["traits.seats is missing."]])
        #expect(
            events[2]?["data"]?.objectValue?["plan_violations"] == [#"data.tab is "x"; it must be a whole number."#])
    }

    @Test("warns of each screen that breaks it by its name")
    func warnsOfScreens() async throws {
        let test = try test(.warn, Self.ofPeople)
        for name in ["Cart", "Order", "Cart"] { await test.tracker.screen(name: name) }
        #expect(
            log.warnings == [
                "MobileTracker: screen Cart breaks the plan: The screen is not in the plan.",
                "MobileTracker: screen Order breaks the plan: The screen is not in the plan.",
            ])
    }

    @Test("warns of an event that breaks it, once for each event and rule")
    func warns() async throws {
        let test = try test(.warn)
        for total in ["1", "2"] {
            #expect(
                await test.tracker.track(eventName: "PURCHASE", attributes: ["total": .string(total)]).messageID != nil)
        }
        await test.tracker.track(eventName: "PURCHASE")
        #expect(
            log.warnings == [
                "MobileTracker: PURCHASE breaks the plan: data.total must be a number.",
                "MobileTracker: PURCHASE breaks the plan: data.total is missing.",
            ])
        #expect(try test.tracker.refused().isEmpty)
    }

    @Test("tags an event that breaks it")
    func tags() async throws {
        let test = try test(.tag)
        #expect(await test.analytics.track("PURCHASE", properties: ["total": "1"]).outcome.messageID != nil)
        #expect(await test.tracker.track(eventName: "PURCHASE").messageID != nil)
        let purchase = try #require(await test.find("PURCHASE", client: .analytics).first)
        #expect(
            purchase.event?["properties"]?.objectValue?["plan_violations"] == [
                #"data.total is "1"; it must be a number."#
            ])
        let other = try #require(await test.find("PURCHASE", client: .tracker).first)
        #expect(other.event?["data"] == ["plan_violations": ["data.total is missing."]])
    }

    @Test(
        "that cannot be used is an error of initialize, which names the option and what is wrong where",
        arguments: [
            (nil, "'plan.file' must be a file that can be read."),
            ("{", "is not JSON"), ("[]", "must be an object with \"events\""),
            (
                #"{"events": {"A": {"data": {"typ": 1}}}}"#,
                #"events.A.data has "typ", which plans do not know; did you mean "type"?"#
            ),
        ])
    func faults(_ text: String?, _ reason: String) async throws {
        let path = folder.path("plan.json")
        try text?.write(toFile: path, atomically: true, encoding: .utf8)
        let config = TrackerConfig(
            apiUrl: "https://api.example.com", xApiKey: "key",
            delivery: DeliveryOptions(plan: PlanOptions(file: path)))

        let error = await #expect(throws: TrackerError.self) {
            try await TestTracker(log: log).tracker.initialize(brandId: "925", config: config)
        }

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(reason) == true && error?.message.contains("'plan.file'") == true)
    }

    @Test("is named by a path from the root")
    func relative() async {
        let config = TrackerConfig(
            apiUrl: "https://api.example.com", xApiKey: "key",
            delivery: DeliveryOptions(plan: PlanOptions(file: "plan.json")))
        let error = await #expect(throws: TrackerError.self) {
            try await TestTracker(log: log).tracker.initialize(brandId: "925", config: config)
        }
        #expect(error?.message.hasPrefix("Invalid configuration: 'plan.file' must be a path from the root") == true)
    }
}

/// Keeps the warnings and errors.
private final class KeptLog: TrackerLog {
    private let kept = Mutex<[String]>([])

    var warnings: [String] { kept.withLock { $0 } }

    func log(_ level: LogLevel, _ message: String) {
        if level >= .warning { kept.withLock { $0.append(message) } }
    }
}
