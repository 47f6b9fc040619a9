import TrackerJSON

/// What the headers read so far say about the length of the message that follows them.
struct HeaderBlock: Sendable {
    /// How many bytes of headers a message may have.
    static let maxBytes = 16 << 10
    /// Enough of a line's end to hold a `Content-Length` header, with some blanks and the largest number there is.
    static let tail = 64

    private enum Length: Sendable {
        case unknown
        case known(Int)
        case contradictory
    }

    private var length = Length.unknown
    /// How many bytes the lines had.
    private(set) var byteCount = 0

    /// The length of the message, if the headers name exactly one.
    var contentLength: Int? {
        guard case .known(let count) = length else { return nil }
        return count
    }

    /// Whether no line came yet.
    var isEmpty: Bool { byteCount == 0 }

    /// Reads one line, without its end.
    ///
    /// - Returns: `false` if the line is not a header and the length is not known yet, so that the next
    ///   message cannot be found.
    mutating func read(_ line: ArraySlice<UInt8>) -> Bool {
        byteCount += line.count + 1
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            case let name = Self.trimmed(line[..<colon]), !name.isEmpty, name.allSatisfy(Self.isToken)
        else { return contentLength != nil }
        if Self.isContentLength(name) { addLength(Self.number(Self.trimmed(line[line.index(after: colon)...]))) }
        return true
    }

    /// Begins a block at a line that ends in a `Content-Length` header, whatever stands before it.
    ///
    /// A body whose length was given too small, or not at all, runs into the headers of the next message. In valid JSON
    /// such a line cannot stand: line ends are escaped in strings, and elsewhere these words are no JSON.
    init?(lineEndingInHeader line: ArraySlice<UInt8>) {
        self.init()
        let tail = line.suffix(Self.tail)
        guard let colon = tail.lastIndex(of: UInt8(ascii: ":")),
            case let name = Self.trimmed(tail[..<colon]).suffix(Self.name.count), Self.isContentLength(name),
            name.startIndex == line.startIndex || !Self.isToken(line[name.startIndex - 1]),
            let number = Self.number(Self.trimmed(tail[tail.index(after: colon)...]))
        else { return nil }
        byteCount = tail.count + 1
        length = .known(number)
    }

    init() {}

    private mutating func addLength(_ number: Int?) {
        switch (length, number) {
        case (.unknown, let count?): length = .known(count)
        case (.known(let known), let count?) where known == count: break
        default: length = .contradictory
        }
    }

    /// The name that counts, in lower case.
    private static let name = Array("content-length".utf8)

    private static func isContentLength(_ name: ArraySlice<UInt8>) -> Bool {
        name.count == Self.name.count && zip(name, Self.name).allSatisfy { $0 | 0x20 == $1 || $0 == $1 }
    }

    /// Digits alone make a length; more of them than an `Int` holds do not.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for digit in digits {
            guard digit.isASCIIDigit else { return nil }
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, exceeds) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !overflows, !exceeds else { return nil }
            number = sum
        }
        return number
    }

    /// Whether a byte can stand in the name of a header (RFC 9110, 5.6.2; only what names are really made of).
    static func isToken(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: Blank.contains)
        while let last = text.last, Blank.contains(last) { text.removeLast() }
        return text
    }
}

/// The bytes that may stand around a message and mean nothing.
enum Blank {
    static func contains(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }
}
