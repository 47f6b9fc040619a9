/// Which events and screens there are, and what their data and the traits of users and groups must be.
///
/// It judges as the development collector does: whoever changes one changes the other, and the cases of `Tests/Plans`.
package struct TrackingPlan: Sendable {
    /// What is wrong with a plan: a sentence each.
    package struct Faults: Error, Hashable, Sendable {
        package let sentences: [String]
    }

    /// Why a call breaks the plan.
    package struct Reason: Hashable, Sendable {
        /// With the member's path.
        package let sentence: String
        /// The same without values of the call, which may be about a person: a log has no such data.
        package let bareSentence: String
        /// The member's path and what it must be: the same for every value that breaks it.
        package let rule: String
    }

    private let events: [ExactString: PlanSchema]
    /// `nil` if the plan is not about screens.
    private let screens: [ExactString: PlanSchema]?
    /// The traits of a user; `nil` if the plan is not about them.
    private let identify: PlanSchema?
    /// The traits of a group; `nil` if the plan is not about them.
    private let group: PlanSchema?
    private let definitions: [String: PlanSchema]
    private let allowsOthers: Bool

    /// How many reasons one call has at most.
    private static let mostReasons = 20
    /// How many schemas one call may hold once every `$ref` is followed.
    fileprivate static let mostSchemas = 20_000
    private static let known = [
        "events", "screens", "identify", "group", "others", "$defs", "$schema", "title", "description", "$comment",
    ]

    /// Reads a plan file's JSON.
    ///
    /// - Throws: ``Faults`` with everything that is wrong with it.
    package init(_ text: JSONText) throws(Faults) {
        guard case .object(let plan) = JSONValue(text) else {
            throw Faults(sentences: ["The plan is \(JSONValue(text).brief); it must be an object with \"events\"."])
        }
        var faults = plan.unknownMembers(besides: Self.known, "The plan")
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
        guard plan["events"]?.objectValue != nil else {
            throw Faults(sentences: ["events must be an object: a name, and what the event is."])
        }
        var parts = PlanPartReader(definitions)
        events = parts.schemas(in: plan, "events", of: "event") ?? [:]
        screens = parts.schemas(in: plan, "screens", of: "screen")
        identify = plan["identify"].map { parts.schema($0, "identify", "traits") }
        group = plan["group"].map { parts.schema($0, "group", "traits") }
        guard parts.faults.isEmpty else { throw Faults(sentences: parts.faults) }
        self.definitions = definitions
        allowsOthers = others == "allow"
    }

    /// Whether the plan is about screens.
    package var hasScreens: Bool { screens != nil }

    /// Whether the plan is about the traits of a user.
    package var hasTraits: Bool { identify != nil }

    /// Whether the plan says what the data of an event must be.
    package func names(event name: String) -> Bool { events[ExactString(name)] != nil }

    /// Judges one event.
    ///
    /// - Parameter data: What the caller gave; `nil` counts as `{}`.
    /// - Returns: Why it breaks the plan; nothing if it keeps to it, or the plan says nothing of it.
    package func reasons(against name: String, _ data: JSONValue?) -> [Reason] {
        reasons(against: .event(name), data)
    }

    /// Judges one event by the text of its data: quickly, if it keeps to the plan.
    package func reasons(against name: String, _ data: JSONText?) -> [Reason] {
        reasons(against: .event(name), data)
    }

    /// Judges one call.
    ///
    /// - Parameter data: What the caller gave; `nil` counts as `{}`.
    /// - Returns: Why it breaks the plan; nothing if it keeps to it, or the plan says nothing of it.
    package func reasons(against subject: PlanSubject, _ data: JSONValue?) -> [Reason] {
        guard let schema = schema(of: subject) else { return reasonsOfOthers(subject) }
        var check = PlanCheck(definitions)
        var found = check.findings(schema, data ?? .object([:]), at: subject.root)
        // What a part of the traits leaves out is known from before.
        if subject.isPartial { found.removeAll { $0.parent == subject.root } }
        return found.prefix(Self.mostReasons).map {
            Reason(
                sentence: $0.sentence, bareSentence: $0.bareSentence, rule: "\(Self.member($0.place)) \($0.rule)")
        }
    }

    /// Judges one call by the text of its data: quickly, if it keeps to the plan.
    package func reasons(against subject: PlanSubject, _ data: JSONText?) -> [Reason] {
        guard let schema = schema(of: subject) else { return reasonsOfOthers(subject) }
        if let data {
            var quick = QuickPlanCheck(data, definitions)
            if quick.keeps(schema) { return [] }
        }
        return reasons(against: subject, data.map { JSONValue($0) })
    }

    private func schema(of subject: PlanSubject) -> PlanSchema? {
        switch subject {
        case .event(let name): events[ExactString(name)]
        case .screen(let name): screens?[ExactString(name)]
        case .identify, .traits: identify
        case .group: group
        }
    }

    /// What is wrong with a call for which the plan has no schema.
    private func reasonsOfOthers(_ subject: PlanSubject) -> [Reason] {
        guard !allowsOthers else { return [] }
        let sentence: String
        switch subject {
        case .event(let name): sentence = Self.unplanned("event", name, among: events)
        case .screen(let name):
            guard let screens else { return [] }
            sentence = Self.unplanned("screen", name, among: screens)
        case .identify, .traits, .group: return []
        }
        return [Reason(sentence: sentence, bareSentence: sentence, rule: sentence)]
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

    private static func unplanned(_ what: String, _ name: String, among planned: [ExactString: PlanSchema]) -> String {
        let near = SpellingSuggestion.nearest(to: name, among: planned.keys.map(\.string).sorted())
        return "The \(what) is not in the plan\(near.map { "; did you mean \($0)?" } ?? ".")"
    }
}

/// Reads what a plan says of calls, and collects what is wrong with it: a sentence each.
private struct PlanPartReader {
    private let definitions: [String: PlanSchema]
    private var sizes: PlanSizes
    private(set) var faults: [String] = []

    init(_ definitions: [String: PlanSchema]) {
        self.definitions = definitions
        sizes = PlanSizes(definitions)
    }

    /// Reads a section that says something under each name.
    ///
    /// - Returns: `nil` if the plan has no such section.
    mutating func schemas(in plan: JSONObject, _ section: String, of what: String) -> [ExactString: PlanSchema]? {
        guard let value = plan[section] else { return nil }
        guard case .object(let named) = value else {
            faults.append("\(section) must be an object: a name, and what the \(what) is.")
            return nil
        }
        var schemas: [ExactString: PlanSchema] = [:]
        for (name, value) in named { schemas[ExactString(name)] = schema(value, "\(section).\(name)", "data") }
        return schemas
    }

    /// Reads what a plan says of one call.
    ///
    /// - Parameter member: The member that has the schema.
    mutating func schema(_ value: JSONValue, _ path: String, _ member: String) -> PlanSchema {
        guard case .object(let part) = value else {
            faults.append("\(path) is \(value.brief); it must be an object such as {\"\(member)\": {…}}.")
            return .anything
        }
        faults += part.unknownMembers(besides: [member, "description", "examples", "$comment"], path)
        var reader = PlanSchemaReader(definitions: Set(definitions.keys))
        let data = part[member] ?? .null
        let schema = reader.schema(data.isNull ? .bool(true) : data, at: "\(path).\(member)")
        var schemaFaults = reader.faults
        let most = TrackingPlan.mostSchemas
        if schemaFaults.isEmpty, sizes.size(of: schema) > most {
            schemaFaults.append(
                "\(path).\(member) holds more than \(most) schemas once every $ref is followed; make it smaller.")
        }
        faults += schemaFaults
        guard let examples = part["examples"] else { return schema }
        guard case .array(let examples) = examples else {
            faults.append("\(path).examples must be a list.")
            return schema
        }
        guard schemaFaults.isEmpty else { return schema }
        // An example that its own plan refuses would mislead the reader.
        for (index, example) in examples.enumerated() {
            var check = PlanCheck(definitions)
            faults += check.findings(schema, example, at: "\(path).examples[\(index)]").map(\.sentence)
        }
        return schema
    }
}

extension JSONObject {
    /// Says which members a part of a plan has that plans do not know.
    fileprivate func unknownMembers(besides known: [String], _ path: String) -> [String] {
        keys.filter { !known.contains($0) }.map { name in
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
