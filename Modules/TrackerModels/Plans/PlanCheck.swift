/// Compares one value with a schema.
struct PlanCheck {
    /// What is wrong at one place.
    struct Finding {
        var place: String
        /// The rest of a sentence that begins with the place.
        var text: String
        /// The same without the value, which may be about a person.
        var bareText: String
        /// What the value must be, whatever it is.
        var rule: String
        /// The place of the object that lacks this member; `nil` if something else is wrong.
        var parent: String?

        init(place: String, text: String, bareText: String? = nil, rule: String? = nil, parent: String? = nil) {
            self.place = place
            self.text = text
            self.bareText = bareText ?? text
            self.rule = rule ?? text
            self.parent = parent
        }

        var sentence: String { "\(place) \(text)" }
        var bareSentence: String { "\(place) \(bareText)" }
    }

    let definitions: [String: PlanSchema]
    /// How many schemas the value may still be compared with: a plan whose `$ref`s lead back to it has no other bound.
    private var left = mostComparisons
    static let mostComparisons = 200_000
    /// How many visits to the steps of patterns are left.
    private var visitsLeft = PlanPattern.mostVisits
    /// Why the value cannot be judged.
    private var refusal: Finding?

    /// How many faults of one list or object are looked for.
    static let most = 20
    /// How many schemas may be open at once.
    private static let deepest = 400

    init(_ definitions: [String: PlanSchema]) { self.definitions = definitions }

    /// Where a value does not match a schema.
    ///
    /// - Parameter place: Where the value stands.
    mutating func findings(_ schema: PlanSchema, _ value: JSONValue, at place: String) -> [Finding] {
        let found = compare(schema, value, place, 0)
        return refusal.map { [$0] } ?? found
    }

    private mutating func compare(
        _ schema: PlanSchema, _ value: JSONValue, _ place: @autoclosure () -> String, _ depth: Int
    ) -> [Finding] {
        guard refusal == nil else { return [] }
        if let constant = schema.rules.constant {
            return constant ? [] : [Finding(place: place(), text: "does not belong here.")]
        }
        left -= 1
        guard left >= 0, depth <= Self.deepest else {
            let why = left < 0 ? "compares it with too many schemas" : "nests too deep"
            refusal = Finding(place: place(), text: "cannot be judged: the plan \(why).")
            return []
        }
        let rules = schema.rules
        var found: [Finding] = []
        if let reference = rules.reference, let target = definitions[reference] {
            found = compare(target, value, place(), depth + 1)
        }
        func say(_ rest: String) {
            found.append(
                Finding(
                    place: place(), text: "is \(value.brief); it must \(rest).", bareText: "must \(rest).", rule: rest))
        }

        guard rules.kinds.isEmpty || rules.kinds.contains(where: { $0.includes(value) }) else {
            say("be \(rules.kinds.map(\.phrase).joined(separator: " or "))")
            return found
        }
        if let const = rules.const, !const.isSame(as: value) { say("be \(const)") }
        if !rules.choices.isEmpty, !rules.choices.contains(where: { $0.isSame(as: value) }) {
            say(rules.phraseOfChoices(value))
        }
        switch value {
        case .string(let text):
            let isMatch = matches(rules, text, place())
            for rest in rules.faults(in: text, isMatch: isMatch) { say(rest) }
        case .number(let number): for rest in rules.faults(in: number.asDouble) { say(rest) }
        case .array(let elements):
            for rest in rules.faults(in: elements) { say(rest) }
            if let items = rules.items {
                var count = 0
                for (index, element) in elements.enumerated() where count < Self.most {
                    let inner = compare(items, element, "\(place())[\(index)]", depth + 1)
                    count += inner.count
                    found += inner
                }
            }
        case .object(let members): found += compare(rules, members, place(), depth)
        case .null, .bool: break
        }
        return found + compareAlternatives(rules, value, place(), depth)
    }

    /// Whether a text is as the pattern of the rules says; also `true` if that takes too long to find out.
    private mutating func matches(
        _ rules: PlanSchema.Rules, _ text: String, _ place: @autoclosure () -> String
    ) -> Bool {
        guard let pattern = rules.pattern else { return true }
        if let isMatch = pattern.expression.matches(text, within: &visitsLeft) { return isMatch }
        refusal = Finding(
            place: place(),
            text: "cannot be judged: \(pattern.text) takes too long; write it with fewer repetitions.")
        return true
    }

    private mutating func compare(
        _ rules: PlanSchema.Rules, _ members: JSONObject, _ place: @autoclosure () -> String, _ depth: Int
    ) -> [Finding] {
        var found: [Finding] = []
        if !rules.properties.isEmpty || rules.additional != nil {
            for (name, value) in members {
                guard found.count < Self.most else { break }
                if let property = rules.properties[ExactString(name)] {
                    found += compare(property, value, Self.join(place(), name), depth + 1)
                } else if let additional = rules.additional {
                    guard additional.rules.constant == false else {
                        found += compare(additional, value, Self.join(place(), name), depth + 1)
                        continue
                    }
                    let known = rules.properties.keys.map(\.string).filter { members[$0] == nil }.sorted()
                    let near = SpellingSuggestion.nearest(to: name, among: known)
                    let hint = near.map { "; did you mean \($0)?" } ?? "."
                    found.append(Finding(place: Self.join(place(), name), text: "is not in the plan\(hint)"))
                }
            }
        }
        for name in rules.required where members[name] == nil {
            found.append(Finding(place: Self.join(place(), name), text: "is missing.", parent: place()))
        }
        return found
    }

