public import TrackerModels

/// What one analytics call says about itself, instead of what the client knows.
///
/// With it, one client of a server reports many users:
///
/// ```swift
/// AnalyticsClient.shared.track(
///     "Order Completed", properties: ["total": 149.99], options: CallOptions(userId: "user-1"))
/// ```
///
/// Options apply to their call alone, and change nothing that the client remembers. A call that names its user, by
/// `userId` or `anonymousId`, carries nothing of the client's own user: neither its ids and group nor its advertising
/// identifier. An `identify`, `alias` or `group` that names its user is an event about that user, and the client's own
/// user stays.
///
/// An id is text, a whole number or a UUID. Its text has 1 to 1,024 bytes and is not blank; a call with any other id is
/// dropped as ``RefusalReason/invalidValue``. So is a call with an id that is given and `nil`: with
/// `CallOptions(userId: user?.id)` a visitor who is not signed in is never taken for the client's own user. What you leave
/// out is taken from the client. The event's `messageId` is an argument of the call itself.
public struct CallOptions: Hashable, Sendable {
    /// The user that the call is about. In `identify` and `alias` it must equal the argument of the call, else the call
    /// is dropped. To set it to `nil` is to give `nil`.
    public var userId: String? {
        get { ids.user.text }
        set { ids.user = .given(newValue) }
    }
    /// The visitor that the call is about, as the program knows them. To set it to `nil` is to give `nil`.
    public var anonymousId: String? {
        get { ids.visitor.text }
        set { ids.visitor = .given(newValue) }
    }
    /// The group that the user belongs to. In `group` it must equal the argument of the call, else the call is dropped.
    /// To set it to `nil` is to give `nil`.
    public var groupId: String? {
        get { ids.group.text }
        set { ids.group = .given(newValue) }
    }
    /// When it happened. With `nil` it is the time of the call. It changes neither the order of delivery nor
    /// `eventTTL`.
    public var timestamp: Timestamp?
    /// Facts that replace those of the client's context for this call. Objects are merged member by member.
    public var context: Properties?

    package var ids: PersonIDs

    /// Makes options. What you leave out is taken from the client; an id that is given and `nil` drops the call.
    public init(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut,
        groupId: some IDGiven = IDOption.leftOut, timestamp: Timestamp? = nil, context: Properties? = nil
    ) {
        ids = PersonIDs(user: userId.idOption, visitor: anonymousId.idOption, group: groupId.idOption)
        self.timestamp = timestamp
        self.context = context
    }
}
