import TrackerJSON
import TrackerPlatform

/// The id that the backend has given one tracking session.
///
/// It is `data.id` of the answer to the request that created the session. A client never makes one itself.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as the backend gave it, never empty.
    public var text: String { exact.string }
    private let exact: ExactString

    /// Takes an identifier from the backend or from storage.
    ///
    /// - Parameter text: Any text but the empty one.
    /// - Returns: `nil` if `text` is empty.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        exact = ExactString(text)
    }

    /// The identifier as the backend gave it.
    public var description: String { text }
}

/// The identifier of one installation: a UUID that is made once and kept until a reset.
package struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier, never empty.
    package var text: String { exact.string }
    private let exact: ExactString

    /// Takes an identifier that was made earlier.
    ///
    /// - Parameter text: Any text but the empty one.
    /// - Returns: `nil` if `text` is empty.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        exact = ExactString(text)
    }

    package var description: String { text }
}

/// The id of a user, as the application gives it.
///
/// It is personal data: it may stand in payloads, and in logs at the level `debug` alone.
package struct UserID: Hashable, Sendable {
    /// The id, exactly as given, never empty.
    package var text: String { exact.string }
    private let exact: ExactString

    /// Takes the id of a user.
    ///
    /// - Parameter text: Any text but the empty one.
    /// - Returns: `nil` if `text` is empty.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        exact = ExactString(text)
    }
}

/// The key of a call. A call takes effect once, however often it is made or sent under its key.
///
/// It becomes the `Idempotency-Key` of the request, the same on every retry. A batch has a key made from those of its
/// events.
public struct MessageID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier: 1 to 128 printable ASCII characters without spaces at either end.
    public let text: String

    /// What a text must be to be one, for a sentence that begins with its name.
    package static let rule = "must be 1 to 128 printable ASCII characters without spaces at either end"

    /// Takes an identifier that a caller or a generator made.
    ///
    /// - Parameter text: 1 to 128 printable ASCII characters (0x20 to 0x7E), no space first or last, since an HTTP
    ///   header could not carry it (RFC 9110, 5.5).
    /// - Returns: `nil` if `text` is anything else.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...128).contains(bytes.count), Self.arePrintable(bytes), bytes.first != 0x20, bytes.last != 0x20
        else { return nil }
        self.text = text
    }

    /// Takes a text that is known to be one.
    package init(accepted text: String) {
        assert(MessageID(text) != nil, "This text is no message id.")
        self.text = text
    }

    /// A new one: a UUID in lower case.
    package static func random() -> MessageID { MessageID(accepted: UUIDText.random()) }

    /// The identifier.
    public var description: String { text }

    private static func arePrintable(_ utf8: String.UTF8View) -> Bool {
        let arePrintable = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe bytes.allSatisfy { $0 >= 0x20 && $0 <= 0x7E }
        }
        return arePrintable ?? utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7E }
    }
}

/// The time of a queue from one reset to the next.
///
/// A record belongs to the generation in which it was made, and is delivered to the session of that generation, even
/// after later resets.
package struct Generation: Hashable, Comparable, Sendable {
    /// Counts from 1; never used again.
    package let number: Int64

    package init(_ number: Int64) { self.number = number }

    package static func < (lhs: Generation, rhs: Generation) -> Bool { lhs.number < rhs.number }
}

/// The number under which a brand's events are filed.
///
/// A `BrandID` is always valid: it cannot be empty or non-numeric. `"007"` and `"7"` are the
/// same brand; ``description`` is its canonical form, the one used on disk and on the wire.
package struct BrandID: Hashable, Sendable, CustomStringConvertible {
    /// The number itself, never negative.
    package let number: Int64

    /// Reads a brand from its decimal form.
    ///
    /// - Parameter text: One or more ASCII digits, such as `"925"`.
    /// - Returns: `nil` if `text` is not a whole number that fits 64 bits.
    package init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(text) else { return nil }
        self.number = number
    }

    /// The canonical decimal form, without leading zeros.
    package var description: String { String(number) }
}

/// A message id that a caller chose, valid or not.
///
/// ```swift
/// await MobileTracker.shared.track(eventName: "PURCHASE", messageId: "order-789")
/// ```
///
/// A second call with the same id has no effect. An id that is not valid drops its call as
/// ``RefusalReason/invalidValue``.
public struct CallerKey: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The id; `nil` if the text is none.
    package let messageID: MessageID?

    /// Takes any text; 1 to 128 printable ASCII characters without spaces at either end are a valid id.
    public init(_ text: String) { messageID = MessageID(text) }

    /// Takes an id that is valid already, such as that of an earlier outcome.
    public init(_ messageID: MessageID) { self.messageID = messageID }

    /// Takes any text.
    public init(stringLiteral text: String) { self.init(text) }
}

/// The hash FNV-1a with 64 bits, the same in every process and version: it distinguishes, but does not protect.
///
/// Offset and prime are those of RFC 9923.
package enum FNV1a {
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The hash in 16 hexadecimal digits.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let text = String(hash(bytes), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

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
