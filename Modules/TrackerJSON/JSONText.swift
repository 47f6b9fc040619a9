/// One JSON value as text: bytes that a validating pass has accepted.
///
/// Accepted is JSON as in RFC 8259, in UTF-8, with any kind of value at the top. One rule is stricter: a `\u` escape of
/// half a surrogate pair is refused. Nothing is rewritten: numbers keep their spelling, members their order, strings
/// their escapes. Only white space around the value is removed.
///
/// Two texts are equal if their bytes are: `1.0` is not `1`.
public struct JSONText: Hashable, Sendable {
    /// How many levels deep arrays and objects may nest; `[[]]` has two.
    package static let maxDepth = 128

    /// The deepest nesting that a caller can ask for.
    package static let maxDepthCeiling = 1024

    /// The text as UTF-8.
    ///
    /// Never empty, and without white space around the value.
    public let bytes: [UInt8]

    /// Takes bytes that are known to be valid, such as text that was put together from valid parts.
    ///
    /// - Parameter bytes: A value without white space around it.
    package init(accepted bytes: [UInt8]) {
        assert(Self.isAcceptable(bytes), "These bytes are not JSON without white space around it.")
        self.bytes = bytes
    }

    /// Takes a part of a buffer that a scanner has found to be a value, without a slice of it on the way.
    init(accepted bytes: [UInt8], in range: Range<Int>) {
        self.init(accepted: unsafe bytes.withUnsafeBufferPointer { bytes in unsafe Array(bytes[range]) })
    }

    /// Takes a part of a buffer that a scanner has found to be a value.
    package init(accepted bytes: ArraySlice<UInt8>) {
        self.init(accepted: Array(bytes))
    }

    /// Validates UTF-8 bytes.
    ///
    /// - Parameter bytes: A value, with or without white space around it. Arrays and objects may nest 128 deep.
    /// - Throws: The first fault and where it is.
    public init(validating bytes: [UInt8]) throws(JSONSyntaxError) {
        try self.init(validating: bytes, maxDepth: Self.maxDepth)
    }

    /// Validates UTF-8 bytes that may nest deeper, or less deep; more than 1,024 counts as that.
    package init(validating bytes: [UInt8], maxDepth: Int) throws(JSONSyntaxError) {
        var scanner = JSONScanner(maxDepth: min(maxDepth, Self.maxDepthCeiling), outlineDepth: -1)
        let value = try scanner.scan(bytes)
        self.bytes = value.count == bytes.count ? bytes : Array(bytes[value])
    }

    /// Validates a part of an array without copying the rest.
    ///
    /// - Parameters:
    ///   - bytes: A value, with or without white space around it.
    ///   - maxDepth: How deep arrays and objects may nest; more than 1,024 counts as that.
    /// - Throws: The first fault; its offset counts from the start of the slice.
    package init(validating bytes: ArraySlice<UInt8>, maxDepth: Int = JSONText.maxDepth) throws(JSONSyntaxError) {
        var scanner = JSONScanner(maxDepth: min(maxDepth, Self.maxDepthCeiling), outlineDepth: -1)
        let value = try scanner.scan(bytes)
        self.bytes = Array(bytes.dropFirst(value.lowerBound).prefix(value.count))
    }

    /// Validates a string.
    ///
    /// - Parameter string: A value, with or without white space around it. Arrays and objects may nest 128 deep.
    /// - Throws: The first fault and where it is, as an offset into the string's UTF-8.
    public init(validating string: String) throws(JSONSyntaxError) {
        try self.init(validating: Array(string.utf8))
    }

    /// The text as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The length of the text in bytes.
    package var byteCount: Int { bytes.count }

    package var kind: JSONKind { bytes.first.flatMap(JSONKind.init(firstByte:)) ?? .null }

    /// Where the outer values of this text are.
    ///
    /// - Parameter depth: The depth of the deepest values to tell of; 1 is the direct members or elements.
    package func outline(depth: Int) -> JSONOutline {
        var scanner = JSONScanner(maxDepth: .max, outlineDepth: depth)
        // The bytes were accepted before, so there is nothing to throw.
        _ = try? scanner.scan(bytes)
        return scanner.outline
    }

    private static func isAcceptable(_ bytes: [UInt8]) -> Bool {
        var scanner = JSONScanner(maxDepth: .max, outlineDepth: -1)
        // Any fault means the same here.
        return (try? scanner.scan(bytes)) == 0..<bytes.count
    }
}

