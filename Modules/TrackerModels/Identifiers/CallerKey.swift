import TrackerJSON

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
