import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("A key file")
struct KeyFileTests {
    private static let old = "secret-key-of-old-1111"
    private static let new = "secret-key-of-new-2222"

    @Test("that gets another key during a backlog is read again: nothing is lost, stored or logged")
    func session() async throws {
        let fixture = try SessionFixture { $0.header("X-API-Key") == Self.old ? nil : .status(401) }
        let file = fixture.directory.path("key")
        try Self.write("  \(Self.old)\r\n\n", to: file)
        try await fixture.start(
            fixture.config {
                $0.xApiKey = nil
                $0.debug = true
                $0.delivery.keyFile = file
            })
        let names = (1...300).map { "E\($0)" }
        for name in names.prefix(150) { #expect(await fixture.tracker.track(eventName: name).isQueued) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        fixture.answer { $0.header("X-API-Key") == Self.new ? nil : .status(401) }
        try Self.write(Self.new, to: file)
        for name in names.dropFirst(150) { #expect(await fixture.tracker.track(eventName: name).isQueued) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        let later = fixture.events.filter { $0.header("X-API-Key") == Self.new }
        #expect(fixture.names.prefix(150) == names.prefix(150))
        #expect(later.compactMap { $0.json["event_name"]?.stringValue } == Array(names.dropFirst(150)))
        #expect(fixture.tracker.info("lifecycle") == "ready" && fixture.tracker.isBalanced)
        #expect(fixture.tracker.info("account", "dropped") == [:])
        #expect(fixture.tracker.info("config", "xApiKey") == "****2222")
        #expect(!fixture.log.lines.all.contains { $0.contains("halted") || $0.contains("secret-key") })
        #expect(!"\(fixture.tracker.debugInfo())".contains("secret-key"))
        await fixture.tracker.shutdown()
        for secret in [Self.old, Self.new] { try fixture.expectNoTrace(of: secret) }
    }

    @Test("with the same key halts delivery; at the next try its new key is used", arguments: [401, 403])
    func halts(status: Int) async throws {
        let clocked = try ClockedAnalytics { .status($0.text.contains(Self.new) ? 200 : status) }
        let file = clocked.fixture.directory.path("key")
        try Self.write(Self.old, to: file)
        await clocked.client.initializeAndWait(
            with: clocked.fixture.options(writeKey: "", flushAt: 1) { $0.keyFile = file })
        let loop = try clocked.loop

        clocked.client.track("A")
        #expect(await clocked.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(clocked.client.info("lifecycle") == "halted")
        #expect(clocked.client.info("writeKey") == "****1111")
        try FileManager.default.removeItem(atPath: file)
        loop.advance(by: .seconds(300))
        try await clocked.server.requests(atLeast: 2)
        try await loop.timer(at: .seconds(600))
        let kept = clocked.fixture.log.lines.all.filter { $0.contains("The key stays as it was") }
        #expect(kept.count == 1 && kept[0].contains(file))
        try Self.write(Self.new, to: file)
        loop.advance(by: .seconds(300))
        try await clocked.server.requests(atLeast: 3)
        #expect(await clocked.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(clocked.client.info("lifecycle") == "ready" && clocked.client.info("writeKey") == "****2222")
        #expect(clocked.client.isBalanced)
        #expect(!clocked.fixture.log.lines.all.contains { $0.contains("secret-key") })
        await clocked.client.shutdown()
    }

    @Test(
        "that changes only after delivery has halted ends the halt with the next call or flush, without a timer",
        arguments: [true, false])
    func endsHalt(byFlush: Bool) async throws {
        let clocked = try ClockedAnalytics { .status($0.text.contains(Self.new) ? 200 : 401) }
        let file = clocked.fixture.directory.path("key")
        try Self.write(Self.old, to: file)
        await clocked.client.initializeAndWait(
            with: clocked.fixture.options(writeKey: "", flushAt: 1) {
                $0.keyFile = file
                $0.haltRetry = nil
            })
        clocked.client.track("A")
        #expect(await clocked.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(clocked.server.requests.count == 1)
        try Self.write(Self.new, to: file)

        try clocked.loop.advance(by: .seconds(2))
        if !byFlush {
            _ = await clocked.client.track("B").outcome
            try await clocked.server.requests(atLeast: 2)
        }
        #expect(await clocked.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(clocked.fixture.names.filter { $0 == "A" }.count == 2)
        #expect(clocked.client.info("lifecycle") == "ready" && clocked.client.info("writeKey") == "****2222")
        #expect(clocked.client.isBalanced)
        await clocked.client.shutdown()
    }

    @Test("is read while events flow, once a second: a key that is still taken is not used for long")
    func looks() async throws {
        let fixture = try SessionFixture(isClocked: true)
        let file = fixture.directory.path("key")
        try Self.write(Self.old, to: file)
        try await fixture.start(
            fixture.config {
                $0.xApiKey = nil
                $0.delivery.keyFile = file
            })
        let loop = try await fixture.loop()
        try Self.write(Self.new, to: file)

        // The request that is made while the file is read may still have the old one.
        try await withGuard("the new key") {
            while fixture.backend.server.requests.last?.header("X-API-Key") != Self.new {
                try Task.checkCancellation()
                loop.advance(by: .seconds(2))
                await fixture.tracker.track(eventName: "A")
                #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
            }
        }

        #expect(fixture.tracker.isBalanced && fixture.tracker.info("lifecycle") == "ready")
        await fixture.tracker.shutdown()
    }

    @Test("names an analytics client's queue: what waited under the old key is delivered with the new one")
    func lane() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        let file = fixture.directory.path("key")
        try Self.write(Self.old, to: file)
        await fixture.start(fixture.options(writeKey: "") { $0.keyFile = file })
        _ = await fixture.client.track("A").outcome
        await fixture.client.shutdown(timeout: .zero)
        try Self.write(Self.new, to: file)
        fixture.backend.answer { .status($0.text.contains(Self.new) ? 200 : 401) }

        let next = fixture.restarted()
        await next.start(next.options(writeKey: "") { $0.keyFile = file })
        // A batch that has gone out once goes again at the start, so before the flush perhaps.
        #expect(await next.client.flush(timeout: .seconds(60)).remaining == 0)
        #expect(next.client.info("account", "delivered") == 1)

        await next.client.shutdown()
        for secret in [Self.old, Self.new] { try fixture.directory.expectNoTrace(of: secret) }
    }

    @Test(
        "that cannot be used is refused with its path, before anything is made",
        arguments: [
            (nil, "must be a file that can be read"), ("", "is empty"), (" \n\t", "is empty"),
            ("secret\nkey", "holds a control character"),
            (String(repeating: "secret", count: 4000), "is longer than 16384 bytes"),
        ] as [(String?, String)])
    func faults(text: String?, reason: String) async throws {
        let fixture = try SessionFixture()
        let file = fixture.directory.path("key")
        if let text { try Self.write(text, to: file) }

        let error = await fixture.failure(
            fixture.config {
                $0.xApiKey = nil
                $0.delivery.keyFile = file
            })

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("Invalid configuration: 'keyFile' must ") == true)
        #expect(error?.message.contains(reason) == true && error?.message.contains(file) == true)
        #expect(error?.message.contains("secret") == false)
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("state")))
    }

    @Test("stands in the place of the client's own option, and of a queue that a refusal drops")
    func exclusions() async throws {
        let fixture = try SessionFixture()
        let file = fixture.directory.path("key")
        try Self.write(Self.old, to: file)

        let both = await fixture.failure(fixture.config { $0.delivery.keyFile = file })
        #expect(both?.message == "Invalid configuration: 'keyFile' cannot be given besides 'xApiKey'")
        let basic = #expect(throws: TrackerError.self) {
            try BasicSettings(
                apiKey: "key", endpoint: "https://a.example", appVersion: nil,
                options: BasicOptions(delivery: DeliveryOptions(keyFile: file)))
        }
        #expect(basic?.message == "Invalid configuration: 'keyFile' cannot be given besides 'apiKey'")
        let options = InitOptions(
            ingestionHost: "https://a.example", delivery: DeliveryOptions(keyFile: file), whenRefused: .disable)
        let disabling = #expect(throws: TrackerError.self) { try options.validate() }
        #expect(disabling?.message.contains("'whenRefused' must be 'halt' with 'keyFile'") == true)
        let one = #expect(throws: TrackerError.self) { try DeliveryOptions(clientKey: file).validate() }
        #expect(one?.message.hasSuffix("'clientCertificate' must be given as well, since 'clientKey' is") == true)
    }

    @Test("leaves no other key to be set beside it, but headers")
    func set() async throws {
        let fixture = try SessionFixture()
        let file = fixture.directory.path("key")
        try Self.write(Self.old, to: file)
        try await fixture.start(
            fixture.config {
                $0.xApiKey = nil
                $0.delivery.keyFile = file
            })

        let error = #expect(throws: TrackerError.self) {
            try fixture.tracker.setCredentials(Credentials(key: Self.new, headers: ["X-A": "1"]))
        }
        try fixture.tracker.setCredentials(Credentials(headers: ["X-B": "2"]))
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(error?.message == "Invalid configuration: 'key' cannot be given besides 'keyFile'")
        let last = fixture.requests.last
        #expect(last?.header("X-API-Key") == Self.old && last?.header("X-A") == nil && last?.header("X-B") == "2")
        await fixture.tracker.shutdown()
    }

    private static func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
