extension JSONText {
    /// Whether this is `null`.
    public var isNull: Bool { kind == .null }

    /// The truth value, if this is `true` or `false`.
    public var boolValue: Bool? {
        kind == .boolean ? bytes.first == UInt8(ascii: "t") : nil
    }

    /// The characters, unescaped and otherwise exactly as written, if this is a string.
    public var stringValue: String? {
        guard kind == .string else { return nil }
        return String(decoding: JSONEscape.characters(ofContent: bytes.dropFirst().dropLast()), as: UTF8.self)
    }

    /// The number, if this is one and exactly a whole number that fits.
    ///
    /// What counts is the value, not the spelling: `1000`, `1e3` and `1000.0` are all 1000, and `1.5` and `1e30` are
    /// `nil`. Nothing is rounded.
    public var intValue: Int64? { number?.intValue }

    /// The nearest double, if this is a number and within the range of doubles.
    ///
    /// Digits may be lost, as in `0.1` or 2^53 + 1. Numbers too large, such as `1e400`, are `nil`.
    public var doubleValue: Double? { number?.doubleValue }

    /// The elements, in order, if this is an array; else none.
    public var elements: [JSONText] {
        guard kind == .array else { return [] }
        return outline(depth: 1).items.dropFirst().map { JSONText(accepted: bytes[$0.value]) }
    }

    /// The number in its spelling, if this is one.
    private var number: JSONNumber? {
        kind == .number ? JSONNumber(accepted: text) : nil
    }

    /// Makes a JSON string of the exact characters.
    ///
    /// The characters are quoted, not read: `JSONText("{}")` is a string of two characters. To read text, use
    /// `init(validating:)`.
    ///
    /// - Parameter string: Any characters, NUL among them.
    public init(_ string: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(string.utf8.count + 2)
        JSONEscape.append(string, to: &bytes)
        self.init(accepted: bytes)
    }

    /// Makes a JSON array of texts, spliced as they are.
    public init(elements: some Sequence<JSONText>) {
        var bytes = [UInt8(ascii: "[")]
        for element in elements {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += element.bytes
        }
        bytes.append(UInt8(ascii: "]"))
        self.init(accepted: bytes)
    }

    /// `null`.
    public static let null = JSONText(accepted: Array("null".utf8))

    /// `{}`.
    public static let emptyObject = JSONText(accepted: Array("{}".utf8))
}
