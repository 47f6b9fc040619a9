/// The sentences about calls that were dropped, or failed, as templates.
///
/// `{call}` is the first of them, `{place}` the line that made it, `{why}` the sentence of its fault; `{failed}` is there if they
/// failed.
package enum DropText: String, CaseIterable, Sendable {
    case call
    /// There was a sentence about the first.
    case oneMore
    case more
    case several
    // Of Swift's own log, in the words of the documents that the product follows.
    case notInitialized, noConsent, noRoom, noUser

    /// Those that clients in other languages say as well.
    package static let ofClients: [DropText] = [.call, .oneMore, .more, .several]

    /// The sentence of Swift's log about a call that was dropped for a reason.
    init(for reason: RefusalReason) {
        switch reason {
        case .notInitialized: self = .notInitialized
        case .trackingNotAllowed: self = .noConsent
        case .queueFull: self = .noRoom
        case .invalidUserId: self = .noUser
        case .invalidEventName, .invalidValue, .repeatedScreen, .serialization, .tooLarge, .storage, .disabled,
            .beforeSend, .plan, .forgotten:
            self = .call
        }
    }

    package var text: String {
        switch self {
        case .call: "{call} [failed{failed}|was dropped]: {reason}.[ {why}]{place}"
        case .oneMore: "1 more call [failed{failed}|was dropped]: {reason}.[ {why}]"
        case .more: "{count} more calls [failed{failed}|were dropped]: {reason}.[ {why}]"
        case .several: "{count} calls [failed{failed}|were dropped]: {reason}.[ {why}] The first was {call}{place}."
        case .notInitialized: "{why}"
        case .noConsent: "Event blocked - consent not granted: {call}"
        case .noRoom: "Event queue full - dropping event: {call}"
        case .noUser: "user_id is required for {call}()"
        }
    }
}
