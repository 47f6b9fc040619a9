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

/// A number in its parts: significant digits and a power of ten.
struct JSONDecimal {
    private let isNegative: Bool
    /// The digits, without zeros before the first or after the last that is not zero.
    ///
    /// Empty for zero.
    private let digits: ArraySlice<UInt8>
    /// The power of ten of the last digit; if it is beyond an Int, the largest or smallest there is.
    private let exponent: Int

    /// Takes a valid JSON number apart.
    init(_ text: String) {
        isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = parts.first.map(Array.init) ?? []
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.count
        let all = mantissa.filter { $0 >= UInt8(ascii: "0") }
        let trailingZeros = all.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        digits = all.dropLast(trailingZeros).drop { $0 == UInt8(ascii: "0") }
        let decimals = max(mantissa.count - point - 1, 0)
        exponent = Self.saturating(parts.count > 1 ? String(parts[1]) ?? "" : "0", plus: trailingZeros - decimals)
    }

    /// The value, if it is whole and fits.
    var wholeNumber: Int64? {
        guard !digits.isEmpty else { return 0 }
        guard exponent >= 0, exponent < 20, digits.count + exponent < 20 else { return nil }
        var value: Int64 = 0
        for digit in digits + Array(repeating: UInt8(ascii: "0"), count: exponent) {
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let unit = Int64(digit - UInt8(ascii: "0"))
            let (sum, overflowsToo) = product.addingReportingOverflow(isNegative ? -unit : unit)
            guard !overflows, !overflowsToo else { return nil }
            value = sum
        }
        return value
    }

    private static func saturating(_ exponent: String, plus shift: Int) -> Int {
        // Too many digits for an Int: only the sign still matters.
        guard let value = Int(exponent) else { return exponent.hasPrefix("-") ? .min : .max }
        let (sum, overflows) = value.addingReportingOverflow(shift)
        return overflows ? (value < 0 ? .min : .max) : sum
    }
}
