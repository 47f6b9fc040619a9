/// Finds out quickly that a value keeps to a schema, from its text and without a tree.
///
/// Most events do. What it cannot tell, ``PlanCheck`` finds out, which also says what is wrong.
struct QuickPlanCheck {
    /// What of a schema can be checked quickly.
    struct Rules: Sendable {
        struct Member: Sendable {
            let key: [UInt8]
            let schema: PlanSchema
        }

        var members: [Member] = []
        /// The members that must be there, by their places among `members`.
        var required: UInt64 = 0
        /// The texts that a value may be; empty for any value.
        var choices: [[UInt8]] = []

        /// Prepares the rules of a schema.
        ///
        /// - Returns: `nil` if there is one that takes a tree.
        init?(_ rules: PlanSchema.Rules) {
            guard rules.const == nil, rules.oneOf.isEmpty, rules.not == nil, !rules.hasUniqueItems,
                rules.multipleOf == nil, rules.pattern == nil, rules.format == nil
            else { return nil }
            for choice in rules.choices {
                guard case .string(let text) = choice else { return nil }
                choices.append(Array(text.utf8))
            }
            for (name, schema) in rules.properties {
                members.append(Member(key: Array(name.string.utf8), schema: schema))
            }
            for name in rules.required {
                let key = Array(name.utf8)
                guard let place = members.firstIndex(where: { $0.key == key }), place < 64 else { return nil }
                required |= 1 << place
            }
        }
    }

    let definitions: [String: PlanSchema]
    private let bytes: [UInt8]
    private let items: [JSONOutline.Item]

    /// How many schemas may be open at once.
    private static let deepest = 100
    /// How many comparisons it may still make: as many as ``PlanCheck``, which then says so.
    private var left = PlanCheck.mostComparisons

    init(_ text: JSONText, _ definitions: [String: PlanSchema]) {
        self.definitions = definitions
        bytes = text.bytes
        items = text.outline(depth: JSONText.maxDepthCeiling).items
    }

    /// Whether the value certainly keeps to a schema.
    mutating func keeps(_ schema: PlanSchema) -> Bool { !items.isEmpty && keeps(schema, 0, 0) }

    private mutating func keeps(_ schema: PlanSchema, _ index: Int, _ depth: Int) -> Bool {
        let rules = schema.rules
        if let constant = rules.constant { return constant }
        left -= 1
        guard left >= 0, let quick = schema.quick, depth < Self.deepest else { return false }
        if let reference = rules.reference {
            guard let target = definitions[reference], keeps(target, index, depth + 1) else { return false }
        }
        let item = items[index]
        guard rules.kinds.isEmpty || rules.kinds.contains(where: { includes($0, item) }) else { return false }
        switch item.kind {
        case .string: if !keepsText(rules, quick, item) { return false }
        case .number: if !quick.choices.isEmpty || !keepsNumber(rules, item) { return false }
        case .object: if !quick.choices.isEmpty || !keepsMembers(rules, quick, index, depth) { return false }
        case .array: if !quick.choices.isEmpty || !keepsElements(rules, index, depth) { return false }
        case .boolean, .null: if !quick.choices.isEmpty { return false }
        }
        for schema in rules.allOf where !keeps(schema, index, depth + 1) { return false }
        for schema in rules.anyOf where keeps(schema, index, depth + 1) { return true }
        return rules.anyOf.isEmpty
    }

    private func includes(_ kind: PlanSchema.Kind, _ item: JSONOutline.Item) -> Bool {
        switch (kind, item.kind) {
        case (.string, .string), (.number, .number), (.boolean, .boolean), (.object, .object), (.array, .array),
            (.null, .null):
            true
        // A number of digits alone that a double can hold; others take a look at their value.
        case (.integer, .number):
            item.value.count < 300 && bytes[item.value].allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
        default: false
        }
    }

    private func keepsText(_ rules: PlanSchema.Rules, _ quick: Rules, _ item: JSONOutline.Item) -> Bool {
        guard !quick.choices.isEmpty || rules.minLength != nil || rules.maxLength != nil else { return true }
        let text = bytes[item.value.lowerBound + 1..<item.value.upperBound - 1]
        // Only of plain characters the bytes can be counted.
        guard text.allSatisfy({ $0 < 0x80 && $0 != 0x5C }) else { return false }
        if let least = rules.minLength, text.count < least { return false }
        if let most = rules.maxLength, text.count > most { return false }
        return quick.choices.isEmpty || quick.choices.contains { $0.elementsEqual(text) }
    }

    private func keepsNumber(_ rules: PlanSchema.Rules, _ item: JSONOutline.Item) -> Bool {
        guard let bounds = rules.bounds else { return true }
        guard let number = Double(String(decoding: bytes[item.value], as: UTF8.self)) else { return false }
        return number >= bounds.minimum && number <= bounds.maximum && number > bounds.exclusiveMinimum
            && number < bounds.exclusiveMaximum
    }

    private mutating func keepsMembers(_ rules: PlanSchema.Rules, _ quick: Rules, _ index: Int, _ depth: Int) -> Bool {
        var missing = quick.required
        guard !quick.members.isEmpty || rules.additional != nil else { return true }
        var child = index + 1
        while child < items.count, items[child].depth > items[index].depth {
            defer { child += 1 }
            guard items[child].parent == index else { continue }
            let key = items[child].key
            if key.hasEscapes { return false }
            let name = bytes[key.content]
            if let place = quick.members.firstIndex(where: { $0.key.elementsEqual(name) }) {
                if place < 64 { missing &= ~(1 << place) }
                guard keeps(quick.members[place].schema, child, depth + 1) else { return false }
            } else if let additional = rules.additional, !keeps(additional, child, depth + 1) {
                return false
            }
        }
        return missing == 0
    }

    private mutating func keepsElements(_ rules: PlanSchema.Rules, _ index: Int, _ depth: Int) -> Bool {
        guard rules.items != nil || rules.minItems != nil || rules.maxItems != nil else { return true }
        var count = 0
        var child = index + 1
        while child < items.count, items[child].depth > items[index].depth {
            defer { child += 1 }
            guard items[child].parent == index else { continue }
            count += 1
            if let element = rules.items, !keeps(element, child, depth + 1) { return false }
        }
        return count >= rules.minItems ?? 0 && count <= rules.maxItems ?? .max
    }
}
