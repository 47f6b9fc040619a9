import Testing
import TrackerJSON

/// One hard text, and what becomes of it.
struct JSONHardCase: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let fault: JSONSyntaxError?

    init(_ text: String, _ kind: JSONSyntaxError.Kind? = nil, at offset: Int = 0) {
        self.init(Array(text.utf8), kind, at: offset)
    }

    init(_ bytes: [UInt8], _ kind: JSONSyntaxError.Kind? = nil, at offset: Int = 0) {
        self.bytes = bytes
        fault = kind.map { JSONSyntaxError($0, at: offset) }
    }

    var testDescription: String { String(decoding: bytes.prefix(40), as: UTF8.self).debugDescription }
}

extension JSONHardCase {
    /// A string of these raw bytes.
    private static func quoted(_ bytes: UInt8...) -> [UInt8] { [0x22] + bytes + [0x22] }

    static let numbers: [JSONHardCase] = [
        "0", "-0", "-0.0", "0.0e-0", "1E+2", "1e400", "-1e-400", "0e99999999999999999999",
        "123456789012345678901234567890", "0.1234567890123456789012345678901234567890", "9007199254740993", "1.0",
        "1.50",
    ].map { Self($0) }

    static let strings: [JSONHardCase] = [
        #""""#, #""a""#, #""\u0000""#, #""\"\\\/\b\f\n\r\t""#, #""\uD83D\uDE00""#, #""\udbff\udfff""#,
        #""\ud7ff\ue000""#, "\"\u{7f}\u{80}\u{2028}\u{2029}\u{feff}\u{ffff}\u{10ffff}\"", "\"\u{e9}\"",
        "\"e\u{301}\"",
    ].map { Self($0) }

    static let arraysAndObjects: [JSONHardCase] = [
        "{}", "[]", " [ ] ", "{ }", "[[],{}]", "\t\n\r 1 \r\n\t", #"{"":""}"#, #"{"a":1,"a":2}"#,
        #"{"a":1,"\u0061":2}"#, "{\"\u{e9}\":1,\"e\u{301}\":2}", "[1,2,3]", "[true,false,null]",
        #"{"a":{"b":[{"c":{}}]}}"#, String(repeating: "[", count: 128) + String(repeating: "]", count: 128),
    ].map { Self($0) }

    static let limitsOfUTF8: [JSONHardCase] = [
        Self(quoted(0xC2, 0x80)), Self(quoted(0xDF, 0xBF)), Self(quoted(0xE0, 0xA0, 0x80)),
        Self(quoted(0xED, 0x9F, 0xBF)), Self(quoted(0xEE, 0x80, 0x80)), Self(quoted(0xF0, 0x90, 0x80, 0x80)),
        Self(quoted(0xF4, 0x8F, 0xBF, 0xBF)),
    ]

