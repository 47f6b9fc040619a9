import TestSupport
import Testing
import TrackerNetworking

@Suite("CurlLoop: redirects")
struct CurlLoopRedirectTests {
    @Test(
        "within the origin the same method, headers and body go to the new place, whatever the status",
        arguments: [300, 301, 302, 303, 307, 308])
    func follows(status: Int) async throws {
        let server = try LoopbackServer(script: [.redirect(status, to: "../there?x=1"), .status(201, body: "done")])
        let loop = try CurlLoop()

        let response = try await loop.answer(
            to: .post(server.url + "/a/b/here", headers: ["X-API-Key": "key"], body: "payload"))

        let last = try #require(server.requests.last)
        #expect(response.status == 201)
        #expect(response.text == "done")
        #expect(server.requests.map(\.target) == ["/a/b/here", "/a/there?x=1"])
        #expect(last.method == "POST")
        #expect(last.text == "payload")
        #expect(last.header("X-API-Key") == "key")
        #expect(server.connections == 1)
    }

    @Test("a PUT without a body stays one")
    func put() async throws {
        let server = try LoopbackServer(script: [.redirect(302, to: "/there"), .status(200)])
        let loop = try CurlLoop()

        _ = try await loop.answer(to: HTTPRequest(method: .put, url: server.url + "/here"))

        #expect(server.requests.map(\.method) == ["PUT", "PUT"])
        #expect(server.requests.map { $0.header("Content-Length") } == ["0", "0"])
    }

    @Test("five redirects are followed, a sixth is not")
    func bounded() async throws {
        let server = try LoopbackServer { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return left == 0 ? .status(200) : .redirect(to: "/\(left - 1)")
        }
        let loop = try CurlLoop()

        #expect(try await loop.answer(to: .post(server.url + "/5")).status == 200)
        let error = try await loop.failure(of: .post(server.url + "/6"))

        #expect(error.kind == .tooManyRedirects)
        #expect(error.target == server.url + "/0")
        #expect(server.requests.count == 12)
    }

    @Test("no redirect takes the request, and its key, to another origin")
    func staysHome() async throws {
        let other = try LoopbackServer()
        let targets = [
            other.url + "/steal", "http://localhost:PORT/x", "//localhost:PORT/x", "http://127.0.0.2:PORT/",
            "http://user:secret@127.0.0.1:PORT/", "http://x@127.0.0.1:PORT/", "ftp://127.0.0.1:PORT/",
            "file:///etc/passwd", "javascript:alert(1)", "http://127.0.0.1.example.com:PORT/", "http:///x",
            "http://127.0.0.1:PORT@\(other.url.dropFirst(7))/",
        ]
        for target in targets {
            let server = try LoopbackServer { request in
                .redirect(to: target.replacing("PORT", with: request.header("Host")?.split(separator: ":").last ?? ""))
            }
            let loop = try CurlLoop()

            let error = try await loop.failure(of: .post(server.url, headers: ["X-API-Key": "key"]))

            #expect(error.kind == .redirectRefused, "\(target)")
            #expect(error.host == "127.0.0.1:\(server.port)")
            #expect(error.target?.contains("secret") != true)
            #expect(server.requests.count == 1, "\(target)")
        }
        #expect(other.connections == 0)
    }

    @Test("a refused redirect says where it led, without query and password")
    func namesTarget() async throws {
        let server = try LoopbackServer(script: [.redirect(to: "https://u:p@New.example.com/v2/x?token=1#f")])
        let loop = try CurlLoop()

        let error = try await loop.failure(of: .post(server.url))

        #expect(error.target == "https://new.example.com/v2/x")
        #expect(error.message.contains("https://new.example.com/v2/x"))
        #expect(!error.message.contains("token"))
    }

    @Test("a 304, and any 3xx without a place to go to, is a plain answer", arguments: [300, 301, 304, 307])
    func plain(status: Int) async throws {
        let headers = status == 304 ? [("Location", "/elsewhere")] : []
        let server = try LoopbackServer(script: [.status(status, headers: headers)])
        let loop = try CurlLoop()

        #expect(try await loop.answer(to: .post(server.url)).status == status)
        #expect(server.requests.count == 1)
    }

    @Test("the time for the exchange is one for all its redirects")
    func oneDeadline() async throws {
        let server = try LoopbackServer { request in
            request.path == "/last" ? .nothing(then: .stall) : .redirect(to: "/last")
        }
        let loop = try CurlLoop()
        var request = HTTPRequest.post(server.url + "/first")
        request.timeout = .seconds(5)

        let error = try await loop.failure(of: request)

        #expect(error.kind == .timeout)
        #expect(server.requests.map(\.path) == ["/first", "/last"])
    }
}
