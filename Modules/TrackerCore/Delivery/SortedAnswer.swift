import TrackerModels
import TrackerNetworking

/// An answer that will not be another one for the same request.
struct SortedAnswer: Sendable {
    /// The class of an answer. Each dialect decides what the class means to it.
    enum Kind: Hashable, Sendable {
        case success
        /// The request cannot be sent: it is no HTTP request.
        case unsendable
        /// The body is too large (413).
        case tooLarge
        /// The key is refused (401; another service may say so otherwise).
        case unauthorized
        /// The key is known, and may not do this (403).
        case forbidden
        /// What the request names is not there (404, 410).
        case gone
        /// The request is refused, and would be again.
        case refused
    }

    var kind: Kind
    /// What the server has answered; `nil` if the request cannot be sent.
    var response: HTTPResponse?
    /// How the answer reads in a log.
    var sentence: String
    /// The places of the records that it names as refused, and what has become of the others; `nil` if it names none.
    var named: (places: Set<Int>, others: Verdict.Others)?

    var isKeyRefused: Bool { kind == .unauthorized }

    var status: Int { response?.status ?? 0 }
}
