import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A client that is not enabled")
struct EnabledTests {
    /// Every client, with what tests need of each.
    enum Kind: CaseIterable, Sendable { case session, analytics, basic }

    /// One client with a server, a folder that is not there yet, and an environment.
    struct Fixture {
        let kind: Kind
        let backend: Backend
        let directory: TemporaryDirectory
        let log = RecordingLog()
        let tracker: MobileTracker
        let analytics: AnalyticsClient
        let basic: BasicTracker

        init(_ kind: Kind, _ environment: [String: String] = [:], _ directory: TemporaryDirectory? = nil) throws {
            self.kind = kind
            backend = try Backend {
                $0.path == "/v2/tracking-session" ? .status(200, body: #"{"data":{"id":"S1"}}"#) : .status(200)
            }
            self.directory = try directory ?? TemporaryDirectory()
            var dependencies = Dependencies.system(log: log)
            dependencies.environment = { environment[$0] }
            tracker = MobileTracker(dependencies: dependencies)
            analytics = AnalyticsClient(dependencies: dependencies)
            basic = BasicTracker(dependencies: dependencies)
        }

        /// Initialises with a whole configuration; `bare` with nothing but `enabled`.
        func initialize(enabled: Bool?, bare: Bool = false) async throws {
            let delivery = DeliveryOptions(storageDirectory: directory.path("state"))
            switch kind {
            case .session:
                let config =
                    bare
                    ? TrackerConfig(enabled: enabled)
                    : TrackerConfig(apiUrl: backend.url, xApiKey: "key-1234", delivery: delivery, enabled: enabled)
                try await tracker.initialize(brandId: bare ? "" : "925", config: config)
            case .analytics:
                let options =
                    bare
                    ? InitOptions(enabled: enabled)
                    : InitOptions(
                        writeKey: "key-1234", ingestionHost: backend.url, delivery: delivery, enabled: enabled)
                try await withCheckedContinuation { continuation in
                    analytics.initialize(with: options) { continuation.resume(returning: $0) }
                }.get()
            case .basic:
                try basic.initialize(
                    apiKey: bare ? nil : "key-1234", endpoint: bare ? nil : backend.url + "/events",
                    options: bare ? DeliveryOptions() : delivery, enabled: enabled)
            }
        }

        func track(_ name: String) async -> TrackOutcome {
            switch kind {
            case .session: await tracker.track(eventName: name)
            case .analytics: await analytics.track(name).outcome
            case .basic: await basic.track(event: name).outcome
            }
        }

        func flush() async -> FlushReport {
            switch kind {
            case .session: await tracker.flush(timeout: .seconds(60))
            case .analytics: await analytics.flush(timeout: .seconds(60))
            case .basic: await basic.flush(timeout: .seconds(60))
            }
        }

        func shutdown() async {
            switch kind {
            case .session: await tracker.shutdown(timeout: .seconds(60))
            case .analytics: await analytics.shutdown(timeout: .seconds(60))
            case .basic: await basic.shutdown(timeout: .seconds(60))
            }
        }

        var info: JSONObject {
            switch kind {
            case .session: tracker.debugInfo()
            case .analytics: analytics.debugInfo()
            case .basic: basic.debugInfo()
            }
        }

        var hasWritten: Bool { FileManager.default.fileExists(atPath: directory.path("state")) }

        /// The names of the events that arrived.
        var names: [String] {
            backend.server.requests.flatMap { request in
                [request.json["event_name"]].compactMap { $0?.stringValue }
                    + request.events.compactMap { ($0["event"] ?? $0["name"])?.stringValue }
            }
        }
    }

