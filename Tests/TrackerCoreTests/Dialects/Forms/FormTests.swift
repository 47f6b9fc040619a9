import TestSupport
import Testing
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

@Suite("A form")
struct FormTests {
    private static let who: JSONObject = ["userId": "u-1", "anonymousId": "a-1", "groupId": "g-1"]
    private static let context: JSONObject = [
        "os": ["name": "Linux"], "app": ["version": "1.2.3"], "device": ["advertisingId": "ad-1"], "locale": "de-CH",
    ]

    private static func record(_ type: String, _ members: JSONObject = [:]) -> Record {
        var all = who
        for (key, value) in members { all[key] = value }
        all["context"] = .object(context)
        return .analytics(1, type, all, messageID: "1764239400250-0e984725-c51c-4bf4-9960-e1c80e27aba0")
    }

    private static let uuid: JSONValue = "31449ebe-e798-586c-b088-341b3fd48e58"

    @Test(
        "posts to its paths below the host, with its envelope and key",
        arguments: [
            (.segment, "/v1/batch", #"{"batch":["#, #"],"sentAt":"1970-01-01T00:00:00.000Z","writeKey":"key-1234"}"#),
            (
                .postHog, "/batch/", #"{"api_key":"key-1234","batch":["#,
                #"],"historical_migration":false,"sent_at":"1970-01-01T00:00:00.000Z"}"#
            ),
            (.amplitude, "/2/httpapi", #"{"api_key":"key-1234","events":["#, "]}"),
            (.mixpanel, "/import?strict=1", "[", "]"),
            (.otlp, "/v1/logs", #"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name""#, "]}]}]}"),
        ] as [(InitOptions.API, String, String, String)])
    func envelopes(api: InitOptions.API, path: String, opening: String, closing: String) throws {
        var dialect = try Forms.dialect(api)

        let plan = try #require(dialect.plan(.sample([.analytics(1), .analytics(2)])).plan)

        #expect(plan.request.url == "https://in.example.com/base" + path)
        let body = String(decoding: plan.request.body ?? [], as: UTF8.self)
        #expect(body.hasPrefix(opening) && body.hasSuffix(closing))
        #expect(plan.json != .null)
        let headers: [InitOptions.API: String] = [
            .segment: "Basic a2V5LTEyMzQ6", .mixpanel: "Basic a2V5LTEyMzQ6", .otlp: "Bearer key-1234",
        ]
        #expect(plan.request.headers["Authorization"] == headers[api])
        #expect(plan.request.headers["Idempotency-Key"] == "m1:m2:2")
        #expect(plan.request.isCompressible == (api != .amplitude))
    }

    @Test("sends a group that has gone out whole again, although fewer bytes may travel by now", arguments: Forms.all)
    func recalled(api: InitOptions.API) throws {
        let records = (1...20).map { Record.analytics($0) }
        var dialect = try Forms.dialect(api, maxBytes: 1000)
        var front = SampleFront.sample(records)
        #expect(try #require(dialect.plan(front).plan).records.count < 20)

        dialect = try Forms.dialect(api, maxBytes: 1000)
        front.peek.groups = [GroupExtent(records)].compactMap(\.self)
        let plan = try #require(dialect.plan(front).plan)

        #expect(plan.request.headers["Idempotency-Key"] == "m1:m20:20")
    }

    @Test("leaves the text of MetaRouter's batches as it is stored")
    func metaRouter() {
        #expect(InitOptions.API.metaRouter.form(InitOptions(), key: Secret("k"), headers: ExtraHeaders()) == nil)
    }

    @Test("of Segment names screens in 'name', the group of other calls in the context, and whom an alias renames")
    func segment() throws {
        let screen = try #require(
            try Forms.events(.segment, Self.record("screen", ["event": "Home", "properties": ["a": 1.50]])).first)
        #expect(screen["name"] == "Home" && screen["event"] == nil && screen["groupId"] == nil)
        #expect(screen["context"]?["groupId"] == "g-1" && screen["integrations"] == [:])
        #expect(screen["userId"] == "u-1" && screen["anonymousId"] == "a-1")

        let group = try #require(try Forms.events(.segment, Self.record("group", ["traits": ["plan": "a"]])).first)
        #expect(group["groupId"] == "g-1" && group["traits"] == ["plan": "a"] && group["context"]?["groupId"] == nil)

        let alias = try #require(try Forms.events(.segment, Self.record("alias")).first)
        #expect(alias["previousId"] == "a-1" && alias["userId"] == "u-1" && alias["anonymousId"] == nil)
        #expect(alias["messageId"] == "1764239400250-0e984725-c51c-4bf4-9960-e1c80e27aba0")

        let long = try #require(
            try Forms.events(.segment, .analytics(1, messageID: String(repeating: "x", count: 128))).first)
        #expect(long["messageId"] == "c60138f3-afd7-53d9-989b-2ff09feb1129")
    }

    @Test("of PostHog names persons, groups and its own events")
    func postHog() throws {
        let track = try #require(
            try Forms.events(.postHog, Self.record("track", ["event": "Order", "properties": ["$os": "mine"]])).first)
        #expect(track["event"] == "Order" && track["distinct_id"] == "u-1" && track["uuid"] == Self.uuid)
        #expect(track["properties"]?["$os"] == "mine" && track["properties"]?["$groups"] == ["company": "g-1"])
        #expect(track["properties"]?["$geoip_disable"] == true && track["timestamp"] == "2025-11-27T10:30:00.250Z")

        let identify = try #require(try Forms.events(.postHog, Self.record("identify", ["traits": ["a": 1]])).first)
        #expect(identify["event"] == "$identify" && identify["$set"] == ["a": 1])
        #expect(identify["properties"]?["$anon_distinct_id"] == "a-1")
        let set = try #require(try Forms.events(.postHog, .analytics(1, "identify", ["userId": "u"])).first)
        #expect(set["event"] == "$set" && set["$set"] == [:])

        let group = try #require(try Forms.events(.postHog, Self.record("group", ["traits": ["a": 1]])).first)
        #expect(group["properties"]?["$group_type"] == "company" && group["properties"]?["$group_key"] == "g-1")
        #expect(group["properties"]?["$group_set"] == ["a": 1])

        let alias = try #require(try Forms.events(.postHog, Self.record("alias")).first)
        #expect(alias["distinct_id"] == "a-1" && alias["properties"]?["alias"] == "u-1")

        let long = String(repeating: "é", count: 201)
        let clipped = try #require(
            try Forms.events(.postHog, .analytics(1, "track", ["event": "E", "userId": .string(long)])).first)
        #expect(clipped["distinct_id"] == .string(String(long.dropLast())))
        let linked = try #require(try Forms.events(.postHog, Self.record("alias", ["userId": .string(long)])).first)
        #expect(linked["properties"]?["alias"] == clipped["distinct_id"])
    }

    @Test("of Amplitude makes two events of a group, under two ids")
    func amplitude() throws {
        let page = try #require(try Forms.events(.amplitude, Self.record("page", ["event": "Home"])).first)
        #expect(page["event_type"] == "Viewed Home" && page["user_id"] == "u-1" && page["device_id"] == "a-1")
        #expect(page["time"]?.intValue == 1_764_239_400_250 && page["groups"] == ["company": "g-1"])
        #expect(page["adid"] == "ad-1" && page["app_version"] == "1.2.3" && page["language"] == "de-CH")

        let group = try Forms.events(.amplitude, Self.record("group", ["traits": ["plan": "a"]]))
        #expect(group.map { $0["event_type"] } == ["$identify", "$groupidentify"])
        #expect(Set(group.compactMap { $0["insert_id"]?.stringValue }).count == 2)
        #expect(group[0]["user_properties"] == ["$set": ["company": "g-1"]])
        #expect(group[1]["group_properties"] == ["$set": ["plan": "a"]])
        #expect(try Forms.events(.amplitude, Self.record("group")).count == 1)

        let identify = try #require(try Forms.events(.amplitude, Self.record("identify", ["traits": ["a": 1]])).first)
        #expect(identify["user_properties"] == ["$set": ["a": 1]])
    }

    @Test("of Mixpanel sends people and groups elsewhere, and keeps its own members from properties of their names")
    func mixpanel() throws {
        let track = try #require(
            try Forms.events(
                .mixpanel,
                Self.record("track", ["event": "Order", "properties": ["time": 5, "token": "mine", "a": 1]])
            ).first)
        let properties = try #require(track["properties"])
        #expect(track["event"] == "Order" && properties["token"] == "key-1234" && properties["a"] == 1)
        #expect(properties["time"]?.intValue == 1_764_239_400_250 && properties["$insert_id"] == Self.uuid)
        #expect(
            properties["distinct_id"] == "u-1" && properties["$user_id"] == "u-1" && properties["$device_id"] == "a-1")
        #expect(properties["company"] == "g-1")

        let identify = try #require(try Forms.events(.mixpanel, Self.record("identify", ["traits": ["a": 1]])).first)
        #expect(identify["$distinct_id"] == "u-1" && identify["$token"] == "key-1234" && identify["$set"] == ["a": 1])
        #expect(identify["$time"]?.doubleValue == 1_764_239_400.25)

        let alias = try #require(try Forms.events(.mixpanel, Self.record("alias")).first)
        #expect(alias["event"] == "$merge" && alias["properties"]?["$distinct_ids"] == ["a-1", "u-1"])
    }

    @Test("of Mixpanel cuts a batch where the path changes, so that the order is kept")
    func paths() throws {
        var dialect = try Forms.dialect(.mixpanel)
        let types = ["track", "page", "identify", "identify", "group", "track"]
        var queue = types.enumerated().map { place, type in
            Record.analytics(Int64(place + 1), type, ["event": "E", "userId": "u-1", "groupId": "g-1"])
        }
        var sent: [String] = []

        while let plan = dialect.plan(.sample(queue)).plan {
            sent.append("\(plan.records.map(\.sequence)) \(plan.request.url.dropFirst(27))")
            #expect(plan.request.isCompressible == plan.request.url.contains("import"))
            _ = dialect.judge(.status(200), to: plan, at: Timestamp(milliseconds: 0))
            queue.removeFirst(plan.records.count)
        }

        #expect(
            sent == [
                "[1, 2] /import?strict=1", "[3, 4] /engage?ip=0&verbose=1", "[5] /groups?ip=0&verbose=1",
                "[6] /import?strict=1",
            ])
    }

    @Test("of OTLP types every value, keeps each key once, and says which call of whom it was")
    func otlp() throws {
        let values = try JSONText(
            validating: #"{"n":null,"b":true,"i":9007199254740993,"big":9223372036854775808,"d":1.50,"x":1e400,"#
                + #""o":{"k":[1,"a"]},"user.id":"not-the-user"}"#)
        let record = Self.record("track", ["event": "Order", "properties": JSONValue(values)])

        let event = try #require(try Forms.events(.otlp, record).first)

        #expect(event["timeUnixNano"] == "1764239400250000000" && event["eventName"] == "Order")
        let attributes = event["attributes"]?.arrayValue ?? []
        let keys = attributes.compactMap { $0["key"]?.stringValue }
        #expect(Set(keys).count == keys.count)
        let value = { (key: String) in attributes.first { $0["key"]?.stringValue == key }?["value"] }
        #expect(value("n") == [:] && value("b") == ["boolValue": true])
        #expect(value("i") == ["intValue": "9007199254740993"] && value("x") == ["stringValue": "1e400"])
        #expect(value("d").map { "\($0)" } == #"{"doubleValue":1.50}"#)
        #expect(value("big").map { "\($0)" } == #"{"doubleValue":9223372036854775808}"#)
        #expect(
            value("o") == [
                "kvlistValue": [
                    "values": [
                        ["key": "k", "value": ["arrayValue": ["values": [["intValue": "1"], ["stringValue": "a"]]]]]
                    ]
                ]
            ])
        #expect(value("user.id") == ["stringValue": "u-1"] && value("mobile_tracker.type") == ["stringValue": "track"])
        #expect(value("app.installation.id") == ["stringValue": "a-1"])
    }

    @Test("of OTLP leaves out a time that it cannot hold, and writes what lies too deep as text")
    func otlpLimits() throws {
        func event(_ time: String, _ properties: JSONValue = [:]) throws -> JSONValue {
            try Self.event(.otlp, Self.record("track", ["event": "Order", "properties": properties]), at: time)
        }
        func attribute(_ key: String, of event: JSONValue) -> JSONValue? {
            event["attributes"]?.arrayValue?.first { $0["key"]?.stringValue == key }?["value"]
        }
        for time in ["1969-12-31T23:59:59.999Z", "2554-07-21T23:34:33.710Z"] {
            let event = try event(time)
            #expect(event["timeUnixNano"] == nil && event["observedTimeUnixNano"] != nil)
            #expect(attribute("mobile_tracker.timestamp", of: event) == ["stringValue": .string(time)])
        }
        for (time, nanoseconds) in [
            ("1970-01-01T00:00:00.000Z", "0"), ("2554-07-21T23:34:33.709Z", "18446744073709000000"),
        ] {
            let event = try event(time)
            #expect(event["timeUnixNano"]?.stringValue == nanoseconds)
            #expect(attribute("mobile_tracker.timestamp", of: event) == nil)
        }

        let deep = (0..<25).reduce(JSONValue(1)) { value, _ in ["a": value] }
        var value = try #require(attribute("p", of: try event("2025-11-27T10:30:00.250Z", ["p": deep])))
        for _ in 0..<24 { value = try #require(value["kvlistValue"]?["values"]?[0]?["value"]) }
        #expect(value == ["stringValue": #"{"a":1}"#])
    }

    @Test(
        "of Mixpanel gives a profile's time with its sign",
        arguments: [
            ("1969-12-31T23:59:59.999Z", -0.001), ("1969-12-31T23:59:58.500Z", -1.5),
            ("1970-01-01T00:00:00.025Z", 0.025),
        ])
    func mixpanelTime(time: String, seconds: Double) throws {
        let event = try Self.event(.mixpanel, Self.record("identify", ["traits": ["a": 1]]), at: time)
        #expect(event["$time"]?.doubleValue == seconds)
    }

    private static func event(_ api: InitOptions.API, _ record: Record, at time: String) throws -> JSONValue {
        var (record, body) = (record, JSONValue(record.body).objectValue ?? [:])
        body["timestamp"] = .string(time)
        record.body = try JSONText(JSONValue(body))
        return try #require(try Forms.events(api, record).first)
    }

    @Test("calls groups as the options say", arguments: [InitOptions.API.postHog, .amplitude, .mixpanel])
    func groupType(api: InitOptions.API) throws {
        let options = InitOptions(api: api, groupType: "team")
        let form = try #require(api.form(options, key: Secret("k"), headers: ExtraHeaders()))
        let event = try #require(StoredEvent(Self.record("group")))

        let text = try form.formed(event).events.map(\.text).joined()

        #expect(text.contains("\"team\"") && !text.contains("company"))
    }

    @Test("of OTLP names the service by the app of the options, and by that of their context first")
    func service() throws {
        let options = InitOptions(
            app: AppInfo(name: "Shop", version: "1.2.3"), context: ["app": ["name": "Shop West"]], api: .otlp)
        let form = try #require(options.api.form(options, key: Secret("k"), headers: ExtraHeaders()))

        let opening = form.envelope(of: "/v1/logs", at: Timestamp(milliseconds: 0)).opening

        #expect(opening.contains(#"{"key":"service.name","value":{"stringValue":"Shop West"}}"#))
        #expect(opening.contains(#"{"key":"service.version","value":{"stringValue":"1.2.3"}}"#))
    }

    @Test("of OTLP leaves the Authorization to the program's own")
    func ownAuthorization() {
        #expect(Forms.form(.otlp, headers: ["authorization": "Basic x"]).headers.isEmpty)
        #expect(Forms.form(.otlp).headers.map(\.name) == ["Authorization"])
    }

    @Test(
        "drops what it has no words for, says why, and sends the rest",
        arguments: [InitOptions.API.segment, .amplitude])
    func inexpressible(api: InitOptions.API) throws {
        var dialect = try Forms.dialect(api)
        let nobody = Record.analytics(2, "alias", ["userId": "u-2"])

        let first = try #require(dialect.plan(.sample([.analytics(1), nobody, .analytics(3)])).plan)
        #expect(first.records.map(\.sequence) == [1])
        guard case .work(.drop(let records, .rejected(0), let reason)) = dialect.plan(.sample([nobody, .analytics(3)]))
        else {
            Issue.record("the alias is not dropped")
            return
        }
        #expect(records.map(\.sequence) == [2] && reason.contains("alias"))
    }

    @Test("makes of 1,000 generated events valid JSON with each event once", arguments: Forms.all)
    func generated(api: InitOptions.API) throws {
        var random = SeededGenerator(seed: Seeds.base(of: "FormTests"))
        var dialect = try Forms.dialect(api, maxRecords: 100)
        let types = ["track", "identify", "group", "screen", "page", "alias"]
        var queue = (1...1000).map { number in
            let type = types[random.number(0...5)]
            let values: JSONValue = .object(random.object())
            var members: JSONObject = ["event": .string(random.name()), "anonymousId": .string("a\(number)")]
            if random.once(in: 2) || ["identify", "alias"].contains(type) {
                members["userId"] = .string(random.name())
            }
            if type == "group" || random.once(in: 4) { members["groupId"] = .string(random.name()) }
            members[["identify", "group"].contains(type) ? "traits" : "properties"] = values
            members["context"] = .object(random.object())
            return Record.analytics(Int64(number), type, members)
        }
        let all = queue.map(\.messageID)
        var seen: [MessageID] = []

        while let plan = dialect.plan(.sample(queue, wanted: 1000)).plan {
            #expect(plan.json != .null)
            let formed = try plan.records.map { try Forms.form(api).formed(try #require(StoredEvent($0))) }
            #expect(Self.events(of: plan.json).count == formed.reduce(0) { $0 + $1.events.count })
            #expect(Self.events(of: plan.json) == formed.flatMap(\.events).map { JSONValue($0) })
            seen += plan.records.map(\.messageID)
            _ = dialect.judge(.status(200), to: plan, at: Timestamp(milliseconds: 0))
            queue.removeFirst(plan.records.count)
        }

        #expect(seen == all)
    }

    private static func events(of body: JSONValue) -> [JSONValue] {
        let logs = body["resourceLogs"]?.arrayValue?.first?["scopeLogs"]?.arrayValue?.first?["logRecords"]
        return (body["batch"] ?? body["events"] ?? logs ?? body).arrayValue ?? []
    }
}
