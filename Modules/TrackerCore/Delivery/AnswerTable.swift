import TrackerModels
import TrackerNetworking

/// The meaning of answers where all dialects agree.
enum AnswerTable {
    /// The class of an answer. Each dialect decides what the class means to it.
    enum Class: Hashable, Sendable {
        case success
        /// The request may be right: the server, or the way to it, is down or busy.
        case retry(floor: Duration)
        /// The body is too large (413).
        case tooLarge
        /// The credentials are refused (401, 403).
        case unauthorized
        /// What the request names is not there (404, 410).
        case gone
        /// The request is refused, and would be again.
        case refused
    }

    /// Sorts an answer by its status.
    static func classify(_ response: HTTPResponse, at wall: Timestamp) -> Class {
        // Most answers are a 2xx, whose headers need not be read.
        if (200..<300).contains(response.status) { return .success }
        let wait = response.retryAfter(at: wall) ?? .zero
        return switch response.status {
        case 429: .retry(floor: max(wait, .seconds(1)))
        // 407 comes from a proxy, not from the server.
        case 407, 408: .retry(floor: wait)
        case 413: .tooLarge
        case 401, 403: .unauthorized
        case 404, 410: .gone
        case 304, 400..<500: .refused
        // 5xx, redirects that lead nowhere, and statuses that HTTP does not know.
        default: .retry(floor: wait)
        }
    }

    /// How a status reads in a log.
    static func sentence(_ status: Int, from url: String) -> String {
        "\(host(of: url)) answered \(status)"
    }

    /// The host, and the port if one is written, of an absolute URL.
    static func host(of url: String) -> String {
        guard let scheme = url.place(of: "://") else { return url }
        return String(url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" })
    }
}
