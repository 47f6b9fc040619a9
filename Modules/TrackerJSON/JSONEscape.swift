/// The escapes of JSON strings, both ways.
package enum JSONEscape {
    /// The characters of the inside of a validated string as UTF-8, which is the inside itself if it has no escapes.
    static func characters(ofContent content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        content.contains(UInt8(ascii: "\\")) ? unescaped(content)[...] : content
    }

    /// The characters of a validated string, which stands among other bytes with its quotes.
    package static func string(of bytes: [UInt8], in value: Range<Int>) -> String {
        plainString(of: bytes, in: value)
            ?? String(decoding: unescaped(bytes[value.lowerBound + 1..<value.upperBound - 1]), as: UTF8.self)
    }

    /// The same, if the string is spelled without escapes, so that it has one spelling alone.
    package static func plainString(of bytes: [UInt8], in value: Range<Int>) -> String? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            let content = unsafe UnsafeBufferPointer(rebasing: bytes[value.lowerBound + 1..<value.upperBound - 1])
            return unsafe content.contains(UInt8(ascii: "\\")) ? nil : String(decoding: content, as: UTF8.self)
        }
    }

    /// The characters that the inside of a validated string stands for, as UTF-8.
    ///
    /// Half a surrogate pair, which only a scanner that notes them lets pass, becomes U+FFFD.
    static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var rest = content
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            result.append(contentsOf: rest[..<backslash])
            rest = rest[(backslash + 1)...]
            guard let letter = rest.popFirst() else { break }
            if letter == UInt8(ascii: "u") {
                result.append(contentsOf: UTF8.encode(scalar(&rest)) ?? UTF8.encodedReplacementCharacter)
            } else {
                result.append(character(for: letter))
            }
        }
        result.append(contentsOf: rest)
        return result
    }

    /// Appends `string` in quotes, escaping what must be escaped and nothing else.
    package static func append(_ string: some StringProtocol, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let isPlain: Void? = string.utf8.withContiguousStorageIfAvailable { unsafe append(contentsOf: $0, to: &bytes) }
        if isPlain == nil {
            for byte in string.utf8 { append(byte, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(contentsOf utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        while true {
            let end = unsafe endOfPlain(utf8, from: start)
            unsafe bytes.append(contentsOf: utf8[start..<end])
            guard end < utf8.count else { return }
            unsafe append(utf8[end], to: &bytes)
            start = end + 1
        }
    }

    /// Where the first byte stands that must be escaped, or the text ends; found eight bytes at a time.
    private static func endOfPlain(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var place = start
        let bytes = UnsafeRawBufferPointer(utf8)
        while place + 8 <= bytes.count {
            let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            guard JSONCursor.specialBytes(of: word) == 0 else { break }
            place += 8
        }
        while place < bytes.count, unsafe !mustBeEscaped(bytes[place]) { place += 1 }
        return place
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Appends one byte of a string, escaped if it must be.
    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0x08: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
        case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
        case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        case 0x0C: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
        case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        default: bytes.append(byte)
        }
    }

    /// What the letter after a backslash stands for.
    private static func character(for letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Takes the digits of a `\u` escape, and if it is half of a pair the other half's escape.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
        let unit = takeUnit(&rest)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let other = rest.dropFirst(2).prefix(4).reduce(0) { $0 << 4 | UInt32($1.hexadecimalValue ?? 0) }
        guard unit < 0xDC00, rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]), other & 0xFC00 == 0xDC00,
            let scalar = Unicode.Scalar(0x10000 + ((unit & 0x3FF) << 10 | (other & 0x3FF)))
        else { return "\u{FFFD}" }
        rest = rest.dropFirst(6)
        return scalar
    }

    private static func takeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 4 | UInt32($1.hexadecimalValue ?? 0) }
    }
}
