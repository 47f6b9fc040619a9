import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("The endpoint dialect")
struct EndpointDialectTests {
    private static func dialect() -> GroupDialect {
        GroupDialect.arrays(
            endpoint: "https://in.example.com/events?source=a", apiKey: Secret("key-1234"), timeout: .seconds(30))
    }

    @Test("posts an array of the events to the endpoint itself, with the API key")
    func request() throws {
        var dialect = Self.dialect()

        let plan = try #require(dialect.plan(.sample(Record.events(1...2))).plan)

        #expect(plan.request.method == .post)
        #expect(plan.request.url == "https://in.example.com/events?source=a")
        #expect(
            plan.request.body.map { String(decoding: $0, as: UTF8.self) } == """
                [{"type":"track","event":"E1"},{"type":"track","event":"E2"}]
                """)
        #expect(
            plan.request.headers.fields == [
                .init(name: "Content-Type", value: "application/json"),
                .init(name: "X-API-Key", value: "key-1234"),
                .init(name: "Idempotency-Key", value: "m1:m2:2"),
                .init(name: "X-Sequence", value: "1"),
            ])
    }

    @Test("sends on append, 20 events at most")
    func groups() throws {
        var dialect = Self.dialect()

        #expect(dialect.plan(.sample([])).isRest)
        #expect(dialect.plan(.sample(Record.events(1...1))).plan?.records.count == 1)
        dialect.forget()
        #expect(dialect.plan(.sample(Record.events(1...50))).plan?.records.count == 20)
    }

    @Test(
        "means by an answer what the table says",
        arguments: [
            (200, 5, VerdictKind.delivered), (201, 1, .delivered),
            (500, 5, .retry(.zero)), (408, 1, .retry(.zero)), (429, 2, .retry(.seconds(1))),
            (413, 5, .regroup), (413, 1, .discard(.tooLarge)),
            (400, 5, .regroup), (404, 5, .regroup), (410, 2, .regroup), (304, 2, .regroup),
            (400, 1, .discard(.rejected(400))), (404, 1, .discard(.rejected(404))), (410, 1, .discard(.rejected(410))),
            (401, 5, .halt), (403, 1, .halt),
        ] as [(Int, Int64, VerdictKind)])
    func answers(status: Int, size: Int64, expected: VerdictKind) throws {
        var dialect = Self.dialect()
        let plan = try #require(dialect.plan(.sample(Record.events(1...size))).plan)

        #expect(VerdictKind(dialect.judge(.status(status), to: plan, at: Timestamp(milliseconds: 0))) == expected)
    }

    @Test("repeats a group under the same key, and halves it after a 413")
    func repeatsAndHalves() throws {
        var dialect = Self.dialect()
        let wall = Timestamp(milliseconds: 0)

        let first = try #require(dialect.plan(.sample(Record.events(1...3))).plan)
        _ = dialect.judge(.failed(.timeout), to: first, at: wall)
        let again = try #require(dialect.plan(.sample(Record.events(1...9))).plan)
        _ = dialect.judge(.status(413), to: again, at: wall)
        let halved = try #require(dialect.plan(.sample(Record.events(1...9))).plan)

        #expect(again.request == first.request)
        #expect(halved.records.count == 1)
    }
}
