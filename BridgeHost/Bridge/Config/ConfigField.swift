import JSONRPC
package import TrackerModels

/// One key of a configuration: how it is spelled, what it may be, and which option it sets.
///
/// Here a value only has to be of the right type; the native API checks ranges.
struct ConfigField<Options: Sendable>: Sendable {
    /// Sets the option from a value that stands at a path of keys.
    typealias Reading = @Sendable (_ value: JSONText, _ path: String, inout Options) throws(TrackerError) -> Void

    /// Where an option is among all.
    typealias OptionPath<Value> = any WritableKeyPath<Options, Value> & Sendable

    let name: String
    /// Other spellings that mean the same.
    let aliases: [String]
    let schema: Schema
    /// What the option does, in a sentence.
    let summary: String
    /// Whether it is required; the native API checks that.
    private(set) var isRequired = false
    /// Whether `null` is a value, and not the same as nothing.
    private(set) var takesNull = false
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

    /// The same field, as one whose `null` is read.
    var readingNull: ConfigField {
        var field = self
        field.takesNull = true
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
        _ name: String, _ aliases: [String], _ schema: Schema, _ summary: String, mustBe kind: ValueKind,
        _ value: @escaping @Sendable (JSONText) -> Value?, set: @escaping @Sendable (inout Options, Value) -> Void
    ) -> ConfigField {
        ConfigField(
            name, aliases: aliases, schema, summary,
            read: { text, path, options throws(TrackerError) in
                guard let value = value(text) else { throw FieldCheck.fault(path, .wrongKind(kind)) }
                set(&options, value)
            })
    }

    static func string(
        _ name: String, _ option: OptionPath<String?>, aliases: [String] = [],
        _ summary: String
    ) -> ConfigField {
        field(name, aliases, .string, summary, mustBe: .string, \.stringValue) { $0[keyPath: option] = $1 }
    }

    /// A string that is never absent.
    static func text(_ name: String, _ option: OptionPath<String>, _ summary: String) -> ConfigField {
        field(name, [], .string, summary, mustBe: .string, \.stringValue) { $0[keyPath: option] = $1 }
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

extension ConfigField {
    /// The key of an option.
    ///
    /// - Parameters:
    ///   - defaults: Where its default stands.
    ///   - aliases: Other spellings that mean the same.
    ///   - summary: What it does, where the option's own words and default do not say it.
    init(
        _ option: ConfigOption<Options>, in defaults: Options, aliases: [String] = [], summary: String? = nil
    ) {
        self.init(
            option.key, aliases: aliases, option.schema, summary ?? option.sentence(defaults),
            read: { text, path, options throws(TrackerError) in
                guard let value = option.range.value(text) else {
                    throw FieldCheck.fault(path, option.fault(of: text))
                }
                option.apply(value, to: &options)
            })
    }
}

extension ConfigOption {
    /// What it does, with its default.
    fileprivate func sentence(_ defaults: Options) -> String {
        let usual = value(in: defaults).map { value in
            if case .duration = value { return value.json.description.grouped }
            return range.text(value)
        }
        let least = lowerOption.map { ", at least `\($0)Ms`" } ?? ""
        let zero = zero.map { "; 0: \($0)" } ?? ""
        return "\(summary); by default \(usual ?? absence)\(least)\(zero)."
    }

    /// What is wrong with a value that its range does not have.
    fileprivate func fault(of text: JSONText) -> OptionFault.Reason {
        switch range {
        case .integer, .bytes: .wrongKind(.wholeNumber)
        case .share: .wrongKind(.number)
        case .duration: .wrongKind(.milliseconds)
        case .boolean: .wrongKind(.boolean)
        case .text, .path: .wrongKind(.string)
        case .words(let words): .otherWord(of: words, text, synonyms: synonyms)
        case .headers: .wrongKind(.headers)
        }
    }

    fileprivate var schema: Schema {
        // 0 stands outside of the range.
        if zero != nil, case .integer(_, let most) = range.schema { return .integer(least: 0, most: most) }
        return range.schema
    }
}

extension OptionFault.Reason {
    /// That a value is no word of those there are, with the one that was probably meant.
    static func otherWord(of words: [String], _ value: JSONText, synonyms: [String: String] = [:]) -> Self {
        guard let given = value.stringValue else { return .otherWord(of: words) }
        if let word = synonyms[given.lowercased()] { return .otherWord(of: words, meant: .synonym(word, of: given)) }
        return .otherWord(of: words, meant: SpellingSuggestion.nearest(to: given, among: words).map { .near($0) })
    }
}

extension ConfigOption.Range {
    fileprivate var schema: Schema {
        switch self {
        case .integer(let most): .integer(least: 1, most: most.map { Int64($0) })
        case .bytes: .integer(least: 1, most: nil)
        case .share: .number(least: 0, most: 1)
        case .duration(let least, let most):
            .integer(least: Int64(least / .milliseconds(1)), most: most.map { Int64($0 / .milliseconds(1)) })
        case .boolean: .boolean
        case .text, .path: .string
        case .words(let words): .choice(words)
        case .headers: .object([], others: .string)
        }
    }

    /// A value as JSON has it; `nil` if it is of another kind.
    fileprivate func value(_ text: JSONText) -> ConfigOption.Value? {
        switch self {
        case .integer, .bytes: text.intValue.flatMap(Int.init(exactly:)).map { .integer($0) }
        case .share: text.doubleValue.map { .number($0) }
        case .duration: text.intValue.map { .duration(.milliseconds($0)) }
        case .boolean: text.boolValue.map { .boolean($0) }
        case .text, .path: text.stringValue.map { .text($0) }
        case .words(let words): text.stringValue.flatMap { words.contains($0) ? .text($0) : nil }
        case .headers: text.headers.map { .headers($0) }
        }
    }

    /// A value as documents show it.
    package func text(_ value: ConfigOption.Value) -> String {
        switch (self, value) {
        case (.bytes, .integer(let count)) where count >= 1 << 20 && count % (1 << 20) == 0: "\(count >> 20) MiB"
        case (.bytes, .integer(let count)) where count >= 1 << 10 && count % (1 << 10) == 0: "\(count >> 10) KiB"
        case (_, .integer(let count)): "\(count)".grouped
        case (_, .number(let number)): "\(number)"
        case (_, .duration(let duration)) where duration >= .seconds(600): "\(Int(duration / .seconds(60))) min"
        case (_, .duration(let duration)): FieldCheck.text(duration)
        case (_, .boolean(let truth)): "\(truth)"
        case (_, .text(let text)): "`\(text)`"
        case (_, .headers(let headers)): headers.description
        }
    }
}

extension JSONText {
    /// The members, if all of them are strings; of two with one name the last.
    var headers: ExtraHeaders? {
        guard kind == .object else { return nil }
        var headers: [String: String] = [:]
        for member in members {
            guard let value = member.value.stringValue else { return nil }
            headers[member.key] = value
        }
        return ExtraHeaders(headers)
    }
}
