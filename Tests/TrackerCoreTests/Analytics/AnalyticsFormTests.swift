import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("An analytics client with another API")
struct AnalyticsFormTests {
    private func options(_ fixture: AnalyticsFixture, _ api: InitOptions.API) -> InitOptions {
        var options = fixture.options()
        options.api = api
        return options
    }

    @Test("sends every call in its order, each once", arguments: Forms.all)
    func order(api: InitOptions.API) async throws {
        let fixture = try AnalyticsFixture { _ in .status(200, body: "{}") }
        await fixture.start(options(fixture, api))
        fixture.client.track("E1", properties: ["größe": "Übergröße", "n": 9_007_199_254_740_993])
        fixture.client.identify("user-1", traits: ["plan": "a"])
        fixture.client.group("group-1", traits: ["size": 3])
        fixture.client.screen("S1")
        fixture.client.page("P1")
        fixture.client.alias("user-2")
        fixture.client.track("E2")

        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report.remaining == 0 && report.delivered == 7)
        let text = fixture.backend.server.requests.map(\.text).joined()
        for part in ["Übergröße", "9007199254740993", "user-1", "group-1", "S1", "P1", "user-2"] {
            #expect(text.contains(part), "\(part)")
        }
        let places = ["\"E1\"", "group-1", "S1", "P1", "\"E2\""].compactMap { text.place(of: $0)?.lowerBound }
        #expect(places.count == 5 && places == places.sorted())
        #expect(Set(fixture.backend.server.requests.map(\.target)).isSubset(of: Forms.form(api).paths))
        #expect(fixture.client.isBalanced)
        await fixture.client.shutdown()
    }

    @Test("repeats after a restart what had no answer, under the same keys", arguments: Forms.all)
    func repeats(api: InitOptions.API) async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start(options(fixture, api))
        fixture.client.track("E1")
        _ = await fixture.client.track("E2").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))
        await fixture.client.shutdown()
        let first = try #require(fixture.backend.server.requests.first)

        fixture.backend.answer { _ in .status(200, body: "{}") }
        let next = fixture.restarted()
        await next.start(options(next, api))
        _ = await next.client.flush(timeout: .seconds(60))

        let last = try #require(fixture.backend.server.requests.last)
        #expect(last.header("Idempotency-Key") == first.header("Idempotency-Key"))
        #expect(Self.events(of: last) == Self.events(of: first) && Self.events(of: last).count == 2)
        #expect(next.client.info("account", "delivered") == 2)
        await next.client.shutdown()
    }

    @Test("delivers what a client with another API has left")
    func sharesTheLane() async throws {
        let fixture = try AnalyticsFixture { _ in .status(503) }
        await fixture.start(options(fixture, .metaRouter))
        _ = await fixture.client.track("E1").outcome
        _ = await fixture.client.flush(timeout: .seconds(60))
        await fixture.client.shutdown()

        fixture.backend.answer { _ in .status(200, body: "{}") }
        let next = fixture.restarted()
        await next.start(options(next, .amplitude))
        _ = await next.client.flush(timeout: .seconds(60))

        let last = try #require(fixture.backend.server.requests.last)
        #expect(last.target == "/2/httpapi" && last.json["events"]?[0]?["event_type"] == "E1")
        await next.client.shutdown()
    }

    @Test("keeps apart what an answer names, and delivers the others")
    func keepsRefused() async throws {
        let fixture = try AnalyticsFixture { request in
            request.text.contains("BAD")
                ? .status(400, body: #"{"events_with_invalid_fields":{"event_properties":[1]}}"#) : .status(200)
        }
        await fixture.start(options(fixture, .amplitude))
        for name in ["E1", "BAD", "E2"] { fixture.client.track(name) }

        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(fixture.backend.server.requests.count == 2)
        #expect(try fixture.client.refused().map(\.name) == ["BAD"])
        #expect(fixture.client.info("account", "dropped", "rejected(400)") == 1)
        #expect(fixture.client.isBalanced)
        await fixture.client.shutdown()
    }

    @Test("counts how often each event was sent, also over an answer that refuses others of its batch")
    func countsAttempts() async throws {
        let fixture = try AnalyticsFixture { request in
            if request.number == 0 { return .status(503) }
            if request.text.contains("BAD") {
                return .status(400, body: #"{"events_with_invalid_fields":{"event_properties":[1]}}"#)
            }
            return .status(request.text.contains("WORSE") ? 400 : 200)
        }
        await fixture.start(options(fixture, .amplitude))
        for name in ["E1", "BAD", "WORSE", "E2"] { _ = await fixture.client.track(name).outcome }

        while await fixture.client.flush(timeout: .seconds(60)).remaining > 0 { fixture.client.networkDidChange() }

        let refused = try fixture.client.refused()
        let sent = ["BAD", "WORSE"].map { name in
            fixture.backend.server.requests.count { $0.text.contains(name) }
        }
        #expect(refused.map(\.name) == ["BAD", "WORSE"])
        #expect(refused.map(\.attempts) == sent)
        #expect(sent[0] == 2 && sent[1] > 3)
        await fixture.client.shutdown()
    }

    @Test("believes an answer that names what is refused also if it is the first to a compressed body")
    func keepsRefusedCompressed() async throws {
        let fixture = try AnalyticsFixture { request in
            let names = request.json.arrayValue?.map { $0["event"]?.stringValue ?? "" } ?? []
            let bad = names.indices.filter { names[$0].hasPrefix("BAD") }.map { #"{"index":\#($0)}"# }
            return bad.isEmpty
                ? .status(200)
                : .status(400, body: #"{"code":400,"failed_records":[\#(bad.joined(separator: ","))]}"#)
        }
        var options = options(fixture, .mixpanel)
        options.maxBatchSize = 2
        await fixture.start(options)
        let filler: Properties = ["filler": .string(String(repeating: "filler ", count: 500))]
        for name in ["E1", "BAD1", "BAD2", "E2"] { fixture.client.track(name, properties: filler) }

        let report = await fixture.client.flush(timeout: .seconds(60))

        #expect(report.remaining == 0)
        #expect(fixture.client.info("account", "delivered") == 2)
        let packed = fixture.backend.server.requests.map { $0.header("Content-Encoding") == "gzip" }
        #expect(packed == [true, true])
        #expect(try fixture.client.refused().map(\.name) == ["BAD1", "BAD2"])
        #expect(fixture.client.info("account", "dropped", "rejected(400)") == 2)
        await fixture.client.shutdown()
    }

    @Test("takes no alias of a user alone: nobody would get the new id", arguments: InitOptions.API.allCases)
    func aliasOfNobody(api: InitOptions.API) async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(options(fixture, api))
        let client = fixture.client

        let outcomes = [
            await client.alias("user-2", options: CallOptions(userId: "user-2")).outcome,
            await AnalyticsScope.with(userId: "user-1") { client.alias("user-2") }.outcome,
        ]
        let named = [
            await AnalyticsScope.with(userId: "user-1") {
                client.alias("user-2", options: CallOptions(anonymousId: "visitor-1"))
            }.outcome,
            await AnalyticsScope.with(groupId: "group-1") { client.alias("user-2") }.outcome,
        ]

        #expect(outcomes == [.dropped(.invalidValue), .dropped(.invalidValue)])
        #expect(!named.contains(.dropped(.invalidValue)))
        for option in ["options.anonymousId", "scope.anonymousId"] {
            #expect(fixture.log.lines.all.contains { $0.contains("Give '\(option)'") })
        }
        await client.shutdown()
    }

    @Test("gives the new id of an alias to the anonymous id that its options name, else to the client's own")
    func previous() async throws {
        let fixture = try AnalyticsFixture()
        await fixture.start(options(fixture, .segment))
        fixture.client.alias("user-2", options: CallOptions(anonymousId: "visitor-1"))
        fixture.client.alias("user-3")
        fixture.client.track("E1")

        _ = await fixture.client.flush(timeout: .seconds(60))

        let events = fixture.backend.events
        #expect(events.count == 3 && events[0]["previousId"] == "visitor-1" && events[0]["userId"] == "user-2")
        #expect(events[1]["previousId"] != nil && events[1]["previousId"] == events[2]["anonymousId"])
        await fixture.client.shutdown()
    }

    @Test("refuses header fields that it sets itself", arguments: [InitOptions.API.segment, .mixpanel])
    func headers(api: InitOptions.API) async throws {
        let fixture = try AnalyticsFixture()
        var options = options(fixture, api)
        options.delivery.headers = ["authorization": "Basic x"]
        let invalid = #expect(throws: TrackerError.self) { try options.validate() }
        options.delivery.headers = [:]
        await fixture.start(options)
        let replaced = #expect(throws: TrackerError.self) {
            try fixture.client.setCredentials(Credentials(headers: ["Authorization": "Basic x"]))
        }
        #expect([invalid?.code, replaced?.code] == [.invalidConfiguration, .invalidConfiguration])
        await fixture.client.shutdown()
    }

    @Test("refuses header fields that were set before the first initialize, once it is known that it sets them itself")
    func earlyHeaders() async throws {
        let fixture = try AnalyticsFixture()
        let options = options(fixture, .segment)
        try fixture.client.setCredentials(Credentials(headers: ["Authorization": "Basic x"]))

        let error =
            await withCheckedContinuation { done in
                fixture.client.initialize(with: options) { result in
                    if case .failure(let error) = result {
                        done.resume(returning: error)
                    } else {
                        done.resume(returning: nil)
                    }
                }
            } as TrackerError?
        #expect(error?.code == .invalidConfiguration && error?.message.contains("'headers'") == true)

        try fixture.client.setCredentials(Credentials(headers: ["X-Other": "1"]))
        await fixture.client.initializeAndWait(with: options)
        fixture.client.track("A")
        _ = await fixture.client.flush(timeout: .seconds(60))
        #expect(fixture.backend.server.requests.map { $0.header("X-Other") } == ["1"])
        await fixture.client.shutdown()
    }

    @Test("refuses an address that ends in one of its own paths")
    func address() {
        let options = InitOptions(
            writeKey: "k", ingestionHost: "https://api.mixpanel.com/import", api: .mixpanel)
        let error = #expect(throws: TrackerError.self) { try options.validate() }
        #expect(error?.code == .invalidConfiguration)
    }

    /// The events of a request, without what stands around them and says when it was sent.
    private static func events(of request: LoopbackRequest) -> [JSONValue] {
        let logs = request.json["resourceLogs"]?[0]?["scopeLogs"]?[0]?["logRecords"]
        return (request.json["batch"] ?? request.json["events"] ?? logs ?? request.json).arrayValue ?? []
    }
}
