import TrackerJSON

/// The number under which a brand's events are filed.
///
/// A `BrandID` is always valid: it cannot be empty or non-numeric. `"007"` and `"7"` are the
/// same brand; ``description`` is its canonical form, the one used on disk and on the wire.
package struct BrandID: Hashable, Sendable, CustomStringConvertible {
    /// The number itself, never negative.
    package let number: Int64

    /// Reads a brand from its decimal form.
    ///
    /// - Parameter text: One or more ASCII digits, such as `"925"`.
    /// - Returns: `nil` if `text` is not a whole number that fits 64 bits.
    package init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(text) else { return nil }
        self.number = number
    }

    /// The canonical decimal form, without leading zeros.
    package var description: String { String(number) }
}