extension JSONText: CustomStringConvertible {
    /// The text as a string.
    public var description: String { text }
}

extension JSONText {
    /// Whether this is an object with at least one member.
    package var hasMembers: Bool {
        guard kind == .object else { return false }
        var place = 1
        while bytes[place] <= 0x20 { place += 1 }
        return bytes[place] != UInt8(ascii: "}")
    }

    package var isNull: Bool { kind == .null }

    /// The truth value, if this is `true` or `false`.
    package var boolValue: Bool? {
        kind == .boolean ? bytes.first == UInt8(ascii: "t") : nil
    }

    /// The characters, unescaped and otherwise exactly as written, if this is a string.
    package var stringValue: String? {
        guard kind == .string else { return nil }
        return JSONEscape.string(of: bytes, in: bytes.indices)
    }

    /// The number, if this is a whole number that fits 64 bits.
    ///
    /// What counts is the value, not the spelling: `1000`, `1e3` and `1000.0` are all 1000, and `1.5` and `1e30` are
    /// `nil`. Nothing is rounded.
    package var intValue: Int64? { number?.intValue }

    /// The nearest double, if this is a number. `nil` if the number is too large for one, such as `1e400`.
    ///
    /// Digits may be lost, as in `0.1` or 2^53 + 1.
    package var doubleValue: Double? { number?.doubleValue }

    /// The elements, in order, if this is an array; otherwise none.
    package var elements: [JSONText] {
        guard kind == .array else { return [] }
        return outline(depth: 1).items.dropFirst().map { JSONText(accepted: bytes[$0.value]) }
    }

    /// The number in its spelling, if this is one.
    private var number: JSONNumber? {
        kind == .number ? JSONNumber(accepted: text) : nil
    }

    /// Makes a JSON string of the exact characters.
    ///
    /// The characters are quoted, not read: `JSONText("{}")` is a string of two characters. To read text, use
    /// `init(validating:)`.
    ///
    /// - Parameter string: Any characters, NUL among them.
    package init(_ string: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(string.utf8.count + 2)
        JSONEscape.append(string, to: &bytes)
        self.init(accepted: bytes)
    }

    /// Makes a JSON array of texts, spliced as they are.
    package init(elements: some Sequence<JSONText>) {
        var bytes = [UInt8(ascii: "[")]
        for element in elements {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += element.bytes
        }
        bytes.append(UInt8(ascii: "]"))
        self.init(accepted: bytes)
    }

    package static let null = JSONText(accepted: Array("null".utf8))

    package static let emptyObject = JSONText(accepted: Array("{}".utf8))
}

extension JSONText {
    /// A key of an object and its value.
    package struct Member: Hashable, Sendable {
        /// The key, unescaped.
        package let key: String
        package let value: JSONText

        /// Whether both have the same key and the same value, byte for byte.
        ///
        /// Swift's own comparison of strings would take `é` written as one scalar and as two for the same key.
        package static func == (one: Member, other: Member) -> Bool {
            one.key.utf8.elementsEqual(other.key.utf8) && one.value == other.value
        }

        /// Hashes the bytes of the key and of the value.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(ExactString(key))
            hasher.combine(value)
        }
    }

    /// The members, if this is an object; otherwise none.
    ///
    /// Each key comes once. If the text repeats a key, it stands in its first place with its last value. Keys are
    /// compared by their bytes after unescaping.
    package var members: [Member] {
        let list = JSONMemberList(self)
        return (0..<list.count).map { place in
            Member(
                key: String(decoding: list.key(at: place), as: UTF8.self),
                value: JSONText(accepted: list.value(at: place))
            )
        }
    }

    /// The value under a key, if this is an object that has it; if the text repeats the key, the last.
    ///
    /// - Parameter key: The key, compared by its bytes after unescaping.
    package func value(forKey key: String) -> JSONText? {
        guard kind == .object else { return nil }
        let outline = outline(depth: 1)
        return outline.member(key, of: 0, in: bytes).map { JSONText(accepted: bytes[outline.items[$0].value]) }
    }

    /// The value under a key, as ``value(forKey:)`` gives it.
    package subscript(key: String) -> JSONText? { value(forKey: key) }
}
