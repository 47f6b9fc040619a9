import TrackerJSON

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
