package import TrackerModels

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
            option.key, aliases: aliases, option.range.schema, summary ?? option.sentence(defaults),
            read: { text, path, options throws(TrackerError) in
                guard let value = option.range.value(text) else {
                    throw FieldCheck.fault(path, "must be \(option.range.phrase)")
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
        return "\(summary); by default \(usual ?? absence)\(least)."
    }
}

extension ConfigOption.Range {
    fileprivate var schema: Schema {
        switch self {
        case .integer(let least, let most): .integer(least: Int64(least), most: most.map { Int64($0) })
        case .bytes(let least): .integer(least: Int64(least), most: nil)
        case .share: .number(least: 0, most: 1)
        case .duration(let least, let most):
            .integer(least: Int64(least / .milliseconds(1)), most: most.map { Int64($0 / .milliseconds(1)) })
        case .boolean: .boolean
        case .text: .string
        case .words(let words): .choice(words)
        }
    }

    /// What a value must be, as a part of a sentence.
    fileprivate var phrase: String {
        switch self {
        case .integer, .bytes: "a whole number"
        case .share: "a number"
        case .duration: "a whole number of milliseconds"
        case .boolean: "a boolean"
        case .text: "a string"
        case .words(let words): words.map { "'\($0)'" }.joined(separator: " or ")
        }
    }

    /// A value as JSON has it; `nil` if it is of another kind.
    fileprivate func value(_ text: JSONText) -> ConfigOption.Value? {
        switch self {
        case .integer, .bytes: text.intValue.flatMap(Int.init(exactly:)).map { .integer($0) }
        case .share: text.doubleValue.map { .number($0) }
        case .duration: text.intValue.map { .duration(.milliseconds($0)) }
        case .boolean: text.boolValue.map { .boolean($0) }
        case .text: text.stringValue.map { .text($0) }
        case .words(let words): text.stringValue.flatMap { words.contains($0) ? .text($0) : nil }
        }
    }

    /// A value as documents show it.
    package func text(_ value: ConfigOption.Value) -> String {
        switch (self, value) {
        case (.bytes, .integer(let count)) where count >= 1 << 20 && count % (1 << 20) == 0: "\(count >> 20) MiB"
        case (.bytes, .integer(let count)) where count >= 1 << 10 && count % (1 << 10) == 0: "\(count >> 10) KiB"
        case (_, .integer(let count)): "\(count)".grouped
        case (_, .number(let number)): "\(number)"
        case (_, .duration(let duration)) where duration < .seconds(1): "\(Int(duration / .milliseconds(1))) ms"
        case (_, .duration(let duration)) where duration >= .seconds(600): "\(Int(duration / .seconds(60))) min"
        case (_, .duration(let duration)): "\(Int(duration / .seconds(1))) s"
        case (_, .boolean(let truth)): "\(truth)"
        case (_, .text(let text)): "`\(text)`"
        }
    }
}
