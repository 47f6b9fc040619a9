/// UUIDs of names (RFC 9562, 5.5): the same name has the same UUID, in every process and on every machine.
package enum NameUUID {
    /// The UUID of version 5 of a name in the name space of OIDs, in lower case.
    package static func text(of name: String) -> String {
        // 6ba7b812-9dad-11d1-80b4-00c04fd430c8 (RFC 9562, 6.6).
        let space: [UInt8] = [
            0x6B, 0xA7, 0xB8, 0x12, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
        ]
        var bytes = Array(SHA1.digest(space + name.utf8).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            text += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
        }
        return text
    }
}

extension MessageID {
    /// The id as a UUID in lower case, for servers that take nothing else: the id itself if it is one, else the UUID of
    /// its name. A UUID at the end of another id does not count: the ids of a caller may share it.
    package var uuid: String { Self.isUUID(text) ? text.lowercased() : NameUUID.text(of: text) }

    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : byte.hexadecimalValue != nil
            }
    }
}
