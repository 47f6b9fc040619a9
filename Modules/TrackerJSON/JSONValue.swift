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

    /// Makes an array.
    public init(_ elements: [JSONValue]) {
        self = .array(elements)
    }

    /// Makes an object.
    public init(_ object: JSONObject) {
        self = .object(object)
    }

    /// What the value is.
    public var kind: JSONKind {
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

    /// Hashes what the value is and how it is written.
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
