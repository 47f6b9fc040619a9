import TrackerPlatform

/// How the messages of a connection are separated.
///
/// A connection keeps the framing that its first message has, in both directions.
package enum Framing: String, Hashable, Sendable, CaseIterable {
    /// One message a line.
    case lines
    /// A block of headers with `Content-Length`, a blank line, and so many bytes, as in the Language Server Protocol.
    case headers
}

/// A message that could not be taken from the stream.
package enum FramingFault: Hashable, Sendable {
    /// It is longer than allowed. It is passed over.
    case tooLarge(limit: Int)
    /// The headers do not say, or say in two ways, how long it is. What follows is skipped up to the next good
    /// `Content-Length`.
    case badHeader
    /// The input ended inside it.
    case truncated
}

/// What a stream holds next.
package enum Frame: Hashable, Sendable {
    /// A message, which is in this part of the input.
    case within(Range<Int>)
    /// A message that came in several pieces, put together.
    case collected([UInt8])
    /// Bytes that are no message.
    case refused(FramingFault)
}

/// Puts messages on a stream of bytes.
struct FrameEncoder: Sendable {
    var framing: Framing

    /// Appends one framed message; nothing, if nothing is written.
    ///
    /// - Parameter write: Appends the message.
    func append(to bytes: inout [UInt8], byWriting write: (inout [UInt8]) -> Void) {
        switch framing {
        case .headers:
            // Its length stands before it.
            var message: [UInt8] = []
            write(&message)
            guard !message.isEmpty else { return }
            bytes += "Content-Length: \(message.count)\r\n\r\n".utf8
            bytes += message
        case .lines:
            let start = bytes.count
            write(&bytes)
            guard bytes.count > start else { return }
            Self.keepOnOneLine(&bytes, from: start)
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// Turns line ends into spaces.
    ///
    /// They can only stand between the parts of JSON, where one is as good as the other.
    private static func keepOnOneLine(_ bytes: inout [UInt8], from start: Int) {
        for lineEnd in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] {
            var position = start
            while let found = bytes.firstIndex(of: lineEnd, in: position..<bytes.count) {
                bytes[found] = UInt8(ascii: " ")
                position = found + 1
            }
        }
    }
}

extension [UInt8] {
    /// The first place of `byte` in a range, found as fast as the C library can.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return unsafe self[range].withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = unsafe memchr(base, Int32(byte), bytes.count) else {
                return nil
            }
            return unsafe range.lowerBound + base.distance(to: found)
        }
    }

    /// A range of this without the carriage return that may end it.
    func withoutCarriageReturn(_ line: Range<Int>) -> Range<Int> {
        guard self[line].last == UInt8(ascii: "\r") else { return line }
        return line.lowerBound..<line.upperBound - 1
    }
}
