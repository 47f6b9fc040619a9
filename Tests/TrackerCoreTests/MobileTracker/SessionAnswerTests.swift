import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What the answers to the calls besides track come to")
struct SessionAnswerTests {
    /// A call, and the first of its requests.
    enum Call: String, CaseIterable, CustomTestStringConvertible {
        case identify, setMetadata, location, email, link

        /// Whose 404 can only be about the session.
        static let ofSession: [Call] = [.identify, .setMetadata, .location]

        var testDescription: String { rawValue }

        func make(on tracker: MobileTracker, _ id: CallerKey) async -> TrackOutcome {
            switch self {
            case .identify: await tracker.identify(userId: "user-1", messageId: id)
            case .setMetadata: await tracker.setMetadata(["tier": "gold"], messageId: id)
            case .location:
                await tracker.updateLocation(LocationData(latitude: 1, longitude: 2, accuracy: 3), messageId: id)
            case .email: await tracker.updateSessionEmail("a@b.example", messageId: id)
            case .link: await tracker.linkSession("other", messageId: id)
            }
        }

        func isRequest(_ request: LoopbackRequest) -> Bool {
            switch self {
            case .identify: request.path.contains("/identify/")
            case .setMetadata: request.isProfile
            case .location: request.path.hasSuffix("/location")
            case .email: request.path.hasSuffix("/email_v2")
            case .link: request.path.hasSuffix("/link-session")
            }
        }

        /// The key of the request, if the call has that one.
        func key(_ id: MessageID) -> String { self == .identify ? "\(id.text):identify" : id.text }
    }

    private let id = MessageID.of("call-1")

    @Test(
        "401 and 403 halt, nothing is sent after it, and the next key delivers what was kept", arguments: Call.allCases,
        [401, 403])
    func unauthorized(call: Call, status: Int) async throws {
        let fixture = try SessionFixture { call.isRequest($0) ? .status(status) : nil }
        try await fixture.start()
        _ = await call.make(on: fixture.tracker, CallerKey(id))
        await fixture.tracker.track(eventName: "E")

        #expect(await fixture.tracker.flush(timeout: .seconds(60)).stoppedBy == .halted)
        #expect(fixture.requests.map(call.isRequest) == [false, true])
        #expect(fixture.tracker.info("queueLength") == 2)
        fixture.answer()
        try await fixture.start(fixture.config { $0.xApiKey = "key-5678" })
        await fixture.drain()

        let again = fixture.requests.dropFirst(2)
        #expect(again.first.map(call.isRequest) == true)
        #expect(again.first?.header("Idempotency-Key") == call.key(id))
        #expect(again.last?.json["event_name"] == "E")
        #expect(fixture.tracker.info("queueLength") == 0 && fixture.tracker.dropped == [:])
        await fixture.tracker.shutdown()
    }

    @Test(
        "404 and 410 have another session made on the same device, to which the call goes", arguments: Call.ofSession,
        [404, 410])
    func gone(call: Call, status: Int) async throws {
        let fixture = try SessionFixture { call.isRequest($0) && $0.names("S1") ? .status(status) : nil }
        try await fixture.start()
        _ = await call.make(on: fixture.tracker, CallerKey(id))
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        let calls = fixture.requests.filter(call.isRequest)
        #expect(calls.map { $0.names("S2") } == [false, true])
        #expect(calls.map { $0.header("Idempotency-Key") } == [call.key(id), call.key(id)])
        #expect(fixture.requests.filter { $0.isProfile && call == .identify }.allSatisfy { $0.names("S2") })
        #expect(fixture.creations.count == 2 && Set(fixture.creations.map { $0.json["device_id"] }).count == 1)
        #expect(fixture.events.map { $0.json["session_id"] } == ["S2"])
        #expect(fixture.tracker.dropped == [:] && fixture.tracker.sessionId == "S2")
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "404 and 410 to an email or a link, which may be about that alone, leave the session as it is",
        arguments: [Call.email, .link], [404, 410])
    func somethingElseGone(call: Call, status: Int) async throws {
        let fixture = try SessionFixture { call.isRequest($0) ? .status(status) : nil }
        try await fixture.start()
        _ = await call.make(on: fixture.tracker, CallerKey(id))
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        #expect(fixture.requests.filter(call.isRequest).count == 1)
        #expect(fixture.creations.count == 1 && fixture.tracker.sessionId == "S1")
        #expect(fixture.tracker.dropped == .object(["rejected(\(status))": 1]))
        #expect(fixture.events.map { $0.json["session_id"] } == ["S1"])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "told twice that its session is gone, the call is dropped and counted, and the next goes on",
        arguments: Call.ofSession)
    func goneTwice(call: Call) async throws {
        let fixture = try SessionFixture { call.isRequest($0) ? .status(404) : nil }
        try await fixture.start()
        _ = await call.make(on: fixture.tracker, CallerKey(id))
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        #expect(fixture.requests.filter(call.isRequest).count == 2)
        #expect(call != .identify || !fixture.requests.contains { $0.isProfile })
        #expect(fixture.tracker.dropped == ["sessionGone": 1])
        #expect(fixture.events.map { $0.json["session_id"] } == ["S2"])
        #expect(fixture.tracker.isBalanced)
        await fixture.tracker.shutdown()
    }

    @Test(
        "408, 429 and 5xx have it sent again under its key, before anything else", arguments: Call.allCases,
        [408, 429, 500, 503])
    func retried(call: Call, status: Int) async throws {
        let fixture = try SessionFixture { $0.number == 1 ? .status(status, retryAfter: "0") : nil }
        try await fixture.start()
        _ = await call.make(on: fixture.tracker, CallerKey(id))
        await fixture.tracker.track(eventName: "E")
        await fixture.drain()

        let calls = fixture.requests.dropFirst()
        #expect(calls.prefix(2).allSatisfy(call.isRequest))
        #expect(calls.prefix(2).map { $0.header("Idempotency-Key") } == [call.key(id), call.key(id)])
        #expect(calls.dropFirst(2).map(\.isProfile) == (call == .identify ? [true, false] : [false]))
        #expect(calls.last?.json["event_name"] == "E")
        #expect(fixture.tracker.dropped == [:])
        await fixture.tracker.shutdown()
    }
}

extension LoopbackRequest {
    /// Whether it says the name of a session.
    fileprivate func names(_ session: String) -> Bool {
        path.contains("/\(session)/") || text.contains("\"\(session)\"")
    }
}
