import TestSupport
import Testing
import TrackerModels
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
            headers: [
                "Content-Type": "application/json", "X-API-Key": "key", "X-Empty": "", "X-Blank": " \t",
                "X-Text": "grüße \t!",
            ],
            body: #"{"a":"ü"}"#)

        let response = try await loop.answer(to: request)

        let received = try #require(server.requests.first)
        #expect(received.method == "POST")
        #expect(received.target == "/a/%2F..%2F/../b?c=d%20e")
        #expect(received.text == #"{"a":"ü"}"#)
        #expect(received.header("Content-Type") == "application/json")
        #expect(received.header("X-API-Key") == "key")
        #expect(received.header("X-Empty") == "")
        #expect(received.header("X-Blank") == "")
        #expect(received.header("X-Text") == "grüße \t!")
        #expect(received.header("User-Agent") == "mobile-tracker/0.1.0 (Test)")
        #expect(received.header("Content-Length") == "10")
        #expect(received.header("Expect") == nil)
        #expect(response.status == 201)
        #expect(response.text == "héllo")
        #expect(response.headers["x-one"] == "1")
        #expect(response.headers["x-none"] == "")
        #expect(response.headers.fields.filter { $0.name.lowercased() == "x-many" }.map(\.value) == ["a", "b"])
        #expect(response.bodyBytes == 10)
        #expect(response.sentBytes == 10)
    }

    @Test("sends and waits in one call, which a cancelled task ends")
    func sends() async throws {
        let server = try LoopbackServer()
        let silent = try LoopbackServer { _ in .nothing(then: .stall) }
        let loop = try CurlLoop()

        #expect(try await loop.send(.post(server.url + "/a")).status == 200)
        let waiting = Task { () async -> TransportError? in
            do throws(TransportError) {
                _ = try await loop.send(.post(silent.url + "/b"))
                return nil
            } catch {
                return error
            }
        }
        _ = try await silent.requests(atLeast: 1)
        waiting.cancel()

        #expect(await waiting.value?.kind == .cancelled)
    }

    @Test(
        "gives each method its own framing, with and without a body",
        arguments: [
            (HTTPRequest.Method.get, nil, nil), (.post, nil, "0"), (.put, nil, "0"), (.post, "", "0"),
            (.post, "abc", "3"), (.put, "abcd", "4"),
        ] as [(HTTPRequest.Method, String?, String?)])
    func methods(method: HTTPRequest.Method, body: String?, length: String?) async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()

        let response = try await loop.answer(
            to: HTTPRequest(method: method, url: server.url + "/x", body: body.map { Array($0.utf8) }))

        let received = try #require(server.requests.first)
        #expect(response.status == 200)
        #expect(received.method == method.rawValue)
        #expect(received.text == body ?? "")
        #expect(received.header("Content-Length") == length)
        #expect(received.header("Content-Type") == nil)
        #expect(received.header("Transfer-Encoding") == nil)
    }

    @Test("a handle that is used again carries nothing over from the request before")
    func noLeftovers() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()

        _ = try await loop.answer(to: .post(server.url + "/a", headers: ["X-A": "1"], body: "first"))
        _ = try await loop.answer(to: HTTPRequest(method: .get, url: server.url + "/b"))
        _ = try await loop.answer(to: HTTPRequest(method: .put, url: server.url + "/c"))

        #expect(server.requests.map(\.method) == ["POST", "GET", "PUT"])
        #expect(server.requests.map(\.text) == ["first", "", ""])
        #expect(server.requests.map { $0.header("X-A") } == ["1", nil, nil])
    }

    @Test("any final status is an answer, not an error", arguments: [200, 204, 304, 400, 401, 404, 413, 429, 500, 599])
    func statuses(status: Int) async throws {
        let server = try LoopbackServer(script: [.status(status)])
        let loop = try CurlLoop()

        #expect(try await loop.answer(to: .post(server.url)).status == status)
    }

    @Test("interim answers and trailing chunks do not show")
    func interimAndChunked() async throws {
        let server = try LoopbackServer(script: [
            .text(
                "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-Late: 2\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                then: .keepAlive)
        ])
        let loop = try CurlLoop()

        let response = try await loop.answer(to: .post(server.url))

        #expect(response.status == 200)
        #expect(response.text == "abcde")
        #expect(response.headers["X-Early"] == nil)
        #expect(response.headers["X-Late"] == "2")
    }

    @Test("an answer's body is read if it is as large as the limit and no larger", arguments: [(0, true), (1, false)])
    func responseLimit(excess: Int, isAccepted: Bool) async throws {
        let limit = 1000
        let body = String(repeating: "x", count: limit + excess)
        // Once announced by its length, once only ended by the connection.
        let server = try LoopbackServer(script: [
            .status(200, body: body), .text("HTTP/1.1 200 OK\r\n\r\n" + body, then: .close),
        ])
        let loop = try CurlLoop { $0.maxResponseBytes = limit }

        for _ in 0..<2 {
            let response = try await loop.answer(to: .post(server.url))
            #expect(response.isBodyWhole == isAccepted)
            #expect(response.body.count == (isAccepted ? limit : 0))
        }
    }

    @Test("a large body arrives whole")
    func largeBody() async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop { $0.compression = .none }
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

        let response = try await loop.answer(to: HTTPRequest(method: .post, url: server.url, body: body))

        #expect(server.requests.first?.body == body)
        #expect(server.requests.first?.header("Expect") == nil)
        #expect(response.sentBytes == 5_000_000)
    }

    @Test("a hundred requests, each submitted by the completion of the last, share one connection and keep their order")
    func reuse() async throws {
        let server = try LoopbackServer { .status(200, body: $0.path) }
        let loop = try CurlLoop()
        let bodies = Recorder<String>()
        @Sendable func send(_ number: Int) {
            loop.submit(.post(server.url + "/\(number)")) { result in
                bodies.record((try? result.get().text) ?? "\(result)")
                if number < 99 { send(number + 1) }
            }
        }

        send(0)
        let paths = try await bodies.values(atLeast: 100)

        #expect(paths == (0..<100).map { "/\($0)" })
        #expect(server.requests.map(\.path) == paths)
        #expect(server.connections == 1)
    }

    @Test("requests submitted together run side by side, each with its own answer")
    func concurrent() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { .gated(gate, .status(200, body: $0.text)) }
        let loop = try CurlLoop()
        let results = Recorder<String>()

        for number in 0..<16 {
            loop.submit(.post(server.url, body: "\(number)")) { results.record((try? $0.get().text) ?? "failed") }
        }
        try await server.requests(atLeast: 16)
        gate.open()

        let texts = try await results.values(atLeast: 16)
        #expect(Set(texts) == Set((0..<16).map { "\($0)" }))
        #expect(server.connections == 16)
    }

    @Test("a connection that the server closed meanwhile is replaced without an error")
    func staleConnection() async throws {
        let server = try LoopbackServer { .status(200, then: $0.number == 0 ? .close : .keepAlive) }
        let loop = try CurlLoop()

        _ = try await loop.answer(to: .post(server.url))
        try await server.closings(atLeast: 1)

        #expect(try await loop.answer(to: .post(server.url)).status == 200)
        #expect(server.connections == 2)
    }

    @Test(
        "a header that could write headers of its own is refused, and nothing is sent",
        arguments: [
            ("X-API-Key", "secret\r\nX-Evil: 1"), ("X-API-Key", "secret\n"), ("X-API-Key", "\rsecret"),
            ("X-API-Key", "sec\0ret"), ("X-API-Key", "secret\u{7F}"), ("X-Evil: 1\r\nX", "secret"), ("", "secret"),
            ("X Y", "secret"), ("X:", "secret"), ("Ü", "secret"),
        ])
    func headerInjection(name: String, value: String) async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let headers = HTTPHeaders([HTTPHeaders.Field(name: name, value: value)])

        let error = try await loop.failure(of: .post(server.url, headers: headers))

        #expect(error.kind == .invalidRequest)
        #expect(!error.message.contains("secret"))
        #expect(error.message.contains("127.0.0.1"))
        #expect(server.connections == 0)
    }

    @Test(
        "a header that frames the message is the transport's own",
        arguments: ["Content-Length", "transfer-encoding", "HOST", "Connection", "Expect"])
    func framingHeaders(name: String) async throws {
        let server = try LoopbackServer()
        let loop = try CurlLoop()
        let headers = HTTPHeaders([HTTPHeaders.Field(name: name, value: "1")])

        #expect(try await loop.failure(of: .post(server.url, headers: headers)).kind == .invalidRequest)
        #expect(server.connections == 0)
    }

    @Test(
        "a URL that is not absolute http or https is refused",
        arguments: [
            "", "/path", "example.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://", "http://a b/",
            "http://127.0.0.1/\r\nX: 1", "http://user:secret@127.0.0.1/", "http://127.0.0.1:99999/",
            "http://bü.example",
        ])
    func invalidURLs(url: String) async throws {
        let loop = try CurlLoop()

        let error = try await loop.failure(of: .post(url))

        #expect(error.kind == .invalidRequest)
        #expect(!error.message.contains("secret"))
    }
}
