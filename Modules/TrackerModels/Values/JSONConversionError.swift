/// Why a Swift value cannot be written as JSON, and where it stands.
public struct JSONConversionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of value that JSON cannot hold.
    package enum Reason: Hashable, Sendable {
        /// A number that is `NaN`, `Infinity` or `-Infinity`.
        case notFinite(String)
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
    public var description: String { Refusal(self).sentence("") + "." }

    /// The reason as a word that does not change between versions.
    fileprivate var word: FaultWord {
        switch reason {
        case .notFinite, .unsupportedType: .notJSON
        case .tooDeep: .tooDeep
        case .notAnObject: .wrongKind
        case .encoding: .unencodable
        }
    }

    /// What the text of that word has marks for, but for the path.
    fileprivate var facts: JSONObject {
        switch reason {
        case .notFinite(let number): ["value": .string(number)]
        case .unsupportedType(let name): ["type": .string(name)]
        case .tooDeep: ValueFault.tooDeep.facts
        case .notAnObject(let kind):
            ["expected": .string(ValueKind.object.rawValue), "given": .string("\(kind)")]
        case .encoding(let message): ["error": .string(message)]
        }
    }

    /// What is wrong with an option, or with what is in it.
    package func fault(of option: String) -> OptionFault {
        OptionFault(path(in: option), .invalid(word, facts))
    }

    fileprivate func path(in option: String?) -> String {
        [option ?? "", keyPath].filter { !$0.isEmpty }.joined(separator: ".")
    }
}

extension Refusal {
    /// A value that JSON cannot hold.
    ///
    /// - Parameter option: The option in which it is, if it is in one.
    init(_ error: JSONConversionError, in option: String? = nil) {
        let path = error.path(in: option)
        var facts = error.facts
        if !path.isEmpty { facts["option"] = .string(path) }
        self.init(.serialization, error.word, facts)
    }
}