    static let misshapen: [JSONHardCase] = [
        Self("", .unexpectedEnd), Self("  ", .unexpectedEnd, at: 2), Self("{", .unexpectedEnd, at: 1),
        Self("[", .unexpectedEnd, at: 1), Self("[1", .unexpectedEnd, at: 2), Self("[1,", .unexpectedEnd, at: 3),
        Self(#"{"a""#, .unexpectedEnd, at: 4), Self(#"{"a":"#, .unexpectedEnd, at: 5),
        Self(#"{"a":1"#, .unexpectedEnd, at: 6), Self("\"", .unexpectedEnd, at: 1), Self("tru", .unexpectedEnd, at: 3),
        Self("[,1]", .syntax, at: 1), Self("[1,]", .syntax, at: 3), Self("[1 2]", .syntax, at: 3),
        Self("[1}", .syntax, at: 2), Self(#"{"a":1]"#, .syntax, at: 6), Self("{1:2}", .syntax, at: 1),
        Self("{a:1}", .syntax, at: 1), Self(#"{"a" 1}"#, .syntax, at: 5), Self(#"{"a":1,}"#, .syntax, at: 7),
        Self(#"{,"a":1}"#, .syntax, at: 1), Self(#"{"a"::1}"#, .syntax, at: 5), Self("]", .syntax),
        Self("1 2", .syntax, at: 2),
        Self("{}{}", .syntax, at: 2), Self("'a'", .syntax), Self("True", .syntax), Self("nulL", .syntax, at: 3),
        Self("truex", .syntax, at: 4), Self("NaN", .syntax), Self("Infinity", .syntax), Self("// x\n1", .syntax),
        Self("[1]/**/", .syntax, at: 3), Self("\u{feff}1", .syntax), Self("1\u{a0}", .syntax, at: 1),
        Self("\u{b}1", .syntax), Self("\u{c}1", .syntax), Self("\0", .syntax), Self("1\0", .syntax, at: 1),
        Self("[1]\0", .syntax, at: 3), Self("undefined", .syntax),
    ]

    static let malformedNumbers: [JSONHardCase] = [
        Self("01", .invalidNumber, at: 1), Self("-01", .invalidNumber, at: 2), Self("00", .invalidNumber, at: 1),
        Self("-", .unexpectedEnd, at: 1), Self("[-]", .invalidNumber, at: 2), Self(".5", .syntax), Self("+1", .syntax),
        Self("1.", .unexpectedEnd, at: 2), Self("[1.]", .invalidNumber, at: 3), Self("1.e1", .invalidNumber, at: 2),
        Self("1e", .unexpectedEnd, at: 2), Self("1e+", .unexpectedEnd, at: 3), Self("[1e]", .invalidNumber, at: 3),
        Self("1.2.3", .syntax, at: 3), Self("1e1.5", .syntax, at: 3), Self("0x10", .syntax, at: 1),
        Self("1_000", .syntax, at: 1), Self("--1", .invalidNumber, at: 1), Self("-Infinity", .invalidNumber, at: 1),
        Self("\u{0661}", .syntax), Self("1\u{0661}", .syntax, at: 1),
    ]

    static let malformedStrings: [JSONHardCase] = [
        Self(#""\x""#, .invalidEscape, at: 1), Self(#""\u12""#, .invalidEscape, at: 1),
        Self(#""\u12g4""#, .invalidEscape, at: 1),
        Self(#""\u+123""#, .invalidEscape, at: 1), Self(#""\U0041""#, .invalidEscape, at: 1),
        Self(#""\"#, .unexpectedEnd, at: 2),
        Self(#""\u00"#, .unexpectedEnd, at: 5), Self(#""a\""#, .unexpectedEnd, at: 4),
        Self(#""\'""#, .invalidEscape, at: 1),
        Self("\"\n\"", .controlCharacter, at: 1), Self("\"a\tb\"", .controlCharacter, at: 2),
        Self("\"abcdefg\0\"", .controlCharacter, at: 8), Self("\"\u{1f}\"", .controlCharacter, at: 1),
        Self(#""\ud83d\u12""#, .invalidEscape, at: 1),
    ]

    static let loneSurrogates: [JSONHardCase] = [
        Self(#""\ud800""#, .loneSurrogate, at: 1), Self(#""\udc00""#, .loneSurrogate, at: 1),
        Self(#""\udfff\udbff""#, .loneSurrogate, at: 1), Self(#""\ud800\ud800\udc00""#, .loneSurrogate, at: 1),
        Self(#""\ud83d\ude00\ud83d""#, .loneSurrogate, at: 13), Self(#""\ud83dx\ude00""#, .loneSurrogate, at: 1),
        Self(#""\ud83d\u0041""#, .loneSurrogate, at: 1), Self(#""\ud83d\n""#, .loneSurrogate, at: 1),
        Self(#"{"\ud83d":1}"#, .loneSurrogate, at: 2), Self(#"[[{"a":"\uDEAD"}]]"#, .loneSurrogate, at: 8),
    ]

    static let notUTF8: [JSONHardCase] = [
        Self(quoted(0x80), .invalidUTF8, at: 1), Self(quoted(0xBF), .invalidUTF8, at: 1),
        Self(quoted(0xC0, 0x80), .invalidUTF8, at: 1), Self(quoted(0xC1, 0xBF), .invalidUTF8, at: 1),
        Self(quoted(0xC2), .invalidUTF8, at: 1), Self(quoted(0xC2, 0x22), .invalidUTF8, at: 1),
        Self(quoted(0xE0, 0x9F, 0xBF), .invalidUTF8, at: 1), Self(quoted(0xE2, 0x82), .invalidUTF8, at: 1),
        Self(quoted(0xED, 0xA0, 0x80), .invalidUTF8, at: 1), Self(quoted(0xED, 0xBF, 0xBF), .invalidUTF8, at: 1),
        Self(quoted(0xF0, 0x8F, 0xBF, 0xBF), .invalidUTF8, at: 1),
        Self(quoted(0xF4, 0x90, 0x80, 0x80), .invalidUTF8, at: 1),
        Self(quoted(0xF5, 0x80, 0x80, 0x80), .invalidUTF8, at: 1), Self(quoted(0xFE), .invalidUTF8, at: 1),
        Self(quoted(0xFF), .invalidUTF8, at: 1), Self(quoted(0xF0, 0x9F, 0x98), .invalidUTF8, at: 1),
        Self(quoted(0xC3, 0xA9, 0xC3), .invalidUTF8, at: 3), Self(quoted(0xE2, 0x28, 0xA1), .invalidUTF8, at: 1),
        Self([0x22, 0xF0, 0x9F], .invalidUTF8, at: 1), Self([0xFF, 0xFE, 0x31, 0x00], .syntax),
        Self([0x31, 0x00], .syntax, at: 1), Self([0x80], .syntax),
    ]

    static let accepted = numbers + strings + arraysAndObjects + limitsOfUTF8

    static let all = accepted + misshapen + malformedNumbers + malformedStrings + loneSurrogates + notUTF8
}
