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

/// The hash that UUIDs of version 5 are made with (RFC 3174). Collisions can be made: it protects nothing from those who
/// choose the texts.
package enum SHA1 {
    package static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        padded += bytes(of: UInt64(message.count) * 8)
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
        return state.flatMap { bytes(of: $0) }
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { place in
            block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for place in 16..<80 {
            words.append(rotated(words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16], by: 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (place, word) in words.enumerated() {
            let (mixed, constant): (UInt32, UInt32) =
                switch place {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotated(a, by: 5) &+ mixed &+ e &+ constant &+ word
            (e, d, c, b, a) = (d, c, rotated(b, by: 30), a, next)
        }
        for (place, word) in [a, b, c, d, e].enumerated() { state[place] &+= word }
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Number($0)) }
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
