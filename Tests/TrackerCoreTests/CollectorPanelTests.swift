import Foundation
import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("A client that shows the collector how it stands")
struct CollectorPanelTests {
    /// The first account that the server gets with so many events delivered.
    private func account(_ server: LoopbackServer, delivered: Int = 0) async throws -> JSONValue {
        var count = 1
        while true {
            let requests = try await server.requests(atLeast: count)
            for request in requests where request.line == "POST /accounts" {
                let account = request.json
                if account["debugInfo"]?["account"]?["delivered"]?.intValue ?? 0 >= delivered { return account }
            }
            count = requests.count + 1
        }
    }

    @Test("posts its debug information, under its brand, to the collector behind its base path")
    func session() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(
            fixture.config {
                $0.apiUrl = fixture.backend.url + "/test/run-7"
                $0.delivery.collectorPanel = true
            })
        await fixture.tracker.track(eventName: "PURCHASE")
        _ = await fixture.tracker.flush(timeout: .seconds(60))

        let account = try await account(fixture.backend.server, delivered: 1)
        #expect(account["client"] == .string("MobileTracker 925, process \(getpid())"))
        #expect(account["at"]?.stringValue?.hasSuffix("Z") == true)
        #expect(account["debugInfo"]?["account"]?["delivered"] == 1)
        #expect(account["debugInfo"]?["config"]?["xApiKey"] == "****1234")
        await fixture.tracker.shutdown()
    }

    @Test("does so as an analytics client, its write key masked")
    func analytics() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(fixture.options { $0.collectorPanel = true })

        let account = try await account(fixture.backend.server)
        #expect(account["client"] == .string("AnalyticsClient ****1234, process \(getpid())"))
        #expect(account["debugInfo"]?["lifecycle"] == "ready")
        await fixture.client.shutdown()
    }

    @Test("does so as a basic tracker")
    func basic() async throws {
        let fixture = try BasicFixture()
        var options = fixture.options
        options.collectorPanel = true
        try fixture.tracker.initialize(apiKey: "key-1234", endpoint: fixture.backend.url + "/events", options: options)

        let account = try await account(fixture.backend.server)
        #expect(account["client"] == .string("BasicTracker, process \(getpid())"))
        #expect(account["debugInfo"]?["endpoint"] == .string(fixture.backend.url + "/events"))
        await fixture.tracker.shutdown()
    }

    @Test("posts again after a second, and after five if it was not taken", arguments: [(200, 1.0), (404, 5.0)])
    func period(status: Int, wait: Double) async throws {
        let fixture = try SessionFixture(isClocked: true) { $0.path == "/accounts" ? .status(status) : nil }
        try await fixture.start(fixture.config { $0.delivery.collectorPanel = true })
        let loop = try await fixture.loop()
        #expect(loop.pending == [.seconds(1)])
        loop.advance(by: .seconds(1))

        try await loop.timer(at: .seconds(1 + wait))
        #expect(fixture.requests.filter { $0.path == "/accounts" }.count == 1)
        await fixture.tracker.shutdown()
        #expect(loop.pending == [])
    }

    @Test("posts what the server has refused, with its answers, and sends it again when the collector asks for it")
    func retries() async throws {
        let refusals = Mutex(1)
        let fixture = try SessionFixture { request in
            if request.path == "/accounts" {
                let hasRefused = request.json["refused"]?.arrayValue?.isEmpty == false
                return .status(200, body: hasRefused ? #"{"comparison": {}, "retryRefused": true}"# : "{}")
            }
            let isRefused =
                request.path.hasSuffix("-data")
                && refusals.withLock { count in
                    count -= 1
                    return count == 0
                }
            return isRefused ? .status(422, body: "no currency") : nil
        }
        try await fixture.start(fixture.config { $0.delivery.collectorPanel = true })
        await fixture.tracker.track(eventName: "PURCHASE", messageId: "order-1")

        let account = try await account(fixture.backend.server, delivered: 1)
        #expect(account["debugInfo"]?["account"]?["requeued"] == 1)
        let accounts = fixture.requests.filter { $0.path == "/accounts" }
        let event = accounts.compactMap { $0.json["refused"]?.arrayValue?.first }.first
        #expect(event?["messageId"] == "order-1")
        #expect(event?["answer"] == "no currency")
        #expect(event?["body"] == nil)
        #expect(fixture.names == ["PURCHASE", "PURCHASE"])
        await fixture.tracker.shutdown()
    }

    @Test("posts nothing unless its options say so, and only to a collector on this machine")
    func off() async throws {
        for (url, isOn) in [
            (nil, false), ("http://192.0.2.1", true), ("https://127.0.0.1", true),
            ("http://localhost.example.com", true),
        ] {
            let fixture = try SessionFixture(isClocked: true)
            try await fixture.start(
                fixture.config {
                    if let url { $0.apiUrl = url }
                    $0.consent = .pending
                    $0.delivery.allowInsecureHTTP = true
                    $0.delivery.collectorPanel = isOn
                })

            #expect(try await fixture.loop().pending == [], "\(url ?? "off")")
            await fixture.tracker.shutdown()
        }
    }

    @Test("is held up by no collector that hangs, neither in delivering nor in ending")
    func hanging() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.path == "/accounts" ? .gated(gate, .status(200)) : nil }
        try await fixture.start(fixture.config { $0.delivery.collectorPanel = true })
        _ = try await account(fixture.backend.server)

        await fixture.tracker.track(eventName: "PURCHASE")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        #expect(fixture.names == ["PURCHASE"])
        await fixture.tracker.shutdown(timeout: .seconds(3600))
        gate.open()
    }
}
