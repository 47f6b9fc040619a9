/// The header fields of a request or an answer, in their order.
///
/// Names are compared without regard to case, as HTTP does (RFC 9110, 5.1); they keep the spelling they came with.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header field.
    public struct Field: Hashable, Sendable {
        /// The name as it was given.
        public var name: String
        /// The value, without spaces around it in an answer.
        public var value: String

        /// Pairs a name with a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, the first one first.
    public private(set) var fields: [Field]

    /// Takes fields in their order.
    public init(_ fields: [Field] = []) { self.fields = fields }

    /// Takes names and values in their order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field of that name, in any case.
    ///
    /// Setting it replaces every field of the name; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            let place = fields.firstIndex { Self.isSame($0.name, name) }
            fields.removeAll { Self.isSame($0.name, name) }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: place ?? fields.endIndex)
        }
    }

    /// Adds a field after the others, also if the name is there already.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The values of all fields of that name, in any case, in their order.
    public func values(named name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Whether two names are the same header: ASCII letters count the same in either case.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
