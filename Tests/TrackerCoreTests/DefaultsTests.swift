import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

// The numbers of the documents, as numbers: a default that changes by accident fails here.
@Suite("An option that is left out")
struct DefaultsTests {
    @Test("has its documented default in delivery")
    func delivery() {
        let options = DeliveryOptions()

        #expect(options.storageDirectory == nil)
        #expect(options.persistence == .disk)
        #expect(options.durability == .process)
        #expect(options.maxQueuedEvents == 100_000)
        #expect(options.maxQueuedBytes == 67_108_864)
        #expect(options.maxEventBytes == 524_288)
        #expect(options.eventTTL == nil)
        #expect(options.overflow == nil)
        #expect(options.maxConcurrentRequests == 1)
        #expect(options.requestTimeout == .seconds(30))
        #expect(options.compression == .gzip)
        #expect(options.compressionThreshold == 1024)
        #expect(options.retryDelay == .milliseconds(250))
        #expect(options.failureThreshold == 3)
        #expect(options.cooldown == .seconds(10))
        #expect(options.maxCooldown == .seconds(120))
        #expect(options.jitter == 0.2)
        #expect(options.haltRetry == .seconds(300))
        #expect(options.poisonAfter == .seconds(1800))
        #expect(options.maxRefusedEvents == 1000)
        #expect(options.maxRefusedBytes == 8_388_608)
        #expect(options.refusedTTL == .seconds(604_800))
        #expect(options.caBundle == nil)
        #expect(options.clientCertificate == nil && options.clientKey == nil)
        #expect(options.keyFile == nil)
        #expect(options.proxy == nil)
        #expect(options.headers.isEmpty)
        #expect(!options.allowInsecureHTTP)
        #expect(!options.collectorPanel)
        // A new option has its line above.
        #expect(Mirror(reflecting: options).children.count == 31)
    }

    @Test("has its documented default with MobileTracker, where a full queue refuses the call")
    func tracker() throws {
        let config = TrackerConfig()

        #expect(!config.debug)
        #expect(config.apiUrl == nil)
        #expect(config.xApiKey == nil)
        #expect(!config.crossSiteCookie)
        #expect(config.cookieDomain == nil)
        #expect(config.cookieExpiration == 365)
        #expect(config.sessionCreation == .duringInit)
        #expect(config.initTimeout == .seconds(30))
        #expect(config.consent == .granted)
        #expect(config.device == TrackerConfig.Device(osName: nil, deviceType: nil))
        #expect(config.initialScreen == nil)
        #expect(config.maxPendingEvents == nil)
        #expect(config.delivery == DeliveryOptions())
        #expect(config.enabled == nil)
    }

    @Test("has its documented default with AnalyticsClient, where the oldest event makes room")
    func analytics() throws {
        let options = InitOptions(writeKey: "k", ingestionHost: "https://in.example.com")
        let settings = try AnalyticsSettings(options, facts: .none)

        #expect(options.enabled == nil)
        #expect(!options.debug)
        #expect(options.flushIntervalSeconds == 10)
        #expect(options.flushAt == 20)
        #expect(options.maxBatchSize == 100)
        #expect(options.maxBatchBytes == 475_000)
        #expect(options.maxQueueEvents == nil)
        #expect(options.requestTimeout == .seconds(8))
        #expect(settings.delivery.requestTimeout == .seconds(8))
        #expect(settings.limits.maxRecords == 100_000)
        #expect(settings.limits.overflow == .dropOldest)
    }

    @Test("has the same default with AnalyticsClient if the host is given as a URL")
    func analyticsByURL() throws {
        let host = "https://in.example.com"

        let options = InitOptions(writeKey: "k", ingestionHost: try #require(URL(string: host)))

        #expect(options == InitOptions(writeKey: "k", ingestionHost: host))
    }

    @Test("has the same default where a part of the engine is used alone")
    func parts() throws {
        let options = DeliveryOptions()

        #expect(OutboxLimits() == options.limits(overflow: .refuseNew))
        #expect(TransportConfiguration(userAgent: SystemDescription.userAgent) == options.transport)
        #expect(HTTPRequest(method: .post, url: "https://a.b").timeout == options.requestTimeout)
    }

    @Test(
        "has its documented default with BasicTracker, where the oldest event makes room",
        arguments: [(DeliveryOptions.Persistence.disk, 100_000), (.memory, 100)])
    func basic(persistence: DeliveryOptions.Persistence, queue: Int) throws {
        let settings = try BasicSettings(
            apiKey: "k", endpoint: "https://in.example.com/events", appVersion: nil,
            options: BasicOptions(delivery: DeliveryOptions(persistence: persistence)))

        #expect(!settings.isVerbose)
        #expect(settings.delivery.requestTimeout == .seconds(30))
        #expect(settings.limits.maxRecords == queue)
        #expect(settings.limits.overflow == .dropOldest)
    }

    @Test("gives the breaker its waits: 250 ms, doubled; from the third failure 10 s, doubled up to 120 s")
    func breaker() {
        var options = DeliveryOptions()
        options.jitter = 0
        var breaker = CircuitBreaker(options.breaker)
        var generator = NoJitter()
        var now = MonotonicInstant.seconds(0)
        var waits: [Duration] = []

        for _ in 0..<9 {
            breaker.depart()
            breaker.fail(at: now, floor: .zero, using: &generator)
            guard case .wait(let until) = breaker.admission(at: now) else { break }
            waits.append(now.duration(to: until))
            now = until
            _ = breaker.admission(at: now)
        }

        #expect(waits == [0.25, 0.5, 10, 20, 40, 80, 120, 120, 120].map { .seconds($0) })
    }

    @Test("lets a flush take 30 s, and no more")
    func flush() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture(isClocked: true) { $0.isEvent ? .gated(gate, .status(200)) : nil }
        try await fixture.start()
        await fixture.tracker.track(eventName: "A")
        try await fixture.backend.server.requests(atLeast: 2)
        let loop = try await fixture.loop()
        let before = loop.settings.all.count

        async let report = fixture.tracker.flush()
        let timers = try await loop.settings.values(atLeast: before + 1)
        // The time that passed on the way to the loop is not given twice.
        #expect((.seconds(15)...(.seconds(30))).contains(timers[before]), "\(timers)")
        loop.advance(by: .seconds(30))

        #expect(await report == FlushReport(delivered: 0, remaining: 1, stoppedBy: .timeout))
        gate.open()
        await fixture.tracker.shutdown()
    }
}
