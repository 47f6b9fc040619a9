/// Puts messages on a stream of bytes.
struct FrameEncoder: Sendable {
    /// How messages are told apart.
    var framing: Framing

    /// Appends one framed message.
    ///
    /// - Parameters:
    ///   - message: JSON.
    ///   - bytes: What is to be written.
    func append(_ message: [UInt8], to bytes: inout [UInt8]) {
        switch framing {
        case .headers:
            bytes += "Content-Length: \(message.count)\r\n\r\n".utf8
            bytes += message
        case .lines:
            let start = bytes.count
            bytes += message
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
