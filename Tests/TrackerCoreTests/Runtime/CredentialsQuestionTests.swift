import Synchronization
import TestSupport
import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("Credentials that change while a client runs")
struct CredentialsQuestionTests {
    private static let old = "secret-key-of-old-1111"
    private static let new = "secret-key-of-new-2222"
    private static let tenant = "secret-tenant-3333"

    // MARK: Set

    @Test("are used from the next request on: of a backlog nothing is lost, out of order, stored or logged")
    func session() async throws {
        let fixture = try SessionFixture { $0.header("X-API-Key") == Self.old ? nil : .status(401) }
        try await fixture.start(
            fixture.config {
                $0.xApiKey = Self.old
                $0.debug = true
            })
        let names = (1...300).map { "E\($0)" }
        for name in names.prefix(150) { #expect(await fixture.tracker.track(eventName: name).isQueued) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        fixture.answer { $0.header("X-API-Key") == Self.new ? nil : .status(401) }
        for name in names.dropFirst(150) { await fixture.tracker.track(eventName: name) }
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(await fixture.tracker.track(eventName: "LAST").isPending)
        try fixture.tracker.setCredentials(Credentials(key: Self.new, headers: ["X-Tenant": Self.tenant]))
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        let later = fixture.events.filter { $0.header("X-API-Key") == Self.new }
        #expect(fixture.names.prefix(150) == names.prefix(150))
        #expect(later.compactMap { $0.json["event_name"]?.stringValue } == names.dropFirst(150) + ["LAST"])
        #expect(later.allSatisfy { $0.header("X-Tenant") == Self.tenant })
        #expect(fixture.tracker.info("lifecycle") == "ready" && fixture.tracker.isBalanced)
        #expect(fixture.tracker.info("config", "xApiKey") == "****2222")
        #expect(fixture.tracker.info("config", "delivery", "headers") == ["X-Tenant": "****3333"])
        try Self.expectHidden(fixture.tracker.debugInfo(), fixture.log)
        await fixture.tracker.shutdown()
        for secret in [Self.old, Self.new, Self.tenant] { try fixture.expectNoTrace(of: secret) }
    }

    @Test("of an analytics client keep its queue; those of a basic tracker leave the headers that are not named")
    func others() async throws {
        let analytics = try AnalyticsFixture { $0.text.contains(Self.new) ? .status(200) : .status(401) }
        await analytics.start(analytics.options(writeKey: Self.old))
        for name in ["A", "B"] { _ = await analytics.client.track(name).outcome }
        #expect(await analytics.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        try analytics.client.setCredentials(Credentials(key: Self.new))
        #expect(await analytics.client.flush(timeout: .seconds(60)).remaining == 0)
        #expect(analytics.names.suffix(2) == ["A", "B"])
        await analytics.client.shutdown()
        for secret in [Self.old, Self.new] { try analytics.directory.expectNoTrace(of: secret) }

        let basic = try BasicFixture { $0.header("X-API-Key") == Self.new ? .status(200) : .status(401) }
        var options = basic.options
        options.headers = ["X-Tenant": Self.tenant]
        try basic.tracker.initialize(apiKey: Self.old, endpoint: basic.backend.url, options: options)
        basic.tracker.track(event: "A")
        #expect(await basic.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        try basic.tracker.setCredentials(Credentials(key: Self.new))
        #expect(await basic.tracker.flush(timeout: .seconds(60)).remaining == 0)
        #expect(basic.backend.server.requests.last?.header("X-Tenant") == Self.tenant)
        await basic.tracker.shutdown()
    }

    @Test("are kept before initialize, and taken instead of its own; a later initialize brings its own again")
    func early() async throws {
        let fixture = try BasicFixture()
        try fixture.tracker.setCredentials(Credentials(key: Self.new))
        try fixture.tracker.setCredentials(Credentials(headers: ["X-Tenant": Self.tenant]))
        var keys: [[String?]] = []
        for _ in 1...2 {
            try fixture.start(apiKey: Self.old)
            fixture.tracker.track(event: "A")
            #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
            let last = fixture.backend.server.requests.last
            keys.append([last?.header("X-API-Key"), last?.header("X-Tenant")])
        }

        #expect(keys == [[Self.new, Self.tenant], [Self.old, nil]])
        await fixture.tracker.shutdown()
    }

    @Test("count although the session is being asked for with others, which the server refuses")
    func duringFirstSession() async throws {
        let gate = try Gate()
        let fixture = try SessionFixture { $0.header("X-API-Key") == Self.new ? nil : .gated(gate, .status(401)) }
        async let started: Void = fixture.start()
        try await fixture.backend.server.requests(atLeast: 1)

        try fixture.tracker.setCredentials(Credentials(key: Self.new))
        gate.open()

        try await started
        #expect(fixture.tracker.sessionId != nil)
        await fixture.tracker.shutdown()
    }

    @Test("are used at once after a reset of everything, and by the next initialize")
    func afterReset() async throws {
        let fixture = try SessionFixture()
        try await fixture.start()
        await fixture.tracker.resetAndWait(all: true)
        fixture.answer { $0.header("X-API-Key") == Self.new ? nil : .status(401) }
        await fixture.tracker.track(eventName: "A")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)

        try fixture.tracker.setCredentials(Credentials(key: Self.new))
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        try await fixture.start()
        await fixture.tracker.track(eventName: "B")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.events.suffix(2).map { $0.header("X-API-Key") } == [Self.new, Self.new])
        await fixture.tracker.shutdown()
    }

    @Test(
        "that cannot be sent are refused, and change nothing",
        arguments: [
            (Credentials(), "'key' is required"), (Credentials(key: " "), "'key' is required"),
            (Credentials(key: "secret\n"), "'key' holds a control character"),
            (Credentials(headers: ["X-API-Key": "secret"]), "'headers' cannot hold 'X-API-Key'"),
            (Credentials(key: "secret", headers: ["Host": "secret"]), "'headers' cannot hold 'Host'"),
        ])
    func faults(credentials: Credentials, reason: String) async throws {
        let fixture = try SessionFixture()
        try await fixture.start()

        let error = #expect(throws: TrackerError.self) { try fixture.tracker.setCredentials(credentials) }

        #expect(error?.code == .invalidConfiguration && error?.message.contains(reason) == true, "\(error as Any)")
        #expect(error?.message.contains("secret") == false)
        #expect(fixture.tracker.info("config", "xApiKey") == "****1234")
        await fixture.tracker.shutdown()
    }

    @Test("show neither key nor headers in a description or a dump")
    func masked() {
        let credentials = Credentials(key: Self.new, headers: ["X-Tenant": Self.tenant])
        var dumped = ""
        dump(credentials, to: &dumped)

        #expect(!(dumped + "\(credentials)" + String(reflecting: credentials)).contains("secret"))
    }

    // MARK: Asked for

    @Test("the program's function gives the first key, and the next one after a 401, before delivery halts")
    func asks() async throws {
        let fixture = try SessionFixture { $0.header("X-API-Key") == Self.old ? nil : .status(401) }
        let keys = Answers(Self.old, Self.new, "secret-key-of-third-4444")
        try await fixture.start(
            fixture.config {
                $0.xApiKey = nil
                $0.debug = true
                $0.credentials = { try await keys.next() }
            })
        #expect(await fixture.tracker.track(eventName: "A").isQueued)
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        fixture.answer { $0.header("X-API-Key") == Self.new ? nil : .status(401) }
        for name in ["B", "C"] { await fixture.tracker.track(eventName: name) }

        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(keys.count == 2 && keys.most == 1)
        #expect(fixture.events.suffix(2).map { $0.header("X-API-Key") } == [Self.new, Self.new])
        #expect(fixture.names.filter { $0 != "A" }.suffix(2) == ["B", "C"])
        #expect(!fixture.log.lines.all.contains { $0.contains("halted") })
        #expect(fixture.tracker.info("lifecycle") == "ready" && fixture.tracker.isBalanced)
        // An answer has shown the second to be good: after another 401 it is asked again.
        fixture.answer { $0.header("X-API-Key")?.hasSuffix("4444") == true ? nil : .status(401) }
        await fixture.tracker.track(eventName: "D")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        #expect(keys.count == 3)
        try Self.expectHidden(fixture.tracker.debugInfo(), fixture.log)
        await fixture.tracker.shutdown()
        for secret in [Self.old, Self.new] { try fixture.expectNoTrace(of: secret) }
    }

    @Test("an answer with the refused key halts, and so does another one that is refused: it is asked once")
    func sameKey() async throws {
        for answers in [[Self.old, Self.old], [Self.old, Self.new, "other"]] {
            let fixture = try AnalyticsFixture { _ in .status(401) }
            let keys = Answers(answers)
            var options = fixture.options(writeKey: Self.old)
            options.credentials = { try await keys.next() }
            await fixture.start(options)
            _ = await fixture.client.track("A").outcome

            #expect(await fixture.client.flush(timeout: .seconds(60)).stoppedBy == .halted)

            #expect(keys.count == 2)
            #expect(fixture.client.info("lifecycle") == "halted")
            #expect(fixture.backend.server.requests.count == (answers.count == 2 ? 1 : 2))
            await fixture.client.shutdown()
        }
    }

    @Test("Amplitude's 400 for a key asks as a 401 does")
    func ofAmplitude() async throws {
        let fixture = try AnalyticsFixture { request in
            request.text.contains(Self.new) ? .status(200) : .status(400, body: #"{"error":"Invalid API key: x"}"#)
        }
        let keys = Answers(Self.old, Self.new)
        var options = fixture.options(writeKey: Self.old)
        options.api = .amplitude
        options.credentials = { try await keys.next() }
        await fixture.start(options)
        _ = await fixture.client.track("A").outcome

        #expect(await fixture.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(keys.count == 2)
        await fixture.client.shutdown()
    }

    @Test("a 401 to the session for which initialize waits asks as well; it fails if the answer is refused too")
    func duringInitialize() async throws {
        for key in [Self.new, "secret-key-of-third"] {
            let fixture = try SessionFixture { $0.header("X-API-Key") == Self.new ? nil : .status(401) }
            let keys = Answers(Self.old, key)
            let error = await fixture.failure(
                fixture.config {
                    $0.xApiKey = Self.old
                    $0.credentials = { try await keys.next() }
                })

            #expect(error?.cause == (key == Self.new ? nil : .status(401)))
            #expect(keys.count == 2)
            #expect(fixture.creations.map { $0.header("X-API-Key") } == [Self.old, key])
            #expect(!fixture.log.lines.all.contains { $0.contains("halted") || $0.contains("secret") })
            await fixture.tracker.shutdown()
        }
    }

    @Test("a 403 does not ask: the server knows the key and refuses what it may do")
    func forbidden() async throws {
        let fixture = try AnalyticsFixture { _ in .status(403) }
        let keys = Answers(Self.old, Self.new)
        var options = fixture.options(writeKey: Self.old)
        options.credentials = { try await keys.next() }
        await fixture.start(options)
        _ = await fixture.client.track("A").outcome

        #expect(await fixture.client.flush(timeout: .seconds(60)).stoppedBy == .halted)

        #expect(keys.count == 1)
        await fixture.client.shutdown()
    }

    @Test("a function that throws leaves the key; what it says is not logged, and each try of a halt asks it anew")
    func throwing() async throws {
        let clocked = try ClockedAnalytics { .status($0.text.contains(Self.new) ? 200 : 401) }
        let keys = Answers(nil, nil, nil, Self.new)
        var options = clocked.fixture.options(writeKey: Self.old, flushAt: 1)
        options.credentials = { try await keys.next() }
        await clocked.client.initializeAndWait(with: options)
        let loop = try clocked.loop
        clocked.client.track("A")
        #expect(await clocked.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(keys.count == 2)
        #expect(clocked.server.requests.count == 1)

        // The third question brings nothing: the try goes out with the old key.
        loop.advance(by: .seconds(300))
        try await clocked.server.requests(atLeast: 2)
        try await loop.timer(at: .seconds(600))
        loop.advance(by: .seconds(300))
        try await clocked.server.requests(atLeast: 3)
        #expect(await clocked.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(keys.count == 4)
        #expect(clocked.client.info("lifecycle") == "ready" && clocked.client.isBalanced)
        let kept = clocked.fixture.log.lines.all.filter { $0.contains("The credentials stay as they were") }
        #expect(kept.count == 3 && kept.allSatisfy { $0.hasSuffix("'credentials' has thrown Failure") })
        #expect(clocked.fixture.log.lines.all.count { $0.hasPrefix("error:") } == 1)
        try Self.expectHidden(clocked.client.debugInfo(), clocked.fixture.log)
        await clocked.client.shutdown()
    }

    @Test("a function that does not answer holds delivery for 10 s; a late answer is used, and no other asked for")
    func late() async throws {
        let clocked = try ClockedAnalytics { .status($0.text.contains(Self.new) ? 200 : 401) }
        let keys = Answers(Self.new)
        let gate = AsyncGate()
        var options = clocked.fixture.options(writeKey: Self.old, flushAt: 1)
        options.credentials = {
            await gate.wait()
            return try await keys.next()
        }
        await clocked.client.initializeAndWait(with: options)
        let loop = try clocked.loop
        try await loop.timer(at: .seconds(10))
        clocked.client.track("A")
        await loop.turn()
        #expect(clocked.server.requests.isEmpty)

        // Its time is over: the old key is tried, and the next question waits for the end of the first.
        loop.advance(by: .seconds(10))
        try await loop.timer(at: .seconds(20))
        #expect(clocked.server.requests.count == 1)
        loop.advance(by: .seconds(10))
        #expect(await clocked.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        gate.open()
        try await clocked.server.requests(atLeast: 2)
        #expect(await clocked.client.flush(timeout: .seconds(60)).remaining == 0)

        #expect(keys.most == 1)
        #expect(clocked.client.info("lifecycle") == "ready")
        await clocked.client.shutdown()
    }

    @Test("without any key nothing is sent: delivery halts and says why, and initialize fails if it needs a session")
    func noKey() async throws {
        let clocked = try ClockedAnalytics()
        let keys = Answers(nil, Self.new)
        var options = clocked.fixture.options(writeKey: "", flushAt: 1)
        options.credentials = { try await keys.next() }
        await clocked.client.initializeAndWait(with: options)
        clocked.client.track("A")
        #expect(await clocked.client.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(clocked.server.requests.isEmpty)
        #expect(clocked.client.info("halted", "reason") == "There is no key: 'credentials' has thrown Failure")
        try clocked.loop.advance(by: .seconds(300))
        try await clocked.server.requests(atLeast: 1)
        #expect(await clocked.client.flush(timeout: .seconds(60)).remaining == 0)
        await clocked.client.shutdown()

        let session = try SessionFixture()
        let none = Answers(nil, Self.new)
        let config = session.config {
            $0.xApiKey = nil
            $0.credentials = { try await none.next() }
        }
        let error = await session.failure(config)
        #expect(error?.code == .sessionCreationFailed)
        #expect(error?.message.contains("There is no key: 'credentials' has thrown Failure.") == true)
        #expect(session.requests.isEmpty)
        try await session.start(config)
        #expect(session.requests.map { $0.header("X-API-Key") } == [Self.new])
        await session.tracker.shutdown()
    }

    @Test("without any key nothing is sent either when the client is initialised again, which asks nobody")
    func noKeyAgain() async throws {
        let fixture = try BasicFixture()
        for _ in 1...2 {
            try fixture.tracker.initialize(
                endpoint: fixture.backend.url, options: fixture.options, credentials: { throw Answers.Failure() })
            fixture.tracker.track(event: "A")
            #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        }
        #expect(fixture.backend.server.requests.isEmpty)
        let reason = fixture.tracker.info("halted", "reason")?.stringValue ?? ""
        #expect(reason.hasPrefix("There is no key: 'credentials'"), "\(reason)")
        try fixture.tracker.setCredentials(Credentials(key: Self.new))
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        await fixture.tracker.shutdown()
    }

    @Test("what is set while the function is asked counts, and its answer does not")
    func setMeanwhile() async throws {
        let fixture = try BasicFixture()
        let gate = AsyncGate()
        try fixture.tracker.initialize(
            endpoint: fixture.backend.url, options: fixture.options,
            credentials: {
                await gate.wait()
                return Credentials(key: Self.old)
            })
        fixture.tracker.track(event: "A")
        try fixture.tracker.setCredentials(Credentials(key: Self.new))
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)
        gate.open()
        fixture.tracker.track(event: "B")
        #expect(await fixture.tracker.flush(timeout: .seconds(60)).remaining == 0)

        #expect(fixture.backend.server.requests.map { $0.header("X-API-Key") } == [Self.new, Self.new])
        await fixture.tracker.shutdown()
    }

    @Test("the function stands beside a key file as little as beside a queue that a refusal drops")
    func exclusions() throws {
        var options = InitOptions(
            ingestionHost: "https://a.example", whenRefused: .disable, credentials: { Credentials(key: "key") })
        let disabling = #expect(throws: TrackerError.self) { try options.validate() }
        #expect(disabling?.message.contains("'whenRefused' must be 'halt' with 'credentials'") == true)
        options.delivery.keyFile = "/key"
        let both = #expect(throws: TrackerError.self) { try options.validate() }
        #expect(both?.message.contains("'keyFile' cannot be given besides 'credentials'") == true)
    }

    private static func expectHidden(_ info: JSONObject, _ log: RecordingLog) throws {
        #expect(!"\(info)".contains("secret"))
        #expect(!log.lines.all.isEmpty && !log.lines.all.contains { $0.contains("secret") })
    }
}

/// Gives one key after the other; for `nil` it throws.
private final class Answers: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description = "secret-of-the-vault"
    }

    private struct State {
        var keys: [String?]
        var count = 0
        var open = 0
        var most = 0
    }

    private let state: Mutex<State>

    init(_ keys: [String?]) { state = Mutex(State(keys: keys)) }

    convenience init(_ keys: String?...) { self.init(keys) }

    /// How often it was asked.
    var count: Int { state.withLock { $0.count } }

    /// How often it was asked at once.
    var most: Int { state.withLock { $0.most } }

    func next() async throws -> Credentials {
        let key = state.withLock { state in
            state.count += 1
            state.open += 1
            state.most = max(state.most, state.open)
            return state.keys.count > 1 ? state.keys.removeFirst() : state.keys[0]
        }
        await Task.yield()
        state.withLock { $0.open -= 1 }
        guard let key else { throw Failure() }
        return Credentials(key: key)
    }
}

/// Holds tasks back until a test opens it, cancelled or not.
private final class AsyncGate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
