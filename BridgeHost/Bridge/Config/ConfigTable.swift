import TrackerModels

/// The keys that a configuration object may have: reads it, and describes it.
struct ConfigTable<Options: Sendable>: Sendable {
    /// The keys, in the order in which they are to be shown.
    let fields: [ConfigField<Options>]

    init(_ fields: [ConfigField<Options>]) {
        self.fields = fields
    }

    var schema: Schema {
        .object(
            fields.map { field in
                field.isRequired
                    ? .required(field.name, field.schema, field.summary)
                    : .optional(field.name, field.takesNull ? field.schema : field.schema.orNull, field.summary)
            }
                + fields.flatMap { field in
                    field.aliases.map { .alias($0, of: field.name, field.schema.orNull) }
                },
            others: nil
        )
    }

    /// Sets the options that an object names; `null` is absent, but for the fields that read it.
    ///
    /// - Parameters:
    ///   - object: The configuration.
    ///   - path: The keys that lead to it, for errors; empty for the outermost.
    ///   - options: What is set.
    /// - Throws: INVALID_CONFIGURATION naming the key and what is wrong with it.
    func read(_ object: JSONText, at path: String = "", into options: inout Options) throws(TrackerError) {
        guard object.kind == .object else {
            throw FieldCheck.fault(path.isEmpty ? "config" : path, .wrongKind(.object))
        }
        let members = object.members.map { (key: $0.key, value: $0.value, field: field($0.key)) }
        let unknown = members.lazy.filter { $0.field == nil }.map(\.key)
        if let wrapper = members.first(where: { $0.field == nil && memberNamed(in: $0.value) != nil }) {
            throw nested(wrapper.key, memberNamed(in: wrapper.value) ?? "", at: path)
        }
        if let first = unknown.first { throw fault(first, unknown.dropFirst(), at: path) }
        var seen: [String: String] = [:]
        for member in members {
            guard let field = member.field, !member.value.isNull || field.takesNull else { continue }
            if let other = seen.updateValue(member.key, forKey: field.name) {
                throw FieldCheck.fault(Self.join(path, member.key), .repeated(as: other))
            }
            try field.read(member.value, Self.join(path, field.name), &options)
        }
    }

    private func field(_ key: String) -> ConfigField<Options>? {
        func has(_ name: String) -> Bool { name.utf8.elementsEqual(key.utf8) }

        return fields.first { has($0.name) || $0.aliases.contains(where: has) }
    }

    /// The first key of an object that is an option of this table.
    private func memberNamed(in value: JSONText) -> String? {
        guard value.kind == .object else { return nil }
        // Callers from Python write underscores.
        func letters(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
        let names = Set(fields.map { letters($0.name) })
        return value.members.first { names.contains(letters($0.key)) }?.key
    }

    /// An object that holds the options, and is where one of them should be.
    private func nested(_ key: String, _ member: String, at path: String) -> TrackerError {
        let key = String(key.prefix(80))
        var facts: JSONObject = ["other": .string(member), "key": .string(key)]
        if !path.isEmpty { facts["parent"] = .string(path) }
        return FieldCheck.fault(Self.join(path, key), .invalid(.wrapped, facts))
    }

    /// Names the keys that are not known, each with the one that is near. If none is near, it lists those there are.
    private func fault(_ first: String, _ others: some Sequence<String>, at path: String) -> TrackerError {
        let names = fields.map(\.name)
        func unknown(_ key: String) -> OptionFault.Unknown {
            let near =
                SpellingSuggestion.nearest(to: key, among: names)
                ?? SpellingSuggestion.completion(of: key, among: names)
            return OptionFault.Unknown(Self.join(path, String(key.prefix(80))), suggestion: near)
        }

        let first = unknown(first)
        let others = others.prefix(9).map(unknown)
        let listsNames = ([first] + others).contains { $0.suggestion == nil }
        return FieldCheck.fault(
            first.name,
            .unknown(suggestion: first.suggestion, others: others, known: listsNames ? names : []))
    }

    private static func join(_ path: String, _ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }
}
