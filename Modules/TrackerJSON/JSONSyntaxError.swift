/// Why bytes are not acceptable JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A byte that cannot stand here, such as a comma too many or a byte order mark.
        case syntax
        /// The text stops before its value is complete. An empty text does, too.
        case unexpectedEnd
        /// A number that RFC 8259 does not know, such as `01`, `1.` or `-`.
        case invalidNumber
        /// A backslash followed by something that is no escape.
        case invalidEscape
        /// A control character, NUL among them, that stands unescaped in a string.
        case controlCharacter
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// A `\u` escape of one half of a surrogate pair without the other.
        case loneSurrogate
        /// Arrays and objects nested deeper than allowed.
        case tooDeep
    }

    /// Which rule was broken.
    public let kind: Kind
    /// The offset of the offending byte, counted from the start of what was given; for a value that is
    /// not text yet, zero.
    public let offset: Int

    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// A sentence for a developer, with the rule and the offset.
    ///
    /// It never quotes the text.
    public var description: String {
        let fault =
            switch kind {
            case .syntax: "The text is not JSON: there is an unexpected character"
            case .unexpectedEnd: "The text is not JSON: it ends too early"
            case .invalidNumber: "The text is not JSON: there is a malformed number"
            case .invalidEscape: "The text is not JSON: there is an unknown escape"
            case .controlCharacter: "The text is not JSON: there is an unescaped control character"
            case .invalidUTF8: "The text is not JSON: there is invalid UTF-8"
            case .loneSurrogate: "The text is not acceptable JSON: there is half a surrogate pair"
            case .tooDeep: "The JSON is nested too deeply"
            }
        return "\(fault) at byte \(offset)."
    }
}
