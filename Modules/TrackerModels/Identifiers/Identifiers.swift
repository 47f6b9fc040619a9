/// The backend's name for one tracking session.
///
/// A client never makes one up: it is `data.id` of the answer to the request that created the session.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as the backend gave it, never empty.
    public let text: String

    /// Takes an identifier from the backend or from storage.
    ///
    /// - Parameter text: Any text but the empty one.
    /// - Returns: `nil` if `text` is empty.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }

    /// The identifier as the backend gave it.
    public var description: String { text }
}

/// The identifier of one installation, a UUID that is made once and kept.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier, never empty.
    public let text: String

    /// Takes an identifier that was made earlier.
    ///
    /// - Parameter text: Any text but the empty one.
    /// - Returns: `nil` if `text` is empty.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }

    /// The identifier.
    public var description: String { text }
}

/// A user, as the application names it.
///
/// Personal data: it belongs in payloads, never in a log above debug level.
public struct UserID: Hashable, Sendable {
    /// The name, exactly as given, never empty.
    public let text: String

    /// Takes a user's name from a caller.
    ///
    /// - Parameter text: Any text but the empty one.
    /// - Returns: `nil` if `text` is empty.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.text = text
    }
}

/// The key under which a call's effect is recognised, however often it is sent.
///
/// It becomes the `Idempotency-Key` of the record's request, the same on every retry.
public struct MessageID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier: 1 to 128 printable ASCII characters without spaces at either end.
    public let text: String

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

    /// The identifier.
    public var description: String { text }

    private static func arePrintable(_ utf8: String.UTF8View) -> Bool {
        let arePrintable = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            unsafe bytes.allSatisfy { $0 >= 0x20 && $0 <= 0x7E }
        }
        return arePrintable ?? utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7E }
    }
}

/// One span of a lane's life, from one reset to the next.
///
/// A record belongs to the generation it was made in and is delivered to that generation's session, whatever the lane
/// has become since.
public struct Generation: Hashable, Comparable, Sendable {
    /// Counts from 1; never used again.
    public let number: Int64

    /// Names a generation by its number.
    public init(_ number: Int64) { self.number = number }

    /// Whether `lhs` came first.
    public static func < (lhs: Generation, rhs: Generation) -> Bool { lhs.number < rhs.number }
}
