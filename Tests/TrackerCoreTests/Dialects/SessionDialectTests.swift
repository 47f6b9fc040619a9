import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The session dialect")
struct SessionDialectTests {
    private static func front(_ records: [Record], _ state: LaneState = .sample()) -> SampleFront {
        SampleFront(peek: Peek(state: state, records: records, entries: [state.generation: state.entry]))
    }

    private static func send(
        _ dialect: inout SessionDialect, _ record: Record, _ state: LaneState = .sample()
    ) throws -> Plan {
        guard case .work(.send(let plan)) = dialect.plan(front([record], state)) else {
            throw TransportError(.closed, host: "", message: "nothing was planned")
        }
        return plan
    }

    private static func body(_ plan: Plan) -> String { String(decoding: plan.request.body ?? [], as: UTF8.self) }

    /// A record of each route, and the request it must become.
    struct Wire: Sendable, CustomTestStringConvertible {
        var route: Route
        var record: String
        var identify: String?
        var method: HTTPRequest.Method
        var path: String
        var body: String
        var testDescription: String { "\(route) \(path)" }
    }

    @Test(
        "binds each record to its session when the request is built",
        arguments: [
            Wire(
                route: .event, record: #"{"event_name":"BUY","data":{"n":1.0}}"#, method: .post,
                path: "/v2/tracking-session-data",
                body: #"{"brand_id":925,"session_id":"S1","event_name":"BUY","data":{"n":1.0}}"#),
            Wire(
                route: .event, record: #"{"event_name":"BUY"}"#, method: .post, path: "/v2/tracking-session-data",
                body: #"{"brand_id":925,"session_id":"S1","event_name":"BUY"}"#),
            Wire(
                route: .profile, record: #"{"name":"Ada"}"#, method: .put, path: "/v1/customer-profiles/set",
                body: #"{"name":"Ada","brand_id":925,"session_id":"S1"}"#),
            Wire(
                route: .profile, record: #"{"name":"Ada"}"#, identify: "u1", method: .put,
                path: "/v1/customer-profiles/set",
                body: #"{"name":"Ada","brand_id":925,"user_id":"u1","session_id":"S1"}"#),
            Wire(
                route: .profile, record: #"{"user_id":"u1","name":null}"#, identify: "u1", method: .put,
                path: "/v1/customer-profiles/set",
                body: #"{"user_id":"u1","name":null,"brand_id":925,"session_id":"S1"}"#),
            Wire(
                route: .metadata, record: #"{"metadata":{"a":[1]}}"#, identify: "u1", method: .put,
                path: "/v1/customer-profiles/set",
                body: #"{"metadata":{"a":[1]},"brand_id":925,"user_id":"u1","session_id":"S1"}"#),
            Wire(
                route: .location, record: #"{"latitude":1.5,"longitude":-2.0,"accuracy":3.0}"#, method: .put,
                path: "/v2/tracking-session/S1/location",
                body: #"{"latitude":1.5,"longitude":-2.0,"accuracy":3.0}"#),
            Wire(
                route: .email, record: #"{"email":"a@b"}"#, method: .put, path: "/v2/tracking-session/S1/email_v2",
                body: #"{"email":"a@b","brand_id":925}"#),
            Wire(
                route: .link, record: #"{"source_session_id":"S0"}"#, method: .post,
                path: "/v2/tracking-session/link-session",
                body: #"{"source_session_id":"S0","current_session_id":"S1","device_id":"D1","brand_id":925}"#),
        ])
    func wires(_ wire: Wire) throws {
        var dialect = try SessionDialect.sample()
        let record = Record.sample(7, route: wire.route, body: wire.record, occurredAt: 1_764_239_400_000)

        let plan = try Self.send(&dialect, record, .sample(identify: wire.identify))

        #expect(plan.request.method == wire.method)
        #expect(plan.request.url == "https://api.example.com/base" + wire.path)
        #expect(Self.body(plan) == wire.body)
        #expect(plan.request.headers["Content-Type"] == "application/json")
        #expect(plan.request.headers["X-API-Key"] == "key-1234")
        #expect(plan.request.headers["Idempotency-Key"] == "m7")
        #expect(plan.request.headers["X-Sequence"] == "7")
        #expect(plan.request.headers["X-Occurred-At"] == "2025-11-27T10:30:00.000Z")
    }

    @Test("has a device made before it links a session whose device another lane has taken away")
    func linksWithDevice() throws {
        var dialect = try SessionDialect.sample()
        var state = LaneState.sample()
        state.entry.device = nil

        let intention = dialect.plan(Self.front([.sample(route: .link, body: #"{"source_session_id":"S0"}"#)], state))

        guard case .work(.change(let changes)) = intention, changes.count == 1, case .ensureDevice = changes[0] else {
            Issue.record("\(intention)")
            return
        }
    }

    @Test("identifies the session before the profile of a new user, without a body, percent-encoded")
    func identifiesFirst() throws {
        var dialect = try SessionDialect.sample()
        let record = Record.sample(route: .profile, body: #"{"user_id":"a/b c?é","name":"Ada"}"#)

        let plan = try Self.send(&dialect, record, .sample(identify: "other"))

        #expect(plan.purpose == .identify(try #require(UserID("a/b c?é"))))
        #expect(
            plan.request.url
                == "https://api.example.com/base/v2/tracking-session/S1/identify/a%2Fb%20c%3F%C3%A9")
        #expect(plan.request.method == .put)
        #expect(plan.request.body == nil)
        #expect(plan.request.headers["Content-Type"] == nil)
        #expect(plan.request.headers["Idempotency-Key"] == "m1:identify")
    }

    @Test("stores the user a session was identified with, and the session that the answer names")
    func followsTheIdentifiedSession() throws {
        var dialect = try SessionDialect.sample()
        let plan = try Self.send(&dialect, .sample(route: .profile, body: #"{"user_id":"u1"}"#))

        let verdict = dialect.judge(
            .status(200, body: #"{"data":{"id":"S2"}}"#), to: plan, at: Timestamp(milliseconds: 0))

        guard case .progress(let changes) = verdict, changes.count == 2, case .bind(_, let session) = changes[0],
            case .identify(_, let user) = changes[1]
        else {
            Issue.record("unexpected verdict: \(verdict)")
            return
        }
        #expect(session.text == "S2")
        #expect(user.text == "u1")
    }

    @Test("sends the profile all the same when the identification is refused as such", arguments: [400, 409, 413, 422])
    func sendsTheProfileAnyway(status: Int) throws {
        var dialect = try SessionDialect.sample()
        let record = Record.sample(route: .profile, body: #"{"user_id":"u1"}"#)
        let identify = try Self.send(&dialect, record)

        guard case .progress(let changes) = dialect.judge(.status(status), to: identify, at: Timestamp(milliseconds: 0))
        else {
            Issue.record("the refusal did not pass")
            return
        }

        #expect(changes.isEmpty)
        #expect(try Self.send(&dialect, record).purpose == .records)
    }

    @Test("makes a session for the device first, under one key however often it is tried")
    func makesSessions() throws {
        var dialect = try SessionDialect.sample()
        let state = LaneState.sample(session: nil)

        let first = try Self.send(&dialect, .sample(), state)
        _ = dialect.judge(.status(500), to: first, at: Timestamp(milliseconds: 0))
        let second = try Self.send(&dialect, .sample(), state)

        #expect(first.purpose == .session(Generation(1)))
        #expect(first.request.url == "https://api.example.com/base/v2/tracking-session")
        #expect(
            Self.body(first)
                == #"{"device_id":"D1","os_name":"Linux","device_type":"Desktop","brand_id":925}"#)
        #expect(first.request.headers["Idempotency-Key"] == second.request.headers["Idempotency-Key"])
        #expect(first.records.isEmpty)
    }

    @Test(
        "reads the session's id from data.id",
        arguments: [
            (#"{"data":{"id":"abc"}}"#, "abc"), (#"{"data":{"id":42}}"#, "42"), (#"{"data":{"id":1.50}}"#, "1.50"),
            (#"{"data":{"id":""}}"#, nil), (#"{"data":{}}"#, nil), (#"{"data":{"id":null}}"#, nil), ("<html>", nil),
            ("", nil), ("[]", nil), (#"{"id":"abc"}"#, nil),
        ] as [(String, String?)])
    func readsAnswers(body: String, id: String?) {
        #expect(SessionAnswer.sessionID(in: Array(body.utf8))?.text == id)
    }

    @Test("makes no session and sends nothing without consent", arguments: [Consent.pending, .denied])
    func obeysConsent(consent: Consent) throws {
        var dialect = try SessionDialect.sample()
        guard case .blocked(.noConsent) = dialect.plan(Self.front([.sample()], .sample(consent: consent, session: nil)))
        else {
            Issue.record("something was planned")
            return
        }
    }

    @Test("asks for a device id before it makes a session")
    func asksForADevice() throws {
        var dialect = try SessionDialect.sample()
        guard case .work(.change(let changes)) = dialect.plan(Self.front([], .sample(session: nil, device: nil))),
            case .ensureDevice? = changes.first
        else {
            Issue.record("no device id was asked for")
            return
        }
    }

    /// What is planned for a record of a generation that has ended without a session of its own.
    private static func intention(for route: Route, user: String?) throws -> (SessionDialect, Intention) {
        var dialect = try SessionDialect.sample()
        var front = front(
            [.sample(route: route, body: #"{"metadata":{"a":1}}"#)], .sample(generation: 2, session: "S2"))
        front.peek.entries[Generation(1)] = GenerationEntry(identifyID: user.flatMap(UserID.init))
        let intention = dialect.plan(front)
        return (dialect, intention)
    }

    @Test(
        "drops what would name a session that was never made; metadata only if it has no user to go to either",
        arguments: [
            (Route.event, "u1"), (.profile, "u1"), (.location, "u1"), (.email, "u1"), (.link, "u1"), (.metadata, nil),
        ] as [(Route, String?)])
    func dropsWithoutSession(route: Route, user: String?) throws {
        guard case .work(.drop(let records, .sessionGone, _)) = try Self.intention(for: route, user: user).1,
            records.map(\.id) == [Record.ID(1)]
        else {
            Issue.record("it was not dropped")
            return
        }
    }

    @Test("sends metadata to its user where there was never a session, and takes a 404 to that as a refusal")
    func sendsMetadataToTheUser() throws {
        guard case (var dialect, .work(.send(let plan))) = try Self.intention(for: .metadata, user: "u1") else {
            Issue.record("nothing was sent")
            return
        }

        #expect(plan.request.url.hasSuffix("/v1/customer-profiles/set"))
        #expect(Self.body(plan) == #"{"metadata":{"a":1},"brand_id":925,"user_id":"u1"}"#)
        guard case .discard(.rejected(404), _) = dialect.judge(.status(404), to: plan, at: Timestamp(milliseconds: 0))
        else {
            Issue.record("the refusal was taken for another")
            return
        }
    }

    @Test("stores the email and the session that an answer to it names")
    func storesTheEmail() throws {
        var dialect = try SessionDialect.sample()
        let plan = try Self.send(&dialect, .sample(route: .email, body: #"{"email":"a@b"}"#))

        guard
            case .delivered(let changes) = dialect.judge(
                .status(200, body: #"{"data":{"id":"S9"}}"#), to: plan, at: Timestamp(milliseconds: 0))
        else {
            Issue.record("the email did not arrive")
            return
        }

        #expect(changes.contains { if case .store(.sessionEmail, "a@b", Generation(1)) = $0 { true } else { false } })
        #expect(changes.contains { if case .bind(Generation(1), SessionID("S9")) = $0 { true } else { false } })
    }
}
