import TrackerJSON

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
