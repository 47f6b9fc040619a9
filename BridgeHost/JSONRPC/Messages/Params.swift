package import TrackerJSON

/// What a method is called with: nothing, values by position, or values by name.
package struct Params: Sendable {
    package enum Form: Hashable, Sendable {
        case none
        case positional
        case named
        /// They cannot be passed on.
        case notSerializable(ValueFault)
    }

    enum Value: Sendable {
        case text(JSONText)
        /// A string that is spelled without escapes: as a rule its characters are all that is asked for.
        case plain(String)
    }

    struct Part: Sendable {
        /// Its name, exactly; empty among positional values.
        var name: String
        var value: Value
        /// The kind of the value, which is asked for more often than the value.
        var kind: JSONKind
    }

    package let form: Form
    private let parts: [Part]

    package static let none = Params(form: .none, parts: [])
    /// Params that cannot be passed on.
    package static func notSerializable(_ fault: ValueFault) -> Params {
        Params(form: .notSerializable(fault), parts: [])
    }

    init(form: Form, parts: [Part]) {
        self.form = form
        self.parts = parts
    }

    /// Takes an array or object.
    ///
    /// - Returns: `nil` for any other value.
    package init?(_ text: JSONText) {
        let outline = text.outline(depth: 1)
        guard let root = outline.root, root.kind == .array || root.kind == .object else { return nil }
        self.init(of: 0, in: outline, text.bytes)
    }

    /// Takes the array or object at an index of an outline that knows its values.
    init(of index: Int, in outline: JSONOutline, _ bytes: [UInt8]) {
        let whole = outline.items[index]
        let isArray = if case .array = whole.kind { true } else { false }
        var parts: [Part] = []
        parts.reserveCapacity(min(outline.items.count - index, 8))
        do throws(JSONSyntaxError) {
            for part in (index + 1)..<outline.items.count {
                let item = outline.items[part]
                guard item.depth == whole.depth + 1, item.parent == index else { break }
                guard !item.key.hasLoneSurrogate else { throw JSONSyntaxError(.loneSurrogate, at: 0) }
                let name = isArray ? "" : String(decoding: item.key.characters(in: bytes), as: UTF8.self)
                parts.append(Part(name: name, value: try Self.value(at: part, in: outline, bytes), kind: item.kind))
            }
            self.init(form: isArray ? .positional : .named, parts: parts)
        } catch {
            self = .notSerializable(error.kind == .tooDeep ? .tooDeep : .loneSurrogate)
        }
    }

    private static func value(
        at index: Int, in outline: JSONOutline, _ bytes: [UInt8]
    ) throws(JSONSyntaxError) -> Value {
        if case .string = outline.items[index].kind,
            let string = JSONEscape.plainString(of: bytes, in: outline.items[index].value)
        {
            return .plain(string)
        }
        return .text(try outline.text(at: index, in: bytes))
    }

    /// The array or object; `nil` if there is none that can be passed on.
    ///
    /// Values and their order are as they were given. The white space between them is not kept.
    package var text: JSONText? {
        switch form {
        case .none, .notSerializable: return nil
        case .positional: return JSONText(elements: parts.indices.lazy.map(value(at:)))
        case .named:
            var writer = JSONObjectWriter()
            for position in parts.indices { writer.append(name(at: position), value(at: position)) }
            return writer.finish()
        }
    }

    /// How many values there are.
    ///
    /// A name that is given twice counts twice.
    package var count: Int { parts.count }

    /// The value at a position.
    ///
    /// - Parameter position: Less than ``count``; among named values their order in the object.
    package func value(at position: Int) -> JSONText {
        switch parts[position].value {
        case .text(let text): text
        case .plain(let string): JSONText(string)
        }
    }

    /// The characters of the value at a position; `nil` if it is no string.
    ///
    /// - Parameter position: Less than ``count``.
    package func string(at position: Int) -> String? {
        switch parts[position].value {
        case .text(let text): text.stringValue
        case .plain(let string): string
        }
    }

    /// The kind of the value at a position.
    ///
    /// - Parameter position: Less than ``count``.
    package func kind(at position: Int) -> JSONKind { parts[position].kind }

    /// The name at a position; empty among positional values.
    ///
    /// - Parameter position: Less than ``count``.
    package func name(at position: Int) -> String { parts[position].name }

    /// Where the value with a name is; of several, the last.
    ///
    /// - Parameter name: A name, compared by its bytes after unescaping.
    package func position(of name: String) -> Int? {
        guard form == .named else { return nil }
        return parts.indices.last { isNamed(name, at: $0) }
    }

    /// Whether the value at a position has this name, byte for byte.
    func isNamed(_ name: String, at position: Int) -> Bool {
        parts[position].name.hasSameUTF8(as: name)
    }
}
