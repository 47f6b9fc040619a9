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
