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

/// A step from a value to one that it holds.
package enum JSONStep: Hashable, Sendable {
    case key(String)
    case index(Int)
}

/// Why a tree cannot be written as text, and where the value stands.
package struct JSONTreeFault: Error {
    /// The kind of value that text cannot hold.
    package enum Reason: Hashable, Sendable {
        case tooDeep
        /// NaN or an infinity.
        case notFinite(JSONNumber)
    }

    package let reason: Reason
    /// The way to the value.
    package let path: [JSONStep]
}

package enum JSONTreeWriter {
    /// Appends a value that is in `depth` arrays and objects already.
    package static func append(
        _ value: JSONValue, depth: Int, to bytes: inout [UInt8]
    ) throws(JSONTreeFault) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number):
            guard number.isFinite else { throw JSONTreeFault(reason: .notFinite(number), path: []) }
            bytes += number.text.utf8
        case .string(let string): JSONEscape.append(string, to: &bytes)
        case .array(let elements):
            guard depth < JSONText.maxDepth else { throw JSONTreeFault(reason: .tooDeep, path: []) }
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try append(element, at: .index(index), depth: depth + 1, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            guard depth < JSONText.maxDepth else { throw JSONTreeFault(reason: .tooDeep, path: []) }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONEscape.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try append(member.value, at: .key(member.key), depth: depth + 1, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a value, and adds its step to the path of a fault.
    private static func append(
        _ value: JSONValue, at step: @autoclosure () -> JSONStep, depth: Int, to bytes: inout [UInt8]
    ) throws(JSONTreeFault) {
        do throws(JSONTreeFault) {
            try append(value, depth: depth, to: &bytes)
        } catch {
            throw JSONTreeFault(reason: error.reason, path: [step()] + error.path)
        }
    }
}
