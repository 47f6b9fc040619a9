/// An instant of wall time, to the millisecond.
///
/// It says when something happened. No wait depends on it: waits are measured by a monotonic clock.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let milliseconds: Int64

    /// Makes an instant from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether `lhs` is the earlier.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

    /// The instant that much later. It stops at the ends of the range that can be held.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let delta = overflow ? (seconds < 0 ? Int64.min : .max) : scaled &+ attoseconds / 1_000_000_000_000_000
        let (sum, overflowed) = milliseconds.addingReportingOverflow(delta)
        return Timestamp(milliseconds: overflowed ? (delta < 0 ? .min : .max) : sum)
    }

    /// ISO 8601 with milliseconds in UTC, such as `2025-11-27T10:30:00.000Z`.
    ///
    /// The calendar is the proleptic Gregorian one; years outside 0 to 9999 are written as they are.
    public var description: String {
        let (days, time) = milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = Self.civil(fromDays: days)
        let seconds = time / 1000
        var text: [UInt8] = []
        text.reserveCapacity(24)
        if year < 0 { text.append(UInt8(ascii: "-")) }
        Self.append(year.magnitude, width: 4, to: &text)
        Self.append(month.magnitude, width: 2, after: "-", to: &text)
        Self.append(day.magnitude, width: 2, after: "-", to: &text)
        Self.append(seconds.magnitude / 3600, width: 2, after: "T", to: &text)
        Self.append(seconds.magnitude / 60 % 60, width: 2, after: ":", to: &text)
        Self.append(seconds.magnitude % 60, width: 2, after: ":", to: &text)
        Self.append(time.magnitude % 1000, width: 3, after: ".", to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes a number with zeros before it, after a separator if there is one.
    private static func append(
        _ number: UInt64, width: Int, after separator: Unicode.Scalar? = nil, to text: inout [UInt8]
    ) {
        if let separator { text.append(UInt8(ascii: separator)) }
        var scale: UInt64 = 1
        for _ in 1..<width { scale *= 10 }
        while number / scale >= 10 { scale *= 10 }
        while scale > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / scale % 10))
            scale /= 10
        }
    }

    /// Days since 1970 as year, month and day: whole 400-year eras of 146,097 days, counted from 1 March so that the
    /// leap day is a year's last.
    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
