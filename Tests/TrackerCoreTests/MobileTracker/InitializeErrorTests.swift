import Foundation
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What initialize of a session tracker throws")
struct InitializeErrorTests {
    private static let advice =
        "To start all the same, and have the session made later, set `sessionCreation` to inBackground."
    private static let keyAdvice = "answered 401. The server refuses the key: check `xApiKey`."
    private static let urlAdvice = "The server has no such endpoint: check `apiUrl`."

    private static let noNumber = #"Brand ID must be a number, such as "925""#

    @Test(
        "a brand that is no number",
        arguments: [
            ("", "Brand ID is required"), ("nine", Self.noNumber), ("9x", Self.noNumber),
            (" 9", Self.noNumber), ("-9", Self.noNumber),
            ("٩", Self.noNumber), ("9223372036854775808", Self.noNumber),
        ])
    func brand(text: String, message: String) async throws {
        let fixture = try SessionFixture()

        let error = await fixture.failure(fixture.config(), brandId: text)
        let outcome = await fixture.tracker.track(eventName: "LOST")

        #expect(error == TrackerError(.invalidBrandId, message))
        #expect(outcome == .dropped(.notInitialized))
        #expect(fixture.tracker.info("refused", "NOT_INITIALIZED") == 1)
        #expect(fixture.log.lines.all.contains("warning: Not initialized. Call initialize() first."))
        #expect(fixture.requests.isEmpty)
    }

