import Foundation
import TestSupport
import TrackerJSON

/// What Python's `json` makes of texts: another reader, written by others, to compare with.
enum PythonJSON {
    /// Its answer to one text.
    enum Answer: Hashable, Sendable {
        /// It read the text; `rendering` is the tree in the form of ``rendering(of:)``.
        case read(rendering: String)
        /// It read the text, in which is half a surrogate pair.
        case readLoneSurrogate
        case refused
    }

    /// Why there is no answer.
    struct Failure: Error {
        let ending: Program.Ending
        let answers: Int
    }

    /// Reads one hexadecimal text a line, and answers a line each.
    ///
    /// Numbers keep their spelling, a repeated key has its first place and its last value, and the three words that
    /// are no JSON (`NaN` and the infinities) are refused.
    private static let script = #"""
        import json, sys

        class Number(str):
            pass

        def refuse(word):
            raise ValueError(word)

        def is_lone(value):
            if isinstance(value, list):
                return any(is_lone(element) for element in value)
            return isinstance(value, str) and any(0xD800 <= ord(character) < 0xE000 for character in value)

        def rendered(value):
            if value is None:
                return "null"
            if isinstance(value, bool):
                return "true" if value else "false"
            if isinstance(value, Number):
                return "n" + value
            if isinstance(value, str):
                return "s" + value.encode("utf-8", "surrogatepass").hex()
            if isinstance(value, list):
                return "[" + "".join(rendered(element) + "," for element in value) + "]"
            return "{" + "".join(rendered(key) + ":" + rendered(value[key]) + "," for key in value) + "}"

        def answer(line):
            found = []

            def members(pairs):
                found.extend(pair for pair in pairs if is_lone(pair[0]) or is_lone(pair[1]))
                return dict(pairs)

            try:
                value = json.loads(
                    bytes.fromhex(line).decode("utf-8"), object_pairs_hook=members,
                    parse_int=Number, parse_float=Number, parse_constant=refuse,
                )
            except (ValueError, RecursionError):
                return "refused"
            return ("lone " if found or is_lone(value) else "") + rendered(value)

        sys.stdout.write("".join(answer(line) + "\n" for line in sys.stdin.read().split("\n")[:-1]))
        """#

    /// What Python answers to each text.
    static func answers(to texts: [[UInt8]]) throws -> [Answer] {
        let (ending, bytes) = try Program.output(
            of: "python3", ["-c", script], input: texts.flatMap { Array((hexadecimal($0) + "\n").utf8) })
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard ending == .code(0), lines.count == texts.count else {
            throw Failure(ending: ending, answers: lines.count)
        }
        return lines.map { line in
            if line == "refused" { return .refused }
            return line.hasPrefix("lone ") ? .readLoneSurrogate : .read(rendering: String(line))
        }
    }

    /// A tree in the form in which the script writes it.
    static func rendering(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let number): "n" + number.text
        case .string(let string): "s" + hexadecimal(string.utf8)
        case .array(let elements): "[" + elements.map { rendering(of: $0) + "," }.joined() + "]"
        case .object(let object):
            "{" + object.map { "s" + hexadecimal($0.key.utf8) + ":" + rendering(of: $0.value) + "," }.joined() + "}"
        }
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
