import Foundation
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("Credentials and headers")
struct CredentialTests {
    private static let secret = "secret-tenant-4711"
    private static let headers = ["X-Tenant": secret, "authorization": "Bearer " + secret]

    @Test("a session tracker sends its headers with every request, and neither stores nor logs them")
    func session() async throws {
        let fixture = try SessionFixture()
        try await fixture.start(
            fixture.config {
                $0.debug = true
                $0.delivery.headers = Self.headers
            })
        await fixture.tracker.track(eventName: "A")
        await fixture.tracker.identify(userId: "user-1", profileData: ["plan": "pro"])
        await fixture.drain()

        // A session, an event, an identification and a profile.
        #expect(fixture.backend.server.requests.count == 4)
        try expectSent(by: fixture.backend)
        expectHidden(fixture.tracker.debugInfo(), fixture.log)
        await fixture.tracker.shutdown()
        try fixture.expectNoTrace(of: Self.secret)
    }

    @Test("the same again end no wait that the server has asked for, and others do")
    func sameAgain() async throws {
        let fixture = try SessionFixture(isClocked: true) {
            $0.isEvent ? .status(429, headers: [("Retry-After", "30")]) : nil
        }
        try await fixture.start()
        let loop = try await fixture.loop()
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .retryWait)

        try fixture.tracker.setCredentials(Credentials(key: "key-1234", headers: [:]))
        await loop.turn()
        #expect(fixture.names == ["A"])
        fixture.answer()
        try fixture.tracker.setCredentials(Credentials(key: "key-5678"))
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.names == ["A", "A"])
        await fixture.tracker.shutdown()
    }

    @Test("an analytics client sends its headers with every batch, and neither stores nor logs them")
    func analytics() async throws {
        let fixture = try AnalyticsFixture()
        var options = fixture.options { $0.headers = Self.headers }
        options.debug = true
        await fixture.start(options)
        for name in ["A", "B"] {
            fixture.client.track(name)
            #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)
        }

        #expect(fixture.backend.server.requests.count == 2)
        try expectSent(by: fixture.backend)
        expectHidden(await fixture.client.getDebugInfo(), fixture.log)
        await fixture.client.shutdown()
        try fixture.directory.expectNoTrace(of: Self.secret)
    }

    @Test("a basic tracker sends the headers of its last initialize, and neither stores nor logs them")
    func basic() async throws {
        let fixture = try BasicFixture()
        try fixture.start()
        var options = fixture.options
        options.headers = Self.headers
        try fixture.tracker.initialize(apiKey: "key-1234", endpoint: fixture.backend.url, options: options, debug: true)
        fixture.tracker.track(event: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.backend.server.requests.count == 1)
        try expectSent(by: fixture.backend)
        expectHidden(fixture.tracker.debugInfo(), fixture.log)
        await fixture.tracker.shutdown()
        try fixture.directory.expectNoTrace(of: Self.secret)
    }

    private func expectSent(by backend: Backend) throws {
        for request in backend.server.requests {
            #expect(request.header("X-Tenant") == Self.secret)
            #expect(request.header("Authorization") == "Bearer " + Self.secret)
        }
    }

    private func expectHidden(_ info: JSONObject, _ log: RecordingLog) {
        #expect(
            info["config"]?["headers"] ?? info["config"]?["delivery"]?["headers"] == [
                "X-Tenant": "****4711", "authorization": "****4711",
            ])
        #expect(!"\(info)".contains(Self.secret))
        #expect(!log.lines.all.isEmpty && !log.lines.all.contains { $0.contains(Self.secret) })
    }

    @Test("what a server repeats of them in a refusal is masked in what is kept of it")
    func repeated() async throws {
        let key = "key-of-tenant-4711"
        let fixture = try BasicFixture { _ in .status(422, body: "bad \(key), \(Self.secret)") }
        var options = fixture.options
        options.headers = Self.headers
        try fixture.tracker.initialize(apiKey: key, endpoint: fixture.backend.url, options: options)
        fixture.tracker.track(event: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(try fixture.tracker.refused().first?.answer == "bad ****4711, ****4711")
        await fixture.tracker.shutdown()
        for text in [key, Self.secret] { try fixture.directory.expectNoTrace(of: text) }
    }

    @Test("so is the key as it stands in Authorization", arguments: [InitOptions.API.segment, .mixpanel])
    func repeatedAuthorization(api: InitOptions.API) async throws {
        let fixture = try AnalyticsFixture { .status(422, body: $0.header("Authorization") ?? "") }
        var options = fixture.options()
        options.api = api
        await fixture.start(options)
        fixture.client.track("A")
        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        let answer = try fixture.client.refused().first?.answer
        let sent = fixture.backend.server.requests.last?.header("Authorization") ?? ""
        #expect(answer == "Basic ****\(sent.suffix(4))")
        await fixture.client.shutdown()
        try fixture.directory.expectNoTrace(of: sent)
    }

    @Test(
        "headers that cannot be sent are refused, naming the header and no value",
        arguments: [
            (["X-API-Key": secret], "cannot hold 'X-API-Key', which the client sets itself"),
            (["content-type": secret], "cannot hold 'content-type', which the client sets itself"),
            (["Content-Length": secret], "cannot hold 'Content-Length', which the client sets itself"),
            (["HOST": secret], "cannot hold 'HOST', which the client sets itself"),
            (["Idempotency-Key": secret], "cannot hold 'Idempotency-Key', which the client sets itself"),
            (["X-A": secret, "x-a": secret], "holds 'x-a' twice"),
            (["": secret], "holds a name that is empty"),
            (["X A": secret], #"names of headers cannot have: "X A""#),
            (["X-A": secret + "\r\nX-B: 1"], "control character in the value of 'X-A'"),
            (["X-A": secret + String(repeating: "x", count: 8192)], "takes 8213 bytes; at most 8192"),
            (
                Dictionary(uniqueKeysWithValues: (1...17).map { ("X-\($0)", secret) }),
                "has 17 headers; at most 16 are sent"
            ),
        ])
    func faults(headers: [String: String], reason: String) {
        let options = DeliveryOptions(headers: headers)
        let error = #expect(throws: TrackerError.self) { try options.validate() }

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("Invalid configuration: 'headers' ") == true)
        #expect(error?.message.contains(reason) == true)
        #expect(error?.message.contains(Self.secret) == false)
    }

    @Test("16 headers of 8 KiB are sent, and no dump shows their values")
    func most() throws {
        let value = String(repeating: "s", count: 508)
        let headers = (10...25).map { ("X-\($0)", value) }
        let options = DeliveryOptions(headers: Dictionary(uniqueKeysWithValues: headers))

        try options.validate()

        var dumped = ""
        dump(options, to: &dumped)
        #expect(!(dumped + "\(options)" + String(reflecting: options)).contains("ssss"))
    }
}

extension TemporaryDirectory {
    /// Looks for a text in every file of the state folder.
    func expectNoTrace(of text: String) throws {
        let folder = self.path("state")
        var files = 0
        for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
            files += 1
            #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name)")
        }
        #expect(files > 0)
    }
}
