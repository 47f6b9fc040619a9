import CCurl
package import TrackerModels

/// Reads the `Retry-After` header (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// The longest wait that is taken from a server: an hour.
    package static let cap = Duration.seconds(3600)

    /// In seconds since 1970.
    private static let endOfYear9999: Int64 = 253_402_300_800

    /// How long the server asks to wait.
    ///
    /// - Parameters:
    ///   - value: The header's value, without spaces around it: whole seconds, or an HTTP date in any of its three forms.
    ///   - date: The answer's `Date` header, from which a date in `value` is counted, so that a wrong clock here does
    ///     not matter.
    ///   - now: The wall time, taken in place of a missing or unreadable `date`.
    /// - Returns: A wait from zero to ``cap``; `nil` if there is no value, or it is neither seconds nor a date.
    package static func wait(for value: String?, date: String?, now: Timestamp) -> Duration? {
        guard let value, !value.isEmpty else { return nil }
        if value.utf8.allSatisfy(\.isASCIIDigit) {
            // Digits that do not fit a number ask for more than the cap in any case.
            return Int64(value).map { min(.seconds($0), cap) } ?? cap
        }
        let reference = date.flatMap(instant) ?? now
        guard let target = instant(value) else { return nil }
        return min(max(.milliseconds(target.milliseconds) - .milliseconds(reference.milliseconds), .zero), cap)
    }

    /// Reads an HTTP date, also in the two forms that are no longer written (RFC 9110, 5.6.7), as leniently as libcurl.
    private static func instant(_ text: String) -> Timestamp? {
        guard CurlLibrary.load() == nil else { return nil }
        let seconds = unsafe tracker_curl_getdate(text)
        // libcurl takes years of any length; an HTTP date has four digits.
        return (0..<endOfYear9999).contains(Int64(seconds)) ? Timestamp(milliseconds: Int64(seconds) * 1000) : nil
    }
}
