/// Fills the marks of a text: `{name}` is that of a fact. What is between brackets is left out if one of its facts is
/// missing; what follows a `|` stands in its place.
package enum TextTemplate {
    /// A text with its facts.
    ///
    /// - Parameter fact: The words for a fact; `nil` if it is missing.
    package static func filled(_ text: String, _ fact: (String) -> String?) -> String {
        filled(text[...], fact) ?? text
    }

    /// A text with its facts, and nothing in place of a missing one.
    package static func filled(_ text: String, _ facts: JSONObject) -> String {
        filled(text) { name in facts[name].map { words(for: $0, named: name) } }
    }

    /// The words for a fact: a number has separators, as in `524,288`. What is `expected` is a ``ValueKind``, or one of
    /// several words.
    package static func words(for fact: JSONValue, named name: String) -> String {
        switch fact {
        case .string(let text): name == "expected" ? ValueKind(rawValue: text)?.phrase ?? text : text
        case .array(let values) where name == "expected":
            values.map { "'\(words(for: $0, named: ""))'" }.joined(separator: " or ")
        case .array(let values): values.map { words(for: $0, named: name) }.joined(separator: ", ")
        case .number: grouped("\(fact)")
        case .object, .bool, .null: "\(fact)"
        }
    }

    private static func grouped(_ number: String) -> String {
        let sign = number.prefix { $0 == "-" }
        let whole = number.dropFirst(sign.count).prefix(while: \.isWholeNumber)
        return sign + String(whole).grouped + number[whole.endIndex...]
    }

    private static func filled(_ text: Substring, _ fact: (String) -> String?) -> String? {
        var (result, rest) = ("", text)
        while let mark = rest.firstIndex(where: { $0 == "{" || $0 == "[" }),
            let end = rest[mark...].firstIndex(of: rest[mark] == "{" ? "}" : "]")
        {
            result += rest[..<mark]
            let inner = rest[rest.index(after: mark)..<end]
            if rest[mark] == "[" {
                result += inner.split(separator: "|").compactMap { filled($0, fact) }.first ?? ""
            } else {
                guard let words = fact(String(inner)) else { return nil }
                result += words
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

extension String {
    /// Digits with a comma before every third from the end.
    package var grouped: String {
        var digits = ""
        for (place, digit) in enumerated() {
            if place > 0, (count - place) % 3 == 0 { digits.append(",") }
            digits.append(digit)
        }
        return digits
    }
}
