extension JSONText {
    /// Writes a tree as text, without white space.
    ///
    /// - Throws: `tooDeep`, and nothing else, if arrays and objects nest deeper than ``maxDepth``.
    public init(_ value: JSONValue) throws(JSONSyntaxError) {
        var bytes: [UInt8] = []
        try JSONTreeWriter.append(value, depth: 0, to: &bytes)
        self.init(accepted: bytes)
    }

    /// Writes an object as text, without white space.
    ///
    /// - Throws: `tooDeep`, and nothing else, if arrays and objects nest deeper than ``maxDepth``.
    public init(_ object: JSONObject) throws(JSONSyntaxError) {
        try self.init(.object(object))
    }
}

extension JSONValue {
    /// Reads text as a tree.
    ///
    /// Numbers keep their spelling, members their order.
    ///
    /// If an object repeats a key, the key has its first place and its last value.
    public init(_ text: JSONText) {
        let items = text.outline(depth: .max).items
        var open: [(item: JSONOutline.Item, elements: [JSONValue], members: JSONObject)] = []
        var result = JSONValue.null

        func add(_ value: JSONValue, as item: JSONOutline.Item) {
            guard let container = open.indices.last else { return result = value }
            if open[container].item.kind == .array {
                open[container].elements.append(value)
            } else {
                let key = item.key.characters(in: text.bytes)
                open[container].members[String(decoding: key, as: UTF8.self)] = value
            }
        }
        func closeContainers(downTo depth: Int) {
            while open.count > depth, let container = open.popLast() {
                let isArray = container.item.kind == .array
                add(isArray ? .array(container.elements) : .object(container.members), as: container.item)
            }
        }

        for item in items {
            closeContainers(downTo: item.depth)
            if item.kind == .array || item.kind == .object {
                open.append((item, [], [:]))
            } else {
                add(JSONValue(scalar: text.bytes[item.value], kind: item.kind), as: item)
            }
        }
        closeContainers(downTo: 0)
        self = result
    }

    /// Reads a value that is no array or object.
    private init(scalar bytes: ArraySlice<UInt8>, kind: JSONKind) {
        switch kind {
        case .string:
            let characters = JSONEscape.characters(ofContent: bytes.dropFirst().dropLast())
            self = .string(String(decoding: characters, as: UTF8.self))
        case .number: self = .number(JSONNumber(accepted: String(decoding: bytes, as: UTF8.self)))
        case .boolean: self = .bool(bytes.first == UInt8(ascii: "t"))
        case .null, .array, .object: self = .null
        }
    }
}

extension JSONObject {
    /// Reads text as an object.
    ///
    /// Numbers keep their spelling, members their order.
    ///
    /// If the text repeats a key, the key has its first place and its last value.
    ///
    /// - Returns: `nil` if the text is no object.
    public init?(_ text: JSONText) {
        guard case .object(let object) = JSONValue(text) else { return nil }
        self = object
    }
}

/// Writes trees as text.
enum JSONTreeWriter {
    /// Appends a value that is in `depth` arrays and objects already.
    static func append(_ value: JSONValue, depth: Int, to bytes: inout [UInt8]) throws(JSONSyntaxError) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): bytes += number.text.utf8
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
