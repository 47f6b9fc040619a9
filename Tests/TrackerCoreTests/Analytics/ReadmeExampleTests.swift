import Examples
import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The examples of the analytics documentation", .serialized)
struct ReadmeExampleTests {
    @Test("compile as they stand, and mean what they say, on the one shared client")
    func examples() async throws {
        let backend = try Backend()
        let directory = try TemporaryDirectory()
        var options = InitOptions(
            writeKey: "your-write-key", ingestionHost: try #require(URL(string: backend.url + "/")))
        options.delivery.storageDirectory = directory.path("state")
        let manager = AnalyticsManager()
        let delegate = AppDelegate()

        #expect(delegate.launch(options))
        manager.initialize(options)
        useManager(manager)
        manager.setAdvertisingId("ad-1")
        reference(delegate.client, properties: ["a": 1], traits: nil)
        clearing(analytics: delegate.client)
        let report = await delegate.client.flush(timeout: .seconds(60))
        await debugging(options: options)
        directUsage(options: options)
        await MetaRouter.Analytics.resetAndWait()

        #expect(delegate.client === AnalyticsClient.shared)
        #expect(report.remaining == 0)
        #expect(
            backend.events.prefix(8).map { $0["type"]?.stringValue }
                == ["track", "track", "identify", "group", "screen", "page", "alias", "track"])
        #expect(backend.server.requests.first?.target == "/v1/batch")
        await AnalyticsClient.shared.shutdown()
    }
}
