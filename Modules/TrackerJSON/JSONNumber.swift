/// A JSON number that keeps its spelling, so that no digit is ever lost.
///
/// Two numbers are equal if they are spelled alike: `1.0` is not `1`.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number as JSON text, such as `-12.50` or `1e400`.
    public let text: String

    init(accepted text: String) {
        self.text = text
    }

    /// Reads a number from its JSON spelling.
    ///
    /// - Parameter text: A number by RFC 8259 without white space around it.
    /// - Returns: `nil` if `text` is something else, such as `01`, `+1`, `.5` or `NaN`.
    public init?(_ text: String) {
        // Why it is not a number does not matter here.
        guard let json = try? JSONText(validating: text), json.kind == .number, json.byteCount == text.utf8.count else {
            return nil
        }
        self.text = text
    }

    /// Makes a whole number of any size, exactly.
    package init(_ value: some BinaryInteger) {
        text = value.description
    }

    /// A number of a tree: also NaN or an infinity, for which the call that it is given to is dropped.
    init(inTree value: some BinaryFloatingPoint & CustomStringConvertible) {
        text =
            value.isFinite
            ? value.description : value.isNaN ? "NaN" : value.sign == .minus ? "-Infinity" : "Infinity"
    }

    /// Whether JSON can hold it. Every JSON number ends with a digit; `NaN` and `Infinity` do not.
    package var isFinite: Bool { text.utf8.last.map { $0 <= UInt8(ascii: "9") } ?? false }

    /// Makes a number in the shortest form that reads back as the same number, such as `0.1`, `1.0` or `1e+16`.
    ///
    /// - Returns: `nil` for what JSON cannot hold: NaN and the infinities.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Makes a number in the shortest form that reads back as the same `Float`: 0.1 is `0.1`, not
    /// `0.10000000149011612`.
    ///
    /// - Returns: `nil` for what JSON cannot hold: NaN and the infinities.
    package init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The number, if it is a whole number that fits 64 bits.
    ///
    /// What counts is the value, not the spelling: `1000`, `1e3` and `1000.0` are all 1000, and `1.5` and `1e30` are
    /// `nil`. Nothing is rounded.
    public var intValue: Int64? {
        isFinite ? JSONDecimal(text).wholeNumber : nil
    }

    /// The nearest double. `nil` if the number is too large for one, such as `1e400`.
    ///
    /// Digits may be lost, as in `0.1` or 2^53 + 1.
    public var doubleValue: Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The number as JSON text.
    public var description: String { text }
}
