/// The header fields of a request or an answer, in their order.
///
/// Names are compared without regard to case (RFC 9110, 5.1), and keep the spelling that they were given.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header field.
    public struct Field: Hashable, Sendable {
        /// The name as it was given.
        public var name: String
        /// The value, without spaces around it in an answer.
        public var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, the first one first.
    public var fields: [Field] { lines.isEmpty ? given : Self.fields(of: lines) }

    /// The fields that were given one by one.
    private let given: [Field]
    /// An answer's header as it came. It is parsed on demand: most answers are judged by their status alone.
    private var lines: [UInt8] = []

    package init(_ fields: [Field] = []) { given = fields }

    /// Takes names and values in their order.
    public init(dictionaryLiteral elements: (String, String)...) {
        given = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Takes the lines of an answer's header, each with its end.
    init(lines: [UInt8]) {
        given = []
        self.lines = lines
    }

    /// The value of the first field of that name, in any case.
    ///
    /// Setting it replaces every field of the name; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { HeaderField.isSame($0.name, name) }?.value }
        set {
            var fields = fields
            let place = fields.firstIndex { HeaderField.isSame($0.name, name) }
            fields.removeAll { HeaderField.isSame($0.name, name) }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: place ?? fields.endIndex) }
            self = HTTPHeaders(fields)
        }
    }

    /// Whether both have the same fields in the same order.
    public static func == (lhs: HTTPHeaders, rhs: HTTPHeaders) -> Bool { lhs.fields == rhs.fields }

    /// Hashes the fields in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    private static func fields(of lines: [UInt8]) -> [Field] {
        lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return Field(
                name: String(decoding: line[..<colon], as: UTF8.self), value: trimmed(line[(colon + 1)...]))
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        let head = bytes.drop(while: isBlank)
        guard let last = head.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: head[...last], as: UTF8.self)
    }
}
