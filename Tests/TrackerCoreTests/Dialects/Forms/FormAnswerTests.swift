import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The answers of a vendor's server")
struct FormAnswerTests {
    private static func id(_ numbers: Int64...) -> [Record.ID] { numbers.map { Record.ID($0) } }

    private static let table: [(InitOptions.API, Int, String, VerdictKind)] = [
        (.segment, 200, #"{"success":true}"#, .delivered),
        (.segment, 400, #"{"success":false}"#, .regroup),
        (.segment, 413, "", .regroup),
        (.segment, 429, "", .retry(.seconds(1))),
        (.segment, 401, "", .halt),
        (.postHog, 200, #"{"status":"Ok"}"#, .delivered),
        (.postHog, 200, #"{"status":"Ok","quota_limited":["recordings"]}"#, .delivered),
        (.postHog, 200, #"{"status":"Ok","quota_limited":["events"]}"#, .refused(id(1, 2, 3), others: .wait)),
        (.postHog, 429, "", .retry(.seconds(1))),
        (.amplitude, 400, #"{"events_with_invalid_fields":{"time":[0,2]}}"#, .refused(id(1, 3), others: .wait)),
        (.amplitude, 400, #"{"events_with_missing_fields":{"event_type":[1]}}"#, .refused(id(2), others: .wait)),
        (.amplitude, 400, #"{"events_with_invalid_id_lengths":{"user_id":[1]}}"#, .refused(id(2), others: .wait)),
        (.amplitude, 400, #"{"silenced_events":[2]}"#, .refused(id(3), others: .wait)),
        (.amplitude, 400, #"{"silenced_events":[3]}"#, .regroup),
        (.amplitude, 400, #"{"code":400,"error":"Invalid API key: x"}"#, .halt),
        (.amplitude, 400, "not JSON", .regroup),
        (.amplitude, 413, "", .regroup),
        (.amplitude, 429, #"{"throttled_events":[0]}"#, .retry(.seconds(30))),
        (
            .amplitude, 429, #"{"exceeded_daily_quota_users":{"user-1":9}}"#,
            .refused(id(1, 2, 3), others: .again(after: .seconds(30)))
        ),
        (.amplitude, 429, #"{"exceeded_daily_quota_users":{"else":9}}"#, .retry(.seconds(30))),
        (
            .mixpanel, 400, #"{"failed_records":[{"index":1,"field":"time"}],"num_records_imported":2}"#,
            .refused(id(2), others: .delivered)
        ),
        (.mixpanel, 400, #"{"failed_records":[{"index":1},{"index":"2"}]}"#, .regroup),
        (.mixpanel, 200, #"{"failed_records":[{"index":1},{"field":"time"}]}"#, .regroup),
        (.mixpanel, 400, #"{"error":"malformed"}"#, .regroup),
        (.mixpanel, 200, #"{"code":200,"status":"OK"}"#, .delivered),
        (.mixpanel, 200, #"{"status":0,"error":"token"}"#, .regroup),
        (.mixpanel, 200, "0", .regroup),
        (.mixpanel, 200, "1", .delivered),
        (.mixpanel, 401, "", .halt),
        (.otlp, 200, "{}", .delivered),
        (.otlp, 200, "", .delivered),
        (.otlp, 200, #"{"partialSuccess":{"errorMessage":"a hint"}}"#, .delivered),
        (
            .otlp, 200, #"{"partialSuccess":{"rejectedLogRecords":"2"}}"#,
            .refused(id(1, 2, 3), others: .wait)
        ),
        (.otlp, 429, "", .retry(.seconds(1))),
        (.otlp, 502, "", .retry(.zero)),
        (.otlp, 503, "", .retry(.zero)),
        (.otlp, 504, "", .retry(.zero)),
        (.otlp, 500, "", .refused(id(1, 2, 3), others: .wait)),
        (.otlp, 501, "", .refused(id(1, 2, 3), others: .wait)),
        (.otlp, 408, "", .retry(.zero)),
        (.otlp, 400, "", .regroup),
        (.otlp, 401, "", .halt),
        (.otlp, 404, "", .halt),
    ]

    @Test(
        "act as its documentation says",
        arguments: table)
    func answers(api: InitOptions.API, status: Int, body: String, expected: VerdictKind) throws {
        var dialect = try Forms.dialect(api)
        let plan = try #require(dialect.plan(.sample((1...3).map { .analytics($0) })).plan)

        let verdict = dialect.judge(.status(status, body: body), to: plan, at: Timestamp(milliseconds: 0))

        #expect(VerdictKind(verdict) == expected)
    }

    @Test(
        "say why a 2xx refuses events",
        arguments: [
            (.postHog, #"{"quota_limited":["events"]}"#, "the project's quota of events is used up"),
            (.otlp, #"{"partialSuccess":{"rejectedLogRecords":"2"}}"#, "it has rejected records of the request"),
            (.mixpanel, #"{"status":0,"error":"token"}"#, "it has refused them"),
        ] as [(InitOptions.API, String, String)])
    func causes(api: InitOptions.API, body: String, cause: String) throws {
        var dialect = try Forms.dialect(api)
        let plan = try #require(dialect.plan(.sample([.analytics(1)])).plan)

        let verdict = dialect.judge(.status(200, body: body), to: plan, at: Timestamp(milliseconds: 0))

        let sentence: String? =
            switch verdict {
            case .refused(_, _, _, let sentence), .discard(_, let sentence): sentence
            case .delivered, .progress, .retry, .regroup, .halt, .disable: nil
            }
        #expect(sentence == "in.example.com answered 200, and says that \(cause)")
    }

    @Test("wait as long as they ask", arguments: [(InitOptions.API.otlp, 503), (.amplitude, 429), (.segment, 429)])
    func retryAfter(api: InitOptions.API, status: Int) throws {
        var dialect = try Forms.dialect(api)
        let plan = try #require(dialect.plan(.sample([.analytics(1)])).plan)

        let verdict = dialect.judge(
            .status(status, headers: ["Retry-After": "90"]), to: plan, at: Timestamp(milliseconds: 0))

        #expect(VerdictKind(verdict) == .retry(.seconds(90)))
    }

    @Test("have what they do not refuse wait as long as they ask", arguments: [30, 90])
    func retryAfterOfOthers(seconds: Double) throws {
        let records = [Record.analytics(1), .analytics(2, "track", ["event": "A", "userId": "user-2"])]
        var world = PlayedLane(dialect: try Forms.dialect(.amplitude), .sample(records, state: .sample(queued: 2)))
        world.state.start()
        world.state.wake()
        for _ in 1...2 { world.round() }
        let headers: HTTPHeaders = seconds == 30 ? [:] : ["Retry-After": "90"]

        world.answer(.status(429, headers: headers, body: #"{"exceeded_daily_quota_users":{"user-1":9}}"#))
        world.peek.records.removeFirst()
        world.peek.groups = []
        for _ in 1...2 { world.round(at: seconds - 1) }
        #expect(world.sent.count == 1)
        for _ in 1...2 { world.round(at: seconds + 1) }

        #expect(world.sent.map { $0.records.map(\.sequence) } == [[1, 2], [2]])
    }

    @Test("name the record of an event also where records have become several events")
    func severalEvents() throws {
        var dialect = try Forms.dialect(.amplitude)
        let group = Record.analytics(1, "group", ["userId": "user-1", "groupId": "g-1", "traits": ["a": 1]])
        let plan = try #require(dialect.plan(.sample([group, .analytics(2), .analytics(3)])).plan)
        #expect(plan.json["events"]?.arrayValue?.count == 4)

        let first = dialect.judge(
            .status(400, body: #"{"silenced_events":[1]}"#), to: plan, at: Timestamp(milliseconds: 0))
        let last = dialect.judge(
            .status(400, body: #"{"silenced_events":[3]}"#), to: plan, at: Timestamp(milliseconds: 0))

        #expect(VerdictKind(first) == .refused(Self.id(1), others: .wait))
        #expect(VerdictKind(last) == .refused(Self.id(3), others: .wait))
    }
}
