import Testing
import TrackerNetworking

@Suite("HTTPHeaders")
struct HTTPHeadersTests {
    @Test("finds a field in any case and keeps its spelling")
    func caseInsensitive() {
        let headers: HTTPHeaders = ["X-API-Key": "k", "Content-Type": "application/json"]

        #expect(headers["x-api-key"] == "k")
        #expect(headers["CONTENT-TYPE"] == "application/json")
        #expect(headers["X-API"] == nil)
        #expect(headers.fields.map(\.name) == ["X-API-Key", "Content-Type"])
    }

    @Test("keeps repeated fields in order; setting one replaces them all in the first one's place")
    func repeated() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]

        #expect(headers.fields.map(\.value) == ["1", "2", "3"])
        #expect(headers["A"] == "1")

        headers["a"] = "4"
        #expect(headers == ["a": "4", "B": "2"])
        headers["A"] = nil
        #expect(headers == ["B": "2"])
    }
}

@Suite("HTTPRequest")
struct HTTPRequestTests {
    @Test("never shows a key or a user in its descriptions")
    func hidesSecrets() {
        let request = HTTPRequest(
            method: .put, url: "https://api.example.com/identify/jane", headers: ["X-API-Key": "hunter2"],
            body: Array("jane".utf8))

        #expect("\(request)" == "PUT of 4 bytes with 1 headers")
        #expect(String(reflecting: request) == "\(request)")
    }
}

@Suite("PercentEncoding")
struct PercentEncodingTests {
    @Test(
        "leaves the unreserved characters alone and encodes every other byte",
        arguments: [
            ("azAZ09-._~", "azAZ09-._~"), ("", ""), ("a/b", "a%2Fb"), ("a b+c", "a%20b%2Bc"), ("50%", "50%25"),
            ("ü€😀", "%C3%BC%E2%82%AC%F0%9F%98%80"), ("a?b#c&d=e", "a%3Fb%23c%26d%3De"), ("\r\n\0", "%0D%0A%00"),
            ("user@example.com", "user%40example.com"), (".", "%2E"), ("..", "%2E%2E"), ("...", "..."),
            ("e\u{301}", "e%CC%81"),
        ])
    func segments(text: String, encoded: String) {
        #expect(PercentEncoding.segment(text) == encoded)
    }
}
