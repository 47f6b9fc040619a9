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
