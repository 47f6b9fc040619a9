// Requests are made of identifiers and values: one import gives them too.
@_exported public import TrackerModels

/// One request, complete except for what the transport adds: `User-Agent`, `Content-Length` and `Content-Encoding`.
public struct HTTPRequest: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP method of a request.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// GET (RFC 9110, 9.3.1).
        case get = "GET"
        /// POST (RFC 9110, 9.3.3).
        case post = "POST"
        /// PUT (RFC 9110, 9.3.4).
        case put = "PUT"
    }

    /// The HTTP method.
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
    /// Whether the transport may compress the body, if its configuration allows that and the body gets smaller.
    package var isCompressible = true
    /// The list in a JSON answer by which the server shows that it has read the body, if its API has one: an answer that
    /// names parts of a compressed body is no refusal of gzip.
    package var listOfFaults: String?
    /// Whether the path names a person or a session. Then no message shows the path of a redirect.
    package var isPathPrivate = false

    /// Describes a request.
    public init(
        method: Method,
        url: String,
        headers: HTTPHeaders = [:],
        body: [UInt8]? = nil,
        timeout: Duration = DeliveryOptions().requestTimeout
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Method, size and number of headers, which a log may show.
    ///
    /// URL, headers and body are left out: they hold keys and personal data.
    public var description: String {
        "\(method.rawValue) of \(body?.count ?? 0) bytes with \(headers.fields.count) headers"
    }
}

extension HTTPRequest {
    /// What HTTP forbids in this request's header fields or URL, as a sentence without any value; `nil` if nothing.
    var fault: String? {
        for field in headers.fields {
            guard HeaderField.isName(field.name) else {
                return "A header's name is empty or holds a character that names cannot."
            }
            guard HeaderField.isValue(field.value) else {
                return "The header \(field.name) holds a line break or another control character."
            }
            guard !HeaderField.framing.contains(where: { HeaderField.isSame($0, field.name) }) else {
                return "The header \(field.name) is the transport's own."
            }
        }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "The URL holds a space, a control character or a character outside ASCII; percent-encode it."
        }
        let size = headers.fields.reduce(url.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard size <= Self.maxHeadBytes else {
            return "Its URL and headers take \(size) bytes; no server takes more than \(Self.maxHeadBytes)."
        }
        return nil
    }

    /// libcurl does not send more over HTTP/2, where a request with more would end in its timeout.
    private static let maxHeadBytes = 60_000
}
