import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("The methods of the session-based tracker")
struct MethodTests {
    private let folder: TemporaryDirectory
    private let backend: Backend
    private let client: BridgeClient

    init() throws {
        folder = try TemporaryDirectory()
        backend = try Backend()
        client = try BridgeClient()
    }

    private func start(_ more: JSONObject = [:]) async throws {
        try await client.call("init", ["925", backend.config(folder, more)])
    }

    private func lastRequest() async throws -> (line: String, body: String) {
        #expect(try await client.call("flush")["remaining"] == 0)
        let request = try #require(backend.server.requests.last)
        return ("\(request.method) \(request.target)", request.text)
    }

    @Test(
        "send what the native calls send",
        arguments: [
            (
                "track", ["A"], "POST /v2/tracking-session-data",
                #"{"brand_id":925,"session_id":"session-1","event_name":"A"}"#
            ),
            (
                "track", ["eventName": "A", "metadata": ["m": 1], "attributes": nil], "POST /v2/tracking-session-data",
                #"{"brand_id":925,"session_id":"session-1","event_name":"A","data":{"m":1}}"#
            ),
            (
                "identify", ["u 1", ["name": "Ada", "plan": "pro"]], "PUT /v1/customer-profiles/set",
                #"{"user_id":"u 1","name":"Ada","extra":{"plan":"pro"},"brand_id":925,"session_id":"session-1"}"#
            ),
            (
                "identify", [17], "PUT /v1/customer-profiles/set",
                #"{"user_id":"17","brand_id":925,"session_id":"session-1"}"#
            ),
            (
                "set", [["birthday": nil]], "PUT /v1/customer-profiles/set",
                #"{"birthday":null,"brand_id":925,"session_id":"session-1"}"#
            ),
            (
                "setMetadata", ["metadata": ["ab": "B"]], "PUT /v1/customer-profiles/set",
                #"{"metadata":{"ab":"B"},"brand_id":925,"session_id":"session-1"}"#
            ),
            (
                "screen", ["Home", ["url": "/h"]], "POST /v2/tracking-session-data",
                #"{"brand_id":925,"session_id":"session-1","event_name":"VIEW_PAGE","#
                    + #""data":{"screen":"Home","url":"/h"}}"#
            ),
            (
                "screenDidAppear", ["Home", "/h"], "POST /v2/tracking-session-data",
                #"{"brand_id":925,"session_id":"session-1","event_name":"VIEW_PAGE","#
                    + #""data":{"screen":"Home","url":"/h"}}"#
            ),
            (
                "updateLocation", [52.5, -13, 20], "PUT /v2/tracking-session/session-1/location",
                #"{"latitude":52.5,"longitude":-13.0,"accuracy":20.0}"#
            ),
            (
                "updateSessionEmail", ["a@b.example"], "PUT /v2/tracking-session/session-1/email_v2",
                #"{"email":"a@b.example","brand_id":925}"#
            ),
        ] as [(String, JSONValue, String, String)])
    func requests(method: String, params: JSONValue, line: String, body: String) async throws {
        try await start()

        let outcome = try await client.call(method, params)

        #expect(outcome["status"] == "queued")
        let request = try await lastRequest()
        #expect(request.line == line)
        #expect(request.body == body)
        #expect(backend.server.requests.last?.header("Idempotency-Key") == outcome["messageId"]?.stringValue)
    }

