import TrackerModels

/// Why a request has no answer.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request is one that cannot be sent: its URL or a header is malformed or too long. Trying again is useless.
        case invalidRequest
        /// The name of the host, or of the proxy, has no address.
        case dns
        /// No connection could be made: the host refused it or cannot be reached.
        case connect
        /// The proxy refused to pass the request on. The server has not seen it.
        case proxyRefused
        /// The connection could not be secured: a certificate that does not verify, a CA bundle that cannot be read.
        case tls
        /// The time for the exchange passed.
        case timeout
        /// The connection broke while the request was sent.
        case sendFailed
        /// The connection broke before the header of the answer was whole.
        case receiveFailed
        /// The server closed the connection without a byte of an answer.
        case emptyReply
        /// What came back is not an HTTP answer.
        case badResponse
        /// The header of the answer is larger than ``TransportConfiguration/maxResponseBytes`` or 256 KiB.
        case responseTooLarge
        /// The answer redirects to where the request must not go; the message says where.
        case redirectRefused
        /// The answers redirected more than five times.
        case tooManyRedirects
        /// The exchange was cancelled, for example with the task that sent it.
        case cancelled
        /// The loop was closed.
        case closed
        /// The transport itself failed: memory is short, or libcurl cannot be used.
        case unavailable
    }

    /// What failed.
    public var kind: Kind
    /// The host that the request was for, such as `api.example.com`, with its port if that is not the default.
    public var host: String
    /// A sentence for a developer: what failed, to which host, and what to do about it, but never a secret.
    public var message: String
    /// Where a redirect led that was not followed, without user info, query and fragment, and without the path if the
    /// request's is private; otherwise `nil`.
    package var target: String?
    /// The header of the answer of a proxy or a redirect that it is about, if there is one.
    private let headers: HTTPHeaders?

    package init(_ kind: Kind, host: String, message: String, target: String? = nil, headers: HTTPHeaders? = nil) {
        self.kind = kind
        self.host = host
        self.message = message
        self.target = target
        self.headers = headers
    }

    /// How long the proxy or the redirect asks to wait before the next request, as ``HTTPResponse/retryAfter(at:)`` has it.
    package func retryAfter(at now: Timestamp) -> Duration? {
        RetryAfter.wait(for: headers?["Retry-After"], date: headers?["Date"], now: now)
    }

    /// The message.
    public var description: String { message }
}
