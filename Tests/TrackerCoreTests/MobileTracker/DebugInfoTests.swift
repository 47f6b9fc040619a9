import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The configuration in the debug information")
struct DebugInfoTests {
    @Test("has every option, under the name that it has over the bridge")
    func everyOption() async throws {
        let fixture = try SessionFixture()
        let config = TrackerConfig(
            debug: true, apiUrl: fixture.backend.url, xApiKey: "secret-key-9876", crossSiteCookie: true,
            cookieDomain: "shop.example", cookieExpiration: 30, sessionCreation: .inBackground,
            initTimeout: .seconds(60), consent: .pending, device: .init(osName: "Windows"),
            initialScreen: .init(name: "Home", url: "app://home"), maxPendingEvents: 7,
            delivery: DeliveryOptions(
                storageDirectory: fixture.directory.path("state"), eventTTL: .seconds(60), overflow: .dropOldest,
                jitter: 0.5,
                caBundle: #filePath, proxy: "http://user:secret-word@127.0.0.1:1/",
                headers: ["X-Tenant": "secret-tenant"]), enabled: true)
        try await fixture.start(config)

        for (shown, options) in [
            (fixture.tracker.info("config"), Mirror(reflecting: config)),
            (fixture.tracker.info("config", "delivery"), Mirror(reflecting: config.delivery)),
        ] {
            #expect(options.children.count > 10)
            for name in options.children.compactMap(\.label) where name != "hooks" {
                let value = shown?[name == "extraHeaders" ? "headers" : name] ?? shown?[name + "Ms"]
                #expect(value != nil, "\(name)")
                // These are of no use without files, or without another option.
                #expect(["clientCertificate", "clientKey", "keyFile"].contains(name) == (value == .null), "\(name)")
            }
        }
        #expect(fixture.tracker.info("config", "device") == ["osName": "Windows", "deviceType": "Desktop"])
        #expect(fixture.tracker.info("config", "initialScreen") == ["name": "Home", "url": "app://home"])
        #expect(fixture.tracker.info("config", "consent") == "pending")
        #expect(fixture.tracker.info("config", "delivery", "jitter") == 0.5)
        #expect(fixture.tracker.info("config", "delivery", "headers") == ["X-Tenant": "****nant"])
        #expect(!"\(fixture.tracker.debugInfo())".contains("secret-"))
        await fixture.tracker.shutdown()
    }

    @Test("has every option of an analytics client but the context, which can be about a person")
    func analytics() async throws {
        let fixture = try AnalyticsFixture()
        let options = InitOptions(
            writeKey: "secret-key-9876", ingestionHost: "nowhere", flushIntervalSeconds: 7, maxQueueEvents: 8,
            requestTimeout: .seconds(9), app: AppInfo(name: "Shop"), context: ["traits": "secret-person"],
            groupType: "team",
            enabled: true
        )
        await fixture.client.initializeAndWait(with: options)

        let names = Mirror(reflecting: options).children.compactMap(\.label)
        for name in names where !["key", "ingestionHost", "context", "hooks"].contains(name) {
            let value = fixture.client.info("config", name) ?? fixture.client.info("config", name + "Ms")
            #expect(value != nil && value != .null, "\(name)")
        }
        #expect(fixture.client.info("config", "requestTimeoutMs") == 9_000)
        #expect(fixture.client.info("config", "app", "name") == "Shop")
        let shown = await fixture.client.getDebugInfo()
        #expect(!"\(shown)".contains("secret-"))
    }

    @Test("has every option of a basic tracker")
    func basic() async throws {
        let fixture = try BasicFixture()
        try fixture.start(maxQueueSize: 12)

        for option in BasicOptions.options { #expect(fixture.tracker.info("config", option.key) != nil) }
        #expect(fixture.tracker.info("config", "maxQueueSize") == 12)
        #expect(fixture.tracker.info("config", "debug") == false)
        #expect(fixture.tracker.info("config", "apiKey") == "****1234")
        #expect(fixture.tracker.info("config", "appVersion") == "1.2.3")
        await fixture.tracker.shutdown()
    }

    @Test(
        "never has a proxy's password, whatever it holds",
        arguments: [
            "http://user:a/b?c#d@proxy.example:8080", "user:a://b@proxy.example", "http://user:/@proxy.example",
            "http://user:\u{301}a@proxy.example",
        ])
    func proxy(text: String) async throws {
        let fixture = try BasicFixture()
        var options = fixture.options
        options.proxy = text

        try fixture.tracker.initialize(apiKey: "key-1234", endpoint: fixture.backend.url, options: options)

        let shown = fixture.tracker.info("config", "delivery", "proxy")?.stringValue ?? ""
        #expect(shown.contains("user:****"))
        #expect(!shown.contains(text.replacing("http://", with: "").prefix { $0 != "@" }))
        await fixture.tracker.shutdown()
    }
}
