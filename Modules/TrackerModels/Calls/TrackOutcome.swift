/// What became of a tracking call.
public enum TrackOutcome: Hashable, Sendable {
    /// The call is on disk and on its way: it outlives a crash, and is delivered at least once, in order. It has *not*
    /// been sent yet.
    case queued(MessageID)
    /// The call is on disk as well. It waits for a session, for consent, or for halted delivery to resume.
    case pending(MessageID)
    /// The call was refused, and nothing of it is stored or sent.
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
    /// `initialize` was not called or has failed for good, or the client was shut down.
    case notInitialized = "NOT_INITIALIZED"
    /// The name of the event, screen or page is blank.
    case invalidEventName = "INVALID_EVENT_NAME"
    /// The user id is empty, or blank in a call of `AnalyticsClient` or `BasicTracker`.
    case invalidUserId = "INVALID_USER_ID"
    /// A value is out of its range, such as a latitude of 91 or a message id with a line break.
    case invalidValue = "INVALID_VALUE"
    /// The screen was the last one tracked.
    case repeatedScreen = "REPEATED_SCREEN"
    /// The user denied consent.
    case trackingNotAllowed = "TRACKING_NOT_ALLOWED"
    /// A value is one that JSON cannot hold, or is nested more than 128 levels deep.
    case serialization = "SERIALIZATION_ERROR"
    /// The body is larger than `maxEventBytes`.
    case tooLarge = "TOO_LARGE"
    /// The disk did not take the call.
    case storage = "STORAGE_ERROR"
    /// The queue is full, as many calls wait for a session as `maxPendingEvents` allows, or as many bytes of calls wait to
    /// be written as `maxQueuedBytes` allows.
    case queueFull = "QUEUE_FULL"
    /// The client is turned off by `enabled`, or was disabled by the server or by invalid options.
    case disabled = "DISABLED"
    /// The program's own `beforeSend` dropped it, or threw.
    case beforeSend = "BEFORE_SEND"
    /// The call breaks the plan, and `plan.onBroken` is `drop`. It is kept apart with what the server refuses.
    case plan = "PLAN"
    /// The call is of a person who was forgotten (``AnalyticsClient``'s `forget`).
    case forgotten = "FORGOTTEN"
}

extension RefusalReason {
    /// Whether the reason is in the state of the client, its disk or its queue, and not in the call: other calls are
    /// dropped for it as well, whatever they are. The clients in other languages warn of all of them together.
    package var holdsForOtherCalls: Bool {
        switch self {
        case .notInitialized, .trackingNotAllowed, .storage, .queueFull, .disabled: true
        case .invalidEventName, .invalidUserId, .invalidValue, .repeatedScreen, .serialization, .tooLarge, .beforeSend,
            .plan, .forgotten:
            false
        }
    }
}

/// Why a record that had been accepted left the queue without being delivered.
public enum DropReason: Hashable, Sendable, CustomStringConvertible {
    /// It was the oldest when the queue was full.
    case evicted
    /// It was older than `eventTTL`.
    case expired
    /// The server refused it for good, with this HTTP status.
    case rejected(Int)
    /// The server answered 413 (RFC 9110, 15.5.14) to it alone, or its URL and headers exceed 60,000 bytes.
    case tooLarge
    /// A reset dropped it.
    case reset
    /// The user denied consent.
    case consent
    /// The client was disabled.
    case disabled
    /// The server no longer knows its session, and no other can be made for it.
    case sessionGone
    /// It alone made the server fail, again and again, and held up what was behind it.
    case poison
    /// The database was damaged or removed, and the record could not be read.
    case lost
    /// It breaks the plan, and was never queued.
    case plan
    /// It was of a person whom the program has had forgotten.
    case forgotten

    /// The name of the reason in debug information, such as `evicted` or `rejected(422)`.
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
        case .poison: "poison"
        case .lost: "lost"
        case .plan: "plan"
        case .forgotten: "forgotten"
        }
    }

    /// Reads a reason from the name that ``description`` gives.
    ///
    /// - Returns: `nil` if there is no such reason.
    package init?(_ name: String) {
        let status = name.hasPrefix("rejected(") ? Int(name.dropFirst("rejected(".count).dropLast()) : nil
        let all = Self.withoutStatus + (status.map { [.rejected($0)] } ?? [])
        guard let reason = all.first(where: { $0.description == name }) else { return nil }
        self = reason
    }

    private static let withoutStatus: [DropReason] = [
        .evicted, .expired, .tooLarge, .reset, .consent, .disabled, .sessionGone, .poison, .lost, .plan,
        .forgotten,
    ]

    /// Whether the server would not have it: such a record is kept apart.
    package var isRefusal: Bool {
        switch self {
        case .rejected, .tooLarge, .sessionGone, .poison, .plan: true
        case .evicted, .expired, .reset, .consent, .disabled, .lost, .forgotten: false
        }
    }
}
