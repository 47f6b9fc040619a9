import TrackerModels

/// One key of a configuration: how it is spelled, what it may be, and which option it sets.
///
/// Ranges are the native API's to check; here a value only has to be of the right type.
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
    /// Whether there is no doing without it; the native API checks that.
    private(set) var isRequired = false
    let read: Reading

    /// An option of its own kind.
    init(_ name: String, aliases: [String] = [], _ schema: Schema, _ summary: String, read: @escaping Reading) {
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
        ConfigField<Whole>(name, aliases: aliases, schema, summary) { value, path, whole throws(TrackerError) in
            try read(value, path, &whole[keyPath: part])
        }
    }
}

extension ConfigField {
    /// A value that every JSON value of one kind gives, or none.
    private static func field<Value>(
        _ name: String, _ aliases: [String], _ schema: Schema, _ summary: String, mustBe phrase: String,
        _ value: @escaping @Sendable (JSONText) -> Value?, set: @escaping @Sendable (inout Options, Value) -> Void
    ) -> ConfigField {
        ConfigField(name, aliases: aliases, schema, summary) { text, path, options throws(TrackerError) in
            guard let value = value(text) else { throw FieldCheck.fault(path, "must be \(phrase)") }
            set(&options, value)
        }
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

    /// `true` or `false`.
    static func boolean(
        _ name: String, _ option: OptionPath<Bool>, aliases: [String] = [],
        _ summary: String
    ) -> ConfigField {
        field(name, aliases, .boolean, summary, mustBe: "a boolean", \.boolValue) { $0[keyPath: option] = $1 }
    }

    /// A whole number.
    static func integer(
        _ name: String, _ option: OptionPath<Int>, aliases: [String] = [],
        from least: Int64 = 1, to most: Int64? = nil, _ summary: String
    ) -> ConfigField {
        field(
            name, aliases, .integer(least: least, most: most), summary, mustBe: "a whole number",
            { $0.intValue.flatMap(Int.init(exactly:)) }, set: { $0[keyPath: option] = $1 }
        )
    }

    /// A number from 0 to 1.
    static func share(
        _ name: String, _ option: OptionPath<Double>, _ summary: String
    ) -> ConfigField {
        field(name, [], .number(least: 0, most: 1), summary, mustBe: "a number", \.doubleValue) {
            $0[keyPath: option] = $1
        }
    }

    /// A duration in whole milliseconds.
    static func milliseconds(
        _ name: String, _ option: OptionPath<Duration>, from least: Int64 = 0,
        to most: Int64? = nil, _ summary: String
    ) -> ConfigField {
        duration(name, from: least, to: most, summary) { $0[keyPath: option] = $1 }
    }

    /// A whole number that may be absent.
    static func optionalInteger(
        _ name: String, _ option: OptionPath<Int?>, _ summary: String
    ) -> ConfigField {
        field(
            name, [], .integer(least: 1, most: nil), summary, mustBe: "a whole number",
            { $0.intValue.flatMap(Int.init(exactly:)) }, set: { $0[keyPath: option] = $1 }
        )
    }

    /// A duration in whole milliseconds that may be absent.
    static func optionalMilliseconds(
        _ name: String, _ option: OptionPath<Duration?>, from least: Int64, _ summary: String
    ) -> ConfigField {
        duration(name, from: least, to: nil, summary) { $0[keyPath: option] = $1 }
    }

    private static func duration(
        _ name: String, from least: Int64, to most: Int64?, _ summary: String,
        set: @escaping @Sendable (inout Options, Duration) -> Void
    ) -> ConfigField {
        field(
            name, [], .integer(least: least, most: most), summary, mustBe: "a whole number of milliseconds",
            { $0.intValue.map { .milliseconds($0) } }, set: set
        )
    }

    /// One of a few words.
    static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ option: OptionPath<Word>, _ summary: String
    ) -> ConfigField {
        let (schema, phrase) = words(Word.self)
        return field(
            name, [], schema, summary, mustBe: phrase, { $0.stringValue.flatMap(Word.init(rawValue:)) },
            set: { $0[keyPath: option] = $1 }
        )
    }

    /// One of a few words, that may be absent.
    static func optionalChoice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ option: OptionPath<Word?>, _ summary: String
    ) -> ConfigField {
        let (schema, phrase) = words(Word.self)
        return field(
            name, [], schema, summary, mustBe: phrase, { $0.stringValue.flatMap(Word.init(rawValue:)) },
            set: { $0[keyPath: option] = $1 }
        )
    }

    private static func words<Word: RawRepresentable<String> & CaseIterable>(
        _: Word.Type
    ) -> (schema: Schema, phrase: String) {
        let words = Word.allCases.map(\.rawValue)
        return (.choice(words), words.map { "'\($0)'" }.joined(separator: " or "))
    }

    /// An object whose keys have a table of their own.
    static func object<Part>(
        _ name: String, _ part: OptionPath<Part>, _ table: ConfigTable<Part>,
        _ summary: String
    ) -> ConfigField {
        ConfigField(name, table.schema, summary) { value, path, options throws(TrackerError) in
            try table.read(value, at: path, into: &options[keyPath: part])
        }
    }
}
