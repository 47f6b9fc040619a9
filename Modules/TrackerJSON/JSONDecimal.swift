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
