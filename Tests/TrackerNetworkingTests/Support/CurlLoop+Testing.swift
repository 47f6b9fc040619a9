import TestSupport
import Testing
import TrackerNetworking

extension CurlLoop {
    /// A loop that goes straight to the server, past any proxy of the machine the tests run on.
    convenience init(_ adjust: (inout TransportConfiguration) -> Void = { _ in }) throws {
        var configuration = TransportConfiguration(userAgent: "mobile-tracker/0.1.0 (Test)", proxy: "")
        adjust(&configuration)
        try self.init(configuration: configuration)
    }

    /// Sends a request and waits for what becomes of it.
    func outcome(of request: HTTPRequest) async throws -> Result<HTTPResponse, TransportError> {
        let results = Recorder<Result<HTTPResponse, TransportError>>()
        submit(request) { results.record($0) }
        return try await results.values(atLeast: 1)[0]
    }

    /// Sends a request that must be answered.
    func answer(to request: HTTPRequest) async throws -> HTTPResponse { try await outcome(of: request).get() }

    /// Sends a request that must fail.
    func failure(of request: HTTPRequest) async throws -> TransportError {
        let outcome = try await outcome(of: request)
        return try #require(throws: TransportError.self) { try outcome.get() }
    }

    /// Closes the loop and waits until its thread has released everything.
    func closeAndWait() async throws {
        close()
        try await withGuard("the end of the loop") { await self.ended() }
    }
}

extension HTTPRequest {
    /// A POST of some JSON.
    static func post(_ url: String, headers: HTTPHeaders = [:], body: String = "{}") -> HTTPRequest {
        HTTPRequest(method: .post, url: url, headers: headers, body: Array(body.utf8), timeout: .seconds(10))
    }
}

extension HTTPResponse {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
