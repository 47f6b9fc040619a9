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
        /// The credentials are refused (401, 403).
        case unauthorized
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
    /// How long the server wants no other request.
    var wait = Duration.zero

    var status: Int { response?.status ?? 0 }
}
