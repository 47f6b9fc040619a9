import Testing
import TrackerModels

@testable import Bridge

@Suite("A configuration object")
struct ConfigTableTests {
    private func read(_ json: String) throws(TrackerError) -> TrackerConfig {
        var config = TrackerConfig()
        try TrackerFields.table.read(JSONText(literal: json), into: &config)
        return config
    }

    @Test("sets every option of the native configuration")
    func everything() throws {
        let config = try read(
            #"""
            {"debug": true, "apiUrl": "https://a.example", "xApiKey": "k", "crossSiteCookie": true,
             "cookieDomain": ".example", "cookieExpiration": 30, "sessionCreation": "inBackground",
             "initTimeoutMs": 2500, "consent": "pending", "device": {"osName": "Windows", "deviceType": "Tablet"},
             "initialScreen": {"name": "Home", "url": "app://home"}, "maxPendingEvents": 7,
             "storageDirectory": "/s", "persistence": "memory", "durability": "full", "maxQueuedEvents": 1,
             "maxQueuedBytes": 2, "maxEventBytes": 3, "eventTTLMs": 4, "overflow": "dropOldest", "maxConcurrentRequests": 5,
             "requestTimeoutMs": 6000, "compression": "none", "compressionThreshold": 7, "retryDelayMs": 80,
             "failureThreshold": 9, "cooldownMs": 100, "maxCooldownMs": 110, "jitter": 0.5, "haltRetryMs": 20000, "poisonAfterMs": 30000,
             "maxRefusedEvents": 8, "maxRefusedBytes": 9, "refusedTTLMs": 70000, "caBundle": "/c",
             "clientCertificate": "/d", "clientKey": "/e", "keyFile": "/f",
             "proxy": "http://p", "headers": {"X-Tenant": "shop"}, "allowInsecureHTTP": true, "collectorPanel": true,
             "plan": {"file": "/p", "onBroken": "tag"}}
            """#)

        let delivery = DeliveryOptions(
            storageDirectory: "/s", persistence: .memory, durability: .full, maxQueuedEvents: 1, maxQueuedBytes: 2,
            maxEventBytes: 3, eventTTL: .milliseconds(4), overflow: .dropOldest, maxConcurrentRequests: 5,
            requestTimeout: .seconds(6),
            compression: .none, compressionThreshold: 7, retryDelay: .milliseconds(80), failureThreshold: 9,
            cooldown: .milliseconds(100), maxCooldown: .milliseconds(110), jitter: 0.5,
            haltRetry: .seconds(20), poisonAfter: .seconds(30), maxRefusedEvents: 8, maxRefusedBytes: 9,
            refusedTTL: .seconds(70), caBundle: "/c",
            clientCertificate: "/d", clientKey: "/e", keyFile: "/f",
            proxy: "http://p", headers: ["X-Tenant": "shop"], allowInsecureHTTP: true, collectorPanel: true,
            plan: PlanOptions(file: "/p", onBroken: .tag)
        )
        let expected = TrackerConfig(
            debug: true, apiUrl: "https://a.example", xApiKey: "k", crossSiteCookie: true, cookieDomain: ".example",
            cookieExpiration: 30, sessionCreation: .inBackground, initTimeout: .milliseconds(2500), consent: .pending,
            device: .init(osName: "Windows", deviceType: "Tablet"),
            initialScreen: .init(name: "Home", url: "app://home"), maxPendingEvents: 7, delivery: delivery
        )
        #expect(config == expected)
    }

    @Test("knows 0 as never, where a time may be none")
    func zeros() throws {
        #expect(try read(#"{"haltRetryMs": 0}"#).delivery.haltRetry == nil)
        #expect(try read("{}").delivery.haltRetry == .seconds(300))
        let delivery = try read(#"{"maxRefusedEvents": 0, "maxRefusedBytes": 0}"#).delivery
        #expect(delivery.maxRefusedEvents == 0 && delivery.maxRefusedBytes == 0)
        try delivery.validate()
    }

    @Test("sets nothing where a value is null")
    func nulls() throws {
        let nulls = TrackerFields.table.fields.map { #""\#($0.name)": null"# }.joined(separator: ",")

        #expect(try read("{\(nulls)}") == TrackerConfig())
    }

    @Test(
        "knows the spellings of the web and React Native packages",
        arguments: [
            (#"{"api_url": "https://a"}"#, TrackerConfig(apiUrl: "https://a")),
            (#"{"x_api_key": "k"}"#, TrackerConfig(xApiKey: "k")),
            (#"{"cross_site_cookie": true}"#, TrackerConfig(crossSiteCookie: true)),
            (#"{"cookie_domain": "d"}"#, TrackerConfig(cookieDomain: "d")),
            (#"{"cookie_expiration": 1}"#, TrackerConfig(cookieExpiration: 1)),
            (#"{"api_url": null, "apiUrl": "https://a"}"#, TrackerConfig(apiUrl: "https://a")),
            (#"{"initialScreen": "Home"}"#, TrackerConfig(initialScreen: "Home")),
            (#"{"cookieExpiration": 3e1}"#, TrackerConfig(cookieExpiration: 30)),
        ])
    func aliases(json: String, expected: TrackerConfig) throws {
        #expect(try read(json) == expected)
    }

    private static let names = TrackerFields.table.fields.map(\.name).joined(separator: ", ")

    @Test(
        "is refused with the field and the reason",
        arguments: [
            (#"{"apiURL": "x"}"#, "'apiURL' is not known; did you mean 'apiUrl'?"),
            (#"{"retryDelay": 5}"#, "'retryDelay' is not known; did you mean 'retryDelayMs'?"),
            (#"{"initTimeout": 5}"#, "'initTimeout' is not known; did you mean 'initTimeoutMs'?"),
            (#"{"storageDir": "x"}"#, "'storageDir' is not known; did you mean 'storageDirectory'?"),
            (#"{"storage_dir": "x"}"#, "'storage_dir' is not known; did you mean 'storageDirectory'?"),
            (#"{"zzzzzzzzzz": 5}"#, "'zzzzzzzzzz' is not known. There are: \(Self.names)."),
            (
                #"{"host": "x", "apiUrl": 5, "retryDelay": 5, "delivery": {}}"#,
                "'host' is not known. 'retryDelay' is not known; did you mean 'retryDelayMs'? 'delivery' is not known. "
                    + "There are: \(Self.names)."
            ),
            (
                #"{"options": {"debug": true, "apiUrl": "https://a"}}"#,
                "'options' is not known, and holds 'debug': give that without 'options' around it"
            ),
            (
                #"{"device": {"device": {"osName": "Linux"}}}"#,
                "'device.device' is not known, and holds 'osName': give that in 'device' without 'device' around it"
            ),
            (
                #"{"overflow": "dropoldest"}"#,
                "'overflow' must be 'refuseNew' or 'dropOldest' (did you mean 'dropOldest'?)"
            ),
            (#"{"debug": "yes"}"#, "'debug' must be a boolean"),
            (#"{"apiUrl": 5}"#, "'apiUrl' must be a string"),
            (#"{"cookieExpiration": 1.5}"#, "'cookieExpiration' must be a whole number"),
            (#"{"cookieExpiration": 1e30}"#, "'cookieExpiration' must be a whole number"),
            (#"{"initTimeoutMs": "5s"}"#, "'initTimeoutMs' must be a whole number of milliseconds"),
            (#"{"initTimeoutMs": 1.5}"#, "'initTimeoutMs' must be a whole number of milliseconds"),
            (#"{"consent": "maybe"}"#, "'consent' must be 'granted' or 'denied' or 'pending'"),
            (#"{"jitter": true}"#, "'jitter' must be a number"),
            (#"{"headers": "X-Tenant: shop"}"#, "'headers' must be an object of strings"),
            (#"{"headers": {"X-Tenant": 7}}"#, "'headers' must be an object of strings"),
            (#"{"device": "Linux"}"#, "'device' must be an object"),
            (#"{"device": {"os": "Linux"}}"#, "'device.os' is not known. There are: osName, deviceType."),
            (#"{"device": {"osname": "Linux"}}"#, "'device.osname' is not known; did you mean 'osName'?"),
            (#"{"device": {"osName": 5}}"#, "'device.osName' must be a string"),
            (#"{"plan": "/p"}"#, "'plan' must be an object"),
            (#"{"plan": {"fil": "/p"}}"#, "'plan.fil' is not known; did you mean 'file'?"),
            (#"{"plan": {"onBroken": "ignore"}}"#, "'plan.onBroken' must be 'warn' or 'drop' or 'tag'"),
            (#"{"initialScreen": 5}"#, "'initialScreen' must be a string or an object"),
            (#"{"initialScreen": {"name": 5}}"#, "'initialScreen.name' must be a string"),
            (#"{"api_url": "https://a", "apiUrl": "https://b"}"#, "'apiUrl' is given a second time as 'api_url'"),
            ("[]", "'config' must be an object"),
        ])
    func faults(json: String, reason: String) {
        let error = #expect(throws: TrackerError.self) { try read(json) }

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message == "Invalid configuration: \(reason)")
    }

    @Test(
        "names values out of range by the keys that were written",
        arguments: [
            ("init", #"["925", {"requestTimeoutMs": 1}]"#, "'requestTimeoutMs' must be at least 1 s, not 1 ms"),
            ("init", #"["925", {"initTimeoutMs": 601000}]"#, "'initTimeoutMs' must be at most 600 s, not 601 s"),
            ("init", #"["925", {"retryDelayMs": 20000}]"#, "'cooldownMs' must be at least 20 s, not 10 s"),
            (
                "analytics.initialize",
                #"[{"writeKey": "k", "ingestionHost": "https://a.example", "requestTimeoutMs": 1}]"#,
                "'requestTimeoutMs' must be at least 1 s, not 1 ms"
            ),
            (
                "basic.initialize", #"["k", "https://a.example", null, {"eventTTLMs": 0}]"#,
                "'eventTTLMs' must be at least 1 ms, not 0 ms"
            ),
            (
                "init", #"["925", {"maxConcurrentRequests": 65}]"#,
                "'maxConcurrentRequests' must be from 1 to 64, not 65"
            ),
        ])
    func ranges(method: String, params: String, reason: String) async throws {
        let client = try BridgeClient()

        let failure = try await client.start(method, text: params).failure

        #expect(failure?.code == "INVALID_CONFIGURATION")
        #expect(failure?.message == "Invalid configuration: \(reason)")
    }

    @Test(
        "names a key that is not known as it was written",
        arguments: ["initTimeout", "requestTimeout", "flushInterval"])
    func unknownKeys(key: String) async throws {
        let client = try BridgeClient()

        let tracker = try await client.start("init", ["925", .object([key: 2000])]).failure
        let analytics = try await client.start("analytics.initialize", [.object([key: 2000])]).failure

        for failure in [tracker, analytics] {
            #expect(failure?.message.hasPrefix("Invalid configuration: '\(key)' is not known") == true)
        }
        if key == "flushInterval" {
            #expect(analytics?.message.hasSuffix("did you mean 'flushIntervalSeconds'?") == true)
        }
    }

    @Test("never shows the value of a key that is refused")
    func secrets() {
        let error = #expect(throws: TrackerError.self) { try read(#"{"xApiKey": ["s3cret"]}"#) }

        #expect(error?.message.contains("s3cret") == false)
    }

    @Test("is compared by bytes: a decomposed name is another name")
    func canonicalEquivalence() {
        #expect(throws: TrackerError.self) { try read(#"{"api\u0055rl": "https://a", "de\u0301bug": true}"#) }
    }
}