    @Test("say whether the arguments of an initialization are ignored")
    func ignored() async throws {
        let (url, state) = (JSONValue.string(backend.server.url), JSONValue.string(folder.path("state")))
        let setups: [(String, JSONValue)] = [
            ("init", ["925", backend.config(folder)]),
            ("analytics.initialize", [["writeKey": "wk", "ingestionHost": url, "storageDirectory": state]]),
        ]
        for (method, params) in setups {
            #expect(try await client.call(method, params) == [:])
            #expect(try await client.call(method, params) == ["ignored": true])
        }
        // The basic tracker takes others at any time.
        let params: JSONValue = ["key", url, nil, ["storageDirectory": state]]
        for _ in 0..<2 { #expect(try await client.call("basic.initialize", params) == [:]) }
    }

    @Test("pass values on as they are spelled")
    func spelling() async throws {
        try await start()
        let attributes =
            #"{"big": 12345678901234567890, "e": 1E+2, "z": 1.0, "é": "\u00e9\/\ud83d\ude00", "n": [null, {}]}"#

        let answer = client.start("track", text: #"["A", \#(attributes)]"#)

        #expect(try await answer.value["status"] == "queued")
        let expected = #"{"brand_id":925,"session_id":"session-1","event_name":"A","data":\#(attributes)}"#
        #expect(try await lastRequest().body == expected)
    }

    @Test(
        "say why a call is dropped",
        arguments: [
            ("track", #"[" \t"]"#, "INVALID_EVENT_NAME"),
            ("identify", #"[""]"#, "INVALID_USER_ID"),
            ("screen", #"[""]"#, "INVALID_EVENT_NAME"),
            ("updateLocation", "[91, 0, 0]", "INVALID_VALUE"),
            ("updateLocation", "[0, 0, -1]", "INVALID_VALUE"),
            ("updateSessionEmail", #"["nobody"]"#, "INVALID_VALUE"),
            ("linkSession", #"[""]"#, "INVALID_VALUE"),
            ("continueSession", #"["https://a.example/?gt_session_id=x"]"#, "INVALID_VALUE"),
            ("track", #"["\ud800"]"#, "SERIALIZATION_ERROR"),
            ("track", #"["A", {"\ud800": 1}]"#, "SERIALIZATION_ERROR"),
            ("continueSession", #"["\udc00"]"#, "SERIALIZATION_ERROR"),
            ("track", #"["A", \#(deep(129))]"#, "SERIALIZATION_ERROR"),
            ("set", "[\(deep(1000))]", "SERIALIZATION_ERROR"),
            ("track", #"["A", {"x": "\#(String(repeating: "x", count: 600_000))"}]"#, "TOO_LARGE"),
        ])
    func drops(method: String, params: String, reason: String) async throws {
        try await start()

        let outcome = try await client.start(method, text: params).value
        #expect(outcome["status"] == "dropped" && outcome["reason"] == .string(reason), "\(outcome)")
    }

    @Test(
        "say in the log which limit a call is over, and what cannot be passed on",
        arguments: [
            (
                #"["\ud800"]"#,
                "track was dropped: SERIALIZATION_ERROR. It holds half a surrogate pair, which is no character."
            ),
            (
                #"["A", \#(deep(129))]"#,
                "track was dropped: SERIALIZATION_ERROR. It is nested more than 128 deep."
            ),
            (
                #"["A", {"x": "\#(String(repeating: "x", count: 600_000))"}]"#,
                "A was dropped: TOO_LARGE. As JSON it is larger than maxEventBytes allows, 524,288 bytes."
            ),
        ])
    func logsLimits(params: String, message: String) async throws {
        try await start()
        try await client.call("host.subscribe", ["log"])

        _ = try await client.start("track", text: params).value

        let logged = try await client.others.values(atLeast: 1)
        #expect(logged.contains { $0["params"]?["message"]?.stringValue == message }, "\(logged)")
    }

    @Test("take a value that is 128 deep")
    func deepest() async throws {
        try await start()

        #expect(try await client.start("track", text: #"["A", \#(Self.deep(128))]"#).value["status"] == "queued")
    }

    @Test(
        "refuse params that do not fit, naming them",
        arguments: [
            ("track", "[]", "track: 'eventName' is required and must be a string"),
            ("track", "[null]", "track: 'eventName' is required and must be a string"),
            ("track", "[5]", "track: 'eventName' must be a string"),
            ("track", #"["A", "b"]"#, "track: 'attributes' must be an object"),
            ("track", #"["A", {}, {}, {}]"#, "track: got 4 params, takes 3 at most"),
            ("track", #"{"eventName": "A", "attribute": {}}"#, "'attribute' is not known; did you mean 'attributes'?"),
            ("reset", #"{"messageId": "é"}"#, "reset: 'messageId' must be 1 to 128 printable ASCII"),
            ("track", #"{"eventName": "A", "messageId": 5}"#, "track: 'messageId' must be a string"),
            ("identify", #"["u", []]"#, "identify: 'profileData' must be an object"),
            ("set", "[]", "set: 'profileData' is required"),
            ("updateLocation", #"[1, 2, "3"]"#, "updateLocation: 'accuracy' must be a number"),
            ("reset", #"["yes"]"#, "reset: 'all' must be a boolean"),
            ("reset", #"{"messageId": "\ud800"}"#, "reset: 'params' holds half a surrogate pair"),
            ("flush", "[-1]", "flush: 'timeoutMs' must be at least 0, not -1"),
            ("flush", "[1.5]", "flush: 'timeoutMs' must be an integer"),
            ("setConsent", #"["perhaps"]"#, "setConsent: 'consent' must be 'granted' or 'denied' or 'pending'"),
            ("getSessionId", "[1]", "getSessionId: got 1 param, takes none"),
            ("host.subscribe", #"["weather"]"#, "host.subscribe: 'topics[0]' must be 'log' or"),
            ("host.subscribe", #"{"topics": "log"}"#, "host.subscribe: 'topics' must be an array"),
        ])
    func faults(method: String, params: String, message: String) async throws {
        let failure = try #require(await client.start(method, text: params).failure)

        #expect(failure.number == -32602)
        #expect(failure.code == "INVALID_PARAMS")
        #expect(failure.message.contains(message), "\(failure.message)")
    }

    @Test(
        "name the param in the error's data, what is wrong with it, and why a call without it has no effect",
        arguments: [
            ("track", "[17]", ["eventName", "INVALID_EVENT_NAME"], ["reason": "wrongKind", "expected": "string"]),
            ("basic.identify", "[]", ["userId", "INVALID_USER_ID"], ["reason": "required", "expected": "id"]),
            ("analytics.screen", #"["A", 1]"#, ["properties"], ["reason": "wrongKind", "expected": "object"]),
            ("flush", "[-1]", ["timeoutMs"], ["reason": "tooSmall", "least": 0, "value": -1]),
            ("setConsent", #"["grantd"]"#, ["consent"], ["suggestion": "granted", "reason": "wrongKind"]),
            ("reset", #"{"messageId": ""}"#, ["messageId"], ["reason": "messageID", "option": "messageId"]),
            ("host.subscribe", #"["log", "weather"]"#, ["topics"], ["reason": "wrongKind", "option": "topics[1]"]),
            ("refused.list", #"[{"statuses": 422}]"#, ["filter"], ["option": "filter.statuses", "expected": "array"]),
        ] as [(String, String, [String], JSONObject)])
    func faultData(method: String, params: String, param: [String], facts: JSONObject) async throws {
        let failure = try #require(await client.start(method, text: params).failure)

        #expect(failure.code == "INVALID_PARAMS")
        #expect([failure.data["param"], failure.data["reason"]].compactMap { $0?.stringValue } == param)
        let fault = failure.data["fault"]
        for (name, fact) in facts { #expect(fault?[name] == fact, "\(name) of \(String(describing: fault))") }
    }

    @Test("name the method that was probably meant")
    func unknownMethod() async throws {
        let failure = try #require(await client.start("trak").failure)

        #expect(failure.number == -32601)
        #expect(failure.data["detail"]?.stringValue?.contains("'track'") == true)
    }

    @Test("give the stored values, and null without them")
    func values() async throws {
        #expect(try await client.call("getSessionId") == ["sessionId": nil])
        try await start()

        try await client.call("updateSessionEmail", ["a@b.example"])
        try await client.call("flush")

        #expect(try await client.call("getSessionId") == ["sessionId": "session-1"])
        #expect(try await client.call("getSessionEmail") == ["sessionEmail": "a@b.example"])
        #expect(try await client.call("getBrandId") == ["brandId": "925"])
        #expect(try await client.call("getDeviceId")["deviceId"]?.stringValue?.count == 36)
        #expect(try await client.call("isTrackingAllowed") == ["allowed": true])
    }

    @Test("answer questions as things are after the calls made before, awaited or not")
    func questionsInOrder() async throws {
        try await start()

        var pairs: [(Answer, JSONValue)] = []
        for _ in 1...20 {
            client.start("setConsent", ["denied"])
            pairs.append((client.start("isTrackingAllowed"), ["allowed": false]))
            client.start("setConsent", ["granted"])
            pairs.append((client.start("isTrackingAllowed"), ["allowed": true]))
        }

        for (answer, expected) in pairs { #expect(try await answer.value == expected) }
    }

    @Test(
        "of the other clients answer questions without the users that came after", arguments: ["analytics", "basic"])
    func usersInOrder(of name: String) async throws {
        let state: JSONValue = .string(folder.path("state"))
        let server: JSONValue = .string(backend.server.url)
        try await client.call(
            "analytics.initialize", [["writeKey": "key-12345678", "ingestionHost": server, "storageDirectory": state]])
        try await client.call("basic.initialize", ["key-12345678", server, nil, ["storageDirectory": state]])

        // They come in one message, so that no question is answered before the next call is there.
        let calls = (1...20).map {
            #"{"jsonrpc":"2.0","id":\#($0),"method":"\#(name).getDebugInfo"},"#
                + #"{"jsonrpc":"2.0","method":"\#(name).identify","params":["user-\#($0)"]}"#
        }
        client.send("[\(calls.joined(separator: ","))]")

        let answers = try await client.others.values(atLeast: 1)[0].arrayValue ?? []
        let users = answers.map { $0["result"]?["userId"]?.stringValue ?? "" }
        #expect(users == [""] + (1..<20).map { "user-\($0)" })
    }

    @Test("reset forgets the user before it answers, and a question sent with it sees that")
    func reset() async throws {
        try await start()
        let device = try await client.call("getDeviceId")

        let reset = client.start("reset")
        let session = client.start("getSessionId")
        let after = client.start("getDeviceId")

        #expect(try await reset.value == [:])
        #expect(try await session.value["sessionId"] != "session-1")
        #expect(try await after.value != device)
        _ = try await backend.server.requests(atLeast: 2)
        #expect(try await client.call("reset", [true]) == [:])
        #expect(try await client.call("getBrandId") == ["brandId": nil])
    }

    @Test("have an effect once under one message id")
    func messageIDs() async throws {
        for id in ["", "é", " m"] as [JSONValue] {
            let client = try BridgeClient()
            let outcome = try await client.call("track", ["eventName": "A", "messageId": id])
            let fault: JSONValue = ["reason": "messageID", "option": "messageId"]
            #expect(outcome == ["status": "dropped", "reason": "INVALID_VALUE", "fault": fault])
            // It is counted where it was to go, as natively.
            for prefix in ["analytics.", "basic."] {
                let outcome = try await client.call(prefix + "track", ["event": "A", "messageId": id])
                #expect(outcome == ["status": "dropped", "reason": "INVALID_VALUE", "fault": fault])
            }
            for prefix in ["", "analytics.", "basic."] {
                #expect(try await client.call(prefix + "getDebugInfo")["refused"] == ["INVALID_VALUE": 1])
            }
        }

        try await start()
        let call: JSONValue = ["eventName": "ONCE", "messageId": "order 4711"]

        let first = try await client.call("track", call)
        let second = try await client.call("track", call)

        #expect(first == ["status": "queued", "messageId": "order 4711"])
        #expect(second == first)
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(backend.eventNames == ["ONCE"])
        #expect(backend.server.requests.last?.header("Idempotency-Key") == "order 4711")
    }

    @Test("hold and drop by what the user decided")
    func consent() async throws {
        try await start(["consent": "pending"])

        #expect(try await client.call("track", ["ASKED"])["status"] == "pending")
        #expect(try await client.call("setConsent", ["consent": "denied", "messageId": "c1"]) == [:])
        let refused = try await client.call("track", ["REFUSED"])
        #expect(refused == ["status": "dropped", "reason": "TRACKING_NOT_ALLOWED"])
        #expect(try await client.call("setConsent", ["granted"]) == [:])
        #expect(try await client.call("track", ["WELCOME"])["status"] != "dropped")
        _ = try await backend.server.requests(atLeast: 2)
        #expect(try await client.call("flush")["remaining"] == 0)
        #expect(backend.eventNames == ["WELCOME"])
    }

    @Test("carry a session to another site and back")
    func crossSite() async throws {
        try await start(["crossSiteCookie": true, "cookieDomain": "shop.example"])

        let inside = try await client.call("getCrossDomainUrl", ["https://a.shop.example/c?x=1#f"])
        let outside = try await client.call("getCrossDomainUrl", ["https://other.example/"])
        let own = try await client.call("continueSession", ["https://a.shop.example/?gt_session_id=session-1"])
        let other = try await client.call("continueSession", ["https://a.shop.example/?gt_session_id=elsewhere"])

        #expect(inside == ["url": "https://a.shop.example/c?x=1&gt_session_id=session-1#f"])
        #expect(outside == ["url": "https://other.example/"])
        #expect(own["status"] == "queued" && other["status"] == "queued")
        #expect(try await lastRequest().line == "POST /v2/tracking-session/link-session")
    }

    @Test("link another site's session in the order of the calls, also before a reset")
    func crossSiteInOrder() async throws {
        try await start(["crossSiteCookie": true])

        let link = client.start("continueSession", ["https://a.example/?gt_session_id=elsewhere"])
        let track = client.start("track", ["AFTER"])
        let reset = client.start("reset")

        #expect(try await link.value["status"] == "queued")
        #expect(try await track.value["status"] == "queued")
        #expect(try await reset.value == [:])
        #expect(try await client.call("flush")["remaining"] == 0)
        let sent = backend.server.requests.filter { $0.path != "/v2/tracking-session" }
        #expect(sent.map(\.path) == ["/v2/tracking-session/link-session", "/v2/tracking-session-data"])
        #expect(sent.first?.json["current_session_id"] == "session-1")
    }

    @Test("take no session over from another site once the user has said no")
    func crossSiteDenied() async throws {
        try await start(["crossSiteCookie": true])
        try await client.call("setConsent", ["denied"])

        let outcome = try await client.call("continueSession", ["https://a.example/?gt_session_id=elsewhere"])

        #expect(outcome == ["status": "dropped", "reason": "TRACKING_NOT_ALLOWED"])
        #expect(try await client.call("getSessionId") == ["sessionId": nil])
    }

    @Test("show how things stand, with the key masked")
    func debugInfo() async throws {
        try await start()

        let info = try await client.call("getDebugInfo")

        #expect(info["lifecycle"] == "ready")
        #expect(info["config"]?["xApiKey"] == "****5678")
        #expect(!info.description.contains("key-12345678"))
    }

    @Test("try again at once when the network is back")
    func networkDidChange() async throws {
        let backend = try Backend { $0.number == 1 ? .status(503) : nil }
        let waits: JSONObject = ["retryDelayMs": 60_000, "cooldownMs": 60_000, "maxCooldownMs": 60_000]
        try await client.call("init", ["925", backend.config(folder, waits)])
        try await client.call("track", ["A"])
        #expect(try await client.call("flush")["stoppedBy"] == "retryWait")

        #expect(try await client.call("networkDidChange") == [:])

        _ = try await backend.server.requests(atLeast: 3)
        #expect(backend.eventNames == ["A", "A"])
    }

    private static func deep(_ count: Int) -> String {
        String(repeating: #"{"a":"#, count: count - 1) + "{}" + String(repeating: "}", count: count - 1)
    }
}
