extension Int {
    /// The number with what it counts, such as `1 event was` and `3 events were`.
    ///
    /// - Parameters:
    ///   - one: The words for one.
    ///   - many: The words for any other number.
    package func counted(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
