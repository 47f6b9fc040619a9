import TrackerPlatform

/// Writes UUIDs of version 4 (RFC 9562, 5.4).
package enum UUIDText {
    /// A new one in lower case, from the system's source of randomness.
    package static func random() -> String {
        let high = RandomWords.next() & ~0xF000 | 0x4000
        let low = RandomWords.next() & ~(0b11 << 62) | 0b10 << 62
        return unsafe String(unsafeUninitializedCapacity: 36) { text in
            let text = UnsafeMutableRawBufferPointer(text)
            let middle = (digits(high), digits(low >> 32))
            unsafe text.storeBytes(of: digits(high >> 32), as: UInt64.self)
            unsafe text.storeBytes(of: middle.0, toByteOffset: 9, as: UInt64.self)
            unsafe text.storeBytes(of: lastFour(middle.0), toByteOffset: 14, as: UInt32.self)
            unsafe text.storeBytes(of: middle.1, toByteOffset: 19, as: UInt64.self)
            unsafe text.storeBytes(of: lastFour(middle.1), toByteOffset: 24, as: UInt32.self)
            unsafe text.storeBytes(of: digits(low), toByteOffset: 28, as: UInt64.self)
            let dash = UInt8(ascii: "-")
            unsafe (text[8], text[13], text[18], text[23]) = (dash, dash, dash, dash)
            return 36
        }
    }

    /// The eight hexadecimal digits of a number's lower half, as they stand in memory.
    private static func digits(_ number: UInt64) -> UInt64 {
        var digits = number & 0xFFFF_FFFF
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // The letters stand 39 places behind the digits.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (digits &+ 0x3030_3030_3030_3030 &+ letters &* 39).bigEndian
    }

    /// The last four of eight digits.
    private static func lastFour(_ digits: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: digits.bigEndian).bigEndian
    }
}
