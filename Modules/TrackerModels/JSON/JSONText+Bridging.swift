extension JSONText {
    /// Writes a dictionary of any values as an object.
    ///
    /// What can be written: `String`, `Substring`, `Character`, `Bool`, integers and floating-point numbers of every
    /// size, optionals (`nil` as `null`), arrays, dictionaries with string keys, ``JSONValue``, ``JSONObject`` and
    /// ``JSONText``. Floating-point numbers take the shortest form that reads back the same. A dictionary has no
    /// order: its members are sorted by key, so that equal dictionaries give equal text.
    ///
    /// - Throws: What cannot be written, and the way to it.
    public init(bridging dictionary: [String: Any]) throws(JSONConversionError) {
        var bridge = JSONBridge()
        try bridge.append(dictionary)
        self.init(accepted: bridge.bytes)
    }
}

/// Writes values of unknown type as text, and knows where it is in them.
private struct JSONBridge {
    private enum Step {
        case key(String)
        case index(Int)
    }

    private(set) var bytes: [UInt8] = []
    private var path: [Step] = []

    mutating func append(_ dictionary: [String: Any]) throws(JSONConversionError) {
        guard path.count < JSONText.maxDepth else { throw error(.tooDeep) }
        bytes.append(UInt8(ascii: "{"))
        for (index, key) in dictionary.keys.sorted().enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONEscape.append(key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            path.append(.key(key))
            if let value = dictionary[key] { try append(any: value) }
            path.removeLast()
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(_ array: [Any]) throws(JSONConversionError) {
        guard path.count < JSONText.maxDepth else { throw error(.tooDeep) }
        bytes.append(UInt8(ascii: "["))
        for (index, element) in array.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            path.append(.index(index))
            try append(any: element)
            path.removeLast()
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func append(any value: Any) throws(JSONConversionError) {
        switch value {
        case let value as String: JSONEscape.append(value, to: &bytes)
        case let value as Bool: bytes += value.description.utf8
        case let value as Int: bytes += value.description.utf8
        case let value as Double: try append(value)
        case let value as [String: Any]: try append(value)
        case let value as [Any]: try append(value)
        case let value as Substring: JSONEscape.append(value, to: &bytes)
        case let value as Character: JSONEscape.append(String(value), to: &bytes)
        case let value as any OptionalValue:
            if let wrapped = value.wrapped { try append(any: wrapped) } else { bytes += "null".utf8 }
        case let value as any BinaryInteger: try append(spelled: value)
        case let value as any BinaryFloatingPoint: try append(value)
        case let value as JSONValue: try append(tree: value)
        case let value as JSONObject: try append(tree: .object(value))
        case let value as JSONText: try append(value)
        default: throw unsupported(value)
        }
    }

    private mutating func append(_ value: some BinaryFloatingPoint) throws(JSONConversionError) {
        guard !value.isNaN else { throw error(.notANumber) }
        guard value.isFinite else { throw error(.infinity) }
        try append(spelled: value)
    }

    /// Appends a number whose description should be its JSON spelling.
    ///
    /// A foreign type may describe itself otherwise.
    private mutating func append(spelled value: some Numeric) throws(JSONConversionError) {
        guard let number = JSONNumber("\(value)") else { throw unsupported(value) }
        bytes += number.text.utf8
    }

    private mutating func append(tree: JSONValue) throws(JSONConversionError) {
        do throws(JSONSyntaxError) {
            try JSONTreeWriter.append(tree, depth: path.count, to: &bytes)
        } catch {
            throw self.error(.tooDeep)
        }
    }

    private mutating func append(_ text: JSONText) throws(JSONConversionError) {
        var scanner = JSONScanner(maxDepth: JSONText.maxDepth - path.count, outlineDepth: -1)
        do throws(JSONSyntaxError) {
            try scanner.scan(text.bytes)
        } catch {
            throw self.error(.tooDeep)
        }
        bytes += text.bytes
    }

    private func unsupported(_ value: Any) -> JSONConversionError {
        error(.unsupportedType(String(describing: type(of: value))))
    }

    private func error(_ reason: JSONConversionError.Reason) -> JSONConversionError {
        let keyPath = path.reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += text.isEmpty ? key : ".\(key)"
            case .index(let index): text += "[\(index)]"
            }
        }
        return JSONConversionError(keyPath: keyPath, reason: reason)
    }
}

/// An optional of any type, told apart from what it wraps.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { self }
}
