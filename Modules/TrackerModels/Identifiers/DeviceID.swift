import TrackerJSON

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
