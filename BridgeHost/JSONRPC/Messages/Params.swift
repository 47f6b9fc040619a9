public import TrackerModels

/// What a method is called with: nothing, values by position, or values by name.
public struct Params: Sendable {
    /// How the values are given.
    public enum Form: Hashable, Sendable {
        /// There are none.
        case none
        /// In an array.
        case positional
        /// In an object.
        case named
        /// They hold half a surrogate pair, which is no character, and cannot be passed on.
        case notSerializable
    }

    /// Where one value is in the text of all.
    struct Part: Sendable {
        /// The name as a JSON string; empty among positional values.
        var name: Range<Int>
        /// Whether the name's bytes are its characters.
        var isNamePlain: Bool
        var value: Range<Int>
        var kind: JSONKind
    }

    /// How the values are given.
    public let form: Form
    /// The array or object; empty if there is none that can be passed on.
    private let bytes: [UInt8]
    private let parts: [Part]

    /// No params.
    public static let none = Params(form: .none, bytes: [], parts: [])
    /// Params that cannot be passed on.
    public static let notSerializable = Params(form: .notSerializable, bytes: [], parts: [])

    init(form: Form, bytes: [UInt8], parts: [Part]) {
        self.form = form
        self.bytes = bytes
        self.parts = parts
    }

    /// Takes an array or object.
    ///
    /// - Returns: `nil` for any other value.
    public init?(_ text: JSONText) {
        let outline = text.outline(depth: 1)
        guard let root = outline.root, root.kind == .array || root.kind == .object else { return nil }
        let parts = outline.items.dropFirst().map { Part($0, from: 0) }
        self.init(form: root.kind == .array ? .positional : .named, bytes: text.bytes, parts: parts)
    }

    /// The array or object as it was given; `nil` if there is none that can be passed on.
    public var text: JSONText? { bytes.isEmpty ? nil : JSONText(accepted: bytes) }

    /// How many values there are.
    ///
    /// A name that is given twice counts twice.
    public var count: Int { parts.count }

    /// What the value at a position is.
    ///
    /// - Parameter position: Less than ``count``; among named values their order in the object.
    public func kind(at position: Int) -> JSONKind { parts[position].kind }

    /// The value at a position.
    ///
    /// - Parameter position: Less than ``count``; among named values their order in the object.
    public func value(at position: Int) -> JSONText { JSONText(accepted: bytes[parts[position].value]) }

    /// The name at a position; empty among positional values.
    ///
    /// - Parameter position: Less than ``count``.
    public func name(at position: Int) -> String {
        let part = parts[position]
        guard !part.name.isEmpty else { return "" }
        guard part.isNamePlain else { return JSONText(accepted: bytes[part.name]).stringValue ?? "" }
        return String(decoding: bytes[part.name].dropFirst().dropLast(), as: UTF8.self)
    }

    /// Where the value with a name is; of several, the last.
    ///
    /// - Parameter name: A name, compared by its bytes after unescaping.
    public func position(of name: String) -> Int? {
        guard form == .named else { return nil }
        return parts.indices.last { isNamed(name, at: $0) }
    }

    /// Whether the value at a position has this name, byte for byte.
    func isNamed(_ name: String, at position: Int) -> Bool {
        let part = parts[position]
        guard part.isNamePlain else { return self.name(at: position).utf8.elementsEqual(name.utf8) }
        return part.name.count == name.utf8.count + 2
            && bytes[part.name].dropFirst().dropLast().elementsEqual(name.utf8)
    }
}

extension Params.Part {
    /// - Parameter start: Where the params begin in what was scanned.
    init(_ item: JSONOutline.Item, from start: Int) {
        let key = item.key.range
        name = key.isEmpty ? 0..<0 : key.lowerBound - start..<key.upperBound - start
        isNamePlain = !item.key.hasEscapes
        value = item.value.lowerBound - start..<item.value.upperBound - start
        kind = item.kind
    }
}
