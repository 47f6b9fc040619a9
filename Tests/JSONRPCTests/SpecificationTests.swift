import JSONRPC
import Testing
import TrackerJSON

/// The examples of section 7 of the JSON-RPC 2.0 specification, as they are written there.
@Suite("The JSON-RPC 2.0 specification", .timeLimit(.minutes(5)))
struct SpecificationTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var title: String
        var sent: String
        var answered: String?

        var testDescription: String { title }
    }

    static let parseError = """
        {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}
        """
    static let invalidRequest = """
        {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
        """

    static let examples = [
        Example(
            title: "positional parameters",
            sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
            answered: #"{"jsonrpc": "2.0", "result": 19, "id": 1}"#
        ),
        Example(
            title: "positional parameters, the other way round",
            sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
            answered: #"{"jsonrpc": "2.0", "result": -19, "id": 2}"#
        ),
        Example(
            title: "named parameters",
            sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
            answered: #"{"jsonrpc": "2.0", "result": 19, "id": 3}"#
        ),
        Example(
            title: "named parameters, in another order",
            sent: #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
            answered: #"{"jsonrpc": "2.0", "result": 19, "id": 4}"#
        ),
        Example(
            title: "a notification", sent: #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#
        ),
        Example(title: "a notification of an unknown method", sent: #"{"jsonrpc": "2.0", "method": "foobar"}"#),
        Example(
            title: "an unknown method",
            sent: #"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
            answered: #"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}"#
        ),
        Example(
            title: "invalid JSON", sent: #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
            answered: parseError
        ),
        Example(
            title: "an invalid request", sent: #"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
            answered: invalidRequest
        ),
        Example(
            title: "a batch of invalid JSON",
            sent:
                #"[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]"#,
            answered: parseError
        ),
        Example(title: "an empty batch", sent: "[]", answered: invalidRequest),
        Example(title: "an invalid, but not empty batch", sent: "[1]", answered: "[\(invalidRequest)]"),
        Example(
            title: "an invalid batch", sent: "[1,2,3]",
            answered: "[\(invalidRequest), \(invalidRequest), \(invalidRequest)]"
        ),
        Example(
            title: "a batch",
            sent: """
                [ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, \
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, \
                {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"}, \
                {"foo": "boo"}, \
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"}, \
                {"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]
                """,
            answered: """
                [{"jsonrpc": "2.0", "result": 7, "id": "1"}, {"jsonrpc": "2.0", "result": 19, "id": "2"}, \
                \(invalidRequest), \
                {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"}, \
                {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}]
                """
        ),
        Example(
            title: "a batch of notifications",
            sent: """
                [ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, \
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]
                """
        ),
    ]

    @Test("answers its examples as it says", arguments: examples, Framing.allCases)
    func answers(_ example: Example, in framing: Framing) async throws {
        let output = try await Session.transcript(of: framed(example.sent, framing), to: EchoResponder())

        let messages = try unframed(output, framing)
        #expect(messages.map(essence) == [example.answered].compactMap { $0 }.map { essence(Array($0.utf8)) })
    }

    @Test("adds a code and whether to try again to every error", arguments: Framing.allCases)
    func explainsErrors(in framing: Framing) async throws {
        let calls = [
            "{", "1", #"{"jsonrpc":"2.0","id":1,"method":"no"}"#, #"{"jsonrpc":"2.0","id":1,"method":"subtract"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"forget"}"#,
        ]

        let sent = calls.flatMap { framed($0, framing) }
        let output = try await Session.transcript(of: sent, to: EchoResponder())

        let errors = try unframed(output, framing).map { try JSONText(validating: $0)["error"] }
        #expect(errors.map { $0?["code"]?.text } == ["-32700", "-32600", "-32601", "-32602", "-32603"])
        #expect(
            errors.map { $0?["data"]?["code"]?.stringValue } == [
                "PARSE_ERROR", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS", "INTERNAL_ERROR",
            ]
        )
        #expect(errors.allSatisfy { $0?["data"]?["retryable"]?.boolValue == false })
    }
}

/// A message without the members that JSON-RPC leaves open, and independent of the order of its members.
private func essence(_ message: [UInt8]) -> JSONValue? {
    guard let text = try? JSONText(validating: message) else { return nil }
    return essence(text)
}

private func essence(_ text: JSONText) -> JSONValue? {
    guard text.kind == .object else { return try? .array(text.elements.map { try #require(essence($0)) }) }
    let names = ["jsonrpc", "id", "result", "error"]
    let members = names.compactMap { name in text[name].map { (name, name == "error" ? $0.removing(["data"]) : $0) } }
    return .object(JSONObject(members.map { ($0, JSONValue($1)) }))
}
