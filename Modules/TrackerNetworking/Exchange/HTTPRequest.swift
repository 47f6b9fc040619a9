/// One request, complete but for what the transport adds: `User-Agent`, `Content-Length` and `Content-Encoding`.
public struct HTTPRequest: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What a request does to its target.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// Asks for something.
        case get = "GET"
        /// Adds something.
        case post = "POST"
        /// Replaces something.
        case put = "PUT"
    }

    /// What the request does.
    public var method: Method
    /// The whole address, `http` or `https`, percent-encoded already; sent as it stands.
    public var url: String
    /// Header fields, sent in this order.
    ///
    /// A name or value that HTTP forbids (a line break above all) fails the request
    /// with ``TransportError/Kind/invalidRequest``, and nothing is sent.
    public var headers: HTTPHeaders
    /// The body before compression; `nil` for none.
    public var body: [UInt8]?
    /// How long the whole exchange may take, redirects and a second try without compression included.
    public var timeout: Duration
    /// Whether the transport may compress the body, where its configuration allows and where it pays.
    public var isCompressible: Bool
    /// Whether the path names a person or a session: then no message shows a path that an answer leads to.
    public var isPathPrivate: Bool

    /// Describes a request.
    public init(
        method: Method,
        url: String,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8]? = nil,
        timeout: Duration = .seconds(30),
        isCompressible: Bool = true,
        isPathPrivate: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.isCompressible = isCompressible
        self.isPathPrivate = isPathPrivate
    }

    /// Method, size and number of headers: what a log may show.
    ///
    /// URL, headers and body hold keys and personal data.
    public var description: String {
        "\(method.rawValue) of \(body?.count ?? 0) bytes with \(headers.fields.count) headers"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