    @Test("takes nothing, sends nothing, writes nothing, and says so once", arguments: Kind.allCases, [false, true])
    func off(kind: Kind, bare: Bool) async throws {
        let fixture = try Fixture(kind)
        try await fixture.initialize(enabled: false, bare: bare)

        for name in ["A", "B", "C"] { #expect(await fixture.track(name) == .dropped(.disabled)) }
        let report = await fixture.flush()

        #expect(report == FlushReport(delivered: 0, remaining: 0))
        #expect(fixture.log.lines.all.count == 1, "\(fixture.log.lines.all)")
        #expect(fixture.log.lines.all.first?.contains("Tracking is off (enabled is false)") == true)
        #expect(fixture.info["lifecycle"] == "disabled")
        #expect(fixture.info["disabledBecause"] == "enabled is false")
        #expect(fixture.info["refused"] == ["DISABLED": 3])
        await fixture.shutdown()
        #expect(fixture.backend.server.requests.isEmpty)
        #expect(!fixture.hasWritten)
        // How many there were is said at the end.
        #expect(fixture.log.lines.all.dropFirst() == ["warning: 3 calls were dropped: DISABLED"])
    }

    @Test("works once it is initialised with enabled: true", arguments: Kind.allCases)
    func onAgain(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        try await fixture.initialize(enabled: false)
        #expect(await fixture.track("A") == .dropped(.disabled))

        try await fixture.initialize(enabled: true)
        #expect(await fixture.track("B").messageID != nil)
        #expect(await fixture.flush().remaining == 0)

        #expect(fixture.names == ["B"])
    }

    @Test("keeps on disk what it had queued before, for the next one that is enabled", arguments: Kind.allCases)
    func turnedOff(kind: Kind) async throws {
        let fixture = try Fixture(kind)
        fixture.backend.answer { _ in .status(503) }
        if kind != .session { try await fixture.initialize(enabled: true) }
        if kind == .session {
            fixture.backend.answer {
                $0.path == "/v2/tracking-session" ? .status(200, body: #"{"data":{"id":"S1"}}"#) : .status(503)
            }
            try await fixture.initialize(enabled: true)
        }
        #expect(await fixture.track("A").messageID != nil)

        try await fixture.initialize(enabled: false)
        #expect(await fixture.track("B") == .dropped(.disabled))
        await fixture.shutdown()
        fixture.backend.answer { _ in .status(200) }
        try await fixture.initialize(enabled: true)
        #expect(await fixture.flush().remaining == 0)

        #expect(Array(Set(fixture.names)) == ["A"])
    }

    @Test("is so by the environment, unless the program says otherwise", arguments: Kind.allCases)
    func byEnvironment(kind: Kind) async throws {
        for word in ["false", "0", "No", "OFF"] {
            let fixture = try Fixture(kind, ["MOBILE_TRACKER_ENABLED": word])
            try await fixture.initialize(enabled: nil, bare: true)
            #expect(await fixture.track("A") == .dropped(.disabled), "\(word)")
            let cause = "MOBILE_TRACKER_ENABLED is false in the environment"
            #expect(fixture.info["disabledBecause"] == .string(cause))
            #expect(fixture.log.lines.all.first?.contains("Tracking is off (\(cause))") == true)
        }
        let tracking: [(String, Bool?)] = [
            ("false", true), ("true", nil), ("1", nil), ("Yes", nil), ("ON", nil), ("", nil), ("maybe", true),
        ]
        for (word, enabled) in tracking {
            let fixture = try Fixture(kind, ["MOBILE_TRACKER_ENABLED": word])
            try await fixture.initialize(enabled: enabled)
            #expect(await fixture.track("A").messageID != nil, "\(word)")
        }
    }

    @Test("is not chosen by a word that is neither yes nor no: the error names the variable", arguments: Kind.allCases)
    func badWord(kind: Kind) async throws {
        let fixture = try Fixture(kind, ["MOBILE_TRACKER_ENABLED": "maybe"])

        let error = await #expect(throws: TrackerError.self) { try await fixture.initialize(enabled: nil) }

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("'MOBILE_TRACKER_ENABLED' must be true or false") == true)
        #expect(!fixture.hasWritten)
    }

    @Test("keeps a denial and a reset in memory for the next one that is enabled")
    func decisions() async throws {
        let fixture = try Fixture(.session)
        try await fixture.initialize(enabled: false)

        #expect(await fixture.tracker.setConsent(.denied).messageID != nil)
        #expect(await fixture.tracker.resetAndWait().messageID != nil)
        #expect(!fixture.hasWritten)
        try await fixture.initialize(enabled: true)

        #expect(await fixture.track("A") == .dropped(.trackingNotAllowed))
        #expect(fixture.backend.server.requests.isEmpty)
    }

    @Test("holds no analytics call, neither those of before nor those after a reset")
    func heldCalls() async throws {
        let fixture = try Fixture(.analytics)
        let before = fixture.analytics.track("A")

        try await fixture.initialize(enabled: false)
        #expect(await before.outcome == .dropped(.disabled))
        await fixture.analytics.resetAndWait()

        #expect(await fixture.track("B") == .dropped(.disabled))
        #expect(fixture.info["lifecycle"] == "disabled")
    }

    @Test("ends an initialize that is under way, and keeps the calls that were made meanwhile on disk")
    func whileOpening() throws {
        var harness = try StateHarness<Staying>()
        _ = harness.initialize()

        #expect(harness.turnOff() == "turn off; off; answer INIT_ERROR; answer; disabled by program")
        #expect(harness.call() == "refuse 1 DISABLED; disabled by program")
        #expect(harness.opened() == "close 1; disabled by program")
        #expect(harness.initialize() == "begin; began 2; opening 2")
        #expect(harness.answers.all.contains("turned off"))
    }
}
