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
    package let path: [JSONStep]
}
