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
