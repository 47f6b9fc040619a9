import Testing
import TrackerJSON

@Suite("JSONText")
struct JSONTextTests {
    @Test(
        "accepts every kind of value at the top",
        arguments: [
            ("{}", JSONKind.object), ("[]", .array), ("\"\"", .string), ("-0", .number), ("true", .boolean),
            ("false", .boolean), ("null", .null),
        ]
    )
    func acceptsEveryKind(text: String, kind: JSONKind) throws {
        let json = try JSONText(validating: text)

        #expect(json.kind == kind)
        #expect(json.text == text)
    }

    @Test("removes white space around the value and keeps it inside")
    func trims() throws {
        let json = try JSONText(validating: " \r\n\t{ \"a\" : 1 }\n ")

        #expect(json.text == "{ \"a\" : 1 }")
        #expect(json.byteCount == 11)
    }

    @Test("validates a slice, and counts its offsets from the slice's start")
    func slices() throws {
        let bytes = Array("xx[1]yy".utf8)

        #expect(try JSONText(validating: bytes[2..<5]).text == "[1]")
        #expect(throws: JSONSyntaxError(.syntax, at: 0)) { try JSONText(validating: bytes[1..<5]) }
    }

    @Test("counts every array and object as one level", arguments: ["[", "{\"a\":"])
    func limitsDepth(opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
        }

        #expect(throws: Never.self) { try JSONText(validating: nested(128)) }
        #expect(throws: JSONSyntaxError(.tooDeep, at: 128 * opening.utf8.count)) {
            try JSONText(validating: nested(129))
        }
        #expect(throws: Never.self) { try JSONText(validating: Array(nested(1024).utf8), maxDepth: .max) }
        #expect(throws: JSONSyntaxError.self) { try JSONText(validating: Array(nested(1025).utf8), maxDepth: .max) }
        #expect(throws: JSONSyntaxError(.tooDeep, at: 0)) {
            try JSONText(validating: Array(nested(1).utf8), maxDepth: 0)
        }
    }

    @Test("takes strings apart exactly")
    func strings() throws {
        #expect(try JSONText(validating: #""é""#).stringValue?.unicodeScalars.count == 1)
        #expect(try JSONText(validating: #""\u0065\u0301""#).stringValue?.unicodeScalars.count == 2)
        let escapes = #""\"\\\/\b\f\n\r\t\u0000\ud83d\uDE00""#
        #expect(try JSONText(validating: escapes).stringValue == "\"\\/\u{8}\u{c}\n\r\t\0😀")
        #expect(JSONText("a\"\\\u{1}\n\u{7f}é").text == #""a\"\\\u0001\n"# + "\u{7f}é\"")
        #expect(JSONText.null.stringValue == nil)
    }
}
