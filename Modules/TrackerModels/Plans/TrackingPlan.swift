/// Which events there are, and what their data must be.
///
/// It judges as the development collector does: whoever changes one changes the other, and the cases of `Tests/Plans`.
package struct TrackingPlan: Sendable {
    /// What is wrong with a plan: a sentence each.
    package struct Faults: Error, Hashable, Sendable {
        package let sentences: [String]
    }

    /// Why an event breaks the plan.
    package struct Reason: Hashable, Sendable {
        /// With the member's path.
        package let sentence: String
        /// The member's path and what it must be: the same for every value that breaks it.
        package let rule: String
    }

    private let events: [String: PlanSchema]
    private let definitions: [String: PlanSchema]
    private let allowsOthers: Bool

    /// How many reasons one event has at most.
    private static let mostReasons = 20
    /// How many schemas one event may hold once every `$ref` is followed.
    private static let mostSchemas = 20_000

    /// Reads a plan file's JSON.
    ///
    /// - Throws: ``Faults`` with everything that is wrong with it.
    package init(_ text: JSONText) throws(Faults) {
        guard case .object(let plan) = JSONValue(text) else {
            throw Faults(sentences: ["The plan is \(JSONValue(text).brief); it must be an object with \"events\"."])
        }
        var faults = Self.unknown(
            plan, ["events", "others", "$defs", "$schema", "title", "description", "$comment"], "The plan")
        let others = plan["others"]?.stringValue
        if let given = plan["others"], !["allow", "forbid"].contains(others) {
            faults.append("others is \(given.brief); it must be \"allow\" or \"forbid\".")
        }
        guard case .object(let given) = plan["$defs"] ?? [:] else {
            throw Faults(sentences: faults + ["$defs must be an object of schemas."])
        }
        var reader = PlanSchemaReader(definitions: Set(given.keys))
        var definitions: [String: PlanSchema] = [:]
        for (name, value) in given { definitions[name] = reader.schema(value, at: "$defs.\(name)") }
        faults += reader.faults
        if faults.isEmpty { faults += PlanCircles(definitions).faults }
        // A circle must not be followed.
        guard faults.isEmpty else { throw Faults(sentences: faults) }
        guard case .object(let named)? = plan["events"] else {
            throw Faults(sentences: ["events must be an object: a name, and what the event is."])
        }
        var events: [String: PlanSchema] = [:]
        var sizes = PlanSizes(definitions)
        for (name, value) in named {
            let (schema, found) = Self.event(value, "events.\(name)", definitions, &sizes)
            events[name] = schema
            faults += found
        }
        guard faults.isEmpty else { throw Faults(sentences: faults) }
        self.events = events
        self.definitions = definitions
        allowsOthers = others == "allow"
    }

    /// Judges one event.
    ///
    /// - Parameter data: What the caller gave; `nil` counts as `{}`.
    /// - Returns: Why it breaks the plan; nothing if it keeps to it, or the plan says nothing of it.
    package func reasons(against name: String, _ data: JSONValue?) -> [Reason] {
        guard let schema = events[name] else {
            let sentence = allowsOthers ? nil : unplanned(name)
            return sentence.map { [Reason(sentence: $0, rule: $0)] } ?? []
        }
        var check = PlanCheck(definitions)
        let found = check.findings(schema, data ?? .object([:]), at: "data")
        return found.prefix(Self.mostReasons).map {
            Reason(sentence: $0.sentence, rule: "\(Self.member($0.place)) \($0.rule)")
        }
    }

    /// Judges one event by the text of its data: quickly, if it keeps to the plan.
    package func reasons(against name: String, _ data: JSONText?) -> [Reason] {
        guard let schema = events[name], let data, QuickPlanCheck(data, definitions).keeps(schema) else {
            return reasons(against: name, data.map { JSONValue($0) })
        }
        return []
    }

    /// The path of a member, whichever element of a list it is in.
    private static func member(_ place: String) -> String {
        var isInList = false
        return String(
            place.filter { character in
                if character == "]" { isInList = false }
                defer { if character == "[" { isInList = true } }
                return !isInList
            })
    }

    private func unplanned(_ name: String) -> String {
        let near = SpellingSuggestion.nearest(to: name, among: events.keys.sorted())
        return "The event is not in the plan\(near.map { "; did you mean \($0)?" } ?? ".")"
    }

    private static func event(
        _ value: JSONValue, _ path: String, _ definitions: [String: PlanSchema], _ sizes: inout PlanSizes
    ) -> (PlanSchema, [String]) {
        guard case .object(let event) = value else {
            return (.anything, ["\(path) is \(value.brief); it must be an object such as {\"data\": {…}}."])
        }
        var faults = unknown(event, ["data", "description", "examples", "$comment"], path)
        var reader = PlanSchemaReader(definitions: Set(definitions.keys))
        let data = event["data"] ?? .null
        let schema = reader.schema(data.isNull ? .bool(true) : data, at: "\(path).data")
        var schemaFaults = reader.faults
        if schemaFaults.isEmpty, sizes.size(of: schema) > mostSchemas {
            schemaFaults.append(
                "\(path).data holds more than \(mostSchemas) schemas once every $ref is followed; make it smaller.")
        }
        faults += schemaFaults
        guard let examples = event["examples"] else { return (schema, faults) }
        guard case .array(let examples) = examples else {
            return (schema, faults + ["\(path).examples must be a list."])
        }
        guard schemaFaults.isEmpty else { return (schema, faults) }
        // An example that its own plan refuses would mislead the reader.
        for (index, example) in examples.enumerated() {
            var check = PlanCheck(definitions)
            faults += check.findings(schema, example, at: "\(path).examples[\(index)]").map(\.sentence)
        }
        return (schema, faults)
    }

    private static func unknown(_ object: JSONObject, _ known: [String], _ path: String) -> [String] {
        object.keys.filter { !known.contains($0) }.map { name in
            let near = SpellingSuggestion.nearest(to: name, among: known)
            let hint = near.map { "did you mean \"\($0)\"?" } ?? "known are \(known.joined(separator: ", "))."
            return "\(path) has \"\(name)\"; \(hint)"
        }
    }
}

