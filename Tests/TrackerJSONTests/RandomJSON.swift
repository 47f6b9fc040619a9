import TestSupport

/// Random JSON texts, written in every way the grammar allows.
struct RandomJSON {
    var generator: SeededGenerator
    /// The keys that objects have, some of them twice.
    private static let keys = [
        #""""#, #""a""#, #""b""#, #""\u0061""#, #""A""#, #""total""#, "\"\u{e9}\"", "\"e\u{301}\"", #""\u00e9""#,
        #""\u0065\u0301""#,
        #""\/""#, #""/""#, #""a\"b""#, #""😀""#, #""\ud83d\ude00""#, #""\u0000""#, #""a rather long key of some words""#,
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A text with white space around it.
    mutating func text(depth: Int = 5) -> String {
        space() + value(depth: depth) + space()
    }

    /// An object's text, without white space around it.
    mutating func object(depth: Int = 3, members: ClosedRange<Int> = 0...6) -> String {
        let members = (0..<Int.random(in: members, using: &generator)).map { _ in
            space() + generator.pick(Self.keys) + space() + ":" + space() + value(depth: depth - 1)
                + space()
        }
        return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
    }

    /// A text with a few bytes changed, put in or taken out: most are no JSON any more.
    mutating func damaged(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let byte = generator.pick(Self.suspects)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.insert(byte, at: place)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case _ where place < bytes.count: bytes[place] = byte
            default: break
            }
        }
        return bytes
    }

    private static let suspects =
        Array("{}[]\",:\\ud8DC0123eE+-.tfn \u{0}\u{1f}\u{7f}\u{feff}é".utf8) + [0xC0, 0xFF, 0xED]

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &generator) {
        case 0: return generator.pick(["true", "false", "null"])
        case 1, 2: return number()
        case 3, 4, 5: return string()
        case 6, 7: return object(depth: depth)
        default:
            let elements = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                space() + value(depth: depth - 1) + space()
            }
            return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
        }
    }

    private mutating func number() -> String {
        var text = generator.once(in: 3) ? "-" : ""
        text += generator.once(in: 4) ? "0" : digits(first: "123456789")
        if generator.once(in: 3) { text += "." + digits(first: "0123456789") }
        if generator.once(in: 4) {
            text += generator.pick(["e", "E"]) + generator.pick(["", "+", "-"])
            text += digits(first: "0123456789")
        }
        return text
    }

    private mutating func digits(first: String) -> String {
        let rest = (0..<Int.random(in: 0...(generator.once(in: 5) ? 30 : 3), using: &generator)).map { _ in
            generator.pick("0123456789")
        }
        return String(generator.pick(first)) + String(rest)
    }

    private mutating func string() -> String {
        let parts = (0..<Int.random(in: 0...20, using: &generator)).map { _ in character() }
        return "\"" + parts.joined() + "\""
    }

    private mutating func character() -> String {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return generator.pick(["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"])
        case 1: return "\\u" + hexadecimal(UInt16.random(in: 0..<0xD800, using: &generator))
        case 2:
            return "\\u" + hexadecimal(UInt16.random(in: 0xD800..<0xDC00, using: &generator)) + "\\u"
                + hexadecimal(UInt16.random(in: 0xDC00..<0xE000, using: &generator))
        case 3: return String(scalar(in: 0x80...0x7FF))
        case 4: return String(scalar(in: 0xE000...0xFFFF))
        case 5: return String(scalar(in: 0x10000...0x10FFFF))
        case 6: return String(repeating: "x", count: Int.random(in: 1...20, using: &generator))
        default:
            let character = String(scalar(in: 0x20...0x7F))
            return character == "\"" || character == "\\" ? "\\" + character : character
        }
    }

    private mutating func scalar(in range: ClosedRange<UInt32>) -> Unicode.Scalar {
        Unicode.Scalar(UInt32.random(in: range, using: &generator)) ?? "?"
    }

    private mutating func hexadecimal(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: generator.once(in: 2))
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private mutating func space() -> String {
        guard generator.once(in: 4) else { return "" }
        let characters = (0..<Int.random(in: 1...10, using: &generator)).map { _ in
            generator.pick([" ", "\t", "\n", "\r"])
        }
        return characters.joined()
    }
}
