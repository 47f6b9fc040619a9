import Synchronization
import TrackerModels

/// Makes unique identifiers.
package protocol IDGenerator: Sendable {
    /// A UUID in lower case, such as `6f0c7e85-3c1d-4a52-9c0b-1f2e3d4c5b6a`.
    func uuid() -> String
}

extension IDGenerator {
    /// A UUID as a message's key.
    func messageID() -> MessageID {
        var id: MessageID?
        // A UUID always is a message id.
        while id == nil { id = MessageID(uuid()) }
        return id ?? messageID()
    }
}

/// Version 4 UUIDs from the system's randomness (RFC 9562, 5.4).
package struct RandomIDGenerator: IDGenerator {
    package init() {}

    package func uuid() -> String {
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return UUIDText.make(high: high, low: low)
    }
}

/// Writes UUIDs.
package enum UUIDText {
    /// The text of a version 4 UUID from these bits; the bits of version and variant are set.
    package static func make(high: UInt64, low: UInt64) -> String {
        let high = high & ~0xF000 | 0x4000
        let low = low & ~(0b11 << 62) | 0b10 << 62
        return unsafe String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    unsafe text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let bits = (index < 16 ? high : low) >> UInt64(60 - index % 16 * 4)
                unsafe text[place] = digit(UInt8(truncatingIfNeeded: bits & 15))
                place += 1
            }
            return place
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
