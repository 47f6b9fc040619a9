import TrackerJSON

/// Takes messages from a stream of bytes, however it is cut into reads.
///
/// The beginning of the stream decides the framing, a byte order mark and blanks aside: a name and a colon begin headers,
/// and anything else is a line. A message that is too long or has unusable headers is refused once, and skipped in constant memory.
package struct FrameDecoder: Sendable {
    private enum State: Sendable {
        /// Nothing but blanks came yet, or letters that may become a header's name.
        case undecided
        case line
        case skippedLine
        case header(HeaderBlock)
        case body(missing: Int)
        case skippedBody(missing: Int)
        /// Looking for the next `Content-Length`.
        case seeking
    }

    /// No header has a longer name; longer words begin a line.
    private static let maxNameLength = 64
    /// What some programs write before UTF-8 (RFC 8259, 8.1: a parser may ignore it).
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The longest message that is taken, in bytes.
    package let maxMessageBytes: Int
    private var state = State.undecided
    /// Whether nothing came yet but a part of a byte order mark.
    private var isAtStart = true
    /// What came of the current message, line or header with earlier reads.
    private var carry: [UInt8] = []

    /// Makes a decoder for the beginning of a stream.
    ///
    /// - Parameter maxMessageBytes: The longest message to take, in bytes, without what frames it. At least 1.
    package init(maxMessageBytes: Int) {
        precondition(maxMessageBytes >= 1)
        self.maxMessageBytes = maxMessageBytes
    }

    /// How the messages are framed; `nil` as long as that is unknown.
    package var framing: Framing? {
        switch state {
        case .undecided: nil
        case .line, .skippedLine: .lines
        case .header, .body, .skippedBody, .seeking: .headers
        }
    }

    /// How many bytes of a message that has not ended are kept.
    var unfinishedBytes: Int { carry.count }

    /// Takes the next message from a piece of the stream.
    ///
    /// - Parameters:
    ///   - input: The piece. It must stay the same until this method has returned `nil` for it.
    ///   - position: Where to go on in the piece. It is moved past what was taken.
    /// - Returns: The next message or fault, or `nil` when the piece is used up.
    package mutating func next(in input: [UInt8], from position: inout Int) -> Frame? {
        next(in: input, upTo: input.count, from: &position)
    }

    /// Takes the next message from the beginning of a buffer, up to the offset `end`.
    mutating func next(in input: [UInt8], upTo end: Int, from position: inout Int) -> Frame? {
        while position < end {
            let frame: Frame?
            switch state {
            case .undecided:
                frame = nil
                decide(by: input[position], &position)
            case .line: frame = line(in: input, upTo: end, &position)
            case .skippedLine:
                frame = nil
                if endsLine(in: input, upTo: end, &position) { state = .line }
            case .header(let block): frame = header(in: input, upTo: end, &position, block)
            case .body(let missing): frame = body(in: input, upTo: end, &position, missing: missing)
            case .skippedBody(let missing):
                frame = nil
                let count = min(missing, end - position)
                position += count
                state = count == missing ? .header(HeaderBlock()) : .skippedBody(missing: missing - count)
            case .seeking:
                frame = nil
                seek(in: input, upTo: end, &position)
            }
            if let frame { return frame }
        }
        return nil
    }

    /// Nothing may follow.
    ///
    /// - Returns: The last message if only its line end is missing, or a fault if more is.
    package mutating func finish() -> Frame? {
        defer { carry = [] }
        switch state {
        case .undecided, .line: return takeCarriedLine()
        case .header(let block):
            return block.isEmpty && carry.allSatisfy(Blank.contains) ? nil : .refused(.truncated)
        case .body: return .refused(.truncated)
        case .skippedLine, .skippedBody, .seeking: return nil
        }
    }

    private mutating func decide(by byte: UInt8, _ position: inout Int) {
        if isAtStart, byte == Self.byteOrderMark[carry.count] {
            carry.append(byte)
            position += 1
            if carry.count == Self.byteOrderMark.count { (carry, isAtStart) = ([], false) }
            return
        }
        defer { isAtStart = false }
        if isAtStart, !carry.isEmpty {
            state = .line
        } else if carry.isEmpty, Blank.contains(byte) {
            position += 1
        } else if carry.isEmpty ? byte.isASCIILetter : HeaderBlock.isToken(byte) && carry.count < Self.maxNameLength {
            carry.append(byte)
            position += 1
        } else {
            state = byte == UInt8(ascii: ":") && !carry.isEmpty ? .header(HeaderBlock()) : .line
        }
    }

    private mutating func line(in input: [UInt8], upTo end: Int, _ position: inout Int) -> Frame? {
        guard let newline = lineEnd(in: input, position..<end) else {
            guard carry.count + end - position <= maxMessageBytes + 1 else {
                position = end
                return refuseLine()
            }
            carry += input[position..<end]
            position = end
            // One byte more may still turn out to be the carriage return of the line's end.
            let isTooLong = carry.count > maxMessageBytes && carry.last != UInt8(ascii: "\r")
            return isTooLong ? refuseLine() : nil
        }
        defer { position = newline + 1 }
        guard carry.isEmpty else {
            carry += input[position..<newline]
            return takeCarriedLine()
        }
        let line = input.withoutCarriageReturn(position..<newline)
        guard line.count <= maxMessageBytes else { return .refused(.tooLarge(limit: maxMessageBytes)) }
        return input[line].allSatisfy(Blank.contains) ? nil : .within(line)
    }

    /// Takes the line that came in pieces.
    private mutating func takeCarriedLine() -> Frame? {
        let line = carry.withoutCarriageReturn(0..<carry.count)
        defer { carry = [] }
        guard line.count <= maxMessageBytes else { return .refused(.tooLarge(limit: maxMessageBytes)) }
        carry.removeSubrange(line.upperBound...)
        return carry.allSatisfy(Blank.contains) ? nil : .collected(carry)
    }

    private mutating func refuseLine() -> Frame {
        carry = []
        state = .skippedLine
        return .refused(.tooLarge(limit: maxMessageBytes))
    }

    private mutating func header(
        in input: [UInt8], upTo end: Int, _ position: inout Int, _ block: HeaderBlock
    ) -> Frame? {
        guard let newline = lineEnd(in: input, position..<end) else {
            let rest = input[position..<end]
            position = end
            guard block.byteCount + carry.count + rest.count <= HeaderBlock.maxBytes else {
                seek(after: carry[...], rest)
                state = .seeking
                return .refused(.badHeader)
            }
            carry += rest
            return nil
        }
        defer { position = newline + 1 }
        guard !carry.isEmpty else { return header(input[position..<newline], block) }
        let line = carry + input[position..<newline]
        carry = []
        return header(line[...], block)
    }

    private mutating func header(_ line: ArraySlice<UInt8>, _ block: HeaderBlock) -> Frame? {
        var block = block
        guard !line.allSatisfy(Blank.contains) else { return block.isEmpty ? nil : endHeaders(block) }
        if block.read(line), block.byteCount <= HeaderBlock.maxBytes {
            state = .header(block)
            return nil
        }
        state = HeaderBlock(lineEndingInHeader: line).map(State.header) ?? .seeking
        return .refused(.badHeader)
    }

    private mutating func endHeaders(_ block: HeaderBlock) -> Frame? {
        switch block.contentLength {
        case nil:
            state = .seeking
            return .refused(.badHeader)
        case 0?:
            state = .header(HeaderBlock())
            return .collected([])
        case let count? where count > maxMessageBytes:
            state = .skippedBody(missing: count)
            return .refused(.tooLarge(limit: maxMessageBytes))
        case let count?:
            state = .body(missing: count)
            return nil
        }
    }

    private mutating func body(
        in input: [UInt8], upTo end: Int, _ position: inout Int, missing: Int
    ) -> Frame? {
        let piece = position..<min(position + missing, end)
        position = piece.upperBound
        guard piece.count == missing else {
            carry += input[piece]
            state = .body(missing: missing - piece.count)
            return nil
        }
        state = .header(HeaderBlock())
        guard !carry.isEmpty else { return .within(piece) }
        let body = carry + input[piece]
        carry = []
        return .collected(body)
    }

    private mutating func seek(in input: [UInt8], upTo end: Int, _ position: inout Int) {
        let newline = lineEnd(in: input, position..<end)
        seek(after: carry[...], input[position..<(newline ?? end)])
        position = newline.map { $0 + 1 } ?? end
        guard newline != nil else { return }
        if let block = HeaderBlock(lineEndingInHeader: carry[...]) { state = .header(block) }
        carry = []
    }

    /// Keeps as much of a line as can be a `Content-Length` header, and one byte more to see whether it begins there.
    private mutating func seek(after line: ArraySlice<UInt8>, _ more: ArraySlice<UInt8>) {
        let kept = HeaderBlock.tail + 1
        carry = Array((line.suffix(kept) + more.suffix(kept)).suffix(kept))
    }

    /// Passes over the rest of a line.
    ///
    /// - Returns: Whether its end was found.
    private func endsLine(in input: [UInt8], upTo end: Int, _ position: inout Int) -> Bool {
        let newline = lineEnd(in: input, position..<end)
        position = newline.map { $0 + 1 } ?? end
        return newline != nil
    }

    private func lineEnd(in input: [UInt8], _ range: Range<Int>) -> Int? {
        input.firstIndex(of: UInt8(ascii: "\n"), in: range)
    }
}
