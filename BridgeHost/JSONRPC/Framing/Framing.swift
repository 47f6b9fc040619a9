/// How the messages of a connection are told apart.
///
/// A connection keeps the framing that its first message has, in both directions.
public enum Framing: String, Hashable, Sendable, CaseIterable {
    /// One message a line.
    case lines
    /// A block of headers, of which `Content-Length` counts, and after a blank line as many bytes; the way of the
    /// Language Server Protocol.
    case headers
}

/// A message that could not be taken from the stream.
public enum FramingFault: Error, Hashable, Sendable {
    /// It is longer than allowed. It is passed over.
    case tooLarge(limit: Int)
    /// The headers do not say, in one way, how long it is. What follows is passed over up to the next good
    /// `Content-Length`.
    case badHeader
    /// The input ended inside it.
    case truncated
}

/// What a stream holds next.
public enum Frame: Hashable, Sendable {
    /// A message, lying in this part of the input.
    case within(Range<Int>)
    /// A message that came in several pieces, put together.
    case collected([UInt8])
    /// Bytes that are no message.
    case refused(FramingFault)
}
