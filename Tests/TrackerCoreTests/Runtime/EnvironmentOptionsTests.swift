import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("Options from the environment")
struct EnvironmentOptionsTests {
    private typealias Fixture = EnabledTests.Fixture

    private func initialize(
        _ fixture: Fixture, url: String? = nil, key: String? = nil, folder: String? = nil
    ) async throws {
        let delivery = DeliveryOptions(storageDirectory: folder)
        switch fixture.kind {
        case .session:
            try await fixture.tracker.initialize(
                brandId: "925", config: TrackerConfig(apiUrl: url, xApiKey: key, delivery: delivery))
        case .analytics:
            let options = InitOptions(writeKey: key ?? "", ingestionHost: url ?? "", delivery: delivery)
            try await withCheckedContinuation { continuation in
                fixture.analytics.initialize(with: options) { continuation.resume(returning: $0) }
            }.get()
        case .basic:
            try await withCheckedContinuation { continuation in
                fixture.basic.initialize(
                    apiKey: key, endpoint: url, appVersion: nil, options: BasicOptions(delivery: delivery)
                ) { continuation.resume(returning: $0) }
            }.get()
        }
    }

    /// The key that a client's requests or events carry.
    private func key(_ fixture: Fixture) -> String? {
        let request = fixture.backend.server.requests.last
        return request?.header("X-API-Key") ?? request?.events.first?["writeKey"]?.stringValue
    }

    @Test("give the address, the key and the folder that the program leaves out", arguments: EnabledTests.Kind.allCases)
    func fills(kind: EnabledTests.Kind) async throws {
        let (server, directory) = (try Fixture(kind), try TemporaryDirectory())
        let fixture = try Fixture(
            kind,
            [
                "MOBILE_TRACKER_API_URL": server.backend.url, "MOBILE_TRACKER_KEY": "key-of-environment",
                "MOBILE_TRACKER_STORAGE_DIR": directory.path("elsewhere"),
            ])

        try await initialize(fixture)
        #expect(await fixture.track("A").messageID != nil)
        #expect(await fixture.flush().remaining == 0)

        #expect(server.names == ["A"])
        #expect(key(server) == "key-of-environment")
        #expect(FileManager.default.fileExists(atPath: directory.path("elsewhere")))
    }

    @Test("give way to the program's own", arguments: EnabledTests.Kind.allCases)
    func explicitWins(kind: EnabledTests.Kind) async throws {
        let fixture = try Fixture(
            kind,
            [
                "MOBILE_TRACKER_API_URL": "no address", "MOBILE_TRACKER_KEY": "other-key",
                "MOBILE_TRACKER_STORAGE_DIR": "/dev/null/x",
            ])

        try await initialize(
            fixture, url: fixture.backend.url, key: "own-key-1", folder: fixture.directory.path("state"))
        #expect(await fixture.track("A").messageID != nil)
        #expect(await fixture.flush().remaining == 0)

        #expect(fixture.names == ["A"])
        #expect(key(fixture) == "own-key-1")
        #expect(fixture.hasWritten)
    }

    @Test("that are not valid are refused by the variable's name", arguments: EnabledTests.Kind.allCases)
    func faults(kind: EnabledTests.Kind) async throws {
        let good = "https://in.example.com"
        for (name, value, words) in [
            ("MOBILE_TRACKER_API_URL", "ftp://x", "is not usable"),
            ("MOBILE_TRACKER_API_URL", "http://x.example", "usable"),
            ("MOBILE_TRACKER_KEY", "a\nb", "holds a control character"),
        ] {
            let fixture = try Fixture(kind, [name: value])

            let error = await #expect(throws: TrackerError.self) {
                try await initialize(
                    fixture, url: name.hasSuffix("URL") ? nil : good, key: name.hasSuffix("KEY") ? nil : "key-1234",
                    folder: fixture.directory.path("state"))
            }

            #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("a\nb") == false)
        }
    }

    @Test("that name a folder which cannot be used are named in the error and in the log")
    func folder() async throws {
        let fixture = try Fixture(.session, ["MOBILE_TRACKER_STORAGE_DIR": "/dev/null/state"])

        let error = await #expect(throws: TrackerError.self) {
            try await initialize(fixture, url: fixture.backend.url, key: "key-1234")
        }

        #expect(error?.code == .storage)
        #expect(error?.message.contains("(MOBILE_TRACKER_STORAGE_DIR names the folder)") == true)
        #expect(fixture.log.lines.all.contains { $0.contains("MOBILE_TRACKER_STORAGE_DIR") })
    }

    @Test("that are not set leave everything as it was: what is required is asked for")
    func unset() async throws {
        for kind in EnabledTests.Kind.allCases {
            let fixture = try Fixture(kind, ["MOBILE_TRACKER_API_URL": "", "MOBILE_TRACKER_KEY": ""])
            let error = await #expect(throws: TrackerError.self) { try await initialize(fixture) }
            #expect(error?.message.contains("equired") == true)
            #expect(error?.message.contains("MOBILE_TRACKER") == false)
        }
    }
}
