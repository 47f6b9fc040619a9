extension JSONText {
    /// A name and what an object holds under it.
    public struct Member: Hashable, Sendable {
        /// The name, unescaped.
        public let key: String
        /// The value.
        public let value: JSONText

        /// Whether the name and the value are the same, byte for byte.
        ///
        /// Swift's own comparison would take `é` written as one scalar and as two for the same name.
        public static func == (one: Member, other: Member) -> Bool {
            one.key.utf8.elementsEqual(other.key.utf8) && one.value == other.value
        }

        /// Hashes the bytes of the name and of the value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ExactString(key))
            hasher.combine(value)
        }
    }

    /// The members, if this is an object; else none.
    ///
    /// Each key comes once. If the text repeats one, it has its first place and its last value. Keys are compared by
    /// their bytes after unescaping.
    public var members: [Member] {
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
    public func value(forKey key: String) -> JSONText? {
        guard kind == .object else { return nil }
        let outline = outline(depth: 1)
        return outline.member(key, of: 0, in: bytes).map { JSONText(accepted: bytes[outline.items[$0].value]) }
    }

    /// The value under a key, as ``value(forKey:)`` gives it.
    public subscript(key: String) -> JSONText? { value(forKey: key) }
}
