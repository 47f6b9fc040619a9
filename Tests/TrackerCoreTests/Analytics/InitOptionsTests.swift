import Foundation
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("The options of an analytics client")
struct InitOptionsTests {
    @Test("have the documented defaults")
    func defaults() {
        let options = InitOptions(writeKey: "k", ingestionHost: "https://in.example.com")

        #expect(!options.debug)
        #expect(options.flushIntervalSeconds == 10)
        #expect(options.maxQueueEvents == nil)
        #expect(options.flushAt == 20)
        #expect(options.maxBatchSize == 100)
        #expect(options.maxBatchBytes == 475_000)
        #expect(options.requestTimeout == .seconds(8))
        #expect(options.app == AppInfo())
        #expect(options.context.isEmpty)
        #expect(options.delivery == DeliveryOptions())
    }

    @Test(
        "take the host with spaces and a slash around it, and keep a base path",
        arguments: [
            ("https://in.example.com", "https://in.example.com"),
            (" https://in.example.com/ ", "https://in.example.com"),
            ("https://in.example.com/base/", "https://in.example.com/base"),
            ("HTTPS://IN.example.com:443", "https://in.example.com"),
            ("http://localhost:8080", "http://localhost:8080"),
        ])
    func hosts(text: String, host: String) throws {
        let options = InitOptions(writeKey: "k", ingestionHost: text)

        try options.validate()
        let settings = try AnalyticsSettings(options, facts: .none)

        #expect(settings.base.description == host)
        #expect(settings.lane.origin == host)
    }

    @Test("take the host as a URL as well")
    func url() throws {
        let url = try #require(URL(string: "https://in.example.com/base/"))

        let options = InitOptions(writeKey: "k", ingestionHost: url, flushAt: 7)

        #expect(options.ingestionHost == "https://in.example.com/base/")
        #expect(options.flushAt == 7)
        try options.validate()
    }

    @Test(
        "bound the queue by where it lives", arguments: [(DeliveryOptions.Persistence.disk, 100_000), (.memory, 2000)])
    func standardBound(persistence: DeliveryOptions.Persistence, effective: Int) throws {
        var options = InitOptions(writeKey: "k", ingestionHost: "https://a.b")
        options.delivery.persistence = persistence

        let limits = try AnalyticsSettings(options, facts: .none).limits

        #expect(limits.maxRecords == effective)
        #expect(limits.maxBytes == 64 << 20)
        #expect(limits.overflow == .dropOldest)
    }

    @Test(
        "of two bounds the smaller counts", arguments: [(2000, 10_000, 2000), (2000, 50, 50), (20_000, 10_000, 10_000)])
    func bounds(own: Int, delivery: Int, effective: Int) throws {
        var options = InitOptions(writeKey: "k", ingestionHost: "https://a.b", maxQueueEvents: own)
        options.delivery.maxQueuedEvents = delivery

        let settings = try AnalyticsSettings(options, facts: .none)

        #expect(settings.delivery.maxQueuedEvents == effective)
        #expect(settings.delivery.requestTimeout == .seconds(8))
    }

    @Test("keep the write key out of every description, and out of the lane")
    func secret() throws {
        let options = InitOptions(writeKey: "very-secret-key", ingestionHost: "https://a.b")
        let lane = try AnalyticsSettings(options, facts: .none).lane

        #expect(!"\(options)".contains("very-secret"))
        #expect(!String(reflecting: options).contains("very-secret"))
        #expect(lane.owner == FNV1a.text("very-secret-key".utf8))
        #expect(lane.owner.count == 16)
        #expect(FNV1a.text("a".utf8) == "af63dc4c8601ec8c")
    }
}
