extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The truth value, if this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The characters, if this is a string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number, if this is one and exactly a whole number that fits; see ``JSONNumber/intValue``.
    public var intValue: Int64? {
        if case .number(let number) = self { number.intValue } else { nil }
    }

    /// The nearest double, if this is a number within the range of doubles; see ``JSONNumber/doubleValue``.
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

    /// The element at an index, if this is an array that reaches so far.
    ///
    /// - Parameter index: The element's place, from 0.
    public subscript(index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