/// Finds the definitions that lead back to themselves without looking at a member: no value could ever be judged.
private struct PlanCircles {
    private var targets: [String: Set<String>] = [:]

    init(_ definitions: [String: PlanSchema]) {
        for (name, schema) in definitions { targets[name] = Self.references(schema) }
    }

    var faults: [String] {
        targets.keys.sorted().filter { reaches($0) }.map {
            "$defs.\($0) leads back to itself without looking at a member."
        }
    }

    /// The definitions that look at the same value.
    private static func references(_ schema: PlanSchema) -> Set<String> {
        schema.alternatives.reduce(into: Set([schema.rules.reference].compactMap { $0 })) {
            $0.formUnion(references($1))
        }
    }

    private func reaches(_ name: String) -> Bool {
        var seen: Set<String> = []
        var waiting = Array(targets[name] ?? [])
        while let next = waiting.popLast() {
            if next == name { return true }
            if seen.insert(next).inserted { waiting += targets[next] ?? [] }
        }
        return false
    }
}

/// Counts how many schemas one holds once every `$ref` is followed, those that lead back to it aside.
private struct PlanSizes {
    private let definitions: [String: PlanSchema]
    private var known: [String: Int] = [:]
    private var depth = 0

    /// How many `$ref`s may follow one another.
    private static let deepest = 300

    init(_ definitions: [String: PlanSchema]) { self.definitions = definitions }

    mutating func size(of schema: PlanSchema) -> Int {
        var size = 1
        if let reference = schema.rules.reference { size += self.size(ofDefinition: reference) }
        for part in schema.parts { size = min(size + self.size(of: part), 1 << 30) }
        return size
    }

    private mutating func size(ofDefinition name: String) -> Int {
        if let size = known[name] { return size }
        guard let schema = definitions[name], depth < Self.deepest else { return 1 << 20 }
        known[name] = 1
        depth += 1
        let size = size(of: schema)
        depth -= 1
        known[name] = size
        return size
    }
}
