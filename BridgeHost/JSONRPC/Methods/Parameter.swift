import TrackerJSON

/// What a method takes. A class, since it is looked at with every call and copied never.
package final class Parameter: Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case string
        /// Characters, or a whole number that stands for its digits.
        case id
        /// A number of any size and precision.
        case number
        /// A whole number from -2^63 to 2^63 - 1, in any spelling.
        case integer
        case boolean
        case object
        case array
    }

    /// Its name, and in an error the word for it.
    package let name: String
    package let kind: Kind
    /// Whether the method cannot do without it.
    package let isRequired: Bool
    /// Whether it can be given by name alone, and has no position.
    package let isNamedOnly: Bool
    /// Whether a client library gives it by itself: it is no argument of the library's own function.
    package let isOfLibrary: Bool
    /// What it is for, in a sentence.
    package let summary: String
    /// The name of a schema that says more than ``kind`` does; `nil` if there is none.
    package let schema: String?
    /// What a call without it is answered with, if it is required; `nil` is INVALID_PARAMS.
    package let errorIfAbsent: RPCError?
    /// Why a call with a wrong value of it has no effect, as a stable word: given as `data.reason`; `nil` if the code says
    /// all.
    package let reason: String?
    /// The word for what it is in every method; its name, if that is the word.
    package let role: String
    /// A value of an object, for errors; `nil` if the kind says enough.
    package let example: String?

    private init(
        _ name: String, _ kind: Kind, isRequired: Bool, isNamedOnly: Bool = false, isOfLibrary: Bool = false,
        summary: String, schema: String?, errorIfAbsent: RPCError? = nil, reason: String? = nil, role: String? = nil,
        example: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.isNamedOnly = isNamedOnly
        self.isOfLibrary = isOfLibrary
        self.summary = summary
        self.schema = schema
        self.errorIfAbsent = errorIfAbsent
        self.reason = reason
        self.role = role ?? name
        self.example = example
    }

    /// A required value: neither absent nor `null`.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - kind: What it is.
    ///   - summary: What it is for, in a sentence.
    ///   - schema: The name of a schema that says more than `kind` does.
    ///   - error: What a call without it is answered with, if not with INVALID_PARAMS.
    ///   - reason: Why a call with a wrong value has no effect, if its code does not say all.
    ///   - role: The word for what it is in every method, if its name is not.
    package static func required(
        _ name: String, _ kind: Kind, _ summary: String = "", schema: String? = nil, else error: RPCError? = nil,
        reason: String? = nil, role: String? = nil
    ) -> Parameter {
        Parameter(
            name, kind, isRequired: true, summary: summary, schema: schema, errorIfAbsent: error, reason: reason,
            role: role)
    }

    /// A value that may be left out.
    ///
    /// `null` means the same.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - kind: What it is.
    ///   - summary: What it is for, in a sentence.
    ///   - schema: The name of a schema that says more than `kind` does.
    ///   - error: What stands for a wrong value in a client that looks at it itself, if not INVALID_PARAMS.
    ///   - role: The word for what it is in every method, if its name is not.
    ///   - example: A value of it, which the error for a wrong one shows.
    package static func optional(
        _ name: String, _ kind: Kind, _ summary: String = "", schema: String? = nil, else error: RPCError? = nil,
        role: String? = nil, example: String? = nil
    ) -> Parameter {
        Parameter(
            name, kind, isRequired: false, summary: summary, schema: schema, errorIfAbsent: error, role: role,
            example: example)
    }

    /// A value that may be left out, and can be given by name alone.
    ///
    /// It must stand after those with a position.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - kind: What it is.
    ///   - summary: What it is for, in a sentence.
    ///   - schema: The name of a schema that says more than `kind` does.
    ///   - isOfLibrary: Whether a client library gives it by itself.
    package static func named(
        _ name: String, _ kind: Kind, _ summary: String = "", schema: String? = nil, isOfLibrary: Bool = false
    ) -> Parameter {
        Parameter(
            name, kind, isRequired: false, isNamedOnly: true, isOfLibrary: isOfLibrary, summary: summary, schema: schema
        )
    }
}

extension Parameter.Kind {
    /// What a value must be.
    var expected: ValueKind {
        switch self {
        case .string: .string
        case .id: .id
        case .number: .number
        case .integer: .integer
        case .boolean: .boolean
        case .object: .object
        case .array: .array
        }
    }

    /// Whether a value is of this kind.
    ///
    /// - Parameters:
    ///   - kind: Its kind in JSON.
    ///   - value: The value, of which the kind as a rule says enough.
    func accepts(_ kind: JSONKind, _ value: @autoclosure () -> JSONText) -> Bool {
        switch (self, kind) {
        case (.string, .string), (.id, .string), (.number, .number), (.boolean, .boolean), (.object, .object),
            (.array, .array):
            true
        case (.id, .number): value().idText != nil
        case (.integer, .number): value().intValue != nil
        default: false
        }
    }
}

extension JSONText {
    /// The characters of a string, or the digits of a whole number that is spelled without a fraction or an exponent.
    ///
    /// Programs give the numbers by which a database knows people as they are.
    package var idText: String? {
        if kind == .string { return stringValue }
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        guard kind == .number, digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return text
    }
}
