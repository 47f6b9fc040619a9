import TrackerModels

/// The final answer to a request, whatever its status.
public struct HTTPResponse: Hashable, Sendable, CustomStringConvertible {
    /// The status code, such as 200. Of redirects that were followed it is the last answer's.
    public var status: Int
    /// The answer's header fields.
    public var headers: HTTPHeaders
    /// The answer's body, decoded; empty if it is not whole.
    public var body: [UInt8]
    /// Whether the whole body was received, within ``TransportConfiguration/maxResponseBytes``.
    ///
    /// If it is false, the status still is the server's answer.
    public var isBodyWhole: Bool
    /// The size of the request's body before compression, in bytes.
    package var bodyBytes: Int
    /// The size of the request's body as it was sent in the end, compressed or not, in bytes.
    package var sentBytes: Int

    package init(
        status: Int,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [],
        isBodyWhole: Bool = true,
        bodyBytes: Int = 0,
        sentBytes: Int = 0
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isBodyWhole = isBodyWhole
        self.bodyBytes = bodyBytes
        self.sentBytes = sentBytes
    }

    /// Status and size, which a log may show.
    public var description: String { "status \(status) with \(body.count) bytes" }

    /// How long the server asks to wait before the next request, from its `Retry-After` header.
    ///
    /// - Parameter now: The wall time, for an answer that names a date but has no `Date` of its own.
    /// - Returns: A wait from zero to 3,600 s; `nil` if the server asks for none, or the header cannot be
    ///   read.
    package func retryAfter(at now: Timestamp) -> Duration? {
        RetryAfter.wait(for: headers["Retry-After"], date: headers["Date"], now: now)
    }
}
