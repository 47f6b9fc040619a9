package import TrackerModels

/// What is known of a call when it is made, whatever it says. A class, since it is handed on often and copied never.
package final class CallStamp: Sendable {
    package let messageID: MessageID
    /// Whether a caller chose the key: then a second record with it is answered as the first and not queued.
    package let hasCallerKey: Bool
    /// When the call was made, by the wall clock.
    package let occurredAt: Timestamp
    /// When the call was made, on the monotonic clock, for ages within this run.
    package let acceptedAt: Duration
    /// The client's number for it, in this run of the program.
    package let number: Int
    /// What a log calls it.
    package let name: String
    package let caller: Caller

    package init(
        messageID: MessageID, hasCallerKey: Bool = false, occurredAt: Timestamp, acceptedAt: Duration = .zero,
        number: Int = 0, name: String = "", caller: Caller = .nobody
    ) {
        self.messageID = messageID
        self.hasCallerKey = hasCallerKey
        self.occurredAt = occurredAt
        self.acceptedAt = acceptedAt
        self.number = number
        self.name = name
        self.caller = caller
    }

    /// The same call by another name.
    package func named(_ name: String) -> CallStamp { copy(name, caller) }

    /// The same call, of whose record nobody hears.
    var unheard: CallStamp { copy(name, .nobody) }

    private func copy(_ name: String, _ caller: Caller) -> CallStamp {
        CallStamp(
            messageID: messageID, hasCallerKey: hasCallerKey, occurredAt: occurredAt, acceptedAt: acceptedAt,
            number: number, name: name, caller: caller)
    }
}
