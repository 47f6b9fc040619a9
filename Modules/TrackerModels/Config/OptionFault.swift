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

    /// What is wrong, with a name for the option.
    package func sentence(naming name: String) -> String { reason.sentence(naming: name) }

    /// The option, with its name in JSON, and what else is known, as members of a JSON object.
    package var facts: JSONObject {
        var facts: JSONObject = ["option": .string(key)]
        for (name, value) in reason.facts { facts[name] = value }
        return facts
    }
}

extension OptionFault {
    package enum Reason: Error, Hashable, Sendable {
        /// It has no value. The example is one.
        case required(example: String?)
        case wrongKind(ValueKind, example: String? = nil)
        /// Its value is no word of those there are.
        case otherWord(of: [String], meant: Word? = nil)
        case outOfRange(least: Quantity, most: Quantity, value: Quantity)
        case tooSmall(least: Quantity, value: Quantity)
        case tooLarge(most: Quantity, value: Quantity)
        /// There is no such option. With it come the others that do not exist, and the names there are unless each has
        /// one that is near.
        case unknown(suggestion: String?, others: [Unknown], known: [String])
        /// It has two values, the other under this name.
        case repeated(as: String)
        /// Its value breaks the rule of this word, whose text has marks for the facts.
        case invalid(FaultWord, JSONObject = [:])
        /// The initialisation with a backend took longer than it allows. The advice says what to do.
        case exceeded(most: Quantity, address: String, advice: FaultWord)
        /// Another option, which is given, says the same.
        case excluded(by: String)
        /// Another option, which is given, needs it.
        case lacking(for: String)
        /// It drops the queue once a key is refused, and by another option the key is one that will be replaced.
        case onlyHalt(with: String)
    }

    /// The word that was probably meant.
    package enum Word: Hashable, Sendable {
        case near(String)
        /// It is what the value says in other words.
        case synonym(String, of: String)

        fileprivate var facts: [(name: String, value: JSONValue)] {
            switch self {
            case .near(let word): [("suggestion", .string(word))]
            case .synonym(let word, let given): [("synonym", .string(word)), ("value", .string(given))]
            }
        }
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
            case .duration(let value): JSONValue(value.count(perSecond: 1000))
            }
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
    /// The reason as a word that does not change between versions.
    package var word: FaultWord {
        switch self {
        case .required: .required
        case .wrongKind, .otherWord: .wrongKind
        case .outOfRange: .outOfRange
        case .tooSmall: .tooSmall
        case .tooLarge: .tooLarge
        case .unknown: .unknown
        case .repeated: .repeated
        case .invalid(let word, _): word
        case .exceeded: .exceeded
        case .excluded: .excluded
        case .lacking: .lacking
        case .onlyHalt: .onlyHalt
        }
    }

    fileprivate var facts: [(name: String, value: JSONValue)] {
        switch self {
        case .required(let example): example.map { [("example", .string($0))] } ?? []
        case .wrongKind(let kind, let example):
            [("expected", .string(kind.rawValue))] + (example.map { [("example", .string($0))] } ?? [])
        case .otherWord(let words, let word):
            [("expected", .array(words.map { .string($0) }))] + (word?.facts ?? [])
        case .outOfRange, .tooSmall, .tooLarge: quantities.map { ($0.name, $0.value.json) }
        case .unknown(let suggestion, let others, let known):
            OptionFault.Unknown.suggested(suggestion)
                + (others.isEmpty ? [] : [("others", .array(others.map(\.json)))])
                + (known.isEmpty ? [] : [("known", .array(known.map { .string($0) }))])
        case .repeated(let other), .excluded(let other), .lacking(let other), .onlyHalt(let other):
            [("other", .string(other))]
        case .invalid(_, let facts): facts.map { ($0.key, $0.value) }
        case .exceeded(_, let address, let advice):
            [("address", .string(address)), ("advice", .string(advice.rawValue))]
                + quantities.map { ($0.name, $0.value.json) }
        }
    }

    private var quantities: [(name: String, value: OptionFault.Quantity)] {
        switch self {
        case .outOfRange(let least, let most, let value): [("least", least), ("most", most), ("value", value)]
        case .tooSmall(let least, let value): [("least", least), ("value", value)]
        case .tooLarge(let most, let value): [("most", most), ("value", value)]
        case .exceeded(let most, _, _): [("most", most)]
        case .required, .wrongKind, .otherWord, .unknown, .repeated, .invalid, .excluded, .lacking, .onlyHalt: []
        }
    }

    /// What is wrong, with a name for the option.
    package func sentence(naming option: String) -> String {
        TextTemplate.filled(word.text) { name in
            if name == "option" { return option }
            if let quantity = quantities.first(where: { $0.name == name }) { return quantity.value.text }
            if name == "others", case .unknown(_, let others, _) = self, !others.isEmpty {
                return others.map {
                    Self.unknown(suggestion: $0.suggestion, others: [], known: []).sentence(naming: $0.name)
                }.joined(separator: " ")
            }
            if name == "advice", case .exceeded(_, _, let advice) = self { return advice.text }
            guard let fact = facts.first(where: { $0.name == name })?.value else { return nil }
            // As a quantity it has no separators.
            if case .number = fact { return "\(fact)" }
            return TextTemplate.words(for: fact, named: name)
        }
    }
}

extension OptionFault.Unknown {
    fileprivate static func suggested(_ suggestion: String?) -> [(name: String, value: JSONValue)] {
        suggestion.map { [("suggestion", .string($0))] } ?? []
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["option": .string(name)]
        if let suggestion { object["suggestion"] = .string(suggestion) }
        return .object(object)
    }
}
