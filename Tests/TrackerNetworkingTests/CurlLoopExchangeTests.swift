import TestSupport
import Testing
import TrackerNetworking

@Suite("CurlLoop: one exchange")
struct CurlLoopExchangeTests {
    @Test("sends method, path, headers and body as they are, and gives the whole answer")
    func roundTrip() async throws {
        let server = try LoopbackServer { _ in
            .status(201, headers: [("X-One", "1"), ("X-Many", "a"), ("x-many", "b"), ("X-None", "")], body: "héllo")
        }
        let loop = try CurlLoop()
        let request = HTTPRequest.post(
            server.url + "/a/%2F..%2F/../b?c=d%20e",
            headers: ["Content-Type": "application/json", "X-API-Key": "key", "X-Empty": "", "X-Text": "grüße \t!"],
            body: #"{"a":"ü"}"#)

        let response = try await loop.answer(to: request)

        let received = try #require(server.requests.first)
        #expect(received.method == "POST")
        #expect(received.target == "/a/%2F..%2F/../b?c=d%20e")
        #expect(received.text == #"{"a":"ü"}"#)
        #expect(received.header("Content-Type") == "application/json")
        #expect(received.header("X-API-Key") == "key")
        #expect(received.header("X-Empty") == "")
        #expect(received.header("X-Text") == "grüße \t!")
        #expect(received.header("User-Agent") == "mobile-tracker/1.0.0 (Test)")
        #expect(received.header("Content-Length") == "10")
        #expect(received.header("Expect") == nil)
        #expect(response.status == 201)
        #expect(response.text == "héllo")
        #expect(response.headers["x-one"] == "1")
        #expect(response.headers["x-none"] == "")
        #expect(response.headers.values(named: "X-Many") == ["a", "b"])
        #expect(response.bodyBytes == 10)
        #expect(response.sentBytes == 10)
    }
}
