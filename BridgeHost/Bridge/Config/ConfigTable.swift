import JSONRPC
import TrackerModels

/// What all configurations have in common.
enum ConfigKeys {
    /// The keys of durations: the native name and a suffix.
    static let durations = Set(
        (TrackerFields.table.fields.map(\.name) + AnalyticsFields.table.fields.map(\.name)
            + BasicFields.table.fields.map(\.name)).filter { $0.hasSuffix("Ms") })

    /// A message about an option, which names it by the key that was written: durations have a suffix in JSON.
    static func named(in message: String) -> String {
        for key in durations {
            guard let place = message.place(of: "'\(key.dropLast(2))'") else { continue }
            var message = message
            message.replaceSubrange(place, with: "'\(key)'")
            return message
        }
        return message
    }
}

/// The keys that a configuration object may have: reads it, and describes it.
struct ConfigTable<Options: Sendable>: Sendable {
    /// The keys, in the order in which they are to be shown.
    let fields: [ConfigField<Options>]

    init(_ fields: [ConfigField<Options>]) {
        self.fields = fields
    }

    /// What the object may be.
    var schema: Schema {
        .object(
            fields.map { field in
                field.isRequired
                    ? .required(field.name, field.schema, field.summary)
                    : .optional(field.name, field.schema.orNull, field.summary)
            }
                + fields.flatMap { field in
                    field.aliases.map { .optional($0, field.schema.orNull, "The same as `\(field.name)`.") }
                },
            others: nil
        )
    }

    /// Sets the options that an object names; `null` is absent.
    ///
    /// - Parameters:
    ///   - object: The configuration.
    ///   - path: The keys that lead to it, for errors; empty for the outermost.
    ///   - options: What is set.
    /// - Throws: INVALID_CONFIGURATION naming the key and what is wrong with it.
    func read(_ object: JSONText, at path: String = "", into options: inout Options) throws(TrackerError) {
        guard object.kind == .object else {
            throw FieldCheck.fault(path.isEmpty ? "config" : path, "must be an object")
        }
        var seen: [String: String] = [:]
        for member in object.members {
            let field = try field(member.key, path)
            guard !member.value.isNull else { continue }
            if let other = seen.updateValue(member.key, forKey: field.name) {
                throw FieldCheck.fault(Self.join(path, member.key), "is given a second time as '\(other)'")
            }
            try field.read(member.value, Self.join(path, field.name), &options)
        }
    }

    private func field(_ key: String, _ path: String) throws(TrackerError) -> ConfigField<Options> {
        func has(_ name: String) -> Bool { name.utf8.elementsEqual(key.utf8) }

        if let field = fields.first(where: { has($0.name) || $0.aliases.contains(where: has) }) { return field }
        let nearest =
            SpellingSuggestion.nearest(to: key, among: fields.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
        throw FieldCheck.fault(Self.join(path, String(key.prefix(80))), "is not known\(nearest)")
    }

    private static func join(_ path: String, _ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }
}
