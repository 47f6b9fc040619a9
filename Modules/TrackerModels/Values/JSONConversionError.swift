/// Why a Swift value cannot be written as JSON, and where it stands.
public struct JSONConversionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of value that JSON cannot hold.
    package enum Reason: Hashable, Sendable {
        /// A floating-point value that is not a number.
        case notANumber
        case infinity
        /// A value of a type that has no JSON form, such as `Data`, with the type's name.
        case unsupportedType(String)
        /// Arrays and dictionaries nested deeper than ``JSONText/maxDepth``.
        case tooDeep
        /// JSON text of this kind where an object is needed.
        case notAnObject(JSONKind)
        /// A value whose `encode(to:)` has thrown, with the type of the error or of the value that it names.
        case encoding(String)
    }

    /// The path to the value, such as `items[2].price`.
    public let keyPath: String
    /// The kind of value that JSON cannot hold.
    package let reason: Reason

    /// - Parameters:
    ///   - keyPath: The path to the value, such as `items[2].price`.
    ///   - reason: The kind of value that JSON cannot hold.
    package init(keyPath: String, reason: Reason) {
        self.keyPath = keyPath
        self.reason = reason
    }

    /// A sentence for a developer.
    ///
    /// It names the place and the type, never the value.
    public var description: String {
        switch reason {
        case .notANumber: "JSON cannot hold NaN, which is the value at \(keyPath)."
        case .infinity: "JSON cannot hold an infinity, which is the value at \(keyPath)."
        case .unsupportedType(let name): "JSON cannot hold a value of type \(name), such as the one at \(keyPath)."
        case .tooDeep:
            "The value\(keyPath.isEmpty ? "" : " at \(keyPath)") is nested more than \(JSONText.maxDepth) deep."
        case .notAnObject(let kind): "The value is not a JSON object but of kind \(kind)."
        case .encoding(let message): "The value\(keyPath.isEmpty ? "" : " at \(keyPath)") cannot be encoded: \(message)"
        }
    }
}
