extension JSONValue {
    /// Reads text as a tree.
    ///
    /// Numbers keep their spelling, members their order. If an object repeats a key, the member stands in its first
    /// place with its last value.
    public init(_ text: JSONText) {
        var reader = JSONTreeReader(text: text)
        self = reader.value()
    }
}

extension JSONObject {
    /// Reads text as an object.
    ///
    /// Numbers keep their spelling, members their order.
    ///
    /// If the text repeats a key, the member stands in its first place with its last value.
    ///
    /// - Returns: `nil` if the text is no object.
    public init?(_ text: JSONText) {
        guard case .object(let object) = JSONValue(text) else { return nil }
        self = object
    }
}

/// Builds the tree of a text, without recursion.
private struct JSONTreeReader {
    /// An array or object whose end has not come yet.
    private struct Container {
        let key: JSONOutline.Key
        let isArray: Bool
        var elements: [JSONValue] = []
        var members = JSONObject()

        var value: JSONValue { isArray ? .array(elements) : .object(members) }
    }

    private let bytes: [UInt8]
    private let items: [JSONOutline.Item]
    private var open: [Container] = []
    private var result = JSONValue.null

    init(text: JSONText) {
        bytes = text.bytes
        items = text.outline(depth: .max).items
    }

    mutating func value() -> JSONValue {
        for item in items {
            closeContainers(downTo: item.depth)
            switch item.kind {
            case .array, .object: open.append(Container(key: item.key, isArray: item.kind == .array))
            default: add(scalar(item), under: item.key)
            }
        }
        closeContainers(downTo: 0)
        return result
    }

    private mutating func closeContainers(downTo depth: Int) {
        while open.count > depth, let container = open.popLast() {
            add(container.value, under: container.key)
        }
    }

    private mutating func add(_ value: JSONValue, under key: JSONOutline.Key) {
        guard let last = open.indices.last else {
            result = value
            return
        }
        if key.range.isEmpty {
            open[last].elements.append(value)
        } else {
            open[last].members[String(decoding: key.characters(in: bytes), as: UTF8.self)] = value
        }
    }

    /// The value of an item that is no array or object.
    private func scalar(_ item: JSONOutline.Item) -> JSONValue {
        let text = bytes[item.value]
        switch item.kind {
        case .string:
            let characters = JSONEscape.characters(ofContent: text.dropFirst().dropLast())
            return .string(String(decoding: characters, as: UTF8.self))
        case .number: return .number(JSONNumber(accepted: String(decoding: text, as: UTF8.self)))
        case .boolean: return .bool(text.first == UInt8(ascii: "t"))
        case .null, .array, .object: return .null
        }
    }
}

extension JSONText {
    /// Writes a tree as text, without white space.
    ///
    /// - Throws: `tooDeep` if arrays and objects nest deeper than 128, and `invalidNumber` for NaN and the
    ///   infinities.
    @_disfavoredOverload public init(_ value: JSONValue) throws(JSONSyntaxError) {
        try self.init(value, deeperBy: 0)
    }

    /// Writes a value as text, which may nest deeper than 128 by so many levels.
    package init(_ value: JSONValue, deeperBy levels: Int) throws(JSONSyntaxError) {
        var bytes: [UInt8] = []
        do throws(JSONTreeFault) {
            try JSONTreeWriter.append(value, depth: -levels, to: &bytes)
        } catch {
            throw JSONSyntaxError(error.reason == .tooDeep ? .tooDeep : .invalidNumber, at: bytes.count)
        }
        self.init(accepted: bytes)
    }

    /// Writes an object as text, without white space.
    ///
    /// - Throws: `tooDeep` if arrays and objects nest deeper than 128, and `invalidNumber` for NaN and the
    ///   infinities.
    public init(_ object: JSONObject) throws(JSONSyntaxError) {
        try self.init(.object(object))
    }
}
