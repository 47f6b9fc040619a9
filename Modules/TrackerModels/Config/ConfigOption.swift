/// One option of a configuration.
///
/// Checks, the keys of the bridge, debug information and the reference are made from it. Its default is that of the
/// configuration's initialiser.
package struct ConfigOption<Options: Sendable>: Sendable {
    /// Where the option is in the configuration.
    package typealias Path<Value> = any WritableKeyPath<Options, Value> & Sendable

    package enum Value: Hashable, Sendable {
        case integer(Int)
        case number(Double)
        case duration(Duration)
        case boolean(Bool)
        case text(String)
        case headers(ExtraHeaders)
    }

    package enum Range: Hashable, Sendable {
        /// At least 1.
        case integer(most: Int?)
        /// At least 1.
        case bytes
        case share
        case duration(least: Duration, most: Duration?)
        case boolean
        /// Not empty, without NUL.
        case text
        /// A path from the root, without NUL.
        case path
        case words([String])
        /// At most 16 header fields of 8 KiB.
        case headers
    }

    package let name: String
    package let summary: String
    /// What no value means.
    package let absence: String
    package let range: Range
    /// Other words for its value, in lower case, and the words that it takes.
    package private(set) var synonyms: [String: String] = [:]
    /// The option that this one must not be less than.
    package private(set) var lowerOption: String?
    /// What 0 means, if it is allowed besides the range.
    package private(set) var zero: String?
    private var least: (@Sendable (Options) -> Duration)?
    private let get: @Sendable (Options) -> Value?
    private let set: @Sendable (inout Options, Value) -> Void

    private init(
        _ name: String, _ summary: String, _ range: Range, absence: String = "none",
        get: @escaping @Sendable (Options) -> Value?, set: @escaping @Sendable (inout Options, Value) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.range = range
        self.absence = absence
        self.get = get
        self.set = set
    }

    /// The name in JSON, where a duration is a number of milliseconds.
    package var key: String {
        if case .duration = range { "\(name)Ms" } else { name }
    }

    package func value(in options: Options) -> Value? { get(options) }

    /// Changes the value in these options; one of another kind changes nothing.
    package func apply(_ value: Value, to options: inout Options) { set(&options, value) }

    /// - Throws: `invalidConfiguration` with the name and the reason.
    package func check(_ options: Options) throws(TrackerError) {
        switch (get(options), range) {
        case (.integer(let value), .integer(let most?)):
            guard (1...most).contains(value) || value == 0 && zero != nil else {
                throw fault(.outOfRange(least: .integer(1), most: .integer(most), value: .integer(value)))
            }
        case (.integer(let value), .integer), (.integer(let value), .bytes):
            guard value >= 1 || value == 0 && zero != nil else {
                throw fault(.tooSmall(least: .integer(1), value: .integer(value)))
            }
        case (.number(let value), _):
            guard (0...1).contains(value) else {
                throw fault(.outOfRange(least: .integer(0), most: .integer(1), value: .number(value)))
            }
        case (.duration(let value), .duration(let fixed, let most)):
            if zero != nil, value == .zero { return }
            let least = least?(options) ?? fixed
            if value < least { throw fault(.tooSmall(least: .duration(least), value: .duration(value))) }
            if let most, value > most { throw fault(.tooLarge(most: .duration(most), value: .duration(value))) }
        case (.text(let value), .path):
            if let reason = FieldCheck.fault(ofPath: value) { throw fault(reason) }
        case (.text(let value), .text):
            guard !value.isEmpty, !value.utf8.contains(0) else { throw fault(.invalid(.emptyText)) }
        case (.headers(let headers), _):
            if let reason = headers.fault { throw fault(reason) }
        default: break
        }
    }

    package func fault(_ reason: OptionFault.Reason) -> TrackerError {
        TrackerError(OptionFault(name, key: key, reason))
    }
}

extension ConfigOption {
    /// A whole number of at least 1.
    ///
    /// - Parameter zero: What 0 means, if it is allowed as well.
    package static func integer(
        _ name: String, _ path: Path<Int>, to most: Int? = nil, zero: String? = nil, _ summary: String
    ) -> ConfigOption {
        integer(name, path, .integer(most: most), zero, summary)
    }

    /// A number of bytes of at least 1, or 0 if that has a meaning.
    package static func bytes(
        _ name: String, _ path: Path<Int>, zero: String? = nil, _ summary: String
    ) -> ConfigOption {
        integer(name, path, .bytes, zero, summary)
    }

    private static func integer(
        _ name: String, _ path: Path<Int>, _ range: Range, _ zero: String?, _ summary: String
    ) -> ConfigOption {
        var option = ConfigOption(name, summary, range, get: { .integer($0[keyPath: path]) }) { options, value in
            if case .integer(let value) = value { options[keyPath: path] = value }
        }
        option.zero = zero
        return option
    }

