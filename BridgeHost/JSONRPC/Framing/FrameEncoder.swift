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