    private mutating func compareAlternatives(
        _ rules: PlanSchema.Rules, _ value: JSONValue, _ place: @autoclosure () -> String, _ depth: Int
    ) -> [Finding] {
        var found: [Finding] = []
        for one in rules.allOf { found += compare(one, value, place(), depth + 1) }
        if !rules.anyOf.isEmpty {
            found += nearest(rules.anyOf.map { compare($0, value, place(), depth + 1) }, place(), mostFitting: .max)
        }
        if !rules.oneOf.isEmpty {
            found += nearest(rules.oneOf.map { compare($0, value, place(), depth + 1) }, place(), mostFitting: 1)
        }
        if let not = rules.not, compare(not, value, place(), depth + 1).isEmpty {
            found.append(
                Finding(
                    place: place(), text: "is \(value.brief), which the plan forbids.",
                    bareText: "has a value that the plan forbids."))
        }
        return found
    }

    /// What is wrong with a value that must fit one of several forms: of those, the one with the fewest faults is
    /// probably meant.
    private func nearest(_ forms: [[Finding]], _ place: String, mostFitting: Int) -> [Finding] {
        let fitting = forms.count { $0.isEmpty }
        if fitting > mostFitting {
            let text = "fits \(fitting) of the forms that the plan allows; it must fit one."
            return [Finding(place: place, text: text)]
        }
        guard fitting == 0, let best = forms.min(by: { $0.count < $1.count }) else { return [] }
        guard forms.count > 1 else { return best }
        func text(_ reasons: [String]) -> String {
            "fits none of the \(forms.count) forms that the plan allows. The nearest: \(reasons.joined(separator: " "))"
        }
        return [Finding(place: place, text: text(best.map(\.sentence)), bareText: text(best.map(\.bareSentence)))]
    }

    private static func join(_ place: String, _ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}

extension PlanSchema.Kind {
    func includes(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.number, .number), (.boolean, .bool), (.object, .object), (.array, .array),
            (.null, .null):
            return true
        case (.integer, .number(let number)):
            let number = number.asDouble
            return number.isFinite && number.rounded() == number
        default: return false
        }
    }

    var phrase: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .object, .array: "an \(rawValue)"
        case .string, .number: "a \(rawValue)"
        }
    }
}

extension PlanSchema.Rules {
    fileprivate func phraseOfChoices(_ value: JSONValue) -> String {
        let near = value.stringValue.flatMap {
            SpellingSuggestion.nearest(to: $0, among: choices.compactMap(\.stringValue))
        }
        let shown = choices.prefix(10).map(\.description).joined(separator: ", ")
        let hint = near.map { " (did you mean \"\($0)\"?)" } ?? ""
        return "be \(choices.count > 1 ? "one of " : "")\(shown)\(choices.count > 10 ? ", …" : "")\(hint)"
    }

    fileprivate func faults(in text: String, isMatch: Bool) -> [String] {
        guard minLength != nil || maxLength != nil || !isMatch || format != nil else { return [] }
        var faults: [String] = []
        let length = minLength == nil && maxLength == nil ? 0 : text.unicodeScalars.count
        if let minLength, length < minLength { faults.append("have at least \(minLength) characters") }
        if let maxLength, length > maxLength { faults.append("have at most \(maxLength) characters") }
        if let pattern, !isMatch { faults.append("match \(pattern.text)") }
        if let format, !format.matches(text) { faults.append("be \(format.phrase)") }
        return faults
    }

    fileprivate func faults(in number: Double) -> [String] {
        var faults: [String] = []
        if let minimum, number < minimum.asDouble { faults.append("be \(minimum) or more") }
        if let maximum, number > maximum.asDouble { faults.append("be \(maximum) or less") }
        if let least = exclusiveMinimum, number <= least.asDouble { faults.append("be more than \(least)") }
        if let most = exclusiveMaximum, number >= most.asDouble { faults.append("be less than \(most)") }
        if let step = multipleOf, !Self.isMultiple(number, of: step.asDouble) {
            faults.append("be a multiple of \(step)")
        }
        return faults
    }

    /// 19.99 is a multiple of 0.01, though not in binary.
    private static func isMultiple(_ number: Double, of step: Double) -> Bool {
        let ratio = number / step
        guard ratio.isFinite else { return number.truncatingRemainder(dividingBy: step) == 0 }
        return abs(ratio - ratio.rounded()) < 1e-9 * max(1, abs(ratio))
    }

    fileprivate func faults(in elements: [JSONValue]) -> [String] {
        func counted(_ count: Int) -> String { "\(count) \(count == 1 ? "element" : "elements")" }

        var faults: [String] = []
        if let minItems, elements.count < minItems { faults.append("have at least \(counted(minItems))") }
        if let maxItems, elements.count > maxItems { faults.append("have at most \(counted(maxItems))") }
        if hasUniqueItems, Set(elements.map { ExactString($0.canonical) }).count < elements.count {
            faults.append("have no element twice")
        }
        return faults
    }
}

extension JSONValue {
    /// Whether both are the same value to a plan: numbers by their doubles, members in any order.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let one), .number(let other)): one.asDouble == other.asDouble
        case (.array, .array), (.object, .object): canonical.hasSameUTF8(as: other.canonical)
        default: self == other
        }
    }

    /// The same text for equal values.
    fileprivate var canonical: String {
        switch self {
        case .number(let number): "\(number.asDouble + 0)"
        case .array(let elements): "[\(elements.map(\.canonical).joined(separator: ","))]"
        case .object(let object):
            "{"
                + object.map { (JSONValue.string($0.key).description, $0.value.canonical) }
                .sorted { $0.0 < $1.0 }.map { "\($0.0):\($0.1)" }.joined(separator: ",") + "}"
        case .null, .bool, .string: description
        }
    }
}
