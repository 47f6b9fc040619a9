/// Reads schemas, and collects what is wrong with them: a sentence each.
struct PlanSchemaReader {
    /// The names that `$ref` may have.
    let definitions: Set<String>
    var faults: [String] = []

    private static let annotations: Set = [
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema",
        "$id",
    ]
    private static let keywords = [
        "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
        "uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
        "maxLength", "pattern", "format", "anyOf", "oneOf", "allOf", "not", "$ref",
    ]

    init(definitions: Set<String>) { self.definitions = definitions }

    /// - Parameter path: Where it stands.
    mutating func schema(_ value: JSONValue, at path: String, depth: Int = 0) -> PlanSchema {
        if case .bool(let constant) = value { return PlanSchema(PlanSchema.Rules(constant: constant)) }
        guard depth <= PlanSchema.deepest else {
            let limit = PlanSchema.deepest
            faults.append("\(path.prefix(60))… nests deeper than \(limit) schemas; name its parts in $defs.")
            return .anything
        }
        guard case .object(let members) = value else {
            faults.append("\(path) is \(value.brief); it must be a schema.")
            return .anything
        }
        var rules = PlanSchema.Rules()
        for (name, value) in members where !Self.annotations.contains(name) {
            if let phrase = read(name, value, into: &rules, at: "\(path).\(name)", depth + 1) {
                faults.append("\(path).\(name) is \(value.brief); it must be \(phrase).")
            }
        }
        return PlanSchema(rules)
    }

    /// - Returns: What the keyword's value must be instead.
    private mutating func read(
        _ name: String, _ value: JSONValue, into rules: inout PlanSchema.Rules, at path: String, _ depth: Int
    ) -> String? {
        switch name {
        case "type":
            let kinds = (value.arrayValue ?? [value]).map { $0.stringValue.flatMap(PlanSchema.Kind.init) }
            rules.kinds = kinds.compactMap { $0 }
            let words = PlanSchema.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            return kinds.isEmpty || rules.kinds.count < kinds.count ? "one of \(words), or a list of them" : nil
        case "enum":
            rules.choices = value.arrayValue ?? []
            return rules.choices.isEmpty ? "a list of values" : nil
        case "const": rules.const = value
        case "required":
            let names = value.arrayValue?.map(\.stringValue)
            rules.required = (names ?? []).compactMap { $0 }
            return names.map { $0.count == rules.required.count } ?? false ? nil : "a list of names"
        case "properties":
            guard case .object(let members) = value, members.allSatisfy({ $0.value.isSchema }) else {
                return "an object of schemas"
            }
            for (key, value) in members {
                rules.properties[ExactString(key)] = schema(value, at: "\(path).\(key)", depth: depth)
            }
        case "additionalProperties", "items", "not":
            guard value.isSchema else { return name == "additionalProperties" ? "true, false or a schema" : "a schema" }
            let inner = schema(value, at: path, depth: depth)
            switch name {
            case "items": rules.items = inner
            case "not": rules.not = inner
            default: rules.additional = inner
            }
        case "anyOf", "oneOf", "allOf":
            guard let values = value.arrayValue, !values.isEmpty, values.allSatisfy(\.isSchema) else {
                return "a list of schemas"
            }
            var schemas: [PlanSchema] = []
            for (index, value) in values.enumerated() {
                schemas.append(schema(value, at: "\(path)[\(index)]", depth: depth))
            }
            switch name {
            case "anyOf": rules.anyOf = schemas
            case "oneOf": rules.oneOf = schemas
            default: rules.allOf = schemas
            }
        case "uniqueItems":
            guard let isUnique = value.boolValue else { return "true or false" }
            rules.hasUniqueItems = isUnique
        case "$ref": return readReference(value, into: &rules, at: path)
        default: return readText(name, value, into: &rules, at: path)
        }
        return nil
    }

    private mutating func readReference(
        _ value: JSONValue, into rules: inout PlanSchema.Rules, at path: String
    ) -> String? {
        let start = "#/$defs/"
        guard let text = value.stringValue, text.hasPrefix(start), text.count > start.count,
            !text.dropFirst(start.count).contains("/")
        else { return "such as #/$defs/price" }
        let name = String(text.dropFirst(start.count))
        rules.reference = name
        if !definitions.contains(name) { faults.append("\(path) names \"\(name)\", which is not in $defs.") }
        return nil
    }

    private mutating func readText(
        _ name: String, _ value: JSONValue, into rules: inout PlanSchema.Rules, at path: String
    ) -> String? {
        switch name {
        case "minItems": return read(value, &rules.minItems)
        case "maxItems": return read(value, &rules.maxItems)
        case "minLength": return read(value, &rules.minLength)
        case "maxLength": return read(value, &rules.maxLength)
        case "minimum": return read(value, &rules.minimum)
        case "maximum": return read(value, &rules.maximum)
        case "exclusiveMinimum": return read(value, &rules.exclusiveMinimum)
        case "exclusiveMaximum": return read(value, &rules.exclusiveMaximum)
        case "multipleOf":
            _ = read(value, &rules.multipleOf)
            return rules.multipleOf.map { $0.asDouble > 0 } ?? false ? nil : "a number above 0"
        case "format":
            rules.format = value.stringValue.flatMap(PlanFormat.init)
            let words = PlanFormat.allCases.map(\.rawValue).joined(separator: ", ")
            return rules.format == nil ? "one of \(words)" : nil
        case "pattern":
            guard let text = value.stringValue else { return "a regular expression" }
            do throws(PlanPattern.Fault) {
                rules.pattern = (text, try PlanPattern(text))
            } catch {
                faults.append("\(path) is \(value.brief); it must be a regular expression, and \(error.text).")
            }
            return nil
        default:
            let near = SpellingSuggestion.nearest(to: name, among: Self.keywords)
            let hint =
                name == "$defs" ? "; put it beside \"events\"." : near.map { "; did you mean \"\($0)\"?" } ?? "."
            faults.append("\(path.dropLast(name.count + 1)) has \"\(name)\", which plans do not know\(hint)")
            return nil
        }
    }

    private func read(_ value: JSONValue, _ option: inout Int?) -> String? {
        guard case .number(let number) = value, let count = number.intValue, (0...1 << 53).contains(count) else {
            return "a whole number"
        }
        option = Int(count)
        return nil
    }

    private func read(_ value: JSONValue, _ option: inout JSONNumber?) -> String? {
        guard case .number(let number) = value else { return "a number" }
        option = number
        return nil
    }
}

extension JSONNumber {
    /// The number as JavaScript has it.
    var asDouble: Double { Double(text) ?? .nan }
}

extension JSONValue {
    fileprivate var isSchema: Bool {
        switch self {
        case .bool, .object: true
        case .null, .number, .string, .array: false
        }
    }

    /// The value as a sentence shows it: its JSON, cut short.
    var brief: String {
        switch self {
        case .array: return "an array"
        case .object: return "an object"
        case .null, .bool, .number, .string:
            let text = description
            return text.count > 60 ? "\(text.prefix(57))…" : text
        }
    }
}
