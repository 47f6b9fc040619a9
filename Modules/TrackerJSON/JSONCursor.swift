/// A place in raw bytes, and the rules for stepping over one token from there.
///
/// The cursor never reads at or past `end`. The bytes must outlive it.
@safe struct JSONCursor {
    private let base: UnsafeRawPointer
    let end: Int
    var position: Int
    /// Whether half a surrogate pair is passed over instead of being an error.
    private let allowsLoneSurrogates: Bool
    /// The offsets of the first and the last lone surrogate escape passed over; -1 if there was none.
    private(set) var firstLoneSurrogate = -1
    private(set) var lastLoneSurrogate = -1

    init(base: UnsafeRawPointer, range: Range<Int>, allowsLoneSurrogates: Bool) {
        unsafe self.base = base
        position = range.lowerBound
        end = range.upperBound
        self.allowsLoneSurrogates = allowsLoneSurrogates
    }

    @inline(__always) var isAtEnd: Bool { position >= end }

    /// The byte here.
    ///
    /// Only before the end.
    @inline(__always) var byte: UInt8 { self[position] }

    /// The byte `distance` bytes after this place.
    ///
    /// Only before the end.
    @inline(__always) func byte(after distance: Int) -> UInt8 { self[position &+ distance] }

    @inline(__always) private subscript(offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < end)
        return unsafe base.load(fromByteOffset: offset, as: UInt8.self)
    }

    func error(_ kind: JSONSyntaxError.Kind) -> JSONSyntaxError { JSONSyntaxError(kind, at: position) }

    /// The error for a byte that cannot stand here, or for the end.
    func unexpected() -> JSONSyntaxError { error(isAtEnd ? .unexpectedEnd : .syntax) }

    @inline(__always) mutating func skipWhiteSpace() {
        guard position < end, byte <= 0x20 else { return }
        while position < end, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position &+= 1
        }
    }

    /// Notes the lone surrogate escape whose backslash stands here, or throws if there may be none.
    mutating func passLoneSurrogate() throws(JSONSyntaxError) {
        guard allowsLoneSurrogates else { throw error(.loneSurrogate) }
        if firstLoneSurrogate < 0 { firstLoneSurrogate = position }
        lastLoneSurrogate = position
    }

    /// Steps over `word`, which must stand here.
    @inline(__always) mutating func skip(_ word: StaticString) throws(JSONSyntaxError) {
        for index in 0..<word.utf8CodeUnitCount {
            let expected = unsafe word.utf8Start[index]
            guard position < end, byte == expected else { throw unexpected() }
            position &+= 1
        }
    }

    /// Steps over the number that starts here.
    @inline(__always) mutating func skipNumber() throws(JSONSyntaxError) {
        if byte == UInt8(ascii: "-") { position &+= 1 }
        if position < end, byte == UInt8(ascii: "0") {
            position &+= 1
            if position < end, byte.isASCIIDigit { throw error(.invalidNumber) }
        } else {
            try skipDigits()
        }
        guard position < end else { return }
        if byte == UInt8(ascii: ".") {
            position &+= 1
            try skipDigits()
            guard position < end else { return }
        }
        guard byte | 0x20 == UInt8(ascii: "e") else { return }
        position &+= 1
        if position < end, byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position &+= 1 }
        try skipDigits()
    }

    /// Steps over one or more digits.
    @inline(__always) private mutating func skipDigits() throws(JSONSyntaxError) {
        guard position < end else { throw error(.unexpectedEnd) }
        guard byte.isASCIIDigit else { throw error(.invalidNumber) }
        repeat { position &+= 1 } while position < end && byte.isASCIIDigit
    }

    /// Steps over the string whose opening quote stands here.
    ///
    /// - Returns: Whether it has escapes.
    @inline(__always) mutating func skipString() throws(JSONSyntaxError) -> Bool {
        position &+= 1
        var hasEscapes = false
        while true {
            skipPlainCharacters()
            guard position < end else { throw error(.unexpectedEnd) }
            let byte = byte
            if byte == UInt8(ascii: "\"") {
                position &+= 1
                return hasEscapes
            }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try skipEscape()
            } else if byte >= 0x80 {
                try skipUTF8()
            } else {
                throw error(.controlCharacter)
            }
        }
    }

    /// Steps over ASCII bytes that mean themselves, eight at a time.
    @inline(__always) private mutating func skipPlainCharacters() {
        var position = position
        defer { self.position = position }
        while position &+ 8 <= end {
            let word = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let special = Self.specialBytes(of: word)
            guard special == 0 else {
                position &+= special.trailingZeroBitCount &>> 3
                return
            }
            position &+= 8
        }
        while position < end {
            let byte = self[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { return }
            position &+= 1
        }
    }

    /// The top bit of each byte that is a quote, a backslash, a control character or not ASCII.
    ///
    /// The lowest set bit is exact. A borrow can set wrong ones above it, which is why only that one is used.
    @inline(__always) static func specialBytes(of word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = (word ^ (ones &* 0x22)) &- ones
        let backslash = (word ^ (ones &* 0x5C)) &- ones
        let control = word &- (ones &* 0x20)
        return (quote | backslash | control | word) & (ones &* 0x80)
    }
}

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
            guard let digit = byte(after: index).hexadecimalValue else { throw error(.invalidEscape) }
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
