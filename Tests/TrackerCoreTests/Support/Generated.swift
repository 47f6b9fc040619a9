import TestSupport
import TrackerModels

extension SeededGenerator {
    /// A number of the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A text that is not blank: letters, escapes, scripts and emoji.
    mutating func name() -> String {
        let parts = [
            "a", "Z", "9", " ", "\"", "\\", "/", "\n", "\u{1}", "é", "e\u{301}", "日本", "👩‍👩‍👧", "\u{2028}", "ß", "{", "]",
        ]
        return (0..<number(1...8)).reduce(into: pick(["x", "Ω", "#"])) { text, _ in text += pick(parts) }
    }

    /// An object of any values, nested a few levels deep.
    mutating func object(depth: Int = 3) -> JSONObject {
        JSONObject((0..<number(0...4)).map { _ in (name(), value(depth: depth)) })
    }

    /// Any value.
    mutating func value(depth: Int) -> JSONValue {
        switch number(0...(depth > 0 ? 8 : 6)) {
        case 0: return .null
        case 1: return .bool(once(in: 2))
        case 2: return JSONValue(Int64.random(in: .min ... .max, using: &self))
        case 3: return JSONValue(number(-9...9))
        case 4: return JSONNumber(Double(bitPattern: next())).map { .number($0) } ?? 0.1
        case 5: return .string(name())
        case 6: return .string("")
        case 7: return .array((0..<number(0...3)).map { _ in value(depth: depth - 1) })
        default: return .object(object(depth: depth - 1))
        }
    }
}
