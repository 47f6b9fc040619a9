package struct ValueChange: Hashable, Sendable {
    package var key: StoredKey
    /// The value; `nil` removes it.
    package var text: String?

    package init(_ key: StoredKey, _ text: String?) {
        self.key = key
        self.text = text
    }
}
