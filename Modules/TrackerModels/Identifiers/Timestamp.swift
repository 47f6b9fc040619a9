import TrackerPlatform

/// An instant of wall time, to the millisecond.
///
/// It says when something happened. No wait depends on it: waits are measured by a monotonic clock.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let milliseconds: Int64

    /// Makes an instant from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The time now, by the system's wall clock, which may be set forwards and back.
    package static var now: Timestamp {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Whether `lhs` is the earlier.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

    /// The instant that much later. It stops at the ends of the range that can be held.
    package func advanced(by duration: Duration) -> Timestamp {
        let delta = duration.count(perSecond: 1000)
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

extension Duration {
    /// The duration in whole parts of a second, such as milliseconds, towards zero; at the ends of the range of `Int64`
    /// it stays there.
    package func count(perSecond parts: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: parts)
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / parts))
        return overflow || overflowed ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Timestamp {
    /// Reads a date and a time of day with its zone in the form of ISO 8601 that RFC 3339 has, such as
    /// `2025-11-27T10:30:00.000Z` or `2025-11-27T11:30:00+01:00`.
    ///
    /// What is finer than a millisecond is cut off.
    ///
    /// - Parameter text: The date, the time and the zone. Without a zone the instant is unknown.
    /// - Returns: `nil` if `text` is anything else, or names no day of the calendar or no time of the day.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = Self.number(4, from: &rest), Self.take("-", from: &rest),
            let month = Self.number(2, from: &rest), Self.take("-", from: &rest),
            let day = Self.number(2, from: &rest), Self.take("T", from: &rest) || Self.take("t", from: &rest),
            let hour = Self.number(2, from: &rest), Self.take(":", from: &rest),
            let minute = Self.number(2, from: &rest), Self.take(":", from: &rest),
            let second = Self.number(2, from: &rest), let thousandths = Self.fraction(from: &rest),
            let offset = Self.offset(from: &rest), rest.isEmpty,
            (1...12).contains(month), (1...Self.length(ofMonth: month, year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = Self.days(toYear: year, month, day)
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        self.init(milliseconds: seconds * 1000 + thousandths)
    }

    private static func number(_ digits: Int, from rest: inout ArraySlice<UInt8>) -> Int64? {
        let taken = rest.prefix(digits)
        guard taken.count == digits, taken.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return taken.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ character: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Takes a fraction of a second, if there is one, as milliseconds.
    private static func fraction(from rest: inout ArraySlice<UInt8>) -> Int64? {
        guard take(".", from: &rest) || take(",", from: &rest) else { return 0 }
        let digits = rest.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        return [100, 10, 1].enumerated().reduce(0) { sum, place in
            place.offset < digits.count
                ? sum + place.element * Int64(digits[digits.startIndex + place.offset] - UInt8(ascii: "0")) : sum
        }
    }

    /// Takes a zone, as minutes east of Greenwich.
    private static func offset(from rest: inout ArraySlice<UInt8>) -> Int64? {
        if take("Z", from: &rest) || take("z", from: &rest) { return 0 }
        let sign: Int64
        if take("+", from: &rest) { sign = 1 } else if take("-", from: &rest) { sign = -1 } else { return nil }
        guard let hours = number(2, from: &rest) else { return nil }
        _ = take(":", from: &rest)
        guard let minutes = number(2, from: &rest), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }

    package static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970. The year is counted from 1 March, so that the leap day is its last.
    package static func days(toYear year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

#if FoundationURL
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension Timestamp {
        /// Takes a date, to the millisecond. A date out of range becomes the nearest instant in range.
        public init(_ date: Date) {
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
        }
    }
#endif
