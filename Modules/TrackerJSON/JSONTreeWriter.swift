extension JSONText {
    /// Writes a tree as text, without white space.
    ///
    /// - Throws: `tooDeep` if arrays and objects nest deeper than ``maxDepth``, and `invalidNumber` for NaN and the
    ///   infinities.
    @_disfavoredOverload public init(_ value: JSONValue) throws(JSONSyntaxError) {
        var bytes: [UInt8] = []
        try JSONTreeWriter.append(value, depth: 0, to: &bytes)
        self.init(accepted: bytes)
    }

    /// Writes an object as text, without white space.
    ///
    /// - Throws: `tooDeep` if arrays and objects nest deeper than ``maxDepth``, and `invalidNumber` for NaN and the
    ///   infinities.
    public init(_ object: JSONObject) throws(JSONSyntaxError) {
        try self.init(.object(object))
    }
}

/// Writes trees as text.
enum JSONTreeWriter {
    /// Appends a value that is in `depth` arrays and objects already.
    static func append(_ value: JSONValue, depth: Int, to bytes: inout [UInt8]) throws(JSONSyntaxError) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number):
            guard number.isFinite else { throw JSONSyntaxError(.invalidNumber, at: bytes.count) }
            bytes += number.text.utf8
        case .string(let string): JSONEscape.append(string, to: &bytes)
        case .array(let elements):
            guard depth < JSONText.maxDepth else { throw JSONSyntaxError(.tooDeep, at: bytes.count) }
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try append(element, depth: depth + 1, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            guard depth < JSONText.maxDepth else { throw JSONSyntaxError(.tooDeep, at: bytes.count) }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONEscape.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try append(member.value, depth: depth + 1, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
