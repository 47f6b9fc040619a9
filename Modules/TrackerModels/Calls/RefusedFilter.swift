/// Which refused events are meant: those that have one of the values in every member that has some.
public struct RefusedFilter: Hashable, Sendable {
    /// The ids of events; empty for any.
    public var messageIDs: Set<MessageID>
    /// Names of events, screens and pages; empty for any.
    public var names: Set<String>
    /// Why the server would not have them; empty for any.
    public var reasons: Set<RefusedEvent.Reason>
    /// Statuses of answers; empty for any.
    public var statuses: Set<Int>
    /// Refused then or later.
    public var since: Timestamp?
    /// Refused before.
    public var until: Timestamp?

    /// Means every refused event, but for what you give.
    public init(
        messageIDs: Set<MessageID> = [], names: Set<String> = [], reasons: Set<RefusedEvent.Reason> = [],
        statuses: Set<Int> = [], since: Timestamp? = nil, until: Timestamp? = nil
    ) {
        self.messageIDs = messageIDs
        self.names = names
        self.reasons = reasons
        self.statuses = statuses
        self.since = since
        self.until = until
    }

    /// Whether it means this event.
    package func matches(_ event: RefusedEvent) -> Bool {
        (messageIDs.isEmpty || messageIDs.contains(event.messageID))
            && (names.isEmpty || event.name.map(names.contains) ?? false)
            && (reasons.isEmpty || reasons.contains(event.reason))
            && (statuses.isEmpty || event.status.map(statuses.contains) ?? false)
            && since.map { event.refusedAt >= $0 } ?? true && until.map { event.refusedAt < $0 } ?? true
    }
}
