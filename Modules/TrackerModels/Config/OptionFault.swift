/// An option that cannot be used: which one, why, and within which limits.
///
/// It is data. Whoever shows it makes the sentence, with the name that the option has there.
package struct OptionFault: Hashable, Sendable {
    /// The option's name in Swift; of one that a caller of the bridge wrote, that name.
    package let option: String
    /// The option's name in JSON, where durations end in `Ms`.
    package let key: String
    package let reason: Reason

    package init(_ option: String, key: String? = nil, _ reason: Reason) {
        self.option = option
        self.key = key ?? option
        self.reason = reason
    }

    /// The message, with a name for the option.
    package func message(naming name: String) -> String {
        guard case .exceeded(let most, let work, let advice) = reason else {
            return "Invalid configuration: '\(name)' \(reason.phrase)"
        }
        return "\(work) did not finish within '\(name)' (\(most.text)). \(advice)"
    }
}

extension OptionFault {
    package enum Reason: Hashable, Sendable {
        /// It has no value. The example is one.
        case required(example: String?)
        /// Its value is of another kind than this, such as `a string`.
        case wrongKind(String)
        case outOfRange(least: Quantity, most: Quantity, value: Quantity)
        case tooSmall(least: Quantity, value: Quantity)
        case tooLarge(most: Quantity, value: Quantity)
        /// There is no such option. With it come the others that do not exist, and the names there are unless each has
        /// one that is near.
        case unknown(suggestion: String?, others: [Unknown], known: [String])
        /// It has two values, the other under this name.
        case repeated(as: String)
        /// Its value cannot be used. The text follows the option's name.
        case invalid(String)
        /// Some work took longer than it allows. The advice is a sentence.
        case exceeded(most: Quantity, work: String, advice: String)
    }

    /// A name that no option has, and the option that is near.
    package struct Unknown: Hashable, Sendable {
        package let name: String
        package let suggestion: String?

        package init(_ name: String, suggestion: String?) {
            self.name = name
            self.suggestion = suggestion
        }
    }

    /// A value or a limit.
    package enum Quantity: Hashable, Sendable {
        case integer(Int)
        case number(Double)
        case duration(Duration)

        /// The quantity as JSON has it: a duration in milliseconds.
        package var json: JSONValue {
            switch self {
            case .integer(let value): JSONValue(value)
            case .number(let value): JSONValue(value)
            case .duration(let value): JSONValue(Self.milliseconds(value))
            }
        }

        /// Whole milliseconds, exactly; at the ends of the range of `Int64` it stays there.
        private static func milliseconds(_ duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
            return overflow || overflowed ? (seconds < 0 ? .min : .max) : sum
        }

        fileprivate var text: String {
            switch self {
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .duration(let value): FieldCheck.text(value)
            }
        }
    }
}

extension OptionFault.Reason {
    /// The end of a sentence that begins with the option's name.
    package var phrase: String {
        switch self {
        case .required(let example): "is required" + (example.map { ", such as \($0)" } ?? "")
        case .wrongKind(let kind): "must be \(kind)"
        case .outOfRange(let least, let most, let value):
            "must be from \(least.text) to \(most.text), not \(value.text)"
        case .tooSmall(let least, let value): "must be at least \(least.text), not \(value.text)"
        case .tooLarge(let most, let value): "must be at most \(most.text), not \(value.text)"
        case .unknown(let suggestion, let others, let known):
            ([Self.notKnown(suggestion)] + others.map { "'\($0.name)' \(Self.notKnown($0.suggestion))" }
                + (known.isEmpty ? [] : ["There are: \(known.joined(separator: ", "))."])).joined(separator: " ")
        case .repeated(let other): "is given a second time as '\(other)'"
        case .invalid(let text): text
        case .exceeded(let most, let work, _): "(\(most.text)) was too short for \(work)"
        }
    }

    /// The reason as a word that does not change between versions.
    package var word: String {
        switch self {
        case .required: "required"
        case .wrongKind: "wrongKind"
        case .outOfRange: "outOfRange"
        case .tooSmall: "tooSmall"
        case .tooLarge: "tooLarge"
        case .unknown: "unknown"
        case .repeated: "repeated"
        case .invalid: "invalid"
        case .exceeded: "exceeded"
        }
    }

    /// What else is known, as members of a JSON object.
    package var facts: [(name: String, value: JSONValue)] {
        switch self {
        case .required(let example): example.map { [("example", .string($0))] } ?? []
        case .wrongKind(let kind): [("expected", .string(kind))]
        case .outOfRange(let least, let most, let value):
            [("least", least.json), ("most", most.json), ("value", value.json)]
        case .tooSmall(let least, let value): [("least", least.json), ("value", value.json)]
        case .tooLarge(let most, let value): [("most", most.json), ("value", value.json)]
        case .unknown(let suggestion, _, let known):
            (suggestion.map { [("suggestion", .string($0))] } ?? [])
                + (known.isEmpty ? [] : [("known", .array(known.map { .string($0) }))])
        case .repeated(let other): [("other", .string(other))]
        case .invalid(let text): [("detail", .string(text))]
        case .exceeded(let most, _, _): [("most", most.json)]
        }
    }

    private static func notKnown(_ suggestion: String?) -> String {
        suggestion.map { "is not known; did you mean '\($0)'?" } ?? "is not known."
    }
}