    /// A whole number of at least 1, or none.
    package static func integer(
        _ name: String, _ path: Path<Int?>, absence: String, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, .integer(most: nil), absence: absence,
            get: { $0[keyPath: path].map { .integer($0) } }
        ) { options, value in
            if case .integer(let value) = value { options[keyPath: path] = value }
        }
    }

    /// A number from 0 to 1.
    package static func share(_ name: String, _ path: Path<Double>, _ summary: String) -> ConfigOption {
        ConfigOption(name, summary, .share, get: { .number($0[keyPath: path]) }) { options, value in
            if case .number(let value) = value { options[keyPath: path] = value }
        }
    }

    package static func duration(
        _ name: String, _ path: Path<Duration>, from least: Duration, to most: Duration? = nil, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, .duration(least: least, most: most), get: { .duration($0[keyPath: path]) }
        ) { options, value in
            if case .duration(let value) = value { options[keyPath: path] = value }
        }
    }

    package static func duration(
        _ name: String, _ path: Path<Duration?>, from least: Duration, absence: String, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, .duration(least: least, most: nil), absence: absence,
            get: { $0[keyPath: path].map { .duration($0) } }
        ) { options, value in
            if case .duration(let value) = value { options[keyPath: path] = value }
        }
    }

    /// A duration or none, where 0 stands for none: a value that is left out is the default.
    package static func duration(
        _ name: String, _ path: Path<Duration?>, from least: Duration, zero: String, _ summary: String
    ) -> ConfigOption {
        var option = ConfigOption(
            name, summary, .duration(least: least, most: nil),
            get: { .duration($0[keyPath: path] ?? .zero) }
        ) { options, value in
            if case .duration(let value) = value { options[keyPath: path] = value == .zero ? nil : value }
        }
        option.zero = zero
        return option
    }

    /// The same option, with words that its callers know from elsewhere: they are refused with the right one.
    package func named(otherwise synonyms: [String: String]) -> ConfigOption {
        var option = self
        option.synonyms = synonyms
        return option
    }

    /// The same duration, as one that must not be less than another option.
    package func notLess(than name: String, _ path: Path<Duration>) -> ConfigOption {
        var option = self
        option.lowerOption = name
        option.least = { $0[keyPath: path] }
        return option
    }

    package static func boolean(_ name: String, _ path: Path<Bool>, _ summary: String) -> ConfigOption {
        ConfigOption(name, summary, .boolean, get: { .boolean($0[keyPath: path]) }) { options, value in
            if case .boolean(let value) = value { options[keyPath: path] = value }
        }
    }

    /// `true` or `false`, or neither.
    package static func boolean(
        _ name: String, _ path: Path<Bool?>, absence: String, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, .boolean, absence: absence, get: { $0[keyPath: path].map { .boolean($0) } }
        ) { options, value in
            if case .boolean(let value) = value { options[keyPath: path] = value }
        }
    }

    /// Whether a client does anything at all.
    package static func enabled(_ path: Path<Bool?>) -> ConfigOption {
        boolean(
            "enabled", path, absence: "as `MOBILE_TRACKER_ENABLED` says in the environment, else true",
            "With `false` nothing is stored or sent, calls are dropped as `DISABLED`, and no other option is looked at")
    }

    package static func text(
        _ name: String, _ path: Path<String?>, absence: String, _ summary: String
    ) -> ConfigOption {
        text(name, path, .text, absence: absence, summary)
    }

    /// A path from the root, or none.
    package static func path(
        _ name: String, _ path: Path<String?>, absence: String, _ summary: String
    ) -> ConfigOption {
        text(name, path, .path, absence: absence, summary)
    }

    private static func text(
        _ name: String, _ path: Path<String?>, _ range: Range, absence: String, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, range, absence: absence, get: { $0[keyPath: path].map { .text($0) } }
        ) { options, value in
            if case .text(let value) = value { options[keyPath: path] = value }
        }
    }

    /// Header fields for every request.
    package static func headers(_ name: String, _ path: Path<ExtraHeaders>, _ summary: String) -> ConfigOption {
        ConfigOption(
            name, summary, .headers,
            get: { $0[keyPath: path].values.isEmpty ? nil : .headers($0[keyPath: path]) }
        ) { options, value in
            if case .headers(let headers) = value { options[keyPath: path] = headers }
        }
    }

    /// One of a few words.
    package static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Word>, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, .words(Word.allCases.map(\.rawValue)), get: { .text($0[keyPath: path].rawValue) }
        ) { options, value in
            if case .text(let value) = value, let word = Word(rawValue: value) { options[keyPath: path] = word }
        }
    }

    /// One of a few words, or none.
    package static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Word?>, absence: String, _ summary: String
    ) -> ConfigOption {
        ConfigOption(
            name, summary, .words(Word.allCases.map(\.rawValue)), absence: absence,
            get: { $0[keyPath: path].map { .text($0.rawValue) } }
        ) { options, value in
            if case .text(let value) = value, let word = Word(rawValue: value) { options[keyPath: path] = word }
        }
    }
}

extension ConfigOption.Value {
    /// The value as it stands in JSON; of headers the values are masked.
    package var json: JSONValue {
        switch self {
        case .integer(let value): JSONValue(value)
        case .number(let value): JSONValue(value)
        case .duration(let value): JSONValue(value.count(perSecond: 1000))
        case .boolean(let value): .bool(value)
        case .text(let value): .string(value)
        case .headers(let headers): .object(headers.masked)
        }
    }
}