    @Test(
        "an apiUrl that is missing or not usable",
        arguments: [
            nil, "", "nonsense", "https://", "ftp://a.example", "https://u:p@a.example", "https://a.example?x=1",
            "https://a.example#x", "http://a.example", "/path", "https://a.example/v2/tracking-session",
            "https://a.example/v2/tracking-session-data/", "https://a.example/base/v1/customer-profiles/set",
        ])
    func apiUrl(text: String?) async throws {
        let fixture = try SessionFixture()

        let error = await fixture.failure(fixture.config { $0.apiUrl = text })
        let outcome = await fixture.tracker.track(eventName: "LOST")

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("'apiUrl'") == true)
        #expect(outcome == .dropped(.notInitialized))
    }

    @Test(
        "a key that is missing, holds a line break or is too long to be sent, and it never says the key",
        arguments: [nil, "", "s3cr\nt", "s3cr" + String(repeating: "e", count: 16_381)])
    func key(text: String?) async throws {
        let fixture = try SessionFixture()

        let error = await fixture.failure(fixture.config { $0.xApiKey = text })

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("'xApiKey'") == true)
        #expect(error?.message.contains("s3cr") == false)
        #expect(!fixture.log.lines.all.contains { $0.contains("s3cr") })
    }

    @Test("a blank key is required in every client", arguments: [nil, "", " ", "\t\n"])
    func blankKey(text: String?) throws {
        let config = TrackerConfig(apiUrl: "https://a.example", xApiKey: text)
        let session = #expect(throws: TrackerError.self) { try TrackerSettings(brandId: "925", config: config) }
        let analytics = #expect(throws: TrackerError.self) {
            try InitOptions(writeKey: text ?? "", ingestionHost: "https://a.example").validate()
        }
        let basic = #expect(throws: TrackerError.self) {
            try BasicSettings(apiKey: text, endpoint: "https://a.example", appVersion: nil, options: BasicOptions())
        }

        #expect(session?.message == "Invalid configuration: 'xApiKey' is required")
        #expect(analytics?.message == "Invalid configuration: 'writeKey' is required")
        #expect(basic?.message == "'apiKey' is required")
    }

    @Test(
        "a state folder that is not named from the root, with what to write, in every client",
        arguments: [
            ("state", "it would be another folder wherever the program is started"),
            ("./state", "it would be another folder wherever the program is started"),
            ("~/state", "only a shell knows '~', so write the home folder's path"),
            ("~", "only a shell knows '~', so write the home folder's path"),
        ])
    func storageDirectory(path: String, reason: String) throws {
        let delivery = DeliveryOptions(storageDirectory: path)
        let config = TrackerConfig(apiUrl: "https://a.example", xApiKey: "key", delivery: delivery)
        let errors = [
            #expect(throws: TrackerError.self) { try TrackerSettings(brandId: "925", config: config) },
            #expect(throws: TrackerError.self) {
                try InitOptions(writeKey: "key", ingestionHost: "https://a.example", delivery: delivery).validate()
            },
            #expect(throws: TrackerError.self) {
                try BasicSettings(
                    apiKey: "key", endpoint: "https://a.example", appVersion: nil,
                    options: BasicOptions(delivery: delivery))
            },
        ]

        #expect(
            errors.map { $0?.message }
                == Array(
                    repeating: "Invalid configuration: 'storageDirectory' must be a path from the root, such as "
                        + "'/var/lib/shop/tracker', not '\(path)': \(reason)", count: 3))
    }

    @Test(
        "a file that is not there, a folder, or a device, with its path, before anything is asked or made",
        arguments: ["caBundle", "clientCertificate", "clientKey"])
    func files(option: String) async throws {
        let fixture = try SessionFixture()

        for path in [fixture.directory.path("missing.pem"), fixture.directory.path, "/dev/null"] {
            let error = await fixture.failure(
                fixture.config {
                    switch option {
                    case "caBundle": $0.delivery.caBundle = path
                    case "clientCertificate":
                        $0.delivery.clientCertificate = path
                        $0.delivery.clientKey = #filePath
                    default:
                        $0.delivery.clientCertificate = #filePath
                        $0.delivery.clientKey = path
                    }
                })

            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("'\(option)' must be a file") == true)
            #expect(error?.message.contains(path) == true)
        }
        #expect(await fixture.tracker.track(eventName: "LOST") == .dropped(.notInitialized))
        #expect(fixture.requests.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("state")))
    }

    @Test("a file without a certificate in it, before anything is asked or made")
    func identity() async throws {
        let fixture = try SessionFixture()

        let error = await fixture.failure(
            fixture.config {
                $0.delivery.clientCertificate = #filePath
                $0.delivery.clientKey = #filePath
            })

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("'clientCertificate' cannot be used. \(#filePath): ") == true)
        #expect(fixture.requests.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("state")))
    }

    @Test("no config at all")
    func noConfig() async throws {
        let error = await (try SessionFixture()).failure(nil)

        #expect(error?.code == .invalidConfiguration)
    }

    @Test("a state folder that cannot be made")
    func storage() async throws {
        let fixture = try SessionFixture()
        let file = fixture.directory.path("file")
        try Data().write(to: URL(filePath: file))

        let error = await fixture.failure(fixture.config { $0.delivery.storageDirectory = file + "/in" })
        let outcome = await fixture.tracker.track(eventName: "LOST")

        #expect(error?.code == .storage)
        #expect(outcome == .dropped(.notInitialized))
        #expect(fixture.requests.isEmpty)
    }

    @Test(
        "a backend that makes no session, with the status or the cause, after one attempt",
        arguments: [
            (.status(500), .status(500), Self.advice), (.status(503, retryAfter: "0"), .status(503), Self.advice),
            (.status(401), .status(401), Self.keyAdvice),
            (.status(403), .status(403), "answered 403. The server refuses the key: check `xApiKey`."),
            (.status(404), .status(404), Self.urlAdvice), (.status(410), .status(410), Self.urlAdvice),
            (.status(422), .status(422), Self.advice), (.status(304), .status(304), Self.advice),
            (.status(200, body: ""), .unreadableAnswer, Self.advice),
            (.status(200, body: "<html>"), .unreadableAnswer, Self.advice),
            (.status(200, body: #"{"id":"S1"}"#), .unreadableAnswer, Self.advice),
            (.status(200, body: #"{"data":{}}"#), .unreadableAnswer, Self.advice),
            (.status(200, body: #"{"data":{"id":""}}"#), .unreadableAnswer, Self.advice),
            (.status(200, body: #"{"data":{"id":null}}"#), .unreadableAnswer, Self.advice),
        ] as [(LoopbackAnswer, TrackerError.Cause, String)])
    func session(answer: LoopbackAnswer, cause: TrackerError.Cause, advice: String) async throws {
        let fixture = try SessionFixture { $0.isCreation ? answer : nil }

        let error = await fixture.failure(fixture.config())
        let outcome = await fixture.tracker.track(eventName: "HELD")

        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.cause == cause)
        #expect(error?.message.hasPrefix("No session could be created: ") == true)
        #expect(error?.message.hasSuffix(advice) == true)
        #expect((error?.message.contains("inBackground") == true) == (advice == Self.advice))
        #expect(outcome.isPending)
        #expect(fixture.tracker.info("lifecycle") == "withoutSession")
        #expect(fixture.tracker.sessionId == nil)
        #expect(fixture.requests.count == 1)
        #expect(await fixture.tracker.flush().stoppedBy != nil)
        await fixture.tracker.shutdown()
    }

    @Test("a server that hangs up, and one that is not there", arguments: [true, false])
    func network(isListening: Bool) async throws {
        let fixture = try SessionFixture { _ in .nothing(then: .reset) }
        if !isListening { fixture.backend.server.stop() }

        let error = await fixture.failure(fixture.config())

        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.message.hasSuffix(Self.advice) == true)
        guard case .network = error?.cause else {
            Issue.record("the cause is \(String(describing: error?.cause))")
            return
        }
        await fixture.tracker.shutdown()
    }

    @Test("a server that is silent for longer than initTimeout; what was under way is cancelled, calls are held")
    func timeout() async throws {
        let fixture = try SessionFixture(isClocked: true) { _ in .nothing(then: .stall) }

        async let failing = fixture.failure(fixture.config())
        let loop = try await fixture.loop()
        try await loop.timer(at: .seconds(60))
        try await fixture.backend.server.requests(atLeast: 1)
        loop.advance(by: .seconds(60))
        let error = await failing
        try await fixture.backend.server.closings(atLeast: 1)
        let outcome = await fixture.tracker.track(eventName: "HELD")

        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.cause == .timeout)
        let address = fixture.backend.url
        #expect(
            error?.message
                == "Initialization with \(address) did not finish within 'initTimeout' (60 s). \(Self.advice)")
        #expect(outcome.isPending)
        #expect(fixture.tracker.info("lifecycle") == "withoutSession")
        fixture.answer()
        try await fixture.start()
        await fixture.drain()
        #expect(fixture.names == ["HELD"])
        await fixture.tracker.shutdown()
    }

    @Test("a shutdown meanwhile")
    func shutdown() async throws {
        let fixture = try SessionFixture { _ in .nothing(then: .stall) }

        async let failing = fixture.failure(fixture.config())
        try await fixture.backend.server.requests(atLeast: 1)
        await fixture.tracker.shutdown()
        let error = await failing

        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.cause == .shutdown)
        #expect(await fixture.tracker.track(eventName: "LATE") == .dropped(.notInitialized))
    }

    @Test("cancelling the task that waits ends the wait alone: the initialization goes on", arguments: [false, true])
    func cancelled(isEarly: Bool) async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.isCreation ? .gated(gate, .session("S1")) : nil }

        let task = Task {
            if isEarly { while !Task.isCancelled { await Task.yield() } }
            return await fixture.failure(fixture.config())
        }
        if !isEarly { try await fixture.backend.server.requests(atLeast: 1) }
        task.cancel()
        let error = try await withGuard("the error") { await task.value }
        let outcome = await fixture.tracker.track(eventName: "A")
        gate.open()
        try await fixture.start()
        await fixture.drain()

        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.cause == .cancelled)
        #expect(error?.message == "The task that waited was cancelled; initialization goes on.")
        #expect(outcome.isPending)
        #expect(fixture.creations.count == 1)
        #expect(fixture.names == ["A"])
        await fixture.tracker.shutdown()
    }

    @Test("can be told apart in a catch pattern, under the documents' names")
    func patterns() async throws {
        let fixture = try SessionFixture { _ in .status(500) }
        var caught: [String] = []

        for (brand, config) in [("", fixture.config()), ("9", TrackerConfig()), ("9", fixture.config())] {
            do {
                try await fixture.tracker.initialize(brandId: brand, config: config)
            } catch TrackerError.invalidBrandId {
                caught.append("brand")
            } catch TrackerError.invalidConfiguration {
                caught.append("configuration")
            } catch TrackerError.sessionCreationFailed {
                caught.append("session")
            } catch {
                caught.append("another")
            }
        }

        #expect(caught == ["brand", "configuration", "session"])
        await fixture.tracker.shutdown()
    }
}
