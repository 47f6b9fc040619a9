extension JSONText {
    /// Writes a dictionary of any values as an object.
    ///
    /// What can be written: `String`, `Substring`, `Character`, `Bool`, integers and floating-point numbers of every
    /// size, optionals (`nil` as `null`), arrays, dictionaries with string keys, ``JSONValue``, ``JSONObject``,
    /// ``JSONText`` and ``Properties``. Of Foundation's types: `NSNull` as `null`, `NSNumber` as the truth value or the
    /// number that it is, `Date` as ISO 8601 with milliseconds in UTC, `URL` and `UUID` as their text, `Decimal` as its
    /// exact number. Floating-point numbers take the shortest form that reads back the same. A dictionary has no order:
    /// its members are sorted by key, so that equal dictionaries give equal text.
    ///
    /// - Throws: What cannot be written, and the way to it.
    public init(bridging dictionary: [String: Any]) throws(JSONConversionError) {
        var bridge = JSONBridge()
        try bridge.append(dictionary)
        self.init(accepted: bridge.bytes)
    }
}
