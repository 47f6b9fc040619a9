extension ArraySlice<UInt8> {
    /// Whether these bytes are the UTF-8 of `string`.
    func isUTF8(of string: String) -> Bool {
        let isEqual = unsafe string.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe withUnsafeBufferPointer { bytes in unsafe haveSameBytes(bytes, utf8) }
        }
        return isEqual ?? elementsEqual(string.utf8)
    }
}

extension String {
    /// Whether another string has the same UTF-8.
    package func hasSameUTF8(as other: String) -> Bool {
        let isEqual = unsafe utf8.withContiguousStorageIfAvailable { one in
            unsafe other.utf8.withContiguousStorageIfAvailable { other in unsafe haveSameBytes(one, other) }
        }
        return isEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

/// Whether two buffers hold the same bytes. They are short: names of members and parameters.
@inline(__always)
private func haveSameBytes(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in 0..<one.count where unsafe one[index] != other[index] { return false }
    return true
}

extension UInt8 {
    @inline(__always) package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// Whether this is a letter of ASCII, in either case.
    package var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether this is a letter or digit of ASCII.
    package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    /// The value of a hexadecimal digit in either case; `nil` for any other byte.
    package var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self - UInt8(ascii: "0") }
        let letter = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) ? letter - UInt8(ascii: "a") + 10 : nil
    }
}

extension String {
    /// Whether there is nothing but white space in it.
    package var isBlank: Bool {
        // A visible ASCII character at the start, as nearly always, settles it.
        if let first = utf8.first, (0x21...0x7E).contains(first) { return false }
        return unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }

    /// The text; `nil` if it is empty.
    package var nonEmpty: String? { isEmpty ? nil : self }
}

extension StringProtocol {
    /// Where `mark` stands first, compared byte by byte; `nil` if it stands nowhere.
    ///
    /// The standard library's `firstRange(of:)` does the same, and brings the machinery of regular expressions with
    /// it: a megabyte in a host that carries its own runtime.
    package func place(of mark: String) -> Range<Index>? {
        let bytes = utf8
        guard !mark.isEmpty else { return startIndex..<startIndex }
        var start = bytes.startIndex
        while start != bytes.endIndex {
            if bytes[start...].starts(with: mark.utf8) {
                return start..<bytes.index(start, offsetBy: mark.utf8.count)
            }
            bytes.formIndex(after: &start)
        }
        return nil
    }
}

extension String {
    /// The text with another one in each place of a mark.
    ///
    /// The standard library's `replacing(_:with:)` brings as much as its `firstRange(of:)`.
    package func replacingMark(_ mark: String, with other: String) -> String {
        guard !mark.isEmpty else { return self }
        var (text, rest) = ("", self[...])
        while let place = rest.place(of: mark) {
            text += rest[..<place.lowerBound]
            text += other
            rest = rest[place.upperBound...]
        }
        return text + rest
    }
}

extension [UInt8] {
    /// Appends a text that stands in the program, which needs no array of its own.
    package mutating func append(text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}
