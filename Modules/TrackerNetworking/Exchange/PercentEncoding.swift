import TrackerModels

/// Percent-encodes text for URLs, and decodes it.
package enum PercentEncoding {
    /// Writes one segment of a path, such as a user id.
    ///
    /// All but the unreserved characters of RFC 3986, 2.3 (letters, digits, `-`, `.`, `_`, `~`) become `%XX`, byte by
    /// byte of their UTF-8. In the segments `.` and `..` the dots are encoded too. Otherwise they would be removed on
    /// the way, `..` with the segment before it (RFC 3986, 5.2.4).
    package static func segment(_ text: String) -> String {
        let isDots = text == "." || text == ".."
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(hexDigit(byte >> 4))
                result.append(hexDigit(byte & 0xF))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads a value of a query, in which a plus sign is a space; `nil` if it is not UTF-8 once decoded.
    package static func text(ofQueryValue value: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(value.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = rest[rest.startIndex].hexadecimalValue, let low = rest[rest.startIndex + 1].hexadecimalValue
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
