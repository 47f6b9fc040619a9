import TrackerJSON

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
