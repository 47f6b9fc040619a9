import TrackerModels
import TrackerNetworking

/// The result of a request.
typealias Answer = Result<HTTPResponse, TransportError>

/// The meaning of answers where all dialects agree.
enum AnswerTable {
    /// What an answer says of its request.
    enum Sorted: Sendable {
        /// The request may be right: the server, or the way to it, is down or busy.
        case verdict(Verdict)
        case final(SortedAnswer)

        /// How long the server wants no other request.
        var wait: Duration { if case .verdict(.retry(let floor, _)) = self { floor } else { .zero } }
    }

    /// Sorts an answer by its status.
    static func sort(_ answer: Answer, from url: String, at wall: Timestamp) -> Sorted {
        switch answer {
        case .failure(let error) where error.kind == .invalidRequest:
            return .final(SortedAnswer(kind: .unsendable, response: nil, sentence: error.message))
        case .failure(let error): return .verdict(.retry(floor: error.retryAfter(at: wall) ?? .zero, error.message))
        case .success(let response):
            // Most answers are a 2xx, whose headers need not be read.
            let isSuccess = (200..<300).contains(response.status)
            let sentence = isSuccess ? "" : sentence(response.status, from: url)
            guard let kind = isSuccess ? .success : kind(of: response.status) else {
                return .verdict(.retry(floor: wait(for: response, at: wall), sentence))
            }
            return .final(SortedAnswer(kind: kind, response: response, sentence: sentence))
        }
    }

    private static func kind(of status: Int) -> SortedAnswer.Kind? {
        switch status {
        // 407 comes from a proxy, not from the server.
        case 407, 408, 429: nil
        case 413: .tooLarge
        case 401: .unauthorized
        case 403: .forbidden
        case 404, 410: .gone
        case 304, 400..<500: .refused
        // 5xx, redirects that lead nowhere, and statuses that HTTP does not know.
        default: nil
        }
    }

    private static func wait(for response: HTTPResponse, at wall: Timestamp) -> Duration {
        max(response.retryAfter(at: wall) ?? .zero, response.status == 429 ? .seconds(1) : .zero)
    }

    /// How a status reads in a log.
    static func sentence(_ status: Int, from url: String) -> String {
        "\(WebURL(url).authority) answered \(status)"
    }
}

extension Dialect {
    /// What an answer means, to the records and to the lane.
    ///
    /// - Parameter wall: The wall time, for a `Retry-After` date without a `Date` beside it.
    mutating func judge(_ answer: Answer, to plan: Plan, at wall: Timestamp) -> Verdict {
        switch sort(answer, to: plan, at: wall) {
        case .verdict(let verdict): verdict
        case .final(let answer): judge(answer, to: plan)
        }
    }
}
