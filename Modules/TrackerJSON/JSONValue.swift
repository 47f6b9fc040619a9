/// A JSON value as a tree, to write as a literal or to look into.
///
/// ```swift
/// let value: JSONValue = ["total": 149.99, "items": [["sku": "A-1"], nil], "is_gift": true]
/// print(value["items"]?[0]?["sku"]?.stringValue ?? "none")
/// ```
///
/// Two values are equal if they are written alike: members in the same order, numbers in the same spelling, strings
/// with the same code points.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number in its spelling.
    case number(JSONNumber)
    /// Characters.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in order.
    case object(JSONObject)

    /// Makes a truth value.
    public init(_ value: Bool) {
        self = .bool(value)
    }

    /// Makes a string of exactly these characters.
    public init(_ value: some StringProtocol) {
        self = .string(String(value))
    }

    /// Makes a whole number, exact at any size.
    public init(_ value: some BinaryInteger) {
        self = .number(JSONNumber(value))
    }

    /// Makes a number in the shortest form that reads back the same.
    ///
    /// JSON cannot hold NaN and the infinities: a tree with one of them cannot be written as text, and a call that is
    /// given one is dropped.
    public init(_ value: Double) {
        self = .number(JSONNumber(inTree: value))
    }

    /// Makes a number in the shortest form that reads back as the same `Float`.
    ///
    /// JSON cannot hold NaN and the infinities: a tree with one of them cannot be written as text, and a call that is
    /// given one is dropped.
    public init(_ value: Float) {
        self = .number(JSONNumber(inTree: value))
    }

    package init(_ elements: [JSONValue]) {
        self = .array(elements)
    }

    package init(_ object: JSONObject) {
        self = .object(object)
    }

    package var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}

extension JSONValue: Hashable {
    /// Whether both are written alike.
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): ExactString(one) == ExactString(other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    /// Hashes the kind of the value and its spelling.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let string): hasher.combine(ExactString(string))
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text, or a note why there is none.
    public var description: String {
        do throws(JSONSyntaxError) {
            return try JSONText(self).text
        } catch {
            return error.kind == .tooDeep ? "(nested deeper than \(JSONText.maxDepth))" : "(not a finite number)"
        }
    }
}

extension JSONValue {
    package var isNull: Bool { self == .null }

    /// The truth value, if this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The characters, if this is a string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number, if this is a whole number that fits 64 bits; see ``JSONNumber/intValue``.
    public var intValue: Int64? {
        if case .number(let number) = self { number.intValue } else { nil }
    }

    /// The nearest double, if this is a number that is not too large for one; see ``JSONNumber/doubleValue``.
    public var doubleValue: Double? {
        if case .number(let number) = self { number.doubleValue } else { nil }
    }

    /// The elements, if this is an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The object, if this is one.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The value under a key, if this is an object that has it.
    ///
    /// - Parameter key: The key, compared by its code points.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// The element at an index, if this is an array with so many elements.
    ///
    /// - Parameter index: The place of the element, counted from 0.
    public subscript(index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral {
    /// Makes `null`.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Makes a whole number.
    ///
    /// For one beyond `Int64`, write `JSONValue(UInt64.max)`.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Makes a number in the shortest form that reads back the same: `1.0` stays `1.0`.
    ///
    /// A literal too large for a double, of which the compiler warns, is an infinity, which JSON cannot hold.
    public init(floatLiteral value: Double) {
        self = JSONValue(value)
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes an object.
    ///
    /// A key that comes twice keeps its first place and takes its last value.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(members))
    }
}
