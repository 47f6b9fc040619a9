package struct WireBytes: Hashable, Sendable {
    /// Bytes before compression.
    package var before: Int
    /// Bytes that were sent.
    package var after: Int

    package init(before: Int, after: Int) {
        self.before = before
        self.after = after
    }
}
