import TrackerModels

/// One key of a configuration: how it is spelled, what it may be, and which option it sets.
///
/// Here a value only has to be of the right type; the native API checks ranges.
struct ConfigField<Options: Sendable>: Sendable {
    /// Sets the option from a value that stands at a path of keys.
    typealias Reading = @Sendable (_ value: JSONText, _ path: String, inout Options) throws(TrackerError) -> Void

    /// Where an option is among all.
    typealias OptionPath<Value> = any WritableKeyPath<Options, Value> & Sendable

    /// The key.
    let name: String
    /// Other spellings that mean the same.
    let aliases: [String]
    /// What the value may be.
    let schema: Schema
    /// What the option does, in a sentence.
    let summary: String
    /// Whether it is required; the native API checks that.
    private(set) var isRequired = false
    let read: Reading

    /// An option of its own kind.
    init(
        _ name: String, aliases: [String] = [], _ schema: Schema, _ summary: String, read: @escaping Reading
    ) {
        self.name = name
        self.aliases = aliases
        self.schema = schema
        self.summary = summary
        self.read = read
    }

    /// The same field, as one that must be given.
    var required: ConfigField {
        var field = self
        field.isRequired = true
        return field
    }

    /// The same field of options that are part of others.
    func lifted<Whole>(to part: any WritableKeyPath<Whole, Options> & Sendable) -> ConfigField<Whole> {
        ConfigField<Whole>(
            name, aliases: aliases, schema, summary,
            read: { value, path, whole throws(TrackerError) in try read(value, path, &whole[keyPath: part]) })
    }
}

extension ConfigField {
    /// A value that every JSON value of one kind gives, or none.
    private static func field<Value>(
        _ name: String, _ aliases: [String], _ schema: Schema, _ summary: String, mustBe phrase: String,
        _ value: @escaping @Sendable (JSONText) -> Value?, set: @escaping @Sendable (inout Options, Value) -> Void
    ) -> ConfigField {
        ConfigField(
            name, aliases: aliases, schema, summary,
            read: { text, path, options throws(TrackerError) in
                guard let value = value(text) else { throw FieldCheck.fault(path, "must be \(phrase)") }
                set(&options, value)
            })
    }

    /// A string.
    static func string(
        _ name: String, _ option: OptionPath<String?>, aliases: [String] = [],
        _ summary: String
    ) -> ConfigField {
        field(name, aliases, .string, summary, mustBe: "a string", \.stringValue) { $0[keyPath: option] = $1 }
    }

    /// A string that is never absent.
    static func text(_ name: String, _ option: OptionPath<String>, _ summary: String) -> ConfigField {
        field(name, [], .string, summary, mustBe: "a string", \.stringValue) { $0[keyPath: option] = $1 }
    }

    /// An object whose keys have a table of their own.
    static func object<Part>(
        _ name: String, _ part: OptionPath<Part>, _ table: ConfigTable<Part>,
        _ summary: String
    ) -> ConfigField {
        ConfigField(
            name, table.schema, summary,
            read: { value, path, options throws(TrackerError) in
                try table.read(value, at: path, into: &options[keyPath: part])
            })
    }
}
