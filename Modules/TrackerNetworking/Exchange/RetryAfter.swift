package import TrackerModels

/// Reads the `Retry-After` header (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// The longest wait that is taken from a server: an hour.
    package static let cap = Duration.seconds(3600)

    /// How long the server asks to wait.
    ///
    /// - Parameters:
    ///   - value: The header's value: whole seconds, or an HTTP date in any of its three forms.
    ///   - date: The answer's `Date` header, from which a date in `value` is counted, so that a wrong clock here does
    ///     not matter.
    ///   - now: The wall time, taken in place of a missing or unreadable `date`.
    /// - Returns: A wait from zero to ``cap``; `nil` if there is no value, or it is neither seconds nor a date.
    package static func wait(for value: String?, date: String?, now: Timestamp) -> Duration? {
        guard let value = value.map(trimmed), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy(\.isASCIIDigit) {
            // Digits that do not fit a number ask for more than the cap in any case.
            return Int64(value).map { min(.seconds($0), cap) } ?? cap
        }
        let reference = date.map(trimmed).flatMap { HTTPDate.parse($0, near: now) } ?? now
        guard let target = HTTPDate.parse(value, near: reference) else { return nil }
        return min(max(.milliseconds(target.milliseconds) - .milliseconds(reference.milliseconds), .zero), cap)
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = text.utf8.drop(while: isBlank)
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(text[bytes.startIndex...last])
    }
}

/// Reads an HTTP date in the one form that is written today and the two that were (RFC 9110, 5.6.7).
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameters:
    ///   - text: The date. The name of the day is not compared with it.
    ///   - reference: A time near the date: a year of two digits is the one that lies at most 50 years after it.
    /// - Returns: `nil` if `text` is none of the three, or names no day of the calendar.
    static func parse(_ text: String, near reference: Timestamp) -> Timestamp? {
        let words = text.split(separator: " ")
        switch words.count {
        case 6 where words[5] == "GMT" && words[0].hasSuffix(",") && shortDays.contains(words[0].dropLast()):
            return instant(day: words[1], month: words[2], year: words[3], time: words[4])
        case 4 where words[3] == "GMT" && words[0].hasSuffix(",") && longDays.contains(words[0].dropLast()):
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, let short = number(date[2], digits: 2) else { return nil }
            return instant(day: date[0], month: date[1], shortYear: short, time: words[2], near: reference)
        case 5 where shortDays.contains(words[0]):
            // asctime pads the day with a space, which the split has taken away.
            let day = words[2].utf8.count == 1 ? "0" + words[2] : words[2]
            return instant(day: day, month: words[1], year: words[4], time: words[3])
        default:
            return nil
        }
    }

    private static let shortDays: Set<Substring> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays: Set<Substring> = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func instant(day: Substring, month: Substring, year: Substring, time: Substring) -> Timestamp? {
        guard let year = number(year, digits: 4) else { return nil }
        return instant(day: day, month: month, year: year, time: time)
    }

    /// The latest year with these last two digits that puts the date no more than 50 years after the reference.
    private static func instant(
        day: Substring, month: Substring, shortYear: Int64, time: Substring, near reference: Timestamp
    ) -> Timestamp? {
        let referenceYear = 1970 + reference.milliseconds / 31_556_952_000
        let limit = Timestamp(milliseconds: reference.milliseconds).advanced(by: .seconds(50 * 31_556_952))
        var year = referenceYear / 100 * 100 + 100 + shortYear
        while year >= 0 {
            if let candidate = instant(day: day, month: month, year: year, time: time), candidate <= limit {
                return candidate
            }
            guard year > referenceYear - 200 else { return nil }
            year -= 100
        }
        return nil
    }

    private static func instant(day: Substring, month: Substring, year: Int64, time: Substring) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(day, digits: 2), let place = months.firstIndex(of: month), clock.count == 3,
            let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
            let second = number(clock[2], digits: 2)
        else { return nil }
        let month = Int64(place) + 1
        // A second of 60 is a leap second.
        guard (1...Timestamp.length(ofMonth: month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Timestamp.days(toYear: year, month, day)
        return Timestamp(milliseconds: (days * 86_400 + hour * 3600 + minute * 60 + second) * 1000)
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(text)
    }
}
