import TestSupport
import TrackerModels

/// Values made by chance, among them those that are easily got wrong.
struct Chance {
    var random: SeededGenerator

    mutating func flip(_ count: Int = 1, in total: Int = 2) -> Bool {
        Int.random(in: 0..<total, using: &random) < count
    }

    mutating func oneOf<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

    mutating func name() -> String {
        oneOf(["PURCHASE", "a b", "é", "e\u{301}", "😀", "\"quoted\\\"", "line\nbreak", "\u{0}", " ", "", "日本語/?#%"])
    }

    mutating func maybeObject() -> JSONObject? { flip() ? object() : nil }

    mutating func object(depth: Int = 3) -> JSONObject {
        let keys = [
            "a", "name", "email", "extra", "metadata", "user_id", "brand_id", "", "é", "e\u{301}", "😀", "\"", "url",
        ]
        return JSONObject((0..<Int.random(in: 0...4, using: &random)).map { _ in (oneOf(keys), value(depth: depth)) })
    }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
        case 0: .null
        case 1: .bool(flip())
        case 2: JSONValue(Int.random(in: Int.min...Int.max, using: &random))
        case 3: JSONValue(Double.random(in: -1e10...1e10, using: &random))
        case 4:
            oneOf(
                [0.1, 1.0, -0.0, 1e300, Double.leastNonzeroMagnitude, 9_007_199_254_740_992].map { JSONValue($0) })
        case 5: .number(JSONNumber(oneOf(["12345678901234567890123", "1E+2", "0.10", "-0"])) ?? JSONNumber(0))
        case 6: .string(name())
        case 7: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth - 1))
        }
    }

    /// JSON text in any spelling that means something, white space and escapes among it.
    mutating func text(depth: Int = 3) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return oneOf(["null", "true", "false"])
        case 1: return oneOf(["0", "-0", "1.0", "1E+2", "0.10", "12345678901234567890123", "5e-324", "1e400"])
        case 2, 3, 4: return string()
        case 5:
            let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in blank() + text(depth: depth - 1) }
            return "[" + elements.joined(separator: blank() + ",") + blank() + "]"
        default: return objectText(depth: depth)
        }
    }

    /// An object in any spelling, no key twice.
    mutating func objectText(depth: Int = 3) -> String {
        let members = (0..<Int.random(in: 0...4, using: &random)).map { index in
            blank() + "\"key \(index)\"" + blank() + ":" + blank() + text(depth: depth - 1)
        }
        return "{" + members.joined(separator: blank() + ",") + blank() + "}"
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "é", "e\u{301}", "😀", "\\u00e9", "\\ud83d\\ude00", "\\/", "/", "\\\"", "\\n", "\\u0000", "日本",
        ]
        return "\"" + (0..<Int.random(in: 0...6, using: &random)).map { _ in oneOf(pieces) }.joined() + "\""
    }

    private mutating func blank() -> String { oneOf(["", "", "", " ", "\t", "  "]) }
}
