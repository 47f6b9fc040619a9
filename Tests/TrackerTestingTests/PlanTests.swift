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
                #"MobileTracker: PURCHASE was dropped: PLAN. It breaks the plan: data.total is "1"; it must be a number."#
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

    @Test("is about events alone")
    func others() async throws {
        let test = try test(.drop)
        #expect(await test.tracker.identify(userId: "user-1", profileData: ["total": "x"]).messageID != nil)
        #expect(await test.analytics.identify("user-1").outcome.messageID != nil)
        #expect(await test.analytics.screen("Home").outcome.messageID != nil)
        #expect(await test.tracker.screen(name: "Home") == .dropped(.plan))
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
                #"MobileTracker: PURCHASE breaks the plan: data.total is "1"; it must be a number."#,
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
