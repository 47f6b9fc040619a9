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
