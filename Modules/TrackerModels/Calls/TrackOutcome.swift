/// What became of a tracking call.
public enum TrackOutcome: Hashable, Sendable {
    /// The call is on disk and on its way: it outlives a crash, and is delivered at least once, in order.
    case queued(MessageID)
    /// The call is on disk as well, and waits for a session or for consent.
    case pending(MessageID)
    /// The call was refused, and left no trace.
    case dropped(RefusalReason)

    /// The call's message id, unless it was refused.
    public var messageID: MessageID? {
        switch self {
        case .queued(let id), .pending(let id): id
        case .dropped: nil
        }
    }
}

/// Why a call was refused when it was made.
public enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    /// `initialize` was not called yet, or it failed for a reason that does not pass by itself.
    case notInitialized = "NOT_INITIALIZED"
    /// The event name, screen name or the like is empty or blank.
    case invalidEventName = "INVALID_EVENT_NAME"
    /// The user id is empty.
    case invalidUserId = "INVALID_USER_ID"
    /// A value is outside its range, such as a latitude of 91.
    case invalidValue = "INVALID_VALUE"
    /// The screen is the one shown last.
    case repeatedScreen = "REPEATED_SCREEN"
    /// The user denied consent.
    case trackingNotAllowed = "TRACKING_NOT_ALLOWED"
    /// A value is one that JSON cannot hold, or nested deeper than 128.
    case serialization = "SERIALIZATION_ERROR"
    /// The body is larger than `maxEventBytes`.
    case tooLarge = "TOO_LARGE"
    /// The disk refused it.
    case storage = "STORAGE_ERROR"
    /// As many calls as allowed wait for a session already.
    case queueFull = "QUEUE_FULL"
    /// The client was disabled by the server or by invalid options.
    case disabled = "DISABLED"
    /// The program's own `beforeSend` dropped it, or threw.
    case beforeSend = "BEFORE_SEND"
}

/// Why a record that had been accepted left the queue without being delivered.
public enum DropReason: Hashable, Sendable, CustomStringConvertible {
    /// It was the oldest when the queue was full.
    case evicted
    /// It was older than `eventTTL`.
    case expired
    /// The server refused it with this status, and would again.
    case rejected(Int)
    /// The server said 413 to it alone.
    case tooLarge
    /// A reset dropped it.
    case reset
    /// The user denied consent.
    case consent
    /// The client was disabled.
    case disabled
    /// Its session is gone, and no other can be made for it.
    case sessionGone
    /// The database was damaged and this record could not be read.
    case lost

    /// The name under which the account counts it, such as `evicted` or `rejected(422)`.
    public var description: String {
        switch self {
        case .evicted: "evicted"
        case .expired: "expired"
        case .rejected(let status): "rejected(\(status))"
        case .tooLarge: "tooLarge"
        case .reset: "reset"
        case .consent: "consent"
        case .disabled: "disabled"
        case .sessionGone: "sessionGone"
        case .lost: "lost"
        }
    }

    /// Reads a reason from the name that ``description`` gives.
    ///
    /// - Returns: `nil` if there is no such reason.
    public init?(_ name: String) {
        switch name {
        case "evicted": self = .evicted
        case "expired": self = .expired
        case "tooLarge": self = .tooLarge
        case "reset": self = .reset
        case "consent": self = .consent
        case "disabled": self = .disabled
        case "sessionGone": self = .sessionGone
        case "lost": self = .lost
        default:
            guard name.hasPrefix("rejected("), name.hasSuffix(")"),
                let status = Int(name.dropFirst("rejected(".count).dropLast())
            else { return nil }
            self = .rejected(status)
        }
    }
}
