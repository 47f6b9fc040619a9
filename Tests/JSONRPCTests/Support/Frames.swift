import JSONRPC
import Testing

/// A message with what frames it.
func framed(_ message: String, _ framing: Framing) -> [UInt8] {
    switch framing {
    case .lines: Array("\(message)\n".utf8)
    case .headers: Array("Content-Length: \(message.utf8.count)\r\n\r\n\(message)".utf8)
    }
}

/// The messages of a stream that must be framed well to its last byte.
func unframed(_ bytes: [UInt8], _ framing: Framing) throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        switch framing {
        case .lines:
            let end = try #require(rest.firstIndex(of: UInt8(ascii: "\n")))
            messages.append(Array(rest[..<end]))
            rest = rest[(end + 1)...]
        case .headers:
            let end = try #require(rest.firstIndex(of: UInt8(ascii: "\r")))
            let header = String(decoding: rest[..<end], as: UTF8.self)
            try #require(header.hasPrefix("Content-Length: "))
            let count = try #require(Int(header.dropFirst("Content-Length: ".count)))
            try #require(rest[end...].starts(with: "\r\n\r\n".utf8))
            messages.append(Array(rest[(end + 4)...].prefix(count)))
            try #require(messages.last?.count == count)
            rest = rest[(end + 4 + count)...]
        }
    }
    return messages
}
