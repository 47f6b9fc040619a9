extension JSONCursor {
    /// Steps over the escape whose backslash stands here.
    mutating func skipEscape() throws(JSONSyntaxError) {
        guard position + 1 < end else {
            position = end
            throw error(.unexpectedEnd)
        }
        switch byte(after: 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            try skipUnicodeEscape()
        default:
            throw error(.invalidEscape)
        }
    }

    /// Steps over `\uXXXX`, or over two of them that make a surrogate pair.
    private mutating func skipUnicodeEscape() throws(JSONSyntaxError) {
        let unit = try hexadecimal(after: 2)
        if unit & 0xF800 != 0xD800 {
            position += 6
        } else if unit < 0xDC00, try isFollowedBySecondHalf() {
            position += 12
        } else {
            try passLoneSurrogate()
            position += 6
        }
    }

    /// Whether the `\u` escape that stands here is followed by one of the second half of a surrogate pair.
    private func isFollowedBySecondHalf() throws(JSONSyntaxError) -> Bool {
        for (index, expected) in [UInt8(ascii: "\\"), UInt8(ascii: "u")].enumerated() {
            guard position + 6 + index < end else { throw JSONSyntaxError(.unexpectedEnd, at: end) }
            guard byte(after: 6 + index) == expected else { return false }
        }
        return try hexadecimal(after: 8) & 0xFC00 == 0xDC00
    }

    /// The four hexadecimal digits that start `distance` bytes after this place.
    private func hexadecimal(after distance: Int) throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for index in distance..<distance + 4 {
            guard position + index < end else { throw JSONSyntaxError(.unexpectedEnd, at: end) }
            guard let digit = JSONEscape.hexadecimalDigit(byte(after: index)) else { throw error(.invalidEscape) }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Steps over one or more characters that are not ASCII (RFC 3629, 4).
    mutating func skipUTF8() throws(JSONSyntaxError) {
        repeat {
            let lead = byte
            let length: Int
            let second: ClosedRange<UInt8>
            switch lead {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: throw error(.invalidUTF8)
            }
            guard position + length <= end, second.contains(byte(after: 1)) else { throw error(.invalidUTF8) }
            for index in 2..<max(length, 2) where byte(after: index) & 0xC0 != 0x80 {
                throw error(.invalidUTF8)
            }
            position += length
        } while position < end && byte >= 0x80
    }
}
