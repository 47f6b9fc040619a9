/// The number under which a brand's events are filed.
///
/// A `BrandID` is valid from birth: there is no way to hold an empty or non-numeric one. `"007"` and `"7"` are the
/// same brand; ``description`` is its canonical form, the one used on disk and on the wire.
public struct BrandID: Hashable, Sendable, CustomStringConvertible {
    /// The number itself, never negative.
    public let number: Int64

    /// Reads a brand from its decimal form.
    ///
    /// - Parameter text: One or more ASCII digits, such as `"925"`.
    /// - Returns: `nil` if `text` is not a whole number that fits 64 bits.
    public init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let number = Int64(text)
        else { return nil }
        self.number = number
    }

    /// The canonical decimal form, without leading zeros.
    public var description: String { String(number) }
}
