import Foundation
import TestSupport
import Testing
import TrackerModels

@Suite("What init answers when it fails")
struct InitErrorTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test(
        "a brand or a config that will not do, with its code and number",
        arguments: [
            ([], 1001, "INVALID_BRAND_ID", "Brand ID is required"),
            ([nil], 1001, "INVALID_BRAND_ID", "Brand ID is required"),
            (["", [:]], 1001, "INVALID_BRAND_ID", "Brand ID is required"),
            (["nine", [:]], 1001, "INVALID_BRAND_ID", #"Brand ID must be a number, such as "925""#),
            (["99999999999999999999", [:]], 1001, "INVALID_BRAND_ID", #"Brand ID must be a number, such as "925""#),
            (["925"], 1002, "INVALID_CONFIGURATION", "'apiUrl' is required"),
            (["925", [:]], 1002, "INVALID_CONFIGURATION", "'apiUrl' is required"),
            (["925", ["apiUrl": "https://a.example"]], 1002, "INVALID_CONFIGURATION", "'xApiKey' is required"),
            (["925", ["apiUrl": "http://a.example", "xApiKey": "k"]], 1002, "INVALID_CONFIGURATION", "'apiUrl'"),
            (["925", ["apiUrl": "https://a.example", "xApiKey": "a\nb"]], 1002, "INVALID_CONFIGURATION", "'xApiKey'"),
            (
                ["925", ["apiUrl": "https://a.example", "xApiKey": "k", "cookieExpiration": 0]], 1002,
                "INVALID_CONFIGURATION", "'cookieExpiration'"
            ),
            (
                ["925", ["apiUrl": "https://a.example", "xApiKey": "k", "requestTimeoutMs": 1]], 1002,
                "INVALID_CONFIGURATION", "'requestTimeoutMs' must be at least 1"
            ),
            (["925", ["colour": 1]], 1002, "INVALID_CONFIGURATION", "'colour' is not known"),
            ([925], -32602, "INVALID_PARAMS", #"'brandId' must be a string, such as "925""#),
            (["brandId": 925], -32602, "INVALID_PARAMS", #"'brandId' must be a string, such as "925""#),
            ([["apiKey": 925]], -32602, "INVALID_PARAMS", #"'apiKey' must be a string, such as "925""#),
            ([true], -32602, "INVALID_PARAMS", #"'brandId' must be a string, such as "925""#),
            ([925, ["apiUrl": "x"]], -32602, "INVALID_PARAMS", #"'brandId' must be a string, such as "925""#),
        ] as [(JSONValue, Int, String, String)])
    func arguments(params: JSONValue, number: Int, code: String, message: String) async throws {
        let client = try BridgeClient()

        let failure = try #require(await client.start("init", params).failure)

        #expect(failure.number == number)
        #expect(failure.code == code)
        #expect(failure.message.contains(message))
        #expect(failure.data["retryable"] == false)
        let track = try await client.call("track", ["LOST"])
        #expect(track == ["status": "dropped", "reason": "NOT_INITIALIZED"])
    }

    @Test(
        "an option with the reason, the value and the limits as data",
        arguments: [
            (["requestTimeoutMs": 1], ["option": "requestTimeoutMs", "reason": "tooSmall", "least": 1000, "value": 1]),
            (["initTimeoutMs": 601_000], ["option": "initTimeoutMs", "reason": "tooLarge", "most": 600_000]),
            (
                ["initTimeoutMs": .number(JSONNumber(Int64.max))],
                ["reason": "tooLarge", "value": .number(JSONNumber(Int64.max))]
            ),
            (
                ["retryDelayMs": -9_223_372_036_854_775_807],
                ["reason": "tooSmall", "value": -9_223_372_036_854_775_807]
            ),
            (
                ["maxConcurrentRequests": 65],
                ["option": "maxConcurrentRequests", "reason": "outOfRange", "least": 1, "most": 64, "value": 65]
            ),
            (["retryDelayMs": 20_000], ["option": "cooldownMs", "reason": "tooSmall", "least": 20_000]),
            (["debug": "yes"], ["option": "debug", "reason": "wrongKind", "expected": "boolean"]),
            (["initTimeout": 5], ["option": "initTimeout", "reason": "unknown", "suggestion": "initTimeoutMs"]),
            (["apiUrl": nil], ["option": "apiUrl", "reason": "required", "example": "https://api.example.com"]),
            (["api_url": "x"], ["option": "api_url", "reason": "repeated", "other": "apiUrl"]),
            (["xApiKey": "a\nb"], ["option": "xApiKey", "reason": "controlCharacter"]),
            (
                ["xApiKey": .string(String(repeating: "k", count: 16_385))],
                ["option": "xApiKey", "reason": "longKey", "most": 16_384]
            ),
            (["headers": ["Host": "a"]], ["option": "headers", "reason": "ownHeader", "name": "Host"]),
            (["apiUrl": "https://a.example?b"], ["option": "apiUrl", "reason": "urlQuery"]),
            (["storageDirectory": "a"], ["option": "storageDirectory", "reason": "relativePath", "value": "a"]),
            (["delivery": ["debug": true]], ["option": "delivery", "reason": "wrapped", "other": "debug"]),
            (
                ["clientCertificate": "/c.pem"],
                ["option": "clientKey", "reason": "lacking", "other": "clientCertificate"]
            ),
            (["keyFile": "/k"], ["option": "keyFile", "reason": "excluded", "other": "xApiKey"]),
        ] as [(JSONObject, JSONObject)])
    func optionData(changes: JSONObject, expected: JSONObject) async throws {
        let client = try BridgeClient()
        var config: JSONObject = ["apiUrl": "https://a.example", "xApiKey": "k"]
        for (key, value) in changes { config[key] = value }

        let failure = try #require(await client.start("init", ["925", .object(config)]).failure)

        #expect(failure.code == "INVALID_CONFIGURATION")
        for (key, value) in expected { #expect(failure.data[key] == value, "\(key) of \(failure.data)") }
    }

    @Test("an option by the key that was written, in the log as well")
    func keyInLog() async throws {
        let client = try BridgeClient()
        let config: JSONValue = ["apiUrl": "https://a.example", "xApiKey": "k", "requestTimeoutMs": 1]

        let failure = try #require(await client.start("init", ["925", config]).failure)
        try await client.finish()

        let line = try #require(try await client.host.logged("Initialization failed").first)
        #expect(failure.message.contains("'requestTimeoutMs' must be at least 1 s"))
        #expect(line.hasSuffix(failure.message))
    }

    @Test(
        "a caBundle that is not there, of each client, with its path",
        arguments: [
            ("init", ["925", ["apiUrl": "https://a.example", "xApiKey": "k"]]),
            ("analytics.initialize", [["writeKey": "k", "ingestionHost": "https://a.example"]]),
            ("basic.initialize", ["k", "https://a.example", nil, [:]]),
        ] as [(String, [JSONValue])])
    func caBundle(method: String, params: [JSONValue]) async throws {
        let client = try BridgeClient()
        var params = params
        var options = try #require(params.last?.objectValue)
        options["caBundle"] = .string(folder.path("missing.pem"))
        options["storageDirectory"] = .string(folder.path("state"))
        params[params.count - 1] = .object(options)

        let failure = try #require(await client.start(method, .array(params)).failure)

        #expect(failure.number == 1002)
        #expect(failure.code == "INVALID_CONFIGURATION")
        #expect(failure.message.contains("'caBundle' must be a file"))
        #expect(failure.message.contains(folder.path("missing.pem")))
        #expect(failure.data["retryable"] == false)
    }

    @Test(
        "a backend that makes no session, with the status or the cause",
        arguments: [
            (LoopbackAnswer.status(401), ["status": 401], false),
            (.status(422), ["status": 422], false),
            (.status(503), ["status": 503], true),
            (.status(200, body: "<html>"), ["cause": "unreadable answer"], true),
            (.status(200, body: #"{"data":{}}"#), ["cause": "unreadable answer"], true),
            (.nothing(then: .reset), ["cause": "NETWORK_ERROR"], true),
        ] as [(LoopbackAnswer, JSONObject, Bool)])
    func backend(answer: LoopbackAnswer, expected: JSONObject, isRetryable: Bool) async throws {
        let backend = try Backend { $0.path == "/v2/tracking-session" ? answer : nil }
        let client = try BridgeClient()

        let start = client.start("init", ["925", backend.config(folder)])
        let failure = try #require(await start.failure)

        #expect(failure.number == 1003)
        #expect(failure.code == "SESSION_CREATION_FAILED")
        #expect(failure.data["retryable"] == .bool(isRetryable))
        for (key, value) in expected { #expect(failure.data[key] == value) }
        #expect(failure.data["reason"] == nil)
        #expect(failure.data["why"]?.stringValue?.hasSuffix(".") == true)
    }

    @Test("a backend that is silent for longer than initTimeoutMs")
    func timeout() async throws {
        let backend = try Backend { _ in .nothing(then: .stall) }
        let client = try BridgeClient()

        let start = client.start("init", ["925", backend.config(folder, ["initTimeoutMs": 1000])])
        let failure = try #require(await start.failure)

        #expect(failure.number == 1003)
        #expect(failure.data["cause"] == "timeout")
        #expect(failure.data["option"] == "initTimeoutMs")
        #expect(failure.data["most"] == 1000)
        #expect(
            failure.message.contains("with \(backend.server.url) did not finish within 'initTimeoutMs' (1 s)"),
            "\(failure.message)")
        #expect(try await client.call("track", ["HELD"])["status"] == "pending")
    }

    @Test("a state folder that cannot be made")
    func storage() async throws {
        let file = folder.path("file")
        try Data().write(to: URL(fileURLWithPath: file))
        let backend = try Backend()
        let client = try BridgeClient()

        let start = client.start("init", ["925", backend.config(folder, ["storageDirectory": .string(file + "/in")])])
        let failure = try #require(await start.failure)

        #expect(failure.number == 1009)
        #expect(failure.code == "STORAGE_ERROR")
        #expect(failure.data["retryable"] == true)
        #expect(backend.server.requests.isEmpty)
    }

    @Test("a key never enters an error or the log")
    func secrets() async throws {
        let client = try BridgeClient()

        let start = client.start("init", ["925", ["apiUrl": "nonsense", "xApiKey": "s3cret\u{1}", "debug": true]])
        let failure = try #require(await start.failure)
        try await client.finish()

        #expect(!failure.description.contains("s3cret"))
        #expect(!client.host.log.all.joined().contains("s3cret"))
    }

    @Test(
        "a libcurl that cannot be loaded: the host answers all the same, and init once it can be loaded",
        .enabled(if: MountNamespace.isAvailable))
    func withoutLibcurl() async throws {
        let server = try LoopbackServer { _ in .status(200, body: #"{"data":{"id":"S1"}}"#) }
        let library = #"$(ldconfig -p | sed -n "s|.*libcurl\.so\.4 .* => ||p" | head -n 1)"#
        let script = "mount --bind /dev/null \(library) && exec \"$0\""
        let client = BridgeClient(
            try HostProcess(
                MountNamespace.making + ["sh", "-c", script, HostProcess.path], path: "/usr/bin/unshare"))
        let config: JSONValue = [
            "apiUrl": .string(server.url), "xApiKey": "k", "storageDirectory": .string(folder.path("state")),
        ]

        let failure = try #require(await client.start("init", ["925", config]).failure)
        try ChildProcess.run(
            "nsenter",
            ["-t", "\(client.host.pid)"] + MountNamespace.entering + ["sh", "-c", "umount \(library)"],
            in: folder.path)

        #expect(failure.code == "INIT_ERROR")
        #expect(failure.message.contains("libcurl cannot be loaded"))
        #expect(failure.message.contains("apt-get install libcurl4"))
        #expect(try await client.call("init", ["925", config]) == [:])
        #expect(try await client.call("getSessionId") == ["sessionId": "S1"])
    }

    @Test(
        "a libcurl that is too old, or lacks a function: init says so, and what to install",
        arguments: [("7.68.0", "it is of version 7.68.0"), ("7.88.1", "libcurl.so.4 lacks curl_")])
    func otherLibcurl(version: String, reason: String) async throws {
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        let source = """
            struct { int age; const char *version; unsigned number; } info = { \
                10, "\(version)", \(numbers[0] << 16 | numbers[1] << 8 | numbers[2]) };
            void *curl_version_info(int now) { return &info; }
            """
        try source.write(toFile: folder.path("curl.c"), atomically: true, encoding: .utf8)
        try ChildProcess.run("cc", ["-shared", "-fPIC", "-o", "libcurl.so.4", "curl.c"], in: folder.path)
        let client = try BridgeClient(environment: ["LD_LIBRARY_PATH": folder.path])

        let config: JSONValue = ["apiUrl": "https://a.example", "xApiKey": "k"]
        let failure = try #require(await client.start("init", ["925", config]).failure)

        #expect(failure.code == "INIT_ERROR")
        #expect(failure.message.contains("libcurl cannot be loaded: \(reason)"))
        #expect(failure.message.contains("apt-get install libcurl4") && failure.message.contains("dnf install libcurl"))
        #expect(try await client.finish() == .code(0))
    }
}
