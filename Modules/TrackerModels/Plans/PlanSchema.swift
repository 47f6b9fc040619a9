/// A schema of a plan: the part of JSON Schema (Draft 2020-12) that plans are written in.
final class PlanSchema: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case string, number, integer, boolean, object, array, null
    }

    /// What a schema asks of a value, keyword by keyword.
    struct Rules: Sendable {
        /// The schema `true` or `false`.
        var constant: Bool?
        /// The definition that it refers to.
        var reference: String?
        var kinds: [Kind] = []
        var const: JSONValue?
        var choices: [JSONValue] = []
        var minLength: Int?
        var maxLength: Int?
        var pattern: (text: String, expression: PlanPattern)?
        var format: PlanFormat?
        var minimum: JSONNumber?
        var maximum: JSONNumber?
        var exclusiveMinimum: JSONNumber?
        var exclusiveMaximum: JSONNumber?
        var multipleOf: JSONNumber?
        /// The bounds above together; `nil` if there are none.
        fileprivate(set) var bounds: Bounds?
        var items: PlanSchema?
        var minItems: Int?
        var maxItems: Int?
        var hasUniqueItems = false
        var properties: [ExactString: PlanSchema] = [:]
        var required: [String] = []
        var additional: PlanSchema?
        var anyOf: [PlanSchema] = []
        var oneOf: [PlanSchema] = []
        var allOf: [PlanSchema] = []
        var not: PlanSchema?
    }

    let rules: Rules
    /// What can be checked without a tree; `nil` if not all can.
    let quick: QuickPlanCheck.Rules?

    init(_ rules: Rules) {
        var rules = rules
        rules.bounds = Bounds(rules)
        self.rules = rules
        quick = QuickPlanCheck.Rules(rules)
    }

    /// The bounds of a number, as doubles.
    struct Bounds: Sendable {
        var minimum = -Double.infinity
        var maximum = Double.infinity
        var exclusiveMinimum = -Double.infinity
        var exclusiveMaximum = Double.infinity

        /// - Returns: `nil` if there are none.
        init?(_ rules: Rules) {
            guard
                [rules.minimum, rules.maximum, rules.exclusiveMinimum, rules.exclusiveMaximum].contains(where: {
                    $0 != nil
                })
            else { return nil }
            if let number = rules.minimum { minimum = number.asDouble }
            if let number = rules.maximum { maximum = number.asDouble }
            if let number = rules.exclusiveMinimum { exclusiveMinimum = number.asDouble }
            if let number = rules.exclusiveMaximum { exclusiveMaximum = number.asDouble }
        }
    }

    static let anything = PlanSchema(Rules(constant: true))

    /// How deep a schema may nest.
    static let deepest = 64

    /// The schemas that look at the same value.
    var alternatives: [PlanSchema] { rules.anyOf + rules.oneOf + rules.allOf + [rules.not].compactMap { $0 } }

    var parts: [PlanSchema] {
        alternatives + rules.properties.values + [rules.items, rules.additional].compactMap { $0 }
    }
}
